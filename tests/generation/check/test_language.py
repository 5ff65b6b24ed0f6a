import json
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest

from prbgen.generation.check.base import Given
from prbgen.generation.check.language import check

ENGLISH = "Chill the dough for an hour and bake it blind, then fill it with lemon cream and let it set overnight."
GERMAN = "Stelle den Teig eine Stunde kalt und backe ihn blind, dann fülle ihn und lass ihn über Nacht stehen."
QUESTIONS = {
    "en": "How do I bake a lemon tart that does not fall apart when I cut it?",
    "de": "Wie backe ich eine Zitronentarte, die beim Schneiden nicht auseinanderfällt?",
    "fr": "Comment faire une tarte au citron qui ne s'effondre pas quand on la coupe ?",
    "es": "¿Cómo hago una tarta de limón que no se deshaga cuando la corto en trozos?",
    "zh": "怎样做柠檬挞才能在切的时候不散开，并且味道不会太酸？",
    "ru": "Как испечь лимонный пирог, чтобы он не разваливался, когда его режут?",
    "ja": "切ったときに崩れないレモンタルトはどうやって焼けばいいですか。",
}


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("answered", QUESTIONS)
def test_only_an_answer_in_the_language_of_the_question_passes(asked: str, answered: str) -> None:
    # Any question of these lengths does as an answer.
    finding = check(QUESTIONS[answered], Given(QUESTIONS[asked], 100))
    assert finding.outcome == ("pass" if asked == answered else "fail"), finding.detail
    assert finding.figure is not None
    assert (finding.figure > 0.9) == (asked == answered)


def test_both_languages_are_named() -> None:
    assert check(GERMAN, Given(QUESTIONS["en"], 100)).detail == "is in German, but the question is in English"


@pytest.mark.parametrize("question", ["Which tea?", "Which tea is best?", "Ginger tea, or none?", "Why so?"])
def test_a_short_question_does_not_fail_an_answer(question: str) -> None:
    assert check(ENGLISH, Given(question, 100)).outcome in ("pass", "unknown")
    assert check(GERMAN, Given(question, 100)).outcome == "unknown"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "42",
        "😀😀",
        "f(x) = x^2 + 2x",
        "```\nfor i in range(3): print(i)\n```",
        "https://example.org/eine/lange/adresse",
    ],
)
def test_an_answer_without_prose_is_unknown_with_a_reason(answer: str) -> None:
    finding = check(answer, Given(QUESTIONS["en"], 100))
    assert finding.outcome == "unknown"
    assert finding.detail


@pytest.mark.parametrize("question", ["", "???", "2 + 2 = 5?"])
def test_a_question_without_words_makes_it_unknown(question: str) -> None:
    finding = check(ENGLISH, Given(question, 100))
    assert finding.outcome == "unknown"
    assert finding.detail


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how do i tell my landlady in german that the heating is broken, politely?", GERMAN),
        ("Can you translate these baking instructions so that my aunt understands them?", GERMAN),
        (
            "Hvordan lærer jeg å spille gitar hjemme uten å forstyrre naboene mine for mye?",
            "Du kan øve dig stille på guitaren om aftenen, hvis du lægger et klæde under strengene.",
        ),
    ],
)
def test_an_answer_that_may_well_be_in_another_language_does_not_fail(question: str, answer: str) -> None:
    assert check(answer, Given(question, 100)).outcome != "fail"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How do I pronounce Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch?", ENGLISH),
        ("La Traviata, Don Giovanni, Le Nozze di Figaro or Così Fan Tutte?", ENGLISH),
        (QUESTIONS["en"], "Amélie, Les Quatre Cents Coups, La Haine, À Bout de Souffle, Les Parapluies de Cherbourg."),
        (QUESTIONS["en"], "Ask at Bäckerei Schröder, Konditorei Müller or Café Sülzhayn."),
    ],
)
def test_foreign_names_fail_no_answer(question: str, answer: str) -> None:
    assert check(answer, Given(question, 100)).outcome != "fail"


def test_capitals_are_read_too() -> None:
    assert check(ENGLISH.upper(), Given(QUESTIONS["en"].upper(), 100)).outcome == "pass"
    assert check(GERMAN.upper(), Given(QUESTIONS["en"], 100)).outcome == "fail"


def test_quotations_and_code_do_not_count() -> None:
    question = Given("What do I write on the card for a friend from abroad who bakes a lot?", 100)
    quoted = f"Write this on the card for your friend: “{GERMAN}” It is kind, and it makes her smile for sure."
    assert check(quoted, question).outcome == "pass"
    code = "Run this and look at what it prints for you:\n```\nfür = über(schöne, größe, länge, wörter, häufig)\n```"
    assert check(code, question).outcome == "pass"


def test_no_sample_fails_in_its_own_language() -> None:
    # All posts that ship with prbgen are English; they stand in for answers, whole and cut short.
    folder = Path(str(files("prbgen"))) / "sources" / "samples"
    rows = [json.loads(line) for path in sorted(folder.glob("*/*.jsonl")) for line in path.open(encoding="utf-8")]
    assert rows
    for row in rows:
        given = Given(row["question"], 100)
        for post in row["profile"]:
            assert check(post["text"], given).outcome == "pass"
            for length in range(5, 100, 5):
                assert check(post["text"][:length], given).outcome != "fail"


def test_threads_at_once_find_the_same() -> None:
    given = Given(QUESTIONS["en"], 100)
    texts = [ENGLISH, GERMAN, *QUESTIONS.values()] * 5
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: check(text, given), texts))
    assert together == [check(text, given) for text in texts]
