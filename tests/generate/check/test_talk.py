import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generate.check.talk import check
from prbgen.recipe import PairSettings

LIMIT = PairSettings(words=100)
CAKE = "Which cake should I bake for my sister's birthday?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (CAKE, "Bake a lemon drizzle cake: it keeps for days and needs no icing."),
        (CAKE, "From every aspect, the flat profile of a tart is the better choice. You have a point there."),
        (CAKE, "In 2 words: lemon drizzle. In other words, keep it simple."),
        (CAKE, "Follow the instructions on the packet, and take the medicine as instructed by your doctor."),
        (CAKE, "Here is what I would do, and here's the answer that my baker gave me years ago."),
        (CAKE, "Write down the points to cover with the baker, and pick two of these aspects."),
        (CAKE, "As an AI researcher once told me, be prompt. She answered the prompt quickly."),
        (CAKE, "Post a photo afterwards; earlier posts on this site show how."),
        (CAKE, "Ask your sister's friends, and look at her public profile. Update your LinkedIn profile while there."),
        (CAKE, "The person who bakes decides, and the user manual of the oven helps."),
        ("How do I write a good rubric for essays?", "A rubric needs clear levels; good rubrics have three to five."),
        ("Is my dating profile too long?", "Cut your dating profile by half and put your photo first."),
        ("Should I delete my old blog posts?", "Keep your older posts, but add a note on top of each."),
        ("How do I keep to the word limit of an essay?", "Drafts first, then cut. Aim at five below the word limit."),
        ("How long may a cover letter be?", "Keep it under 300 words, in 12 point type."),
        ("What does this writing prompt want?", "Your prompt asks for a scene, so show one."),
        ("How do I write a summary in 100 words?", "Write it freely, then cut: in 100 words there is room for a lot."),
    ],
)
def test_a_good_answer_passes(question: str, answer: str) -> None:
    assert check(answer, question, LIMIT) is None


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Given your profile, I'd bake a tart.", "your profile"),
        ("Based on the user's profile, a tart.", "the user's profile"),
        ("Your posting history shows that you like lemons.", "Your posting history"),
        ("As your earlier posts show, you like lemons.", "your earlier posts"),
        ("You said in a previous post that you like lemons.", "a previous post"),
        ("I saw your many other questions on baking.", "your many other questions"),
        ("From what you’ve posted before, a tart.", "what you've posted before"),
        ("This keeps to the rubric.", "rubric"),
        ("RUBRICS aside, a tart.", "RUBRICS"),
        ("This covers all the listed points.", "all the listed points"),
        ("I kept to the points you listed.", "points you listed"),
        ("I left the aspects to avoid out.", "the aspects to avoid"),
        ("As you instructed, no eggs.", "As you instructed"),
        ("A tart.\nAs instructed, I left out eggs.", "As instructed"),
        ("By the instructions above, a tart.", "the instructions above"),
        ("The prompt says nothing about eggs.", "The prompt"),
        ("My system prompt forbids that.", "system prompt"),
        ("To stay below the word limit, a tart.", "the word limit"),
        ("In 100 words: bake a tart.", "In 100 words"),
        ("Here it is, within the 100-word limit.", "within the 100-word"),
        ("As an AI, I cannot eat cake.", "As an AI"),
        ("As an AI language model I cannot eat cake.", "As an AI"),
        ("As a human I would, but as an artificial intelligence I can't.", "as an artificial intelligence"),
        ("Here's my answer: a tart.", "Here's my answer"),
        ("Here is a short response to the question.", "Here is a short response"),
        ("The asker likes lemons.", "The asker"),
    ],
)
def test_an_answer_that_talks_about_its_making_fails(answer: str, passage: str) -> None:
    problem = check(answer, CAKE, LIMIT)
    assert problem is not None
    assert (problem.kind, problem.facts) == ("talk", {"passage": passage})


def test_the_first_remark_is_named() -> None:
    problem = check("The rubric says so. As an AI, I agree.", CAKE, LIMIT)
    assert problem is not None
    assert problem.facts == {"passage": "rubric"}


def test_a_question_about_such_things_excuses_no_other_remark() -> None:
    question = "How do I write a good rubric, in your own words?"
    assert check("Good rubrics are short.", question, LIMIT) is None
    assert check("Given your profile, good rubrics are short.", question, LIMIT) is not None
    assert check("As an AI, I like rubrics.", question, LIMIT) is not None


@given(st.text(), st.text())
def test_no_text_raises(answer: str, question: str) -> None:
    check(answer, question, LIMIT)


def test_a_long_answer_is_read_quickly() -> None:
    start = time.perf_counter()
    for text in ("your ", "in 1", "the given " * 2, "here is a "):
        check(text * 20_000, CAKE, LIMIT)
    assert time.perf_counter() - start < 5
