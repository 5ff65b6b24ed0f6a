from __future__ import annotations

import pytest

from prbgen.errors import InputError
from prbgen.publication.names import config_name, split_name
from prbgen.schema import SUBSETS


@pytest.mark.parametrize("subset", [*SUBSETS, "default", "a", "Küche & Garten", "v1.5, new+old", "2024-06"])
def test_a_subset_gives_its_name_to_its_config(subset: str) -> None:
    assert config_name(subset) == subset


@pytest.mark.parametrize(
    "subset", ["all", "ratings", "", ".", "..", "../x", "a/b", "a\\b", "a*", "[a]", "a\n", "__x", " a", "-a", "a:b"]
)
def test_a_subset_that_no_config_or_folder_can_be_called_is_refused_by_name(subset: str) -> None:
    with pytest.raises(InputError, match="cannot be published") as caught:
        config_name(subset)
    assert repr(subset) in str(caught.value)


def test_a_split_says_that_people_have_not_validated_it() -> None:
    assert split_name("test", validated=True) == "test"
    assert split_name("test", validated=False) == "test_unvalidated"
    assert split_name("all", validated=False) == "all_unvalidated"


@pytest.mark.parametrize("split", ["all", "", "a-b", "a.b", "../x", "a b", "test\n"])
def test_a_split_that_datasets_does_not_take_is_refused_by_name(split: str) -> None:
    with pytest.raises(InputError, match="cannot be published") as caught:
        split_name(split, validated=True)
    assert repr(split) in str(caught.value)
