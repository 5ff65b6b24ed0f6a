"""Does the answer talk about rubrics, profiles or its own task?"""

import re

from prbgen.llm.reply import Problem
from prbgen.recipe import PairSettings

_EARLIER = r"(?:earlier|past|previous|prior|other|older)"
# Remarks that give an answer's making away, whatever the question is.
_ALWAYS = re.compile(
    rf"""
      \bthe\ asker\b
    | \byour\ (?:\w+\ )?{_EARLIER}\ questions?\b
    | \bwhat\ you(?:'ve|\ have)?\ (?:posted|written)\ (?:before|earlier|previously)\b
    | \b(?:the|these|those|all)\ (?:\w+\ )?(?:listed|given)\ (?:aspects|points)\b
    | \b(?:aspects|points)\ (?:listed\ above|you\ (?:listed|gave))\b
    | \b(?:the|these|those)\ (?:aspects\ to\ (?:cover|avoid)|(?:aspects|points)\ to\ leave\ out)\b
    | \bas\ you\ instructed\b | ^as\ instructed\b
    | \b(?:the|my|your|these)\ instructions\ (?:given|above)\b
    | \bas\ an\ (?:AI(?=,|\ I\b|\ (?:language\ )?model|\ assistant)|artificial\ intelligence\b|language\ model\b)
    | \bhere(?:'s|\ is)\ (?:the|my|an?|your)\ (?:\w+\ )?(?:answer|response|reply)\b(?=\s*(?::|$|\.|to\b|within\b|in\b))
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
# Remarks that are to be expected where the question itself is about such things: it has the last word of each, then.
_UNLESS_ASKED = re.compile(
    rf"""
      \b(?:your|the\ (?:user|person)'s)\ (?:user\ )?(?:profile|post(?:ing)?\ history)\b
    | \b(?:your|an?|another|these|those)\ (?:\w+\ )?{_EARLIER}\ posts?\b
    | \brubrics?\b
    | \b(?:system\ prompt|(?:the|my|your|this)\ prompt(?=\ (?:asks?|says?|given|above|states?|mentions?)\b))
    | \b(?:the|my|your|this)\ word\ (?:limit|count)\b
    | \b(?:within|under|in)\ (?:the\ )?(?P<limit>\d{{1,6}})(?:-|\ )words?\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def check(answer: str, question: str, settings: PairSettings) -> Problem | None:
    """The first such remark."""
    text = answer.replace("’", "'")
    asked = _stems(question)
    remarks = [
        *_ALWAYS.finditer(text),
        *(found for found in _UNLESS_ASKED.finditer(text) if not _stems(found.group().split()[-1]) & asked),
    ]
    for found in sorted(remarks, key=re.Match.start):
        # Only the task's own limit is talk; others are advice.
        limit = found.groupdict().get("limit")
        if limit is None or int(limit) == settings.words:
            return Problem("talk", {"passage": found.group()})
    return None


def _stems(text: str) -> set[str]:
    return {word.removesuffix("s") for word in re.findall(r"\w+", text.casefold())}
