from __future__ import annotations

import pytest
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils._validators import validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.publication.hub import Destination


def test_a_dataset_on_the_hub_is_org_and_name() -> None:
    assert Destination.parse("hub:lab/pairs-1.0") == Destination("lab/pairs-1.0")
    assert str(Destination("lab/pairs")) == "hub:lab/pairs"


@pytest.mark.parametrize("text", ["lab/pairs", "hub:pairs", "hub:datasets/lab/pairs", "hub:"])
def test_another_form_is_refused_with_the_right_one(text: str) -> None:
    with pytest.raises(InputError, match=r"a dataset on the Hub is written hub:ORG/NAME"):
        Destination.parse(text)


@given(st.from_regex(r"[a-zé.-]{0,4}(--|\.git|/)?[a-z_0-9 -]{0,4}/[a-z.-]{0,4}(\.git|--|\.\.)?", fullmatch=True))
def test_whatever_is_taken_the_client_takes_too(name: str) -> None:
    try:
        taken = Destination.parse(f"hub:{name}").repo
    except InputError:
        return
    validate_repo_id(taken)


@given(st.from_regex(r"[a-z0-9._-]{1,6}/[a-z0-9._-]{1,6}", fullmatch=True))
def test_a_name_that_the_client_refuses_is_refused(name: str) -> None:
    try:
        validate_repo_id(name)
    except HFValidationError:
        with pytest.raises(InputError, match="allows no such name"):
            Destination.parse(f"hub:{name}")
