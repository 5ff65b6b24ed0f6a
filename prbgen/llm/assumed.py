"""Replies as they may come, for an estimate that sends nothing. Only their lengths count."""

from itertools import cycle, islice

# Rubrics of LaMP-QA have 4.6 to 5.1 aspects.
ASPECTS = 5
PHRASE = "covers one thing that matters to the person who asks"
# Other words than PHRASE: what differs in a run differs here, too, or two calls would count as one.
OPPOSITE = "does without one thing that matters to the person who asks"
REASON = "says in one sentence what it is that makes this matter to the person who asks"
# Characters of a passage that is quoted from a narrative.
_QUOTED = 100
_PROSE = (
    "Rinse the lentils, simmer them gently with cumin and a bay leaf, then stir in spinach, lemon juice and crumbled"
    " feta just before serving."
)


def prose(words: int, *, skip: int = 0) -> str:
    """A text of so many words, from this word on."""
    return " ".join(islice(cycle(_PROSE.split()), skip, skip + words))


def quote(text: str) -> str:
    """A passage of the text."""
    return text.strip()[:_QUOTED]
