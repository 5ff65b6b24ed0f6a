"""Counting tokens on this machine."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm import tokens
from prbgen.llm.model import Call, Message
from prbgen.llm.tokens import Tokenizer, tokenizer_of
from prbgen.model_settings import ModelSettings


@pytest.mark.parametrize(
    ("model", "encoding", "own"),
    [
        ("openai/gpt-4o-mini", "o200k_base", True),
        ("gpt-5", "o200k_base", True),
        ("azure/gpt-4-turbo", "cl100k_base", True),
        ("anthropic/claude-haiku-4-5", "cl100k_base", False),
        ("hosted_vllm/Qwen/Qwen2.5-7B-Instruct", "cl100k_base", False),
        ("local/smollm2-135m", "cl100k_base", False),
    ],
)
def test_a_model_is_counted_by_its_own_encoding_or_one_that_stands_in_for_it(
    model: str, encoding: str, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*_: Any) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    tokenizer = tokenizer_of(model)
    assert (tokenizer.name, tokenizer.own) == (encoding, own)
    assert 4 <= tokenizer.count("Tea or coffee?") <= 5
    assert tokenizer.low < 1 < tokenizer.high


def test_what_looks_like_a_control_token_is_ordinary_text() -> None:
    assert tokenizer_of("openai/gpt-4o").count("<|endoftext|>") > 1


def test_without_shipped_encodings_bytes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_encoding", lambda _: None)
    tokenizer = tokenizer_of.__wrapped__("openai/gpt-4o")
    assert (tokenizer.own, tokenizer.count("x" * 9), tokenizer.count("")) == (False, 3, 0)


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_prompt_that_is_counted_in_two_parts_has_hardly_more_tokens(shared: str, rest: str) -> None:
    tokenizer: Tokenizer = tokenizer_of("openai/gpt-4o")
    messages = (Message("system", "Be kind."), Message("user", f"{shared}\n{rest}"))
    call = Call(ModelSettings(name="openai/gpt-4o"), messages, "answer")
    whole, parts = tokenizer.prompt(call), tokenizer.prompt(replace(call, shared=len(shared) + 1))
    assert whole <= parts <= whole + 6


def test_the_form_of_the_reply_is_part_of_the_prompt() -> None:
    call = Call(ModelSettings(name="openai/gpt-4o"), (Message("user", "Tea?"),), "answer")
    tokenizer = tokenizer_of("openai/gpt-4o")
    assert tokenizer.prompt(replace(call, schema={"type": "object"})) > tokenizer.prompt(call)
