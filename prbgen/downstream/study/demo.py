"""The demo study: three tiny models, the embedded model as policy and as judge."""

from __future__ import annotations

from pathlib import Path

from prbgen.downstream.study.folder import StudyFolder
from prbgen.downstream.study.settings import Study
from prbgen.downstream.study.tiny_models import make_reward_model

_EMBEDDED = "local/smollm2-135m"
_MODELS = 3
# Seconds for one call, also where other work keeps the machine busy.
_PATIENCE = 900


def demo_study(folder: Path, pairs: Path) -> Study:
    """The study of the pairs of a run or dataset; makes its models below `folder`.

    Raises:
        MissingExtraError: torch or transformers is not installed.
    """
    models = folder / "models"
    models.mkdir(parents=True, exist_ok=True)
    made = [make_reward_model(models / f"tiny-{number}", number) for number in range(1, _MODELS + 1)]
    study = Study.model_validate(
        {
            "data": {"path": str(pairs)},
            "models": [{"scorer": f"scalar:{model}"} for model in made],
            "note": "Three tiny models with random weights: what is found here says nothing of any model.",
            # Of so few askers not each has a stranger to be shuffled with.
            "conditions": ["none", "profile"],
            "best_of_n": {
                "policy": {"name": _EMBEDDED, "timeout": _PATIENCE},
                "judge": {"name": _EMBEDDED, "max_tokens": 600, "timeout": _PATIENCE},
                "n": 4,
                "max_tokens": 80,
                "condition": "none",
                "scored_under": "profile",
            },
        }
    )
    StudyFolder(folder).begin(study)
    return study
