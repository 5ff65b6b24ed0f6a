from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from huggingface_hub import DatasetCard
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from prbgen.errors import InputError
from prbgen.publication.card import render_card, size_category
from prbgen.publication.facts import Facts, Origin
from prbgen.publication.figures import Figures, Tally
from prbgen.publication.spelling import code, quoted
from prbgen.resources import resource
from prbgen.schema import Check, Pair

TEMPLATE = resource("data_cards") / "dataset_card.md.j2"
Make = Callable[..., Pair]

texts = st.text(st.characters(exclude_categories=["Cs"]))
hostile = example("x|y `z` <script>alert(1)</script>\n---\n# Title **b** [a](b) &amp; \\| $x$")


def figures_of(*pairs: Pair, validated: int = 0) -> Figures:
    tally = Tally()
    for number, pair in enumerate(pairs):
        known_good = number < validated
        split = pair.provenance.split if known_good else f"{pair.provenance.split}_unvalidated"
        tally.add(pair, split, validated=known_good)
    return tally.figures()


def shipped(figures: Figures, origin: Origin = "other") -> str:
    return render_card(TEMPLATE, Facts(figures, origin, "d1"))


def test_the_metadata_declares_all_first_and_as_default_over_the_same_files(varied_pairs: list[Pair]) -> None:
    metadata = DatasetCard(shipped(figures_of(*varied_pairs))).data.to_dict()  # type: ignore[no-untyped-call]
    names = ["Art_and_Entertainment", "Lifestyle_and_Personal_Development", "Society_and_Culture"]
    assert [config["config_name"] for config in metadata["configs"]] == ["all", *names]
    assert [config.get("default", False) for config in metadata["configs"]] == [True, False, False, False]
    assert metadata["configs"][0]["data_files"] == [
        {"split": "test_unvalidated", "path": [f"data/{name}/test_unvalidated.parquet" for name in names]},
        {"split": "train_unvalidated", "path": ["data/Art_and_Entertainment/train_unvalidated.parquet"]},
    ]
    assert metadata["size_categories"] == ["n<1K"]
    assert "dataset_info" not in metadata


@pytest.mark.parametrize(
    ("origin", "licence", "language", "words"),
    [
        ("lamp-qa", "cc-by-sa-4.0", ["en"], "StackExchange"),
        ("samples", "apache-2.0", ["en"], "the people\nin them are invented"),
        ("other", "unknown", None, "as the source of this run gave them"),
    ],
)
def test_source_and_licence_are_stated_only_where_they_are_known(
    make_pair: Make, origin: Origin, licence: str, language: list[str] | None, words: str
) -> None:
    card = shipped(figures_of(make_pair()), origin)
    metadata = DatasetCard(card).data.to_dict()  # type: ignore[no-untyped-call]
    assert (metadata["license"], metadata.get("language")) == (licence, language)
    assert words in card


def test_the_text_gives_the_figures(varied_pairs: list[Pair]) -> None:
    card = shipped(figures_of(*varied_pairs))
    for row in (
        "Pairs: 7. Questions: 5. Users: 5.",
        "| `Lifestyle_and_Personal_Development` | `test_unvalidated` | 2 | 0 |",
        "| words in `rejected` | 3.9 | 4 | 3 | 4 |",
        "| `counter` | it keeps to the opposite of each aspect | 1 |",
        "| `anthropic/claude-haiku-4-5` | 1 |",
        "| `inferred` | question and profile, by a model | 1 |",
        "| `openai/gpt-4o` | 1 |",
        "| `answer` | `5f1d` | 7 |",
        "| `words` | `chosen` | 1 | 0 | 0 |",
    ):
        assert f"\n{row}\n" in card


def test_tables_without_rows_are_left_out(make_pair: Make) -> None:
    card = shipped(figures_of(make_pair(made={"prompts": {}})))
    assert "| rubric model |" not in card
    assert "| prompt |" not in card
    assert "None of these pairs was checked." in card


def test_a_check_of_the_whole_pair_says_so(make_pair: Make) -> None:
    pair = make_pair(checks=(Check(name="gap", side=None, outcome="fail"),))
    assert "| `gap` | the pair | 0 | 1 | 0 |" in shipped(figures_of(pair))


def test_text_of_the_embedded_model_is_announced_as_no_dataset(make_pair: Make) -> None:
    toy = make_pair(generator="local/smollm2-135m")
    assert (
        "> **Warning: this is no dataset to measure with.** Text in it was written by `local/smollm2-135m`."
        in shipped(figures_of(make_pair(), toy))
    )
    assert "Warning" not in shipped(figures_of(make_pair()))


