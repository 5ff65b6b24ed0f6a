"""The chain of two calls an item by distilabel: two text generation steps, each as concurrent as allowed."""

from __future__ import annotations

import chain


def distilabel(job: chain.Job) -> int:
    """All items in one pipeline. A step sends a whole batch at once, so the size of a batch is its concurrency."""
    from distilabel.models import OpenAILLM
    from distilabel.pipeline import Pipeline
    from distilabel.steps import LoadDataFromDicts
    from distilabel.steps.tasks import TextGeneration

    def step(name: str, **arguments: object) -> TextGeneration:
        llm = OpenAILLM(model=chain.MODEL, base_url=job.api_base, api_key="none")
        return TextGeneration(name=name, llm=llm, input_batch_size=job.concurrency, **arguments)

    with Pipeline(name="chain", cache_dir=job.folder) as pipeline:
        rows = [{"instruction": chain.first(number)} for number in range(job.items)]
        load = LoadDataFromDicts(data=rows, batch_size=job.concurrency)
        draft = step("draft", output_mappings={"generation": "draft"})
        template = chain.second("{{ instruction }}", "{{ draft }}")
        final = step("final", template=template, columns=["instruction", "draft"])
        load >> draft >> final
    rows = pipeline.run(use_cache=False)["default"]["train"]
    return sum(bool(row["draft"] and row["generation"]) for row in rows)


if __name__ == "__main__":
    chain.run(distilabel)
