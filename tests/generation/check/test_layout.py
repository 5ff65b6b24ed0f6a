import pytest

from prbgen.generation.check.base import Given
from prbgen.generation.check.layout import check

GIVEN = Given("How do I bake a tart?", 100)
PROSE = "Chill the dough. Bake it blind, then fill it.\nServe it warm."


@pytest.mark.parametrize(
    ("marked", "name"),
    [
        ("Do this:\n- chill\n- bake", "a bulleted list"),
        ("Do this:\n* chill\n\n* bake", "a bulleted list"),
        ("Do this:\n• chill\n• bake", "a bulleted list"),
        ("✅ Chill it.\n✅ Bake it.", "a bulleted list"),
        ("1. Chill it.\n2. Bake it.", "a numbered list"),
        ("1) Chill it.\nFor an hour.\n2) Bake it.", "a numbered list"),
        ("1、放进冰箱\n2、烤", "a numbered list"),
        ("# Tart\nChill and bake.", "a heading"),
        ("Tart\n====\nChill and bake.", "a heading"),
        ("Chill it **well**.", "bold or italic type"),
        ("Chill it *well*.", "bold or italic type"),
        ("Chill it _very well_.", "bold or italic type"),
        ("一定要**冷藏**一小时。", "bold or italic type"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a table"),
        ("Type:\n```\nbake\n```", "a code block"),
        ("Type:\n~~~ sh\nbake", "a code block"),
    ],
)
def test_what_only_one_answer_has_is_named(marked: str, name: str) -> None:
    finding = check(PROSE, marked, GIVEN)
    assert (finding.outcome, finding.figure) == ("fail", 1)
    assert finding.detail == f"is laid out otherwise than the other one: one has {name}, one has not"
    assert check(marked, marked + "\nEnjoy.", GIVEN).outcome == "pass"


@pytest.mark.parametrize(
    "text",
    [
        "The party is on\n2. May, at noon.",
        "In 1999 it cost 2. In 2001. 3. I forget.",
        "- as they say - a tart is a tart.",
        "Well-known, low-fat - and good.\n-5 degrees is fine.",
        "It takes 2 * 3 * 4 cups, or 2*3*4, or 2**3**4.",
        "A 4* hotel and a 5* hotel serve it.*\n*in May",
        "Use snake_case_names and __init__ethods.",
        "You are #1.\n#tart #baking",
        "Type `*tart* **or** _pie_` there.",
        "2. Chill it.\n2. Bake it.",
        "Either | or: a -- b.",
        "First.\n\n* * *\n\nThen.\n\n- - -\n\nEnd.",
        "A dash\n---\nis no heading.",
    ],
)
def test_prose_that_looks_like_markup_is_prose(text: str) -> None:
    finding = check(PROSE, text, GIVEN)
    assert (finding.outcome, finding.figure) == ("pass", 0), finding.detail


def test_markup_inside_code_does_not_count() -> None:
    code = "```\n# a comment\n- a\n- b\n**x**\n```"
    assert check(code, "```\nbake\n```", GIVEN).outcome == "pass"


def test_all_differences_are_named() -> None:
    finding = check("# Tart\n- chill\n- bake", "Chill it **well**.", GIVEN)
    assert finding.figure == 3
    assert finding.detail is not None
    assert "a bulleted list, a heading and bold or italic type" in finding.detail
