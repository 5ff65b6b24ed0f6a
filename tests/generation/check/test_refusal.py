import pytest

from prbgen.generation.check.base import Given
from prbgen.generation.check.refusal import check

GIVEN = Given("How do I bake a tart?", 100)
HELP = "Chill the dough for an hour, bake it blind with beans on it, then fill it with cream and let it set overnight."


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with that.",
        "I'd rather not answer that.",
        "I would prefer not to discuss this topic. Please ask something else.",
        "That's not something I can help with.",
        "This isn't something I'm able to assist with. Please consult a professional.",
        "Sorry, but I'm going to have to pass on this one.",
        "My guidelines do not allow me to answer this.",
        "I cannot provide gardening advice. However, I encourage you to consult a local nursery.",
        "There is not enough information to answer this question.",
        "Ich kann dir dabei leider nicht helfen.",
        "No puedo ayudarte con eso.",
        "我无法回答这个问题。",
        "Je ne suis pas en mesure de répondre à cette question.",
        "I’m sorry, I cannot assist with this request.",
        f"Sorry, but I can't help with that. {HELP}",
        "Unfortunately, I am unable to answer this question.",
        "I must decline to answer. " + HELP,
        "I'm afraid I won't be able to help.",
        "I can't assist with that request, as it concerns food.",
        "I apologize, but I'm not able to discuss this topic.",
        "As an AI, I don't have opinions on tarts.",
        "As a language model, I don't bake. I hope you find a recipe.",
        "I cannot provide medical advice. Please see a doctor.",
        "I'm not qualified to give advice on this. You should talk to a professional.",
        "I don't have enough information to answer that.",
        "Could you please clarify what kind of tart you mean?",
        "I'd need more details before I can say. Could you tell me which oven you have?",
        "Es tut mir leid, aber dabei kann ich dir nicht helfen.",
        "Leider kann ich diese Frage nicht beantworten.",
        "Je suis désolé, mais je ne peux pas vous aider.",
        "Lo siento, pero no puedo ayudarte con eso.",
        "Mi dispiace, ma non posso aiutarti con questo.",
        "Sinto muito, mas não posso ajudar com isso.",
        "Het spijt me, maar daar kan ik je niet mee helpen.",
        "Извините, но я не могу помочь с этим.",
        "抱歉，我无法回答这个问题。",
        "申し訳ありませんが、お手伝いできません。",
        "죄송하지만 도와드릴 수 없습니다.",
        "عذرًا، لا أستطيع المساعدة في ذلك.",
    ],
)
def test_a_refusal_or_a_dodge_fails(answer: str) -> None:
    finding = check(answer, GIVEN)
    assert finding.outcome == "fail"
    assert finding.detail is not None
    assert finding.detail.startswith("refuses or dodges the question: ")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        HELP,
        "I can't recommend this tart enough.",
        f"I can't answer this for you, but many people do well with a weaker flour. {HELP}",
        f"There is not enough information on the packet, so weigh the flour yourself. {HELP}",
        f"Vinegar is not something I would use. {HELP}",
        "I can't help but smile at that. Bake it.",
        "I'm sorry to hear that your oven broke. Use a pan.",
        "You can't help with the dough if your hands are warm.",
        f"I can't provide nutritional advice, but here is how I do it. {HELP}",
        f"I don't know your oven. {HELP}",
        f"As an AI researcher I eat many tarts. {HELP}",
        f"Tell her: I'm sorry, but I can't help with that. {HELP}",
        "She will say \"I'm sorry, but I can't help with that.\" Bake it anyway.",
        "Sorry I can't be there to taste it. Bake it blind.",
        "I have to refuse seconds whenever my aunt bakes. Use her recipe: butter, flour, water.",
        "Could you borrow a tin? Bake it blind.",
        "I can't offer a better tip than beans on the dough.",
        "I'm allowed to give you my aunt's recipe: butter, flour, water.",
        "I don't know why people buy tarts. Bake it blind.",
        "I don't have beans at home either. Take rice.",
        "See a doctor if the burn is large. Cool it first.",
        "Unfortunately, you can't help that crust. Start again.",
        "Leider kann man den Teig nicht retten. Fang neu an.",
        "Je ne peux pas vivre sans citron ; mettez-en deux.",
        "很抱歉听到烤箱坏了，可以用平底锅。",
    ],
)
def test_an_answer_that_helps_passes(answer: str) -> None:
    finding = check(answer, GIVEN)
    assert finding.outcome == "pass", finding.detail
