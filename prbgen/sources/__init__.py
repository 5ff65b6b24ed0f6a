"""LaMP-QA and other data, read into schema records."""

from prbgen.sources.askers import AskerSource
from prbgen.sources.opened import open_source
from prbgen.sources.pairs import PairSource, read_pairs
from prbgen.sources.questions import SourceReport, check_source, read_questions
from prbgen.sources.votes.source import VoteSource

__all__ = [
    "AskerSource",
    "PairSource",
    "SourceReport",
    "VoteSource",
    "check_source",
    "open_source",
    "read_pairs",
    "read_questions",
]
