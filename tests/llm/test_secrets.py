import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.llm import secrets
from prbgen.llm.secrets import redact, resolve, secret_finder
from tests.processes import python

CANARY = "sk-canary-4711-secret"


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "HF_TOKEN", "MY_SECRET", "DB_PASSWORD", "AWS_ACCESS_KEY_ID", "watsonx_apikey", "TEAM_API_KEY_2"],
)
def test_a_key_of_the_environment_is_blacked_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, CANARY)
    assert redact(CANARY) == "[redacted]"
    assert redact(f"wrong key <{CANARY}>, {CANARY}!") == "wrong key <[redacted]>, [redacted]!"


def test_what_has_another_kind_of_name_or_is_short_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAVOURITE_COLOUR", "ultramarine")
    monkeypatch.setenv("MY_KEY", "the")
    monkeypatch.setenv("EMPTY_KEY", "")
    assert redact("the ultramarine one") == "the ultramarine one"


def test_of_keys_that_contain_each_other_nothing_stays_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", CANARY)
    monkeypatch.setenv("B_KEY", f"{CANARY}-longer")
    monkeypatch.setenv("C_KEY", f"even-{CANARY}-longer")
    assert redact(f"even-{CANARY}-longer {CANARY}-longer {CANARY}") == "[redacted] [redacted] [redacted]"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=8, max_size=30), st.text())
def test_a_key_is_blacked_out_also_as_json_writes_it(key: str, around: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CANARY_API_KEY", f"<{key}>")
        for text in (f"<{key}>", json.dumps(f"<{key}>"), json.dumps({"error": f"<{key}>"}, ensure_ascii=False)):
            assert redact(text) == text.replace(f"<{key}>", "[redacted]") or f"<{key}>" not in text
            assert "[redacted]" in redact(text)
            assert f"<{key}>" not in redact(f"{around}{text}{around}")


def test_a_key_around_which_the_environment_has_white_space_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {CANARY}\n")
    assert redact(f"[{CANARY}]") == "[[redacted]]"


def test_a_reference_is_resolved_at_any_depth_and_is_a_secret_whatever_it_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLAIN_NAME", CANARY)
    assert redact(CANARY) == CANARY
    settings = {"Authorization": "os.environ/PLAIN_NAME", "stop": ["os.environ/PLAIN_NAME", "x"], "n": 1}
    assert resolve(settings) == {"Authorization": CANARY, "stop": [CANARY, "x"], "n": 1}
    assert redact(CANARY) == "[redacted]"


def test_a_reference_to_nothing_is_refused() -> None:
    with pytest.raises(InputError, match=r"NO_SUCH_NAME, which is not set: export it or write it into \.env"):
        resolve("os.environ/NO_SUCH_NAME")


def in_folder(folder: Path, code: str, **environment: str) -> str:
    """What a fresh process prints: .env is read once a process."""
    return python(f"from prbgen.llm.secrets import load_env_file, redact\n{code}", cwd=folder, **environment).strip()


def test_a_key_in_the_env_file_is_used_and_blacked_out_and_the_environment_wins(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"ONE_API_KEY={CANARY}\nTWO_API_KEY=from-the-file\n")
    code = (
        f"import os; load_env_file(); print(redact('{CANARY}'), os.environ['ONE_API_KEY'], os.environ['TWO_API_KEY'])"
    )
    assert in_folder(tmp_path, code, TWO_API_KEY="from-outside") == f"[redacted] {CANARY} from-outside"


def test_an_env_file_in_another_encoding_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("ONE_API_KEY=é".encode("latin-1"))
    code = "from prbgen.errors import InputError\ntry: load_env_file()\nexcept InputError as error: print(error)"
    assert in_folder(tmp_path, code) == f"{tmp_path / '.env'}: cannot be read as a UTF-8 text file (UnicodeDecodeError)"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=8, max_size=30), st.text())
def test_a_key_in_a_text_is_told_by_its_name(key: str, around: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CANARY_API_KEY", f"<{key}>")
        patch.setenv("OTHER_TOKEN", "<another canary>")
        find = secret_finder()
        for text in (f"<{key}>", json.dumps(f"<{key}>"), json.dumps({"error": f"<{key}>"}, ensure_ascii=False)):
            assert find(f"{around}{text}{around}") == ("CANARY_API_KEY",)
        assert find(f"<another canary><{key}>") == ("CANARY_API_KEY", "OTHER_TOKEN")
        assert find(f"<{key[:-1]}") == ()


def test_two_variables_of_one_value_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", CANARY)
    monkeypatch.setenv("B_KEY", CANARY)
    assert secret_finder()(CANARY) == ("A_KEY", "B_KEY")
    assert redact(CANARY) == "[redacted]"


def test_workers_get_keys_and_addresses_and_what_settings_refer_to(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "MOCK_API_KEY": "k",
        "MOCK_API_BASE": "http://there",
        "AWS_REGION_NAME": "eu",
        "OF_MINE": "s",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PRBGEN_RATERS_KEY", "a/file")
    others = {"RAY_AUTH_TOKEN", "HF_TOKEN", "GITHUB_TOKEN", "ARGILLA_API_KEY", "POSTGRES_PASSWORD"}
    for name in (*others, "GITHUB_API_KEY"):
        monkeypatch.setenv(name, "s")
    handed = secrets.for_workers()
    assert (handed["MOCK_API_KEY"], handed["MOCK_API_BASE"], handed["AWS_REGION_NAME"]) == ("k", "http://there", "eu")
    assert not handed.keys() & {"OF_MINE", "PRBGEN_RATERS_KEY", "PATH", *others}
    assert handed["GITHUB_API_KEY"] == "s"  # of a provider of models
    settings = {"headers": {"x": ["os.environ/OF_MINE"]}, "temperature": 0, "api_key": "os.environ/MOCK_API_KEY"}
    assert secrets.referred_to(settings) == {"OF_MINE": "s", "MOCK_API_KEY": "k"}
