"""LaMP-QA and other data, read into schema records."""

from prbgen.sources.questions import SourceReport, read_questions

__all__ = ["SourceReport", "read_questions"]
