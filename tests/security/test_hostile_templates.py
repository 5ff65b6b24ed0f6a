"""Templates of a stranger's run or folder: they may set words, and reach nothing else."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from prbgen.annotation.plan.wording import Wording
from prbgen.errors import InputError
from prbgen.llm.templates import Prompts
from prbgen.publication.card import render_card
from prbgen.publication.facts import Facts
from prbgen.publication.figures import Tally
from prbgen.schema import RubricAspect
from tests.publication.conftest import build_pair

ATTACKS = (
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ self.__init__.__globals__ }}",
    "{{ ''['__class__']['__mro__'] }}",
    "{{ '{0.__class__.__mro__}'.format('') }}",
    "{{ ''|attr('__class__') }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ range(10**9) | list }}",
    "{% include '/etc/passwd' %}",
    "{% include '../outside.txt' %}",
    "{% set x = [] %}{{ x.append(1) }}",
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_prompt_reaches_nothing_but_its_inputs(attack: str, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "answer.j2").write_text(f"{{% block user %}}{attack}{{% endblock %}}")
    with pytest.raises(InputError):
        Prompts(folder).render("answer")


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_gold_wording_reaches_nothing_but_its_inputs(attack: str) -> None:
    with pytest.raises(InputError):
        Wording("{{ aspects | join(' ') }}" + attack).naming(
            [RubricAspect(aspect="warm", evidence=None, reason=None)], Random(0)
        )


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_card_reaches_nothing_but_its_facts(attack: str, tmp_path: Path) -> None:
    folder = tmp_path / "cards"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "card.md.j2").write_text(attack)
    tally = Tally()
    tally.add(build_pair(), "test", validated=True)
    with pytest.raises(InputError, match="cannot be filled"):
        render_card(folder / "card.md.j2", Facts(tally.figures(), "other", "d1"))


def test_jinja_in_a_post_is_text(tmp_path: Path) -> None:
    (tmp_path / "answer.j2").write_text("{% block user %}{{ post }}{% endblock %}")
    attack = "{{ 7 * 7 }}{% include '/etc/passwd' %}{# #}"
    assert Prompts(tmp_path).render("answer", post=attack)[0].content == attack
