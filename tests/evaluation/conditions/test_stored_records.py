"""Pairs on disk that vanish."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import PrbgenError
from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.conditions.stored import stored
from tests.processes import python


def pair(name: str, text: str) -> PreparedPair:
    fields = dict.fromkeys(PreparedPair.model_fields, None) | {
        "subset": "s",
        "user_key": "u",
        "posts": (),
        "posts_lost": 0,
    }
    return PreparedPair.model_validate(fields | {"id": name, "question": text, "chosen": text, "rejected": text})


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stored")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=6), st.randoms(use_true_random=False))
def test_pairs_are_read_by_their_places_in_whatever_order_they_came(
    scratch: Path, texts: list[str], rng: object
) -> None:
    pairs = [pair(str(place), text) for place, text in enumerate(texts)]
    shuffled = list(enumerate(pairs))
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    with stored(scratch) as kept:
        for place, each in shuffled:
            kept.put(place, each)
        assert list(kept) == pairs
        # Two readers at once do not disturb each other.
        assert list(zip(kept, kept, strict=True)) == list(zip(pairs, pairs, strict=True))
        assert [kept[place] for place in reversed(range(len(kept)))] == pairs[::-1]


def test_nothing_is_left_also_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), stored(tmp_path) as kept:
        kept.put(0, pair("1", "a"))
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(PrbgenError, match=r"none: cannot be written \(No such file"), stored(tmp_path / "none"):
        pass


def test_a_full_disk_is_said_in_one_line_when_it_is_met(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from pathlib import Path
from prbgen.errors import PrbgenError
from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.conditions.stored import stored
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
pair = PreparedPair.model_validate_json(sys.argv[2])
try:
    with stored(Path(sys.argv[1])) as kept:
        for place in range(9):
            kept.put(place, pair)
except PrbgenError as error:
    print(place, error)
"""
    said = python(code, str(tmp_path), pair("1", "a" * 700).model_dump_json())
    assert said == (
        f"3 {tmp_path}: cannot be written (File too large); make room or mend it, then run the same command\n"
    )
    assert not list(tmp_path.iterdir())
