"""What `prbgen ppo prepare` is to make."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from prbgen.errors import InputError
from prbgen.evaluation.address import server_address
from prbgen.evaluation.settings import Condition, DataSettings

POLICY = "Qwen/Qwen2.5-0.5B-Instruct"
# As in the paper.
PROMPT_TOKENS, RESPONSE_TOKENS = 8192, 512


@dataclass(frozen=True)
class Preparing:
    """Questions of `data`, none of them by users of `benchmarks`, for a policy to be trained on, into `folder`.

    `posts` of the asker's are shown at most, under the condition `profile`. `policy` is what is to be trained, and
    `tokenizer` (a name or a folder) counts its tokens. `validation` is a share of the questions, or their number.
    `reward_url` is where the reward server will be, "" if that is left to the environment.

    Raises:
        InputError: a value makes no sense.
    """

    data: DataSettings
    benchmarks: tuple[DataSettings, ...]
    folder: Path
    condition: Condition = "profile"
    posts: int = 10
    policy: str = POLICY
    tokenizer: str = POLICY
    prompt_tokens: int = PROMPT_TOKENS
    response_tokens: int = RESPONSE_TOKENS
    validation: float | int = 0.05
    seed: int = 0
    reward_url: str = ""

    def __post_init__(self) -> None:
        if self.condition not in ("none", "profile"):
            raise InputError(f"--condition {self.condition}: a policy is trained under none or profile")
        if not (0 < self.validation < 1 or (isinstance(self.validation, int) and self.validation >= 1)):
            raise InputError(
                f"--validation {self.validation}: neither a share between 0 and 1 nor a number of questions"
            )
        if self.reward_url:
            server_address(self.reward_url, "--reward-url")

    def wanted(self, questions: int) -> int:
        """How many of so many questions are for validation.

        Raises:
            InputError: none would be left to train on.
        """
        share = isinstance(self.validation, float)
        wanted = max(1, round(self.validation * questions)) if share else int(self.validation)
        if wanted >= questions:
            what = f"--validation {self.validation}: {wanted:,} of {questions:,} questions"
            raise InputError(f"{what} by users that no benchmark has would leave none to train on")
        return wanted
