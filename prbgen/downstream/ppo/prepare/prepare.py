"""Questions to train on, and to validate with, from where they are into files that verl and others read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from importlib.resources import files as package_files
from pathlib import Path

from pydantic import JsonValue

from prbgen import __version__
from prbgen.digest import file_sha256
from prbgen.downstream.askers import Askers
from prbgen.downstream.ppo.chat import prompt_tokens
from prbgen.downstream.ppo.prepare.facts import LeftOut, PreparedFacts, Side
from prbgen.downstream.ppo.prepare.folder import ABOUT, refuse_foreign
from prbgen.downstream.ppo.prepare.prompts import fitting
from prbgen.downstream.ppo.prepare.rows import SCHEMA, SIDES, Prompt, row
from prbgen.downstream.ppo.prepare.settings import Preparing
from prbgen.downstream.ppo.prepare.split import validation_users
from prbgen.downstream.ppo.prepare.users import Apart, askers_of
from prbgen.downstream.ppo.prepare.verl import batch_of, verl_config
from prbgen.errors import InputError
from prbgen.evaluation.conditions.message import TEMPLATE
from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.conditions.prepared import Prepared, prepared_of
from prbgen.llm.templates import Prompts
from prbgen.publication.parquet import ParquetFiles
from prbgen.run import cannot_write, write_record
from prbgen.sources import AskerSource
from prbgen.whole_folder import replacing

CONFIG, REWARD = "verl.yaml", "reward.py"
_PACKAGES = ("pyarrow", "transformers", "tokenizers")


@dataclass
class Progress:
    """How far it is: questions that are done, of so many; 0 before anything is known."""

    done: int = 0
    questions: int = 0


def prepare(settings: Preparing, prompts: Prompts, progress: Progress | None = None) -> PreparedFacts:
    """Write train.parquet, validation.parquet, verl.yaml, reward.py and prepared.json, all of them or none.

    Users are told over the data and all benchmarks: whoever is in one is left out, and nobody is in both files. A
    prompt that is too long for the policy loses its last posts; a question that does not fit without any is left out.
    The same data and settings give the same bytes.

    Raises:
        InputError: the data or the settings are wrong, nothing is left to train on, or the folder is somebody else's.
        MissingExtraError: transformers is not installed.
        PrbgenError: the disk refuses.
    """
    refuse_foreign(settings.folder)
    tokens = prompt_tokens(settings.tokenizer)
    data = Askers.at(settings.data)
    benchmarks = [AskerSource.at(each.data, split=each.split) for each in settings.benchmarks]
    progress = progress or Progress()
    everybody = askers_of(data.source, benchmarks, settings.data.limit)
    left = everybody.left
    if not left:
        raise InputError(f"{data.name}: each of its questions is by a user of a benchmark: nothing to train on")
    validation = validation_users(left, settings.wanted(len(left)), settings.seed)
    if not validation:
        raise InputError(f"--validation {settings.validation}: no user has as few questions; take more")
    progress.questions = len(everybody.users)
    try:
        with (
            replacing(settings.folder) as new,
            prepared_of(
                data, settings.condition, settings.posts, new, limit=settings.data.limit, answers=False
            ) as questions,
        ):
            writing = _Writing(settings, prompts, tokens, everybody, validation)
            writing.questions(questions, new, progress)
            return writing.rest(questions, new)
    except OSError as error:
        raise cannot_write(settings.folder, error) from None


@dataclass
class _File:
    """What is known of one of the two files so far."""

    rows: int = 0
    users: set[int] = field(default_factory=set)
    shortened: int = 0
    posts_dropped: int = 0
    most_tokens: int = 0

    def add(self, user: int, prompt: Prompt) -> None:
        self.rows += 1
        self.users.add(user)
        self.shortened += bool(prompt.posts_dropped)
        self.posts_dropped += prompt.posts_dropped
        self.most_tokens = max(self.most_tokens, prompt.tokens)

    @property
    def facts(self) -> Side:
        return Side(
            questions=self.rows,
            users=len(self.users),
            shortened=self.shortened,
            posts_dropped=self.posts_dropped,
            most_tokens=self.most_tokens,
        )


class _Writing:
    def __init__(
        self,
        settings: Preparing,
        prompts: Prompts,
        tokens: Callable[[str], int],
        askers: Apart,
        validation: frozenset[int],
    ) -> None:
        self._settings, self._prompts, self._tokens = settings, prompts, tokens
        self._askers, self._validation = askers, validation
        self._sides = {side: _File() for side in SIDES}
        self._left_out: list[LeftOut] = []

    def questions(self, questions: Prepared, folder: Path, progress: Progress) -> None:
        """Write both files of questions."""
        with ParquetFiles(SCHEMA) as files:
            for pair in questions:
                self._question(pair, files, folder)
                progress.done += 1
        for side, file in self._sides.items():
            if not file.rows:
                raise InputError(f"{self._settings.data.data}: nothing is left for {side}: {self._why()}")

    def rest(self, questions: Prepared, folder: Path) -> PreparedFacts:
        """Write the other files."""
        trained = self._sides["train"].rows
        (folder / CONFIG).write_text(verl_config(self._settings, trained), encoding="utf-8", newline="\n")
        reward = package_files("prbgen.downstream.ppo.rewards") / REWARD
        (folder / REWARD).write_bytes(reward.read_bytes())
        named = [f"{side}.parquet" for side in SIDES] + [CONFIG, REWARD]
        by_benchmarks = [user for user in self._askers.users.values() if user in self._askers.in_benchmarks]
        facts = PreparedFacts(
            questions=questions.count,
            by_benchmark_users=len(by_benchmarks),
            benchmark_users=len(set(by_benchmarks)),
            left_out=tuple(self._left_out),
            train=self._sides["train"].facts,
            validation=self._sides["validation"].facts,
            batch=batch_of(trained),
            in_no_batch=trained % batch_of(trained),
            split=questions.split,
            data=questions.digest,
            prompt=self._prompts.digest(TEMPLATE),
            settings=_recorded(self._settings),
            files={name: file_sha256(folder / name) for name in named},
            versions={"prbgen": __version__, **{name: version(name) for name in _PACKAGES}},
        )
        write_record(folder / ABOUT, facts)
        return facts

    def _question(self, pair: PreparedPair, files: ParquetFiles, folder: Path) -> None:
        user = self._askers.users.get(pair.question_key)
        if user is None:
            raise InputError(f"{self._settings.data.data}: has changed while it was being read: start again")
        if user in self._askers.in_benchmarks:
            return
        prompt = None if pair.lacking else fitting(pair, self._settings, self._prompts, self._tokens)
        if prompt is None:
            reason = pair.lacking or f"beyond {self._settings.prompt_tokens} tokens even without posts"
            self._left_out.append(LeftOut(key=pair.question_key, reason=reason))
            return
        side = SIDES[user in self._validation]
        file = self._sides[side]
        made = row(pair, prompt, side, file.rows)
        files.add(folder / f"{side}.parquet", made, 2 * len(prompt.words))
        file.add(user, prompt)

    def _why(self) -> str:
        first = next((f", such as {each.key} ({each.reason})" for each in self._left_out), "")
        return f"{len(self._left_out):,} questions could not be used{first}"


def _recorded(settings: Preparing) -> dict[str, JsonValue]:
    """All but where it is: the same elsewhere has the same settings."""
    values = {name: value for name, value in asdict(settings).items() if name != "folder"}
    recorded: dict[str, JsonValue] = json.loads(json.dumps(values))
    return recorded
