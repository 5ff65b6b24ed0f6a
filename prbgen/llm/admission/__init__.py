"""Admission control: when may the next call to a model go out? Pure asyncio; of HTTP it knows headers alone.

A `Gate` stands before one model. A call asks it for a slot, goes out, and tells the slot how it went; from that alone
the gate learns how many calls at once and how many a second the server takes, and when it is better left alone.
"""

from prbgen.llm.admission.gate import Gate
from prbgen.llm.admission.hints import Allowance, Hints, hints_of, seconds_of
from prbgen.llm.admission.slot import Limits, Pause, Slot, Stopped

__all__ = ["Allowance", "Gate", "Hints", "Limits", "Pause", "Slot", "Stopped", "hints_of", "seconds_of"]
