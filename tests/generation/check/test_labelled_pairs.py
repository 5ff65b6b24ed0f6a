"""60 pairs written by hand: 30 that pass every check, 30 with one planted defect each."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from prbgen.generation.check import ANSWER_CHECKS, PAIR_CHECKS, check_answer, check_pair
from prbgen.generation.check.base import Given

PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("labelled_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["question"] for pair in PAIRS])
def test_exactly_what_was_planted_is_found(pair: dict[str, Any]) -> None:
    given = Given(pair["question"], pair["words"], (pair["narrative"], *pair["evidence"], *pair["reasons"]))
    checks = (
        *check_answer(pair["chosen"], "chosen", given),
        *check_answer(pair["rejected"], "rejected", given),
        *check_pair(pair["chosen"], pair["rejected"], given),
    )
    failed = {check.name: check for check in checks if check.outcome == "fail"}
    assert set(failed) == set(pair["fails"]), failed
    if not pair["fails"]:
        assert {check.outcome for check in checks} == {"pass"}, checks


def test_half_of_the_pairs_are_clean_and_each_check_has_two_of_the_others() -> None:
    planted = Counter(name for pair in PAIRS for name in pair["fails"])
    assert len(PAIRS) == 60
    assert sum(not pair["fails"] for pair in PAIRS) == 30
    assert set(planted) == {*ANSWER_CHECKS, *PAIR_CHECKS}
    assert min(planted.values()) >= 2
