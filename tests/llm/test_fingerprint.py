import json
from dataclasses import replace
from typing import Any

import pytest

from prbgen.llm.fingerprint import NOT_THE_WORK, fingerprint
from prbgen.llm.model import Call, Message
from prbgen.model_settings import ModelSettings
from tests.processes import python


def model(name: str = "openai/gpt-4o-mini", **settings: Any) -> ModelSettings:
    return ModelSettings.model_validate({"name": name, "temperature": 0.7, "max_tokens": 400, **settings})


CALL = Call(
    model=model(),
    messages=(Message("system", "You answer."), Message("user", "Wie geht's? 👋")),
    stage="answer",
    timeout=120,
    schema={"type": "object", "properties": {"a": {"type": "string"}}},
    sample=3,
)


def test_the_format_has_not_changed_by_accident() -> None:
    # If this fails, every ledger out there is worthless: raise VERSION only with good reason.
    assert fingerprint(CALL) == "43a75159548b503c5d7544162fdd7af8"


def test_it_is_the_same_in_every_process() -> None:
    code = (
        "from prbgen.llm.model import *; from prbgen.model_settings import ModelSettings;"
        "from prbgen.llm.fingerprint import fingerprint;"
        "model = ModelSettings(name='a/b', top_p=.5, seed=1, stop=['x']);"
        "print(fingerprint(Call(model, (Message('user', 'é'),), 's', 1)))"
    )
    assert python(code, PYTHONHASHSEED="1") == python(code, PYTHONHASHSEED="2")


@pytest.mark.parametrize(
    "other",
    [
        replace(CALL, model=model("openai/gpt-4o")),
        replace(CALL, model=model(temperature=0.8)),
        replace(CALL, model=model(seed=0)),
        replace(CALL, model=model(extra_body={"top_k": 3})),
        replace(CALL, messages=CALL.messages[1:]),
        replace(CALL, messages=CALL.messages[::-1]),
        replace(CALL, messages=(Message("user", "You answer."), CALL.messages[1])),
        replace(CALL, messages=(Message("system", "You answer.Wie geht's? 👋"), Message("user", ""))),
        replace(CALL, schema=None),
        replace(CALL, schema={"type": "object"}),
        replace(CALL, sample=4),
    ],
)
def test_whatever_changes_what_is_asked_counts(other: Call) -> None:
    assert fingerprint(other) != fingerprint(CALL)


@pytest.mark.parametrize("name", sorted(NOT_THE_WORK))
def test_who_pays_where_it_runs_and_patience_do_not_count(name: str) -> None:
    value: Any = {"timeout": 5, "concurrency": 2}.get(name, "os.environ/SOMETHING")
    assert fingerprint(replace(CALL, model=model(**{name: value}))) == fingerprint(CALL)


@pytest.mark.parametrize("other", [replace(CALL, timeout=1), replace(CALL, stage="rubric")])
def test_stage_and_time_out_do_not_count(other: Call) -> None:
    assert fingerprint(other) == fingerprint(CALL)


def test_the_order_of_settings_does_not_count() -> None:
    settings: dict[str, Any] = {"top_p": 0.9, "extra_body": {"a": 1, "b": 2}, "seed": 4}
    turned = json.loads(json.dumps({"seed": 4, "extra_body": {"b": 2, "a": 1}, "top_p": 0.9}))
    assert fingerprint(replace(CALL, model=model(**settings))) == fingerprint(replace(CALL, model=model(**turned)))


def test_the_folder_of_a_local_file_does_not_count_but_that_on_a_server_does() -> None:
    def of(name: str) -> str:
        return fingerprint(replace(CALL, model=model(name)))

    assert of("local//home/me/model.gguf") == of("local//srv/model.gguf")
    assert of("hosted_vllm//run1/checkpoint-500") != of("hosted_vllm//run2/checkpoint-500")


def test_every_field_of_a_call_that_is_not_named_here_would_count_by_mistake() -> None:
    the_work = {"model", "messages", "schema", "sample", "n"}
    about_it = {"stage", "item", "timeout", "corrective", "correctable", "shared", "attempt", "attempts", "assumed"}
    assert set(CALL.__dataclass_fields__) == the_work | about_it
