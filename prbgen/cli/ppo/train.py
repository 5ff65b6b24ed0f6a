"""Train a policy with a reward model on one machine: PPO or GRPO, by TRL.

PREPARED is a folder of `prbgen ppo prepare`. Any scorer of `evaluate` that gives an answer a score is a reward; one
that fails stops training, and no default takes its place. The trained policy is in DIR/policy; until then the same
command goes on from the last checkpoint.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.cli.which_flags import count
from prbgen.errors import InputError
from prbgen.evaluation.settings import RELEASED_TOKENS, ScorerSettings, says_to

if TYPE_CHECKING:
    from types import FrameType

    from rich.console import Console

    from prbgen.downstream.ppo.train.course import Course
    from prbgen.downstream.ppo.training import Training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`train PREPARED --policy P --scorer KIND:MODEL --algorithm A --out DIR [...]`."""
    parser.add_argument("prepared", metavar="PREPARED", type=Path, help="a folder of `prbgen ppo prepare`")
    parser.add_argument("--policy", required=True, metavar="NAME", help="a chat model: folder or Hub id")
    parser.add_argument("--scorer", required=True, metavar="KIND:MODEL", help="the reward model, as in `evaluate`")
    parser.add_argument("--algorithm", required=True, choices=("ppo", "grpo"))
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="for the policy and its log")
    parser.add_argument("--json", action="store_true", help="print what is known of the training as JSON")
    _add_course_flags(parser.add_argument_group("training"))
    _add_machine_flags(parser.add_argument_group("the machine"))
    _add_scorer_flags(parser.add_argument_group("the reward model"))


