import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm.reply import Problem, ReplyType, parse, parse_whole, without_thoughts


class Aspect(ReplyType):
    aspect: str
    reason: str | None = None


class Aspects(ReplyType):
    aspects: list[Aspect]


def aspects(*names: str) -> Aspects:
    return Aspects(aspects=[Aspect(aspect=name) for name in names])


GOOD = '{"aspects": [{"aspect": "short"}]}'
FORM = '{"aspects": [{"aspect": "what the answer should do", "reason": "why, in one sentence"}]}'


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("an answer", "an answer"),
        ("<think>well</think>an answer", "an answer"),
        ("\n<think>\nwell\n</think>\n\nan answer\n", "an answer"),
        ("well, then</think>an answer", "an answer"),
        ("<think>a<think>b</think>c</think>an answer", "an answer"),
        ("an <think>one</think>answer<think>two</think>", "an answer"),
        ("<think>never closed", ""),
        ("an answer <think>never closed", "an answer"),
        ("</think>", ""),
        ("", ""),
    ],
)
def test_thoughts_are_taken_out(text: str, rest: str) -> None:
    assert without_thoughts(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nI hope that helps!",
        f"Sure, here it is [as asked]: {GOOD} {{done}}",
        f"<think>Shall I write {FORM}?</think>{GOOD}",
        f"Shall I write {FORM}?</think>\n{GOOD}",
        f"The form is {FORM}\n\nSo:\n{GOOD}",
        f"First [1], {{see}} [2, 3] and {{}}: {GOOD}",
        f'{{"aspects": []}} was a draft. {GOOD}',
        f"f(x) = {{x, [y], {{z: 1}}}} {GOOD}",
        f"{GOOD[:-2]}, {GOOD}",
        f"{GOOD} [and so on",
        f'{GOOD} {{"aspects": [{{"aspect": "cut o',
        '{"aspects":\n [\n{"aspect":\t"short"}\n]\n}',
        '{"aspects": [{"aspect": "short", "reason": null}]}',
    ],
)
def test_the_reply_is_found_in_what_stands_around_it(text: str) -> None:
    assert parse(text, Aspects) == aspects("short")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"aspects": [{"aspect": "}]} {\\"[ \\\\"}]}', '}]} {"[ \\'),
        ('{"aspects": [{"aspect": "two\nlines"}]}', "two\nlines"),
        ('{"aspects": [{"aspect": "a\\ud83db\\u0000"}]}', "a\ufffdb\ufffd"),
        ('{"aspects": [{"aspect": "\\ud83d\\udc4b"}]}', "👋"),
    ],
)
def test_strings_may_hold_anything_that_can_be_kept(text: str, name: str) -> None:
    assert parse(text, Aspects) == aspects(name)


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("", "no_json", ""),
        ("I'd rather not.", "no_json", ""),
        (GOOD[:-1], "schema", "reply: Input should be a valid dictionary"),
        ('{"aspects": [{"aspect": 3}]}', "schema", "aspects.0.aspect: Input should be a valid string"),
        ('{"aspects": [{"aspect": "a", "x": 1}]}', "schema", "aspects.0.x: Extra inputs are not permitted"),
        # Of several, what is wrong with the longest is said.
        ('{} {"aspects": [{"aspect": 3}]} {"a": 1}', "schema", "aspects.0.aspect: Input should be a valid string"),
        (f"[{GOOD}]", "schema", "reply: Input should be a valid dictionary"),
    ],
)
def test_what_is_wrong_with_a_reply_is_said(text: str, kind: str, says: str) -> None:
    problem = parse(text, Aspects)
    assert isinstance(problem, Problem)
    assert problem.kind == kind
    assert problem.facts.get("errors", "").startswith(says)
    assert "\n" not in str(problem)


def test_many_faults_make_no_long_message() -> None:
    problem = parse(json.dumps({"aspects": [{"aspect": 1, "x" * 100: 2}] * 1000}), Aspects)
    assert len(str(problem)) < 700


