"""How `rejected` breaks the rubric. A strategy is one file here and one line in `STRATEGIES`."""

from prbgen.generate.strategies.avoid import Avoid
from prbgen.generate.strategies.base import Brief, Strategy
from prbgen.generate.strategies.counter import Counter
from prbgen.generate.strategies.generic import Generic
from prbgen.generate.strategies.swap import Swap
from prbgen.schema import StrategyName

STRATEGIES: dict[StrategyName, type[Strategy]] = {
    "avoid": Avoid,
    "counter": Counter,
    "swap": Swap,
    "generic": Generic,
}

__all__ = ["STRATEGIES", "Brief", "Strategy"]
