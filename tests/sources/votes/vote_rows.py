"""Rows of people's votes as PRISM and Chatbot Arena publish them; all words are ours."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]


def utterances(
    number: int,
    user: str,
    scores: tuple[int, ...] = (80, 20),
    *,
    turn: int = 0,
    conversation: str | None = None,
    prompt: str | None = None,
    **changes: Any,
) -> list[Row]:
    """The answers to one question of PRISM; the first of the best rated is the chosen one."""
    best = scores.index(max(scores))
    return [
        {
            "utterance_id": f"ut{number}-{place}",
            "interaction_id": f"int{number}",
            "conversation_id": conversation or f"c{number}",
            "user_id": user,
            "turn": turn,
            "within_turn_id": place,
            "conversation_type": "values guided",
            "user_prompt": prompt or f"What matters most, number {number}?",
            "model_response": f"<answer {place} of {number}>",
            "model_name": "command",
            "model_provider": "cohere",
            "score": score,
            "if_chosen": place == best,
            "included_in_balanced_subset": True,
        }
        | changes
        for place, score in enumerate(scores)
    ]


def prism(users: int = 3, votes: int = 5) -> list[Row]:
    """So many users with so many votes each."""
    numbers = ((user, user * 100 + vote) for user in range(users) for vote in range(votes))
    return [row for user, number in numbers for row in utterances(number, f"user{user}")]


def battle(number: int, judge: str, winner: str = "model_a", **changes: Any) -> Row:
    """A row of Chatbot Arena."""
    question = f"How do I mend it, number {number}?"
    moderation = {"categories": {"hate": False}, "category_scores": {"hate": 0.001}, "flagged": False}
    return {
        "question_id": f"{number:032x}",
        "model_a": "vicuna-13b",
        "model_b": "koala-13b",
        "winner": winner,
        "judge": judge,
        "conversation_a": dialogue(question, f"<answer a of {number}>"),
        "conversation_b": dialogue(question, f"<answer b of {number}>"),
        "turn": 1,
        "anony": True,
        "language": "English",
        "tstamp": 1682351591.1322 + number,
        "openai_moderation": moderation,
        "toxic_chat_tag": {"roberta-large": {"flagged": False, "probability": 0.01}},
    } | changes


def dialogue(*texts: str) -> list[dict[str, str]]:
    """Messages, the first of which is the user's."""
    return [{"content": text, "role": ("user", "assistant")[place % 2]} for place, text in enumerate(texts)]


def arena(judges: int = 3, votes: int = 5) -> list[Row]:
    """So many judges with so many votes each, for either side in turn."""
    return [
        battle(judge * 100 + vote, f"arena_user_{judge}", f"model_{'ab'[vote % 2]}")
        for judge in range(judges)
        for vote in range(votes)
    ]
