"""From a run's pairs to a dataset on disk that `datasets.load_dataset` opens."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from prbgen.digest import Digest, file_sha256
from prbgen.errors import FellShortError, InputError
from prbgen.publication.audited import PAGE, Audited, read_audit
from prbgen.publication.card import render_card
from prbgen.publication.citation import CITATION, citation_file
from prbgen.publication.facts import NOT_STATED, Facts, Origin, Result
from prbgen.publication.features import COLUMNS
from prbgen.publication.figures import Figures, Tally
from prbgen.publication.info import config_infos
from prbgen.publication.names import config_name
from prbgen.publication.plots import draw_plots
from prbgen.publication.ratings import write_ratings
from prbgen.publication.selection import Selection
from prbgen.publication.sums import write_sums
from prbgen.recipe import PublicationSettings
from prbgen.resources import resource
from prbgen.validation.report import Gate
from prbgen.validation.validation import Validation
from prbgen.whole_folder import replacing

SCRIPT = "evaluate.py"


@dataclass(frozen=True)
class Staged:
    """A dataset that has been staged: where it lies, and what the card says about it in figures."""

    folder: Path
    figures: Figures


def stage(
    pairs: Path,
    folder: Path,
    *,
    own: Path | None = None,
    origin: Origin = "other",
    audit: Path | None = None,
    validation: Validation | None = None,
    unvalidated: bool = True,
    publication: PublicationSettings = NOT_STATED,
    results: tuple[Result, ...] = (),
    gates: tuple[Gate, ...] = (),
    personal: tuple[tuple[str, str, int], ...] | None = None,
) -> Staged:
    """Turn a pairs.jsonl into a dataset that can be published.

    It gets data/<config>/<split>.parquet; ratings/ratings.parquet if people rated the pairs; README.md, the card, with
    its plots/; evaluate.py; CITATION.cff if authors are stated; and SHA256SUMS over all of them. Pairs are read one at
    a time and keep their order. The dataset in `folder` is replaced as a whole once everything is written; until then,
    and after any error, it stays as it was. The same inputs give the same bytes.

    Args:
        pairs: One `schema.Pair` a line.
        folder: What becomes the dataset.
        own: A folder whose files come before those shipped in data_cards/: templates and the evaluation script.
        origin: Where the questions come from; decides what the card says about source and licence.
        audit: A folder with what `prbgen audit` found. If it is about these pairs, the card has it and links its page.
        validation: What people found. Pairs that they validated keep the source's split, the others go to
            `<split>_unvalidated`; so do all pairs if it is null.
        unvalidated: Whether pairs that nobody has validated are staged at all.
        publication: What the card says that no figure tells.
        results: What reward models reach on these pairs, for the card.
        gates: What has to hold before the dataset is published, and whether it does, for the card.
        personal: Where something looks like personal data (column, kind, pairs), for the card.

    Raises:
        FellShortError: there are no pairs, or none to stage.
        InputError: a line is no pair, a name cannot be published, the template does not work, or the disk refuses.
    """
    template = _first("dataset_card.md.j2", own)
    script = _first(SCRIPT, own)
    try:
        with replacing(folder) as new:
            good = validation.validated if validation else frozenset()
            rows = _write_rows(Selection(pairs, good, unvalidated), new)
            figures = rows.tally.figures()
            ratings = write_ratings(new, validation, rows.pair_ids) if validation else None
            citation = citation_file(publication)
            facts = Facts(
                figures=figures,
                origin=origin,
                digest=_digest(new),
                audit=_copied_audit(audit, rows.digest.hexdigest(), new),
                validation=validation,
                publication=publication,
                results=results,
                gates=gates,
                personal=personal,
                infos=config_infos(new, figures),
                plots=draw_plots(new, rows.tally.words, validation),
                ratings=ratings,
                script=script.is_file(),
                citation=citation is not None,
            )
            _write(new / "README.md", render_card(template, facts, own))
            if citation:
                _write(new / CITATION, citation)
            if facts.script:
                shutil.copyfile(script, new / SCRIPT)
            write_sums(new)
    except OSError as error:
        raise InputError(f"{folder}: cannot write the dataset: {error.strerror or error}") from None
    return Staged(folder, figures)


def _first(name: str, own: Path | None) -> Path:
    mine = own / name if own else None
    return mine if mine and mine.is_file() else resource("data_cards") / name


@dataclass(frozen=True)
class _Rows:
    """What was written, and the digest of all pairs, written or left out: that is what an audit is about."""

    tally: Tally
    digest: Digest
    pair_ids: Collection[str]


def _write_rows(selection: Selection, new: Path) -> _Rows:
    from prbgen.publication.parquet import ParquetFiles

    tally, digest, pair_ids = Tally(), Digest(), set()
    with ParquetFiles() as files:
        for pair, split in selection.placed():
            digest.add(pair)
            if split is None:
                tally.left_out += 1
                continue
            pair_ids.add(pair.pair_id)
            path = new / "data" / config_name(pair.provenance.subset) / f"{split}.parquet"
            size = sum(len(post.text) for post in pair.profile)
            files.add(path, pair.model_dump(include=set(COLUMNS)), size)
            tally.add(pair, split, validated=pair.pair_id in selection.validated)
    if not tally.pairs:
        raise FellShortError(_nothing(selection.pairs, tally.left_out))
    return _Rows(tally, digest, pair_ids)


def _nothing(pairs: Path, left_out: int) -> str:
    if left_out:
        return (
            f"{pairs}: people have validated none of the {left_out} pairs, so there is no dataset to stage;"
            " verdicts.jsonl says why: have more of them rated, or stage those that are not validated too"
            " (--include-unvalidated)"
        )
    return f"{pairs}: no pairs, so there is no dataset to stage; rejects.jsonl says why"


def _copied_audit(audit: Path | None, digest: str, new: Path) -> Audited | None:
    found = read_audit(audit, digest) if audit else None
    if audit and found:
        shutil.copyfile(audit / PAGE, new / PAGE)
    return found


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _digest(folder: Path) -> str:
    """A hash of all rows in a folder, names and bytes of their files."""
    digest = sha256()
    for path in sorted(folder.rglob("*.parquet")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(file_sha256(path).encode())
    return digest.hexdigest()[:16]