def _add_course_flags(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--steps", metavar="N", type=count, help="instead of --epochs")
    group.add_argument("--epochs", metavar="N", type=count, help="passes over the prompts (1)")
    group.add_argument("--batch", metavar="N", type=count, help="answers written in a step (128)")
    group.add_argument("--mini-batches", metavar="N", type=count, help="ppo: parts that a batch is learned in (1)")
    group.add_argument("--ppo-epochs", metavar="N", type=count, help="ppo: passes over a batch (1)")
    group.add_argument("--generations", metavar="N", type=count, help="grpo: answers to one prompt (8)")
    group.add_argument("--lr", metavar="RATE", type=_positive, help="of the policy (5e-7)")
    group.add_argument("--critic-lr", metavar="RATE", type=_positive, help="ppo: of the critic (5e-6)")
    group.add_argument("--kl", metavar="WEIGHT", type=_not_negative, help="of the distance to the old policy (0.001)")
    group.add_argument("--prompt-tokens", metavar="N", type=count, help="of a prompt, at most (8192)")
    group.add_argument("--response-tokens", metavar="N", type=count, help="of an answer, at most (512)")
    group.add_argument("--temperature", metavar="T", type=_positive, help="at which answers are written (1.0)")
    group.add_argument("--value-model", metavar="NAME", help="ppo: critic (the policy's backbone with a fresh head)")
    group.add_argument("--seed", metavar="N", type=int, help="0 unless told")


def _add_machine_flags(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--device", choices=("cpu", "cuda"), help="default: cuda where there is one")
    dtypes, meaning = ("auto", "float32", "bfloat16"), "of passes through the models (auto: bfloat16 on a GPU)"
    group.add_argument("--dtype", choices=dtypes, help=meaning)
    group.add_argument("--micro-batch", metavar="N", type=count, help="answers computed at once (8)")
    group.add_argument("--gradient-checkpointing", action="store_true", help="less memory, more time")
    group.add_argument("--save-every", metavar="N", type=count, help="steps between two checkpoints (20)")


def _add_scorer_flags(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--scorer-device", metavar="NAME", help="scalar: cpu, cuda:1, ... (cuda where there is one)")
    group.add_argument("--scorer-dtype", choices=("auto", "float32", "bfloat16", "float16"), help="scalar")
    tokens = f"of one input, at most ({RELEASED_TOKENS})"
    group.add_argument("--scorer-max-tokens", metavar="N", type=count, help=tokens)
    group.add_argument("--scorer-api-base", metavar="URL", help="pooling, rate: where the model is served")


def run(arguments: argparse.Namespace) -> int:
    """Train, and show how the reward changed. Returns 0."""
    from prbgen.cli.live_line import live_line
    from prbgen.terminal import stderr

    scorer = _scorer(arguments)
    from prbgen.downstream.ppo.train.course import Course
    from prbgen.downstream.ppo.train.settings import TrainSettings
    from prbgen.downstream.ppo.train.train import train
    from prbgen.llm.secrets import load_env_file

    load_env_file()
    names = [name for name in TrainSettings.__dataclass_fields__ if name != "scorer"]
    given = {name: value for name in names if (value := getattr(arguments, name))}
    # A weight or a seed of 0 is a value, too.
    given |= {name: value for name in ("kl", "seed") if (value := getattr(arguments, name)) is not None}
    settings, console = TrainSettings(scorer=scorer, **given), stderr()
    course = Course(say=lambda text: console.print(text, markup=False, soft_wrap=True))
    with live_line(lambda: _progress(course), console), _stopping(course, console):
        training = train(settings, course)
    _show(training, settings.out, as_json=arguments.json)
    return 0


def _scorer(arguments: argparse.Namespace) -> ScorerSettings:
    from dataclasses import replace

    scorer = ScorerSettings.parsed(arguments.scorer)
    given: dict[str, Any] = {}
    for name in ("device", "dtype", "max_tokens", "api_base"):
        if value := getattr(arguments, f"scorer_{name}"):
            if scorer.kind not in (goes_with := says_to()[name]):
                flag, kinds = f"--scorer-{name.replace('_', '-')}", ", ".join(goes_with)
                raise InputError(f"{flag} says nothing to a {scorer.kind} scorer: it goes with {kinds}")
            given[name] = value
    return replace(scorer, **given)


@contextmanager
def _stopping(course: Course, console: Console) -> Iterator[None]:
    """Ctrl-C: the first one stops after the step that is under way, the second one at once."""

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        if course.stop.is_set():
            raise KeyboardInterrupt
        course.stop.set()
        console.print("Stopping after this step (once more to stop at once).")

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _progress(course: Course) -> str:
    if course.began is None:
        return f"{course.stage} ..."
    parts = [f"step {course.done:,} of {course.steps:,}"]
    if course.reward is not None:
        parts.append(f"mean reward {course.reward:.4g}")
    if course.kl is not None:
        parts.append(f"kl {course.kl:.3g}")
    if course.new:
        left = (time.monotonic() - course.began) / course.new * (course.steps - course.done)
        parts.append(f"{left:.0f} s left" if left < 90 else f"{left / 60:.0f} min left")
    return "; ".join(parts)


def _show(training: Training, out: Path, *, as_json: bool) -> None:
    from prbgen.cli.console import print_json, stdout

    if as_json:
        print_json(training.model_dump(mode="json"))
        return
    few = max(1, min(5, len(training.rewards) // 2))
    first, last = sum(training.rewards[:few]) / few, sum(training.rewards[-few:]) / few
    console = stdout()
    told = f"mean reward {first:.4g} in the first {few}, {last:.4g} in the last {few} of {training.steps:,} steps"
    console.print(f"{training.reward_model}: {told}", markup=False, soft_wrap=True)
    if training.shortened:
        fewer = f"{training.shortened:,} answers were scored with fewer posts than the policy was shown"
        console.print(f"{fewer}: {training.reward_model} takes less", markup=False, soft_wrap=True)
    console.print(f"policy   {out / 'policy'}", markup=False, soft_wrap=True)
    console.print(f"log      {out / 'log.jsonl'}", markup=False, soft_wrap=True)
    console.print(f"picture  {out / 'reward.svg'}", markup=False, soft_wrap=True)


def _positive(text: str) -> float:
    value = _number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0")
    return value


def _not_negative(text: str) -> float:
    value = _number(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is below 0")
    return value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if value != value or value in (float("inf"), float("-inf")):
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return value
