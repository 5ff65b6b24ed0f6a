"""From a run's pairs to a dataset on disk that `datasets.load_dataset` opens."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

from prbgen.digest import Digest
from prbgen.errors import FellShortError, InputError
from prbgen.publish.audited import PAGE, read_audit
from prbgen.publish.card import Origin, render_card
from prbgen.publish.features import COLUMNS
from prbgen.publish.figures import Figures, Tally
from prbgen.publish.names import config_name, split_name
from prbgen.publish.swap import replacing
from prbgen.resources import resource
from prbgen.run import read_records
from prbgen.schema import Pair


@dataclass(frozen=True)
class Staged:
    """A dataset that has been staged: where it lies, and what the card says about it in figures."""

    folder: Path
    figures: Figures


def stage(
    pairs: Path,
    folder: Path,
    *,
    card: Path | None = None,
    origin: Origin = "other",
    validated: Collection[str] = frozenset(),
    audit: Path | None = None,
) -> Staged:
    """Turn a pairs.jsonl into a dataset: data/<config>/<split>.parquet and README.md, the card.

    Pairs are read one at a time and keep their order. The dataset in `folder` is replaced as a whole once everything
    is written; until then, and after any error, it stays as it was. The same pairs give the same bytes.

    Args:
        pairs: One `schema.Pair` a line.
        folder: What becomes the dataset.
        card: A card template instead of the shipped one.
        origin: Where the questions come from; decides what the card says about source and licence.
        validated: The pair_ids that people have validated: these keep the source's split, all others go to
            `<split>_unvalidated`.
        audit: A folder with what `prbgen audit` found. If it is about these pairs, the card has it and links its page.

    Raises:
        FellShortError: there are no pairs.
        InputError: a line is no pair, a name cannot be published, the template does not work, or the disk refuses.
    """
    template = card or resource("data_cards") / "dataset_card.md.j2"
    try:
        with replacing(folder) as new:
            digest = Digest()
            tally = _write_rows(pairs, new / "data", validated, digest)
            figures = tally.figures()
            audited = read_audit(audit, digest.hexdigest()) if audit else None
            if audit and audited:
                shutil.copyfile(audit / PAGE, new / PAGE)
            text = render_card(template, figures, origin, _digest(new / "data"), audited)
            (new / "README.md").write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{folder}: cannot write the dataset: {error.strerror or error}") from None
    return Staged(folder, figures)


def _write_rows(pairs: Path, data: Path, validated: Collection[str], digest: Digest) -> Tally:
    from prbgen.publish.parquet import ParquetFiles

    tally = Tally()
    with ParquetFiles() as files:
        seen: set[str] = set()
        for pair in read_records(pairs, Pair):
            if pair.pair_id in seen:
                raise InputError(
                    f"{pairs}: pair_id {pair.pair_id} comes twice; everything is joined by it, so remove one"
                )
            seen.add(pair.pair_id)
            known_good = pair.pair_id in validated
            split = split_name(pair.provenance.split, validated=known_good)
            path = data / config_name(pair.provenance.subset) / f"{split}.parquet"
            size = sum(len(post.text) for post in pair.profile)
            files.add(path, pair.model_dump(include=set(COLUMNS)), size)
            tally.add(pair, split, validated=known_good)
            digest.add(pair)
    if not tally.pairs:
        raise FellShortError(f"{pairs}: no pairs, so there is no dataset to stage; rejects.jsonl says why")
    return tally


def _digest(data: Path) -> str:
    """A hash of all files in a folder, names and bytes."""
    digest = sha256()
    for path in sorted(data.rglob("*.parquet")):
        digest.update(path.relative_to(data).as_posix().encode())
        with path.open("rb") as file:
            digest.update(file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