NO_BRACKETS = st.text(st.characters(exclude_characters="[]{}")).filter(lambda text: "think>" not in text)
STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).filter(
    lambda text: "think>" not in text
)
REPLIES = st.lists(st.builds(Aspect, aspect=STORABLE, reason=st.none() | STORABLE), max_size=4).map(
    lambda found: Aspects(aspects=found)
)


@given(REPLIES, NO_BRACKETS, NO_BRACKETS, st.booleans(), st.sampled_from([None, 2]))
def test_any_reply_is_found_in_any_text(
    reply: Aspects, before: str, after: str, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(reply.model_dump(), ensure_ascii=ascii_only, indent=indent)
    assert parse(f"{before}{text}{after}", Aspects) == reply


JSON_LIKE = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", '"', ":", ",", "\\", '"aspects"', "1", "null", " ", "<think>", "</think>", "é"]
    )
).map("".join)


@given(st.text(st.characters()) | JSON_LIKE)
def test_no_text_raises(text: str) -> None:
    assert isinstance(parse(text, Aspects), Aspects | Problem)


MEGA = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "{" * MEGA,
        "[" * MEGA,
        '{"' * (MEGA // 2),
        '{"a":' * (MEGA // 5),
        "[1," * (MEGA // 3),
        "[[]," * (MEGA // 4),
        "[" * 900 + "1," * (MEGA // 2),
        '["' + "[" * MEGA,
        "{ " * (MEGA // 2),
        '{"a": ' + "1" * MEGA + "}",
        "<think>" * (MEGA // 7),
        "</think>" * (MEGA // 8),
        "[]" * (MEGA // 10),
    ],
    ids=lambda text: text[:6],
)
def test_a_megabyte_of_brackets_takes_no_time(text: str) -> None:
    start = time.perf_counter()
    assert isinstance(parse(text, Aspects), Problem)
    assert time.perf_counter() - start < 10


def test_a_deeply_nested_value_is_no_crash() -> None:
    value: Any = "x"
    for _ in range(400):
        value = [value]
    assert isinstance(parse(json.dumps({"aspects": value}), Aspects), Problem)
    assert parse("[" * 3000 + "]" * 3000 + GOOD, Aspects) == aspects("short")


class TestTheWhole:
    @pytest.mark.parametrize(
        "text", [GOOD, f" {GOOD}\n", f"<think>{FORM}</think>\n{GOOD}", f"let me see</think>{GOOD}"]
    )
    def test_a_reply_that_is_the_json_is_read(self, text: str) -> None:
        assert parse_whole(text, Aspects) == aspects("short")

    @pytest.mark.parametrize(
        "text",
        [
            f"{GOOD}.",
            f"Here: {GOOD}",
            f"```json\n{GOOD}\n```",
            f"[{GOOD}]",
            f"{GOOD}{GOOD}",
            f"<think>{GOOD}",
            "",
            "[" * 90_000,
        ],
    )
    def test_what_has_anything_else_in_it_is_not(self, text: str) -> None:
        assert isinstance(parse_whole(text, Aspects), Problem)

    def test_nothing_is_converted(self) -> None:
        class Number(ReplyType):
            number: int

        for wrong in ('"7"', "7.0", "true"):
            assert isinstance(parse_whole(f'{{"number": {wrong}}}', Number), Problem)
        assert parse_whole('{"number": 7}', Number) == Number(number=7)

    @given(
        st.text(alphabet='ab<>/think"{}[]: \n') | st.sampled_from([GOOD, FORM]), st.text(alphabet="ab{} .", max_size=3)
    )
    def test_it_takes_nothing_that_is_no_json(self, text: str, more: str) -> None:
        reply = parse_whole(text + more, Aspects)
        if not isinstance(reply, Problem):
            assert Aspects.model_validate_json(without_thoughts(text + more)) == reply
