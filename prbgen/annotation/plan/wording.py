"""annotation/gold/rubric.j2: how a gold item's better answer names every aspect."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from prbgen.errors import InputError
from prbgen.schema import RubricAspect
from prbgen.text import one_line

TEMPLATE = "rubric.j2"


class Wording:
    """A template; `where` names its file in faults.

    Raises:
        InputError: it is broken.
    """

    def __init__(self, text: str, where: str = f"gold/{TEMPLATE}") -> None:
        from jinja2 import StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        self._where = where
        try:
            # Answers are no HTML: nothing to escape.
            self._template = ImmutableSandboxedEnvironment(undefined=StrictUndefined).from_string(text)
        except Exception as error:  # a template may do whatever its author thought of
            raise self._fault(error) from None

    def naming(self, aspects: Sequence[RubricAspect], rng: Random) -> str:
        """Sentences, in one paragraph, that name each aspect.

        Raises:
            InputError: the template does not work, or leaves an aspect out.
        """

        def shuffled(texts: Sequence[str]) -> list[str]:
            return rng.sample(texts, len(texts))

        names = [" ".join(each.aspect.split()).rstrip(" .") for each in aspects]
        try:
            text = " ".join(self._template.render(aspects=names, pick=rng.choice, shuffled=shuffled).split())
        except Exception as error:
            raise self._fault(error) from None
        for name in names:
            if name not in text:
                raise InputError(f'{self._where}: does not name the aspect "{one_line(name, 60)}"; it must name each')
        return text

    def _fault(self, error: Exception) -> InputError:
        return InputError(f"{self._where}: {one_line(str(error)) or type(error).__name__}")
