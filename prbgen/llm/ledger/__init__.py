"""The ledger: every attempt at every model call, on disk before it is sent and again before its result is used.

Resuming, progress and money all follow from it.
"""

from prbgen.llm.ledger.ledger import Ledger, Result, Sent
from prbgen.llm.ledger.spent import Spent, committed, on_the_way, spent

__all__ = ["Ledger", "Result", "Sent", "Spent", "committed", "on_the_way", "spent"]
