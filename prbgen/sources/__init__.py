"""LaMP-QA and other data, read into schema records."""

from prbgen.sources.questions import SourceReport, one_line, read_questions

__all__ = ["SourceReport", "one_line", "read_questions"]
