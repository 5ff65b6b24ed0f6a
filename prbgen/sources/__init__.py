"""LaMP-QA and other data, read into schema records."""

from prbgen.sources.questions import SourceReport, check_source, read_questions

__all__ = ["SourceReport", "check_source", "read_questions"]
