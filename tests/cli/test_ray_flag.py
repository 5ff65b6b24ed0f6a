"""`--ray` where Ray is not wanted, or not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prbgen.api.clusters import cluster_of
from prbgen.cli import main
from prbgen.errors import InputError
from tests.processes import python

_WITHOUT_RAY = """
import importlib.util, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "ray" else real(name, *more)
from prbgen.api.clusters import cluster_of
from prbgen.errors import MissingExtraError
with cluster_of(None) as cluster:
    assert cluster is None
assert "ray" not in sys.modules
try:
    with cluster_of("local"):
        print("joined")
except MissingExtraError as error:
    print(error)
"""


def test_ray_is_imported_for_its_flag_alone_and_the_extra_is_named_where_it_is_missing() -> None:
    assert python(_WITHOUT_RAY).strip() == "--ray needs an optional part of prbgen: pip install 'prbgen[ray]'"


@pytest.mark.parametrize("other", ["--batch", "--replay=calls.jsonl"])
def test_generate_goes_one_way_alone(other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", str(tmp_path / "recipe.toml"), "--ray", "local", other]) == 2
    assert "not allowed with argument" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("", "--ray '': no such address; it is auto, local, HOST:PORT or ray://HOST:PORT"),
        ("nonsense", "--ray 'nonsense': no such address; it is auto, local, HOST:PORT or ray://HOST:PORT"),
        (
            "127.0.0.1:1",
            r"--ray 127\.0\.0\.1:1: no cluster that can be used \(.*refused\); `ray start --head` begins one",
        ),
        ("ray://127.0.0.1:1", r"--ray ray://127\.0\.0\.1:1: no cluster that can be used \(.*refused\); .*"),
    ],
)
def test_an_address_of_no_cluster_is_one_line_at_once(address: str, line: str) -> None:
    with pytest.raises(InputError) as raised, cluster_of(address):
        raise AssertionError
    assert re.fullmatch(line, str(raised.value))
