"""Are both answers about equally long?"""

from prbgen.generation.check.base import Finding, Given
from prbgen.text import count_words


def check(one: str, other: str, given: Given) -> Finding:
    """Words of the longer answer over those of the shorter: the figure, null where one is empty."""
    shorter, longer = sorted((count_words(one), count_words(other)))
    if not shorter:
        return Finding("fail", detail=f"cannot be compared in length with the other one: {shorter} and {longer} words")
    ratio = longer / shorter
    # As many decimals as tell any two ratios of answers below 2,000 words from a limit such as 1.25.
    figure = round(ratio, 4)
    if ratio <= given.settings.length_ratio:
        return Finding("pass", figure)
    return Finding(
        "fail",
        figure,
        f"differs too much in length from the other one: {shorter} and {longer} words; "
        f"the longer one may have at most {given.settings.length_ratio:g} times as many",
    )
