"""prompts/: every word that is sent to a model, rendered into messages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import jinja2.nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from prbgen.errors import InputError
from prbgen.llm.model import Message
from prbgen.resources import resource
from prbgen.text import one_line

_SUFFIX = ".j2"
_ROLES = ("system", "user")


class Prompts:
    """The shipped templates; a file of the same name in the user's folder comes first."""

    def __init__(self, folder: Path | None = None) -> None:
        places = [*([folder] if folder and folder.is_dir() else []), resource("prompts")]
        self._environment = ImmutableSandboxedEnvironment(
            loader=jinja2.FileSystemLoader(places),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # prompts are no HTML; fences keep posts apart
            auto_reload=False,  # all calls of a process are written with the same words
        )
        self._environment.globals["marker"] = marker
        # Jinja's own is for HTML: it would show a model escapes for quotation marks and accents.
        self._environment.filters["tojson"] = partial(json.dumps, ensure_ascii=False)
        self._digests: dict[str, str] = {}
        self._checked: set[str] = set()

    def render(self, name: str, **inputs: Any) -> tuple[Message, ...]:
        """Render the blocks `system` and `user` of a template into messages.

        Raises:
            InputError: the template is missing or broken, or wants an input that it does not get.
        """
        try:
            template = self._environment.get_template(name + _SUFFIX)
            context = template.new_context(inputs)
            texts = {
                role: "".join(template.blocks[role](context)).strip() for role in _ROLES if role in template.blocks
            }
        except Exception as error:  # a template may do whatever its author thought of
            raise self._as_input_error(name, error) from None
        messages = tuple(Message(role, text) for role, text in texts.items() if text)  # type: ignore[arg-type]
        if not messages or messages[-1].role != "user":
            raise InputError(f"prompts/{name}{_SUFFIX}: has no text in a block named user")
        self._refuse_text_outside_blocks(name)
        return messages

    def digest(self, name: str) -> str:
        """16 hex digits over the template and all that it includes."""
        if name not in self._digests:
            try:
                sources = self._sources(name + _SUFFIX)
            except Exception as error:
                raise self._as_input_error(name, error) from None
            whole = hashlib.sha256("\x00".join(f"{file}\x00{sources[file]}" for file in sorted(sources)).encode())
            self._digests[name] = whole.hexdigest()[:16]
        return self._digests[name]

    def _refuse_text_outside_blocks(self, name: str) -> None:
        """It would never be sent, though whoever wrote it believes so."""
        if name in self._checked:
            return
        self._checked.add(name)
        assert self._environment.loader is not None  # noqa: S101
        source, _, _ = self._environment.loader.get_source(self._environment, name + _SUFFIX)
        for output in self._environment.parse(source).body:
            for node in getattr(output, "nodes", ()):
                if not isinstance(node, jinja2.nodes.TemplateData) or node.data.strip():
                    what = "stands outside the blocks system and user, so it would never be sent"
                    raise InputError(f"prompts/{name}{_SUFFIX}: line {node.lineno}: text {what}")

    def _sources(self, file: str) -> dict[str, str]:
        assert self._environment.loader is not None  # noqa: S101
        source, _, _ = self._environment.loader.get_source(self._environment, file)
        sources = {file: source}
        for included in jinja2.meta.find_referenced_templates(self._environment.parse(source)):
            if included is not None:
                sources |= self._sources(included)
        return sources

    @staticmethod
    def _as_input_error(name: str, error: Exception) -> InputError:
        if isinstance(error, jinja2.TemplateNotFound):
            return InputError(f"prompts/{error.name}: there is no such template")
        if isinstance(error, jinja2.TemplateSyntaxError):
            return InputError(f"prompts/{error.name or name + _SUFFIX}: line {error.lineno}: {error.message}")
        what = one_line(str(error)) or type(error).__name__
        return InputError(f"prompts/{name}{_SUFFIX}: {what}; its header says which inputs it gets")


def marker(*texts: str | Iterable[str | None]) -> str:
    """A word to fence these texts with: made from them, so that none of them can hold it and close its own fence."""
    fenced = [each for text in texts for each in ([text] if isinstance(text, str) else text) if each]
    seed = "\x00".join(fenced)
    while True:
        word = hashlib.sha256(seed.encode()).hexdigest()[:8]
        if not any(word in text for text in fenced):
            return word
        seed += word
