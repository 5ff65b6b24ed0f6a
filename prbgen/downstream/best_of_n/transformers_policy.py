"""A policy on this machine: `hf:` and a folder (DIR/policy of `prbgen ppo train`, say) or a name on the Hub."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prbgen.downstream.best_of_n.policy import Policy, SamplingSettings
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster

# What such a policy may set itself, with the type of it.
_OWN: dict[str, type] = {"temperature": float, "top_p": float, "max_tokens": int}


@asynccontextmanager
async def transformers_policy(
    settings: SamplingSettings,
    answers: Answers,
    prompts: Prompts,
    stop: asyncio.Event,
    traffic: Traffic,
    cluster: Cluster | None = None,
) -> AsyncIterator[Policy]:
    """Open the policy `hf:...`; what it writes is kept in the folder of its answers. The workers of a
    `cluster`, if there is one, write.

    Raises:
        InputError: there is none, it has no chat template, it leaves no room for a prompt, or it has settings that say
            nothing to it.
        MissingExtraError: torch or transformers is not installed.
    """
    from prbgen.downstream.best_of_n.on_this_machine.policy import TransformersPolicy
    from prbgen.downstream.best_of_n.on_this_machine.written_file import WrittenFile

    settings = with_its_own(settings)
    async with AsyncExitStack() as stack:
        models = 1
        if cluster:
            from prbgen.downstream.best_of_n.on_this_machine.on_cluster import ClusterWriters

            writers = await ClusterWriters.open(settings, stop=stop, traffic=traffic)
            stack.push_async_callback(writers.close)
            tokenizer, traits, write, models = writers.tokenizer, writers.traits, writers.write, writers.models
        else:
            from prbgen.downstream.best_of_n.on_this_machine.loading import load_policy
            from prbgen.downstream.best_of_n.on_this_machine.writer import Writer

            loaded = await asyncio.to_thread(load_policy, settings)
            writer = Writer(settings, loaded)
            tokenizer, traits, write = loaded.tokenizer, writer.traits, writer.in_thread
        kept = stack.enter_context(WrittenFile(answers.folder / "written.sqlite"))
        yield TransformersPolicy(settings, tokenizer, traits, write, kept, stop, models=models)


def with_its_own(settings: SamplingSettings) -> SamplingSettings:
    """The settings with what the policy sets itself in their places.

    Raises:
        InputError: it sets what transformers are not asked with here, or what cannot be.
    """
    given = settings.policy.model_dump(exclude_none=True, exclude={"name"})
    for name, value in given.items():
        where = f"--policy {settings.policy.label}: {name}"
        if name not in _OWN:
            raise InputError(f"{where} says nothing to a model on this machine; it takes {', '.join(_OWN)}")
        numbers = (int, float) if _OWN[name] is float else (int,)
        if isinstance(value, bool) or not isinstance(value, numbers) or (name == "max_tokens" and value < 1):
            raise InputError(f"{where} = {value!r} is no such number")
    own: dict[str, Any] = {name: _OWN[name](value) for name, value in given.items()}
    return replace(settings, **own)
