"""Is there an answer, and is it within the word limit?"""

from prbgen.generation.check.base import Finding, Given
from prbgen.text import count_words


def check(answer: str, given: Given) -> Finding:
    """No words, or too many, as people count them. The figure is their number."""
    count = count_words(answer)
    if not count:
        return Finding("fail", 0, "is empty")
    if count > given.words:
        return Finding("fail", count, f"has {count} words; it may have at most {given.words}")
    return Finding("pass", count)
