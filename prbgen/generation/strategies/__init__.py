"""How `rejected` breaks the rubric. A strategy is one file here and one line in prbgen/registry.py."""

from prbgen.generation.strategies.base import Brief, Strategy
from prbgen.registry import STRATEGIES, load
from prbgen.schema import StrategyName

__all__ = ["Brief", "Strategy", "strategy_called"]


def strategy_called(name: StrategyName) -> type[Strategy]:
    """The strategy of this name."""
    found: type[Strategy] = load(STRATEGIES[name])
    return found