@pytest.mark.parametrize(
    ("validated", "words"),
    [
        (0, "**Nothing here has been validated by people yet.**"),
        (1, "People have validated 1 of the 2 pairs"),
        (2, "People have validated every pair."),
    ],
)
def test_the_card_says_how_much_people_have_validated(make_pair: Make, validated: int, words: str) -> None:
    card = shipped(figures_of(make_pair(0), make_pair(1), validated=validated))
    assert words in card
    assert ("Nothing here has been validated" in card) == (validated == 0)


@settings(max_examples=20, deadline=None)
@given(name=texts)
@hostile
def test_no_name_breaks_out_of_its_place_in_the_card(make_pair: Make, name: str) -> None:
    check = Check(name=name, side=None, outcome="pass")
    made = {"rubric_model": name, "prompts": {name: name}}
    card = DatasetCard(shipped(figures_of(make_pair(generator=name, checks=(check,), made=made))))
    plain = DatasetCard(shipped(figures_of(make_pair(generator="m", checks=(check,), made=made))))
    configs = card.data.to_dict()["configs"]  # type: ignore[no-untyped-call]
    assert [config["config_name"] for config in configs] == ["all", "Art_and_Entertainment"]
    tags = [re.findall(r"<[^<>]*>", rendered(each.text)) for each in (card, plain)]
    assert tags[0] == tags[1]


def rendered(markdown: str) -> str:
    return str(MarkdownIt("gfm-like", {"linkify": False}).render(markdown))


@given(text=texts)
@hostile
def test_code_is_one_code_span_with_the_text_in_any_table(text: str) -> None:
    page = rendered(f"| a | b |\n|---|---|\n| x | {code(text)} |\n")
    shown = re.findall(r"<td>(.*?)</td>", page, flags=re.DOTALL)
    assert len(shown) == 2
    inner = re.fullmatch(r"<code>([^<>]*)</code>", shown[1])
    assert inner is not None
    visible = "".join(sign if sign.isprintable() else " " for sign in text)
    assert html.unescape(inner[1]) == " ".join(visible.split())


@given(text=texts)
@hostile
def test_quoted_text_is_the_same_text_in_yaml(text: str) -> None:
    assert yaml.safe_load(f"key: {quoted(text)}") == {"key": text}


@pytest.mark.parametrize(
    ("pairs", "size"), [(1, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (2830, "1K<n<10K"), (24_333, "10K<n<100K")]
)
def test_size_categories_are_the_hubs(pairs: int, size: str) -> None:
    assert size_category(pairs) == size


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        ("{{ figures.nonsense }}", "has no attribute 'nonsense'"),
        ("{{ nonsense }}", "'nonsense' is undefined"),
        ("one\n{% if %}", "card.md.j2, line 2: the card cannot be filled: TemplateSyntaxError"),
        ("{% include 'other.j2' %}", "TemplateNotFound"),
        ("No metadata at all.", "declares no config 'all'"),
        ("---\nconfigs:\n- {config_name: all, description: d1}\n---\n", "declares no config 'Art_and_Entertainment'"),
        ("---\nconfigs:\n- config_name: all\n---\n", "description of config 'all' lacks {{ digest }}"),
        ("---\nconfigs: [\n---\n", "no valid YAML"),
        ("---\nconfigs: all\n---\n", "no valid YAML"),
        ("---\njust text\n---\n", "no valid YAML"),
    ],
)
def test_a_template_that_does_not_work_is_named_in_one_line(
    make_pair: Make, tmp_path: Path, template: str, fault: str
) -> None:
    path = tmp_path / "card.md.j2"
    path.write_text(template)
    with pytest.raises(InputError) as caught:
        render_card(path, Facts(figures_of(make_pair()), "other", "d1"))
    assert str(path) in str(caught.value)
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_template_that_is_missing_or_no_text_is_named(make_pair: Make, tmp_path: Path) -> None:
    (tmp_path / "binary.j2").write_bytes(b"\xff\xfe\x00")
    for name in ("nowhere.j2", "binary.j2"):
        with pytest.raises(InputError, match=name):
            render_card(tmp_path / name, Facts(figures_of(make_pair()), "other", "d1"))


def test_a_users_own_template_is_used_and_its_strings_are_code_too(make_pair: Make, tmp_path: Path) -> None:
    path = tmp_path / "card.md.j2"
    configs = "".join(
        f"- config_name: {name}\n  description: {{{{ digest | yaml }}}}\n" for name in ("all", "Art_and_Entertainment")
    )
    path.write_text(
        f"---\nconfigs:\n{configs}---\n{{% for name in figures.generators %}}By {{{{ name }}}}.{{% endfor %}}"
    )
    card = render_card(path, Facts(figures_of(make_pair(generator="a*b")), "other", "d1"))
    assert card == "---\nconfigs:\n" + configs.replace("{{ digest | yaml }}", '"d1"') + "---\nBy <code>a&#42;b</code>."
