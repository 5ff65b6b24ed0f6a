from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.items import Bound, Content, Item
from prbgen.annotation.plan import contents, extend
from prbgen.errors import InputError
from prbgen.recipe import AnnotationSettings
from prbgen.schema import SUBSETS, Check, Pair, Round
from tests.annotation.plan.rated_pairs import rated_pair, rated_pairs, write

WANTED = AnnotationSettings(gold=0.3, repeats=0.1)
ROUNDS = get_args(Round)


def gold_of(path: Path, round_: Round, wanted: AnnotationSettings = WANTED) -> list[tuple[Item, Content]]:
    shown = contents(path, extend(path, (), round_, wanted, None).items, round_)
    return [(item, content) for item, content in shown if item.kind == "gold"]


def sides(item: Item, content: Content) -> tuple[str, str, str, str]:
    """The side of the own answer, its text, the other side, its text."""
    assert item.own is not None
    return ("A", content.a, "B", content.b) if item.own == "A" else ("B", content.b, "A", content.a)


@given(st.integers(3, 15), st.sampled_from(ROUNDS), st.integers(0, 9))
def test_one_side_is_the_questions_own_answer_and_the_other_a_strangers(count: int, round_: Round, seed: int) -> None:
    pairs = {pair.pair_id: pair for pair in rated_pairs(count)}
    with TemporaryDirectory() as folder:
        path = write(Path(folder), pairs.values())
        shown = gold_of(path, round_, WANTED.model_copy(update={"seed": seed}))
    assert shown
    for item, content in shown:
        own, donor = pairs[item.pair_id], pairs[item.donor or ""]
        _, answer, _, other = sides(item, content)
        assert content.question == own.question
        assert answer.startswith(own.chosen)
        assert other == donor.chosen
        assert item.chosen is None
        assert donor.user_key != own.user_key
        assert donor.question != own.question
        assert donor.provenance.subset != own.provenance.subset
    on_a = sum(item.own == "A" for item, _ in shown)
    assert abs(2 * on_a - len(shown)) <= 1


@given(st.integers(1, 9), st.sampled_from(ROUNDS))
def test_what_is_known_fits_what_is_shown(aspects: int, round_: Round) -> None:
    pairs = [rated_pair(number, aspects=aspects, subset=SUBSETS[number % 2]) for number in range(8)]
    with TemporaryDirectory() as folder:
        path = write(Path(folder), pairs)
        shown = gold_of(path, round_)
    for item, content in shown:
        own, answer, other, text = sides(item, content)
        known = {bound.name: bound for bound in item.gold}
        this, that = own.lower(), other.lower()
        if round_ == "quality":
            assert known == {f"relevance_{that}": Bound(name=f"relevance_{that}", most=2)}
            continue
        assert known["better"] == Bound(name="better", values=(own,))
        assert known[f"adherence_{that}"] == Bound(name=f"adherence_{that}", most=2)
        if round_ == "blind":
            assert len(known) == 2
            continue
        assert set(known) == {"better", f"adherence_{that}", f"covers_{this}", f"covers_{that}"}
        # Every aspect is named on one side and none on the other, and the bounds tell the two apart.
        assert all(each.aspect.rstrip(".") in answer for each in content.aspects)
        assert not any(each.aspect.rstrip(".") in text for each in content.aspects)
        least, most = known[f"covers_{this}"].least, known[f"covers_{that}"].most
        assert least is not None
        assert most is not None
        assert 0 <= most < least <= aspects


def test_a_judge_that_saw_a_relevant_answer_makes_its_relevance_known(tmp_path: Path) -> None:
    def judged(number: int, relevance: int) -> Pair:
        scores = Check(name="quality", side="chosen", outcome="pass", figure=4.0, scores=(4, relevance, 4))
        return rated_pair(number, checks=(scores,))

    for relevance, known in ((4, True), (3, False)):
        path = write(tmp_path, [judged(number, relevance) for number in range(8)])
        for item, _ in gold_of(path, "quality"):
            bound = Bound(name=f"relevance_{(item.own or '').lower()}", least=3)
            assert (bound in item.gold) == known


