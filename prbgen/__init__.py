"""prbgen builds, checks, publishes and uses personalised reward benchmarks.

The stages are functions here, named as the commands: they take what the flags take, return typed values, and raise
`PrbgenError`; `bon` has one for each action. Importing prbgen is quick: what a function needs is imported when it is
used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prbgen.api import bon
    from prbgen.api.audit import Audited, audit
    from prbgen.api.compare import compare
    from prbgen.api.correlate import Correlated, correlate
    from prbgen.api.display import Display
    from prbgen.api.estimate import Estimated, estimate
    from prbgen.api.evaluate import EvaluationSummary, evaluate
    from prbgen.api.generate import Generated, generate
    from prbgen.api.models import LimitKeywords
    from prbgen.api.publish import publish
    from prbgen.api.report import Reported, report
    from prbgen.api.scorers import PlannerKeywords, ScorerKeywords
    from prbgen.api.study import study
    from prbgen.api.validate import validate
    from prbgen.downstream.correlate.records import Correlation
    from prbgen.downstream.study.study import Studied
    from prbgen.errors import (
        FellShortError,
        InputError,
        InterruptError,
        MissingExtraError,
        ModelError,
        PrbgenError,
    )
    from prbgen.evaluation.comparing.records import DatasetComparison, ResultsComparison
    from prbgen.evaluation.item import ScoredItem
    from prbgen.evaluation.summary import Summary
    from prbgen.generation.audit.results import Audit
    from prbgen.publication.publish import Publication
    from prbgen.recipe import Recipe, load_recipe
    from prbgen.schema import Pair, Question, Reject
    from prbgen.validation.validation import Validation

__version__ = "0.1.0"

# Where each public name is; the imports above say the same to type checkers.
_MODULES = {
    "api.audit": ("Audited", "audit"),
    "api.compare": ("compare",),
    "api.correlate": ("Correlated", "correlate"),
    "api.display": ("Display",),
    "api.estimate": ("Estimated", "estimate"),
    "api.evaluate": ("EvaluationSummary", "evaluate"),
    "api.generate": ("Generated", "generate"),
    "api.models": ("LimitKeywords",),
    "api.publish": ("publish",),
    "api.report": ("Reported", "report"),
    "api.scorers": ("PlannerKeywords", "ScorerKeywords"),
    "api.study": ("study",),
    "api.validate": ("validate",),
    "downstream.correlate.records": ("Correlation",),
    "downstream.study.study": ("Studied",),
    "errors": ("FellShortError", "InputError", "InterruptError", "MissingExtraError", "ModelError", "PrbgenError"),
    "evaluation.comparing.records": ("DatasetComparison", "ResultsComparison"),
    "evaluation.item": ("ScoredItem",),
    "evaluation.summary": ("Summary",),
    "generation.audit.results": ("Audit",),
    "publication.publish": ("Publication",),
    "recipe": ("Recipe", "load_recipe"),
    "schema": ("Pair", "Question", "Reject"),
    "validation.validation": ("Validation",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Audit",
    "Audited",
    "Correlated",
    "Correlation",
    "DatasetComparison",
    "Display",
    "Estimated",
    "EvaluationSummary",
    "FellShortError",
    "Generated",
    "InputError",
    "InterruptError",
    "LimitKeywords",
    "MissingExtraError",
    "ModelError",
    "Pair",
    "PlannerKeywords",
    "PrbgenError",
    "Publication",
    "Question",
    "Recipe",
    "Reject",
    "Reported",
    "ResultsComparison",
    "ScoredItem",
    "ScorerKeywords",
    "Studied",
    "Summary",
    "Validation",
    "__version__",
    "audit",
    "bon",
    "compare",
    "correlate",
    "estimate",
    "evaluate",
    "generate",
    "load_recipe",
    "publish",
    "report",
    "study",
    "validate",
]


# Type checkers go by the imports above: to them, any other name is none.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "bon":
            found = import_module("prbgen.api.bon")
        elif name in _HOME:
            found = getattr(import_module(f"prbgen.{_HOME[name]}"), name)
        else:
            raise AttributeError(f"module 'prbgen' has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
