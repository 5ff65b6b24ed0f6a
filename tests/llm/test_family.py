"""Which family a model belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm.family import families, family_of, related


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("openai/gpt-4o-mini", "azure/gpt-5"),
        ("openai/o3", "openrouter/openai/gpt-4.1"),
        ("anthropic/claude-haiku-4-5", "bedrock/anthropic.claude-opus-4-1-v1:0"),
        ("hosted_vllm/Qwen/Qwen2.5-32B-Instruct", "together_ai/Qwen/QwQ-32B"),
        ("gemini/gemini-2.5-flash", "ollama/gemma3:4b"),
        ("groq/llama-3.3-70b", "hosted_vllm/meta-llama/Meta-Llama-3-8B"),
        ("hosted_vllm/deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "hosted_vllm/Qwen/Qwen3-8B"),
        ("ollama/codellama:7b", "groq/llama-3.3-70b"),
        ("hosted_vllm/TinyLlama-1.1B", "hosted_vllm/meta-llama/Llama-3-8B"),
        ("hosted_vllm/allenai/OLMo-2-1124-7B", "hosted_vllm/allenai/olmo-3"),
        ("hosted_vllm/microsoft/Phi-3-mini", "hosted_vllm/microsoft/phi-4"),
        ("local/mine.gguf", "local/mine.gguf"),
    ],
)
def test_models_of_one_family_are_related_whoever_serves_them(one: str, other: str) -> None:
    assert related(one, other)
    assert related(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"),
        ("openai/my-own-model", "openai/another-model"),
        ("local/a.gguf", "local/b.gguf"),
        ("hosted_vllm/Qwen/Qwen3-8B", "hosted_vllm/meta-llama/Llama-3-8B"),
        ("local/smollm2-135m", "groq/llama-3.3-70b"),
        ("hosted_vllm/sophia", "hosted_vllm/microsoft/phi-4"),
    ],
)
def test_others_are_not(one: str, other: str) -> None:
    assert not related(one, other)


@given(st.text())
def test_any_name_has_families_or_none_and_is_related_to_itself(name: str) -> None:
    assert isinstance(families(name), frozenset)
    assert related(name, name)


def test_several_families_are_named_in_one_line_and_none_is_null() -> None:
    assert family_of("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B") == "DeepSeek, Qwen"
    assert family_of("openai/mine") is None
