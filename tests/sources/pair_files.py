"""Pairs of every origin, as files and as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.run import Run, as_line
from prbgen.schema import SUBSETS, Pair, Post, PreferencePair, Provenance
from prbgen.sources import read_pairs
from tests.sources.lamp_rows import row

ART, LIFE, SOCIETY = SUBSETS


def released(name: str, **changes: Any) -> dict[str, Any]:
    return row(name, chosen=f"chosen {name}", rejected=f"rejected {name}", **changes)


def plain(name: str, **changes: Any) -> dict[str, Any]:
    return {"prompt": f"Why {name}?", "chosen": f"good {name}", "rejected": f"bad {name}", **changes}


def own_pair(name: str, subset: str = ART, split: str = "test", strategy: Any = "avoid") -> Pair:
    return Pair(
        id=name,
        question=f"Which bread, number {name}?",
        profile=(Post(category=None, id="p", text="I like rye."),),
        rubric_aspects=(),
        narrative=None,
        category=None,
        chosen="Rye.",
        rejected="Wheat.",
        pair_id=f"pair-{name}-{strategy}",
        user_key=f"u{name[0]}",
        strategy=strategy,
        generator="scripted/x",
        checks=(),
        provenance=Provenance(
            subset=subset,
            split=split,
            rubric_kind="gold",
            rubric_model=None,
            aspects_dropped=0,
            rejected_aspects=(),
            rejected_from=None,
            ranker="bm25",
            posts_shown=(),
            posts_cut=(),
            own_posts_dropped=0,
            word_limit=100,
            attempt=1,
            prompts={},
            calls={"chosen": ("1", "2"), "rejected": ("3",)},
        ),
    )


OWN = [
    own_pair("00"),
    own_pair("01", split="train"),
    own_pair("00", strategy="counter"),
    own_pair("10", SOCIETY),
    own_pair("20", "Cooking"),
]


def build_run(folder: Path, pairs: Sequence[Pair] = OWN) -> Run:
    """A run folder as far as a reader of pairs sees it."""
    folder.mkdir(parents=True)
    run = Run(folder)
    run.recipe.write_text("")
    run.ledger.touch()
    run.rejects.write_text('{"id": "no pair"}\n')
    run.pairs.write_text("".join(map(as_line, pairs)))
    return run


def names(pairs: Sequence[PreferencePair]) -> list[str]:
    return [pair.id for pair in pairs]


def refusal(data: Path | str, **asked: Any) -> str:
    with pytest.raises(InputError) as caught:
        next(read_pairs(str(data), **asked))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def expected_of(pair: Pair, split: str, calls: tuple[int, int] | None) -> PreferencePair:
    columns = set(PreferencePair.model_fields) & set(Pair.model_fields)
    return PreferencePair(
        **{name: getattr(pair, name) for name in columns}, subset=pair.provenance.subset, split=split, calls=calls
    )