def test_the_other_answer_shares_few_words_with_the_question(tmp_path: Path) -> None:
    near = [
        rated_pair(number, user=f"n{number}", chosen=f"Question {SUBSETS[0]} {number} again and again")
        for number in range(1, 5)
    ]
    far = rated_pair(9, user="far", chosen="Nothing of the kind")
    path = write(tmp_path, [rated_pair(0), *near, far])
    donors = Counter(item.donor for item, _ in gold_of(path, "quality", AnnotationSettings(gold=1, repeats=0)))
    assert donors[far.pair_id] == 5


def test_another_subset_goes_before_fewer_words_in_common(tmp_path: Path) -> None:
    here = [rated_pair(number, chosen=f"Nothing of the kind {number}") for number in range(20)]
    there = rated_pair(99, subset=SUBSETS[1], chosen=f"Question {SUBSETS[0]} once more")
    path = write(tmp_path, [*here, there])
    shown = gold_of(path, "quality", AnnotationSettings(gold=1, repeats=0))
    assert {item.donor for item, _ in shown if item.subset == SUBSETS[0]} == {there.pair_id}


def test_questions_outside_the_sample_come_first(tmp_path: Path) -> None:
    path = write(tmp_path, rated_pairs(40))
    plan = extend(path, (), "rubric", AnnotationSettings(sample=20, gold=0.6, repeats=0), None)
    asked = {item.pair_id for item in plan.items if item.kind == "pair"}
    questions = {pair.pair_id: pair.question for pair in rated_pairs(40)}
    gold = [item.pair_id for item in plan.items if item.kind == "gold"]
    assert len(gold) == 12
    assert not {questions[each] for each in gold} & {questions[each] for each in asked}
    assert len({questions[each] for each in gold}) == 12


def test_where_every_question_is_rated_gold_keeps_away_from_it(tmp_path: Path) -> None:
    path = write(tmp_path, rated_pairs(200, ("avoid",)))
    items = extend(path, (), "rubric", AnnotationSettings(repeats=0), None).items
    place = {item.pair_id: at for at, item in enumerate(items) if item.kind == "pair"}
    gold = [(at, item.pair_id) for at, item in enumerate(items) if item.kind == "gold"]
    assert len(gold) == 10
    assert all(abs(at - place[pair_id]) >= len(items) // 4 for at, pair_id in gold)


def test_gold_is_spread_over_the_subsets(tmp_path: Path) -> None:
    path = write(tmp_path, [rated_pair(each, subset=SUBSETS[each % 3]) for each in range(120)])
    counts = Counter(item.subset for item, _ in gold_of(path, "rubric", AnnotationSettings(gold=0.2)))
    assert all(6 <= counts[subset] <= 10 for subset in SUBSETS)


def test_one_user_alone_gives_no_gold_items(tmp_path: Path) -> None:
    path = write(tmp_path, [rated_pair(number, user="same") for number in range(5)])
    plan = extend(path, (), "quality", AnnotationSettings(repeats=0), None)
    assert {item.kind for item in plan.items} == {"pair"}
    assert plan.remarks == ("no gold items instead of 1: they need another user's answer to another question",)


def test_the_managers_own_wording_is_used_and_stays_with_the_items(tmp_path: Path) -> None:
    path = write(tmp_path, rated_pairs(9))
    own = "{# note #}Kurz gesagt: {% for each in aspects %}{{ each }}; {% endfor %}"
    plan = extend(path, (), "rubric", WANTED, None, own)
    shown = [(item, content) for item, content in contents(path, plan.items, "rubric") if item.kind == "gold"]
    assert shown
    for item, content in shown:
        assert "\n\nKurz gesagt: Wish 0 of" in sides(item, content)[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ aspects[0] }}", 'rubric.j2: does not name the aspect "Wish 1 of'),
        ("{{ evidence }}", "rubric.j2: 'evidence' is undefined"),
        ("{% for %}", "rubric.j2: "),
        ("", 'rubric.j2: does not name the aspect "Wish 0 of'),
    ],
)
def test_wording_that_cannot_be_used_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        extend(write(tmp_path, rated_pairs(9)), (), "rubric", WANTED, None, text)
    assert str(refused.value).startswith(f"gold/{said}")
    assert "\n" not in str(refused.value)


def test_gold_items_do_not_all_end_alike(tmp_path: Path) -> None:
    shown = gold_of(write(tmp_path, rated_pairs(40)), "rubric")
    assert len({(item.added or "")[:20] for item, _ in shown}) > 1
