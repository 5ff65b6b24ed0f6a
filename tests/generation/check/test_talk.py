import pytest

from prbgen.generation.check.base import Given
from prbgen.generation.check.talk import check

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
        (CAKE, "You mentioned an earlier start, so set the oven at noon. You have said what you want: a tart."),
        (CAKE, "Consider the aspects that matter to her. The task is to find a tin that fits."),
        (CAKE, "In your question you mention nuts, and given the details of her allergy I would leave them out."),
        (CAKE, "Tailor the icing to her taste, and remember your first cake. I recall my own: it sank."),
        (CAKE, "Back den Kuchen am Vortag; ihr Profil im Netz zeigt vielleicht, was sie mag."),
        (CAKE, "Based on your questions, two cakes would be best."),
        (CAKE, "If the task asks for candles, count them. The task says nothing of colours."),
        (CAKE, "Given the information provided by most bakers, a tin of 20 cm will do."),
        (CAKE, "Here's the answer in short: lemon drizzle."),
        (CAKE, "Do as instructed on the packet. Count your words at the party, and the candles: twelve."),
        ("Which posts of my blog belong in a book?", "Going by your posts, those on food."),
        ("What do I write in a journal?", "Look at what you usually write, and do the opposite."),
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
    assert check(answer, Given(question, 100)).outcome == "pass"


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Given your profile, I'd bake a tart.", "your profile"),
        ("Based on what you've shared before about your oven, a tart.", "what you've shared before"),
        ("I will leave out eggs as instructed.", "as instructed"),
        ("According to the narrative, a tart.", "According to the narrative"),
        ("Per your preferences, a tart.", "Per your preferences"),
        ("As seen in your comments, a tart.", "As seen in your comments"),
        ("Based on what I know about you, a tart.", "Based on what I know about you"),
        ("According to the profile, you like mint.", "According to the profile"),
        ("In your posts you said that you like mint.", "In your posts"),
        ("I avoided the points that you asked to be left out.", "points that you asked"),
        ("A tart. Word count: 12.", "Word count"),
        ("In keeping with the requested word limit, a tart.", "the requested word limit"),
        ("Note: this answer does not cover eggs, as requested.", "this answer does not cover"),
        ("Here is my response without mentioning eggs: a tart.", "Here is my response"),
        ("Sure! Here's an answer tailored to you: a tart.", "Here's an answer"),
        ("Based on the user's profile, a tart.", "the user's profile"),
        ("Your posting history shows that you like lemons.", "Your posting history"),
        ("As your earlier posts show, you like lemons.", "As your earlier posts"),
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
        ("Based on your past posts, a tart.", "Based on your past posts"),
        ("Going by your posts, you like lemons.", "Going by your posts"),
        ("Your posts suggest that you like lemons.", "Your posts"),
        ("As your threads say, lemons it is.", "As your threads"),
        ("You once mentioned a gas oven, so a tart.", "You once mentioned"),
        ("You've mentioned your gas oven before, so a tart.", "You've mentioned your gas oven before"),
        ("I remember you saying that you like lemons.", "I remember you saying"),
        ("Given what you usually write, a tart.", "what you usually write"),
        ("That covers the aspects, I think.", "the aspects"),
        ("By your preferences as listed, a tart.", "your preferences as listed"),
        ("It fits your stated preferences.", "your stated preferences"),
        ("Based on the information provided, a tart.", "Based on the information provided"),
        ("From the given context, a tart.", "From the given context"),
        ("This answer deliberately leaves nuts out.", "This answer deliberately"),
        ("Here is a tart; I have tailored it.", "I have tailored"),
        ("My task is to name a cake: a tart.", "My task is"),
        ("Wie in deinen früheren Beiträgen: Zitrone.", "deinen früheren Beiträgen"),
        ("D'après vos messages précédents, une tarte.", "vos messages précédents"),
        ("Por tus publicaciones anteriores, una tarta.", "tus publicaciones anteriores"),
        ("根据你之前的帖子，做柠檬蛋糕。", "你之前的帖子"),
        ("以前の投稿によると、レモンがお好きですね。", "以前の投稿"),
        ("İ like that. As your earlier posts show.", "as your earlier posts"),
    ],
)
def test_an_answer_that_talks_about_its_making_fails(answer: str, passage: str) -> None:
    finding = check(answer, Given(CAKE, 100))
    assert finding.outcome == "fail"
    assert finding.detail is not None
    assert finding.detail.endswith(f': "{passage}"')


def test_the_first_remark_is_named() -> None:
    detail = check("The rubric says so. As an AI, I agree.", Given(CAKE, 100)).detail
    assert detail is not None
    assert detail.endswith('"rubric"')


def test_a_question_about_such_things_excuses_no_other_remark() -> None:
    given = Given("How do I write a good rubric, in your own words?", 100)
    assert check("Good rubrics are short.", given).outcome == "pass"
    assert check("Given your profile, good rubrics are short.", given).outcome == "fail"
    assert check("As an AI, I like rubrics.", given).outcome == "fail"


def test_only_the_own_word_limit_is_talk() -> None:
    assert check("In 50 words: a tart.", Given(CAKE, 100)).outcome == "pass"
    assert check("In 50 words: a tart.", Given(CAKE, 50)).outcome == "fail"
