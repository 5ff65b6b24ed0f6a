"""What was trained is known wherever answers are asked for: that takes none of what training takes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.evaluation.asking_rows import pair_row
from tests.processes import python

# As where the extras are not installed.
BARE = """
import sys
sys.modules |= dict.fromkeys(("trl", "torch", "transformers"))
from prbgen.cli import main
from prbgen.cli.ppo.answer import _trained_with
words = "ppo answer pairs.jsonl --policy scripted/policy.jsonl --judge scripted/judge.jsonl --out answers".split()
assert main(words) == 0
print(_trained_with("hf:trained/policy"), _trained_with("hf:elsewhere/policy"))
"""


def test_answers_are_asked_for_and_a_training_is_read_without_the_extra_for_training(in_tmp_path: Path) -> None:
    for name, value in (
        ("pairs", pair_row(1)),
        ("policy", {"reply": "Sample."}),
        ("judge", {"reply": {"aspects": [{"number": 1, "found": "so", "score": 2}]}}),
    ):
        Path(f"{name}.jsonl").write_text(json.dumps(value) + "\n")
    told = {"policy": "p", "reward_model": "scalar:rm", "algorithm": "ppo", "prompts": 1, "prompts_hash": "h"}
    told |= {"steps": 1, "seed": 0, "settings": {}, "rewards": [0.5], "kls": [None], "seconds": 1.0, "versions": {}}
    Path("trained").mkdir()
    Path("trained/training.json").write_text(json.dumps(told))
    assert python(BARE, cwd=Path.cwd()).splitlines()[-1] == "scalar:rm None"
