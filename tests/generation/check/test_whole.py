import pytest

from prbgen.generation.check.base import Given
from prbgen.generation.check.whole import check

GIVEN = Given("How do I bake a tart?", 100)
LONG = "Chill the dough for an hour and bake it blind"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Chill it, then bake it.",
        f"{LONG}!",
        f"{LONG}…",
        f'He said "{LONG}."',
        f"**{LONG}.**",
        f"({LONG}.)",
        f"{LONG} (as my neighbour taught me)",
        f'{LONG}, or as she says, "hide it from the oven"',
        f"{LONG}. 🎂",
        f"{LONG} 🎂✌️",
        f"{LONG} :)",
        f"{LONG}; see https://example.org/tart,with-comma",
        f"{LONG}; write to jo@example.org",
        f"{LONG}.\n\nGood luck",
        f"{LONG}.\n\n---",
        f"{LONG}.\n— Anna",
        f"Do this:\n- Chill it\n- {LONG}",
        f"Do this:\n1. Chill it\n2. {LONG}",
        "Type:\n```\nbake --and\n```",
        "| a | b |\n|---|---|\n| one two three four | five six seven eight |",
        "Take vitamin A",
        "先冷藏一小时，然后烤熟。",
        "「先冷藏一小时，然后烤熟。」",
        "हर दिन थोड़ा अभ्यास करें और धीरे धीरे आगे बढ़ें और खुश रहें।",
        "هل جربت أن تخبز الكعكة في فرن صغير مع غطاء فوقها دائما؟",
        "ควรพักแป้งไว้ในตู้เย็นหนึ่งชั่วโมงก่อนนำไปอบ",
        "Πόση ώρα θέλει στον φούρνο η τάρτα με τα λεμόνια που είχες φτιάξει;",
    ],
)
def test_an_answer_that_comes_to_its_end_passes(answer: str) -> None:
    finding = check(answer, GIVEN)
    assert finding.outcome == "pass", finding.detail


@pytest.mark.parametrize(
    "answer",
    [
        LONG,
        "Chill it,",
        "Chill it. Then:",
        "Chill it -",
        "Chill it (",
        "Chill it;",
        "Chill it and",
        "Chill the",
        "Do this:\n- Chill it\n- Bake it with",
        "Do this:\n- Chill it\n-",
        "1. Chill it.\n2.",
        "Lege den Teig in eine",
        "Mettez la pâte dans une",
        "先把面团放进冰箱冷藏一个小时再拿出来擀成薄薄的一片",
        "先冷藏，",
        "Type:\n```\nbake",
        "```\na\n```\nThen:\n```python\nbake()",
        f"**{LONG}**",
    ],
)
def test_an_answer_that_breaks_off_fails(answer: str) -> None:
    assert check(answer, GIVEN).outcome == "fail"


def test_the_end_is_quoted_on_one_line() -> None:
    assert check("Chill it.\n\nBake it\tblind,", GIVEN).detail == 'breaks off at its end: "Bake it blind,"'
