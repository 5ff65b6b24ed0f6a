"""The metadata of a card, as the Hub's client and `datasets` read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import DatasetCard

from prbgen.errors import InputError
from prbgen.publication.features import features, ratings_features
from prbgen.publication.stage import stage
from prbgen.recipe import PublicationSettings
from prbgen.resources import resource
from prbgen.schema import Pair
from tests.publication.reports import build_validation

Make = Callable[..., Pair]
Write = Callable[[Iterable[Pair]], Path]
Load = Callable[..., Any]


def metadata_of(folder: Path) -> dict[str, Any]:
    card = DatasetCard.load(folder / "README.md")
    return dict(card.data.to_dict())


@pytest.fixture
def rated(varied_pairs: list[Pair], write_pairs: Write) -> Path:
    """A dataset of pairs of which people have validated some."""
    path = write_pairs(varied_pairs)
    stage(path, path.parent / "dataset", validation=build_validation(varied_pairs, varied_pairs[::2]))
    return path.parent / "dataset"


def test_every_config_loads_and_is_as_the_metadata_says(rated: Path, load: Load) -> None:
    metadata = metadata_of(rated)
    infos = {info["config_name"]: info for info in metadata["dataset_info"]}
    assert list(infos) == [config["config_name"] for config in metadata["configs"]]
    assert next(iter(infos)) == "all"
    assert list(infos)[-1] == "ratings"
    for config, info in infos.items():
        splits = load(rated, config)
        assert list(splits) == [split["name"] for split in info["splits"]]
        for split in info["splits"]:
            loaded = splits[split["name"]]
            assert loaded.num_rows == split["num_examples"] > 0
            # What `datasets` itself has measured while it read the files.
            assert loaded.info.splits[split["name"]].num_bytes == split["num_bytes"]
            assert loaded.features == (ratings_features() if config == "ratings" else features())
        assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])


def test_the_download_size_is_that_of_the_files(rated: Path) -> None:
    for config, info in zip(metadata_of(rated)["configs"], metadata_of(rated)["dataset_info"], strict=True):
        names = [each["path"] for each in config["data_files"]]
        paths = [path for each in names for path in ([each] if isinstance(each, str) else each)]
        assert info["download_size"] == sum((rated / path).stat().st_size for path in paths)


def test_ratings_are_no_part_of_the_default_config(rated: Path, varied_pairs: list[Pair], load: Load) -> None:
    everything = load(rated)
    assert set(everything) == {"test", "test_unvalidated", "train_unvalidated"}
    assert sum(split.num_rows for split in everything.values()) == len(varied_pairs)


def test_types_are_spelled_as_older_datasets_reads_them(rated: Path) -> None:
    infos = {info["config_name"]: info["features"] for info in metadata_of(rated)["dataset_info"]}
    profile = [{"name": name, "dtype": "string"} for name in ("category", "id", "text")]
    assert {"name": "profile", "list": profile} in infos["all"]
    assert {"name": "aspects", "sequence": "int64"} in infos["ratings"]
    assert "&id" not in (rated / "README.md").read_text()


def test_a_dataset_without_ratings_has_no_such_config(make_pair: Make, write_pairs: Write) -> None:
    path = write_pairs([make_pair(0)])
    for validation in (None, build_validation([])):
        stage(path, path.parent / "dataset", validation=validation)
        assert [each["config_name"] for each in metadata_of(path.parent / "dataset")["dataset_info"]] == [
            "all",
            "Art_and_Entertainment",
        ]
        assert not (path.parent / "dataset/ratings").exists()


def test_what_the_recipe_says_of_the_dataset_is_in_the_metadata(make_pair: Make, write_pairs: Write) -> None:
    path = write_pairs([make_pair(0)])
    publication = PublicationSettings(title='No: "1" #x', license="cc0-1.0", languages=("no", "en"))
    stage(path, path.parent / "dataset", origin="lamp-qa", publication=publication)
    metadata = metadata_of(path.parent / "dataset")
    assert metadata["pretty_name"] == 'No: "1" #x'
    assert (metadata["license"], metadata["language"]) == ("cc0-1.0", ["no", "en"])
    assert {"benchmark", "reward-model", "personalization"} < set(metadata["tags"])
    assert "human-feedback" not in metadata["tags"]


def test_ratings_by_people_are_a_tag_and_those_by_programs_are_not(rated: Path) -> None:
    assert "human-feedback" in metadata_of(rated)["tags"]


def test_a_template_that_says_something_else_of_the_files_is_named(
    make_pair: Make, write_pairs: Write, tmp_path: Path
) -> None:
    path = write_pairs([make_pair(0)])
    shipped = (resource("data_cards") / "dataset_card.md.j2").read_text()
    own = tmp_path / "dataset_card.md.j2"
    own.write_text(shipped.replace("{{ dataset_info }}", "dataset_info:\n  features: []\n"))
    with pytest.raises(InputError, match=r"card\.md\.j2: dataset_info in the metadata is not that of the files"):
        stage(path, path.parent / "dataset", own=tmp_path)
    own.write_text(shipped.replace("{{ dataset_info }}", ""))
    stage(path, path.parent / "dataset", own=tmp_path)
    assert "dataset_info" not in metadata_of(path.parent / "dataset")


def test_a_template_from_before_there_were_ratings_is_named(
    make_pair: Make, write_pairs: Write, tmp_path: Path
) -> None:
    path = write_pairs([make_pair(0)])
    own = tmp_path / "dataset_card.md.j2"
    own.write_text(
        (resource("data_cards") / "dataset_card.md.j2").read_text().replace("{% if ratings %}", "{% if 0 %}")
    )
    with pytest.raises(InputError, match="declares no config 'ratings'") as caught:
        stage(path, path.parent / "dataset", own=tmp_path, validation=build_validation([make_pair(0)]))
    assert "\n" not in str(caught.value)
