"""Runs of neighbouring words: which of one text stand in others too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from prbgen.text import UNSPACED

_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True)
class SharedRun:
    """A run of words that a text shares with another, and how long it is: 0 if they share none.

    In scripts without spaces two characters count as one word, which is about what a word has in Chinese: eight of
    them alone are often a mere phrase.
    """

    length: float
    words: tuple[str, ...]


def longest_shared(words: list[str], texts: Iterable[list[str]], *, excused: list[str]) -> SharedRun:
    """The longest run that a text shares with any of `texts`, and that `excused` has not; among equals the first.

    All are given as their words (`tokens`).
    """
    runs = Runs(words)
    held = runs.held_by(excused)
    lengths = [0.0, *accumulate(0.5 if _UNSPACED.match(word) else 1.0 for word in words)]
    longest, passage = 0.0, (0, 0)
    for text in texts:
        for state, count in runs.of(text):
            if count <= held[state]:
                continue
            end = runs.ends[state]
            length = lengths[end] - lengths[end - count]
            # Among equals the first, so that the order of the texts does not matter.
            if (length, -end) > (longest, -passage[1]):
                longest, passage = length, (end - count, end)
    return SharedRun(longest, tuple(words[slice(*passage)]))


class Runs:
    """All runs of neighbouring words of a text: its suffix automaton, built in linear time.

    A state stands for runs that end at the same places, each a tail of the next; the longest has `sizes[state]` words,
    and the first of the places is `ends[state]`. State 0 is the empty run.
    """

    def __init__(self, words: list[str]) -> None:
        self.sizes = [0]
        self.ends = [0]
        self._next: list[dict[str, int]] = [{}]
        # To the state of the longest tail that ends at other places too.
        self._tails = [-1]
        last = 0
        for word in words:
            last = self._append(last, word)

    def _append(self, last: int, word: str) -> int:
        new = self._state(self.sizes[last] + 1, self.sizes[last] + 1, {}, 0)
        state = last
        while state >= 0 and word not in self._next[state]:
            self._next[state][word] = new
            state = self._tails[state]
        if state >= 0:
            self._tails[new] = self._split(state, word)
        return new

    def _split(self, state: int, word: str) -> int:
        """The state that holds just the runs of `state` with the word after them."""
        following = self._next[state][word]
        if self.sizes[following] == self.sizes[state] + 1:
            return following
        copy = self._state(
            self.sizes[state] + 1, self.ends[following], dict(self._next[following]), self._tails[following]
        )
        self._tails[following] = copy
        while state >= 0 and self._next[state].get(word) == following:
            self._next[state][word] = copy
            state = self._tails[state]
        return copy

    def _state(self, size: int, end: int, following: dict[str, int], tail: int) -> int:
        self.sizes.append(size)
        self.ends.append(end)
        self._next.append(following)
        self._tails.append(tail)
        return len(self.sizes) - 1

    def of(self, words: list[str]) -> Iterator[tuple[int, int]]:
        """The runs that another text has too: state and size of the longest that ends at each of its words, if any."""
        state = size = 0
        first = self._next[0]
        for word in words:
            if word not in first:
                state = size = 0
                continue
            while word not in self._next[state]:
                state = self._tails[state]
                size = self.sizes[state]
            state = self._next[state][word]
            size += 1
            yield state, size

    def held_by(self, words: list[str]) -> list[int]:
        """For each state: the size of the longest of its runs that another text has; 0 if none."""
        held = [0] * len(self.sizes)
        for state, size in self.of(words):
            held[state] = max(held[state], size)
        for state in sorted(range(1, len(held)), key=self.sizes.__getitem__, reverse=True):
            if held[state]:
                tail = self._tails[state]
                held[tail] = self.sizes[tail]
        return held
