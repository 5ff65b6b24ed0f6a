"""LaMP-QA and other data, read into schema records."""

from prbgen.sources.pairs import PairSource, read_pairs
from prbgen.sources.questions import SourceReport, check_source, read_questions

__all__ = ["PairSource", "SourceReport", "check_source", "read_pairs", "read_questions"]
