"""The chain of two calls an item by bespokelabs-curator: one LLM over all items, then the next one over its replies."""

from __future__ import annotations

from typing import Any

import chain


def curator(job: chain.Job) -> int:
    """All items through the first model, then all through the second one."""
    from bespokelabs.curator import LLM

    class First(LLM):
        def prompt(self, row: dict[str, Any]) -> str:
            return str(row["instruction"])

        def parse(self, row: dict[str, Any], reply: str) -> dict[str, Any]:
            return {"instruction": row["instruction"], "draft": reply}

    class Second(LLM):
        def prompt(self, row: dict[str, Any]) -> str:
            return chain.second(row["instruction"], row["draft"])

        def parse(self, row: dict[str, Any], reply: str) -> dict[str, Any]:
            return {"final": reply}

    settings = {
        "model_name": chain.MODEL,
        "backend": "openai",
        "backend_params": {
            "base_url": job.api_base,
            "max_concurrent_requests": job.concurrency,
            # The server has no limits: these are out of the way.
            "max_requests_per_minute": 10**6,
            "max_tokens_per_minute": 10**9,
            "require_all_responses": False,
        },
    }
    rows = [{"instruction": chain.first(number)} for number in range(job.items)]
    drafts = First(**settings)(rows, working_dir=str(job.folder / "first"))
    finals = Second(**settings)(drafts.dataset, working_dir=str(job.folder / "second"))
    return sum(bool(row["final"]) for row in finals.dataset)


if __name__ == "__main__":
    chain.run(curator)
