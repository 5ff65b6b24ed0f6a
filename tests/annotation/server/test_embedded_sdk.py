"""The real SDK against the real server."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.annotation.server.embedded import API_KEY, Server

PROGRAM = """
import json, sys
import argilla as rg

client = rg.Argilla(api_url=sys.argv[1], api_key=sys.stdin.read())
workspace = rg.Workspace(name="by-sdk", client=client).create()
settings = rg.Settings(
    guidelines="Rate both answers.",
    fields=[
        rg.TextField(name="question"),
        rg.ChatField(name="chat", required=False),
        rg.CustomField(name="pair", template="<p>{{record.fields.pair.a}}</p>", advanced_mode=False),
    ],
    questions=[
        rg.RatingQuestion(name="quality", values=[0, 1, 2, 3, 4, 5]),
        rg.LabelQuestion(name="better", labels={"a": "A", "b": "B"}, required=False),
    ],
    metadata=[rg.TermsMetadataProperty(name="subset"), rg.IntegerMetadataProperty(name="length")],
    distribution=rg.TaskDistribution(min_submitted=2),
)
dataset = rg.Dataset(name="by-sdk", workspace="by-sdk", settings=settings, client=client).create()


def records():
    return [
        rg.Record(
            id=f"pair-{number}",
            fields={
                "question": f"Question {number}",
                "chat": [{"role": "user", "content": f"zebra{number}"}],
                "pair": {"a": f"walnut{number}", "b": "fig"},
            },
            metadata={"subset": f"s{number % 2}", "length": number},
            suggestions=[rg.Suggestion("quality", value=number % 6, score=number / 30, agent="judge")],
        )
        for number in range(30)
    ]


dataset.records.log(records())
dataset.records.log(records())
me = client.me
dataset.records.log([
    rg.Record(
        id="pair-3",
        fields=records()[3].fields,
        metadata={"subset": "s1", "length": 3},
        responses=[rg.Response("quality", 4, user_id=me.id, status="submitted")],
    )
])


def found(query=None, *conditions):
    wanted = rg.Query(query=query, filter=rg.Filter(list(conditions)) if conditions else None)
    return sorted(record.id for record in dataset.records(query=wanted))


result = {
    "progress": dataset.progress(),
    "chat": found("zebra7"),
    "custom": found("walnut8 fig"),
    "metadata": len(found(None, ("metadata.subset", "==", "s1"))),
    "range": found(None, ("metadata.length", ">=", 28)),
    "suggestion": len(found(None, ("quality.suggestion", "==", 5))),
    "score": found(None, ("quality.score", ">=", 0.95)),
    "response": found(None, ("quality.response", "==", 4)),
    "response status": found(None, ("response.status", "==", "submitted")),
    "id": found(None, ("id", "in", ["pair-4", "pair-5"])),
    "exported": len(dataset.records.to_list()),
}
dataset.records.delete(records=[next(iter(dataset.records(query=rg.Query(query="zebra7"))))])
result["deleted"] = found("zebra7")
print(json.dumps(result))
"""


def test_the_sdk_creates_logs_twice_queries_and_deletes(server: Server) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, server.url], input=API_KEY, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "progress": {"total": 30, "completed": 0, "pending": 30},
        "chat": ["pair-7"],
        "custom": ["pair-8"],
        "metadata": 15,
        "range": ["pair-28", "pair-29"],
        "suggestion": 5,
        "score": ["pair-29"],
        "response": ["pair-3"],
        "response status": ["pair-3"],
        "id": ["pair-4", "pair-5"],
        "exported": 30,
        "deleted": [],
    }
