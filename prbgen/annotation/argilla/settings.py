"""A form as Argilla's settings, an item's texts as its custom field, and what of settings can't change any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prbgen.annotation.form.wording import described
from prbgen.annotation.items import Content

if TYPE_CHECKING:
    import argilla as rg

    from prbgen.annotation.form.asked import Asked, Form

FIELD = "item"
SUBSET = "subset"

# Argilla's page puts a record as it is into a <script> of an unguarded frame, by a replace() for which "$&" and the
# like mean something, and then looks for "#TEMPLATE#": a post could run there. So no text may hold what HTML, that or
# Handlebars would take for theirs. The layouts know it.
_ESCAPED = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "$": "&dollar;", "#": "&num;"}
    | {"{": "&lbrace;", "}": "&rbrace;", "`": "&grave;", "\r": "\n"}
    # Databases refuse these, and no page shows them.
    | {
        chr(code): "\N{REPLACEMENT CHARACTER}"
        for code in (*range(9), 11, 12, *range(14, 32), 127, *range(0xD800, 0xE000))
    }
)


def settings_of(form: Form, raters_per_item: int, client: rg.Argilla | None = None) -> rg.Settings:
    """What a dataset for this form is made with; `client` is the server's, the latest one made if null."""
    import argilla as rg

    return rg.Settings(
        guidelines=form.guidelines,
        fields=[rg.CustomField(name=FIELD, title=" ", template=form.layout, required=True, _client=client)],
        questions=[_question(asked, client) for asked in form.asked],
        metadata=[rg.TermsMetadataProperty(name=SUBSET, title="Subset", visible_for_annotators=False, client=client)],
        distribution=rg.TaskDistribution(min_submitted=raters_per_item),
        allow_extra_metadata=False,
    )


def _question(asked: Asked, client: rg.Argilla | None) -> Any:
    import argilla as rg

    common: dict[str, Any] = {
        "name": asked.name,
        "title": asked.title,
        "description": described(asked) or None,
        "required": asked.required,
        "client": client,
    }
    match asked.kind:
        case "rating":
            return rg.RatingQuestion(values=[int(value) for value, _ in asked.options], **common)
        case "aspects":
            return rg.MultiLabelQuestion(labels=dict(asked.options), **common)
        case "choice":
            return rg.LabelQuestion(labels=dict(asked.options), **common)
        case "text":
            return rg.TextQuestion(**common)


def fields_of(content: Content) -> dict[str, Any]:
    """The fields of an item's record: {"item": what the layout shows of it}, each text escaped for HTML.

    Posts and aspects have a `number`, from 1.
    """
    shown = _escaped(content.model_dump(mode="python"))
    for numbered in ("posts", "aspects"):
        shown[numbered] = [{"number": number, **each} for number, each in enumerate(shown[numbered], 1)]
    return {FIELD: shown}


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\r\n", "\n").translate(_ESCAPED)
    if isinstance(value, dict):
        return {key: _escaped(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(each) for each in value]
    return value


def differences(there: rg.Settings, wanted: rg.Settings) -> list[str]:
    """What of the settings there is not as wanted and can't be changed in a published dataset, in plain words."""
    return [
        *_parted("field", _fixed_fields(there), _fixed_fields(wanted)),
        *_parted("question", _fixed_questions(there), _fixed_questions(wanted)),
    ]


def changeable(there: rg.Settings, wanted: rg.Settings) -> bool:
    """Whether something is not as wanted that can be changed in a published dataset."""
    return _loose(there) != _loose(wanted)


def adopt(there: rg.Settings, wanted: rg.Settings) -> None:
    """Put what can be changed into the settings there, so that their update() sends it.

    The two must have no `differences`.
    """
    there.guidelines = wanted.guidelines
    there.distribution = wanted.distribution
    for field, other in zip(there.fields, wanted.fields, strict=True):
        field._model.title, field._model.settings = other._model.title, other._model.settings
    for question, other in zip(there.questions, wanted.questions, strict=True):
        model = question._model
        model.title, model.description, model.settings = (
            other._model.title,
            other._model.description,
            other._model.settings,
        )


def _parted(what: str, there: dict[str, dict[str, Any]], wanted: dict[str, dict[str, Any]]) -> list[str]:
    said = [f"{what} {name} is not wanted any more" for name in there if name not in wanted]
    said += [f"{what} {name} is new" for name in wanted if name not in there]
    for name in (name for name in there if name in wanted):
        for part, value in there[name].items():
            if value != (now := wanted[name].get(part)):
                said.append(f"{what} {name}: {part} was {_plain(value)}, is now {_plain(now)}")
    if not said and list(there) != list(wanted):
        said.append(f"order of {what}s was {_plain(list(there))}, is now {_plain(list(wanted))}")
    return said


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _fixed_fields(settings: rg.Settings) -> dict[str, dict[str, Any]]:
    return {
        field.name: {"kind": field._model.settings.type, "required": bool(field.required)} for field in settings.fields
    }


def _fixed_questions(settings: rg.Settings) -> dict[str, dict[str, Any]]:
    fixed: dict[str, dict[str, Any]] = {}
    for question in settings.questions:
        model = question._model
        # Their order can be changed.
        options = sorted((option["value"] for option in getattr(model.settings, "options", None) or []), key=str)
        fixed[model.name] = {"kind": model.settings.type, "options": options, "required": model.required}
    return fixed


def _loose(settings: rg.Settings) -> dict[str, Any]:
    fields = {field.name: (field.title, getattr(field, "template", None)) for field in settings.fields}
    questions = {}
    for question in settings.questions:
        model = question._model
        options = getattr(model.settings, "options", None) or []
        texts = [(option["value"], option.get("text")) for option in options]
        questions[model.name] = (model.title, model.description, texts)
    return {
        "guidelines": settings.guidelines,
        "min_submitted": settings.distribution.min_submitted,
        "fields": fields,
        "questions": questions,
    }
