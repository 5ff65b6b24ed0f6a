"""STUDY.toml: what is read, and what is refused with the place and what would be right."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.best_of_n.judge_settings import judge_model
from prbgen.downstream.study.settings import Study, read_study
from prbgen.errors import InputError
from prbgen.evaluation.settings import DataSettings, ScorerSettings
from prbgen.recipe import LimitSettings, shipped_recipe

SMALLEST = '[data]\npath = "org/data"\n[[models]]\nscorer = "scalar:org/rm"\n'
BEST = '[best_of_n]\npolicy = "openai/a"\njudge = "openai/b"\n'


def study(folder: Path, text: str) -> Study:
    file = folder / "study.toml"
    file.write_text(text, encoding="utf-8")
    return read_study(file)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as error:
        study(folder, text)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"{folder / 'study.toml'}: ")
    return str(error.value).removeprefix(f"{folder / 'study.toml'}: ")


def test_what_is_left_out_is_as_by_default(tmp_path: Path) -> None:
    found = study(tmp_path, SMALLEST)
    assert found.data_settings == found.candidates_of == DataSettings("org/data")
    assert found.scorers == (ScorerSettings("scalar", "org/rm"),)
    assert found.conditions == found.correlated == ("none", "profile", "shuffled")
    assert (found.posts, found.planner, found.best_of_n, found.ppo, found.correlate.k) == (10, None, None, None, 0)


def test_every_key_of_the_shipped_study_is_read() -> None:
    loaded = read_study(shipped_recipe("study")).model_dump(mode="json")
    for table, values in tomllib.loads(shipped_recipe("study").read_text()).items():
        pairs = zip(values, loaded[table], strict=True) if table == "models" else [(values, loaded[table])]
        for written, read in pairs:
            if isinstance(written, dict):
                for key, value in written.items():
                    named = {"name": value} if key in ("policy", "judge") and isinstance(value, str) else value
                    assert named == read[key] or named.items() <= read[key].items()
            else:
                assert written == read


def test_what_is_commented_out_in_the_shipped_study_is_valid_too(tmp_path: Path) -> None:
    text = shipped_recipe("study").read_text().replace('["none", "profile", "shuffled"]', '["none", "planner"]')
    for line in ("[planner]", "model =", "options =", "[ppo]", "results ="):
        text = text.replace(f"\n# {line}", f"\n{line}")
    for folder in ("results/ppo-skywork-0.6b", "results/ppo-skywork-8b"):
        (tmp_path / folder).mkdir(parents=True)
    found = study(tmp_path, text)
    assert found.planner is not None
    assert found.planner.settings().params == {"temperature": 0}
    assert found.ppo is not None
    assert found.ppo.results == tuple(tmp_path / "results" / f"ppo-skywork-{size}" for size in ("0.6b", "8b"))


def test_keys_of_a_model_are_those_of_its_scorer_and_its_limits_come_first(tmp_path: Path) -> None:
    found = study(
        tmp_path,
        SMALLEST
        + "max_tokens = 512\ndevice = 'cpu'\nshare_prefix = false\n"
        + "[[models]]\nscorer = 'rate:openai/x'\nsamples = 4\nrpm = 9\nbudget_usd = 2.5\noptions = { top_p = 0.5 }\n"
        + "[limits]\nrpm = 100\nconcurrency = 3\n",
    )
    assert found.scorers == (
        ScorerSettings(
            "scalar", "org/rm", max_tokens=512, device="cpu", share_prefix=False,
            limits=LimitSettings(rpm=100, concurrency=3),
        ),
        ScorerSettings(
            "rate", "openai/x", samples=4, options={"top_p": 0.5},
            limits=LimitSettings(rpm=9, concurrency=3, budget_usd=2.5),
        ),
    )  # fmt: skip


def test_candidates_are_written_to_no_more_questions_than_are_evaluated(tmp_path: Path) -> None:
    limits = {(0, 0): 0, (5, 0): 5, (0, 3): 3, (5, 9): 5, (9, 5): 5}
    for (data, best), expected in limits.items():
        text = SMALLEST.replace('"org/data"', f'"org/data"\nlimit = {data}') + BEST + f"limit = {best}\n"
        found = study(tmp_path, text)
        assert (found.data_settings.limit, found.candidates_of.limit) == (data, expected)


def test_conditions_are_in_one_order_each_once(tmp_path: Path) -> None:
    found = study(tmp_path, 'conditions = ["shuffled", "none", "shuffled"]\n' + SMALLEST)
    assert found.conditions == ("none", "shuffled")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "[data]: Field required (and 1 more)"),
        (SMALLEST + "[best_of_m]\n", '[best_of_m]: unknown key; did you mean "best_of_n"?'),
        (SMALLEST + BEST + "temprature = 1\n", '[best_of_n] temprature: unknown key; did you mean "temperature"?'),
        (SMALLEST + "devise = 'cpu'\n", '[[models]] 1 devise: unknown key; did you mean "device"?'),
        (SMALLEST + "[limits]\nzzz = 3\n", "[limits] zzz: unknown key; known are concurrency, timeout"),
        (SMALLEST + "[correlate]\nkk = 3\n", '[correlate] kk: unknown key; did you mean "k"?'),
        ("data = 3\n[[models]]\nscorer = 'scalar:a'\n", "[data]: should be a table"),
        ('[data]\npath = "d"\n', "[[models]]: Field required"),
        ('models = []\n[data]\npath = "d"\n', "[[models]]: Tuple should have at least 1 item"),
        ('models = ["scalar:a"]\n[data]\npath = "d"\n', "[[models]] 1: should be a table"),
        (SMALLEST.replace("scalar:", "scaler:"), "[[models]] 1: scaler:org/rm: should be KIND:MODEL, where KIND is"),
        (SMALLEST + "[[models]]\nscorer = 'scalar:org/rm'\n", "[[models]]: scalar:org/rm is there twice; results are"),
        (SMALLEST + "samples = 3\n", "[[models]] 1: samples says nothing to a scalar scorer: it goes with rate"),
        (
            SMALLEST + "rpm = 3\n",
            "[[models]] 1: rpm says nothing to a scalar scorer: it goes with judge, rate, http, p",
        ),
        (SMALLEST + "[[models]]\nscorer = 'http:http://u:p@h/x'\n", "[[models]] 2: http:URL: http://h/x: give the add"),
        (SMALLEST + "[[models]]\nscorer = 'pooling:a'\napi_base = 'h'\n", "[[models]] 2: api_base: 'h' is no address"),
        (
            SMALLEST + "[[models]]\nscorer = 'judge:openai/a'\noptions = { api_key = 'k' }\n",
            '[[models]] 2: judge:openai/a: "api_key" would be written into the run',
        ),
        ("conditions = ['nonne']\n" + SMALLEST, "conditions: Input should be 'none', 'profile'"),
        ("conditions = []\n" + SMALLEST, "conditions: Tuple should have at least 1 item"),
        ("conditions = ['planner']\n" + SMALLEST, "[planner]: the condition planner needs a model that infers rubrics"),
        (SMALLEST + "[planner]\nmodel = 'a/b'\n", "[planner]: infers rubrics for the condition planner, which is not"),
        (SMALLEST + "[planner]\nmodel = 'a/b'\noptions = { api_key = 'k' }\n", '[planner]: "api_key" would be written'),
        ("posts = 0\n" + SMALLEST, "posts: Input should be greater than or equal to 1"),
        (SMALLEST + "[best_of_n]\npolicy = 'openai/a'\n", "[best_of_n] judge: Field required"),
        (SMALLEST + BEST.replace('"openai/a"', "5"), "[best_of_n] policy: should be a name or a table with a name"),
        (SMALLEST + BEST + "n = 1\n", "[best_of_n] n: Input should be greater than or equal to 2"),
        (SMALLEST + BEST + "n = 129\n", "[best_of_n] n: Input should be less than or equal to 128"),
        (SMALLEST + BEST + "top_p = nan\n", "[best_of_n] top_p: Input should be"),
        (SMALLEST + BEST + "condition = 'planner'\n", "[best_of_n] condition: Input should be 'none' or 'profile'"),
        (
            SMALLEST + BEST + "[correlate]\nk = 3\n",
            "[correlate] k: 3 is on no curve; with n = 16 there are 1, 2, 4, 8, 16",
        ),
        (SMALLEST + "[correlate]\nk = 4\n", "[correlate] k: there is no [best_of_n] to choose from"),
        (
            SMALLEST + "[correlate]\nconditions = ['oracle']\n",
            "[correlate] conditions: oracle is not evaluated; add it",
        ),
        (SMALLEST + "[ppo]\nresults = []\n", "[ppo] results: Tuple should have at least 1 item"),
        (SMALLEST + "[ppo]\nresults = ['gone']\n", "[ppo] results: gone: there is no such folder; `prbgen ppo answer`"),
        ("seed = -1\nposts = 0\n" + SMALLEST, "posts: Input should be greater than or equal to 1 (and 1 more)"),
        ("x = ", "not a TOML file: "),
    ],
)
def test_what_is_wrong_is_said_with_table_and_key(tmp_path: Path, text: str, says: str) -> None:
    assert refusal(tmp_path, text).startswith(says)


def test_a_study_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file or directory; `prbgen init DIR` writes one"):
        read_study(tmp_path / "nothing.toml")


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for folder in (here / "rm", here / "data", here / "ppo", elsewhere):
        folder.mkdir(parents=True)
    for file in ("m.gguf", "replies.json"):
        (here / file).touch()
    monkeypatch.chdir(elsewhere)
    text = (
        'conditions = ["planner"]\n[data]\npath = "data"\n[[models]]\nscorer = "scalar:rm"\n'
        '[[models]]\nscorer = "judge:local/m.gguf"\n[[models]]\nscorer = "scalar:org/rm"\n'
        '[planner]\nmodel = "scripted/replies.json"\n'
        '[best_of_n]\npolicy = { name = "local/m.gguf", top_k = 3 }\njudge = "scripted/replies.json"\n'
        '[ppo]\nresults = ["ppo"]\n'
    )
    found = study(here, text)
    assert found.data.path == str(here / "data")
    assert [each.name for each in found.scorers] == [
        f"scalar:{here / 'rm'}",
        f"judge:local/{here / 'm.gguf'}",
        "scalar:org/rm",
    ]
    assert found.planner is not None
    assert found.planner.model == f"scripted/{here / 'replies.json'}"
    assert found.best_of_n is not None
    assert found.best_of_n.policy.name == f"local/{here / 'm.gguf'}"
    assert found.best_of_n.policy.params == {"top_k": 3}
    assert found.best_of_n.judge.name == f"scripted/{here / 'replies.json'}"
    assert found.ppo is not None
    assert found.ppo.results == (here / "ppo",)


def test_seen_from_beside_the_file_names_stay_as_other_commands_record_them(in_tmp_path: Path) -> None:
    (in_tmp_path / "rm").mkdir()
    found = study(in_tmp_path, SMALLEST.replace("org/rm", "rm"))
    assert found.scorers[0].name == "scalar:rm"


TOML = st.recursive(
    st.one_of(st.booleans(), st.integers(-3, 300), st.text(max_size=4), st.just("a\0b")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["name", "scorer", "path", "k"]), inner, max_size=2),
    ),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from([*Study.model_fields, "model", "bestof_n"]), TOML, max_size=4))
def test_whatever_a_file_holds_it_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, tables: dict[str, object]
) -> None:
    import tomli_w

    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text(tomli_w.dumps({"data": {"path": "d"}, "models": [{"scorer": "scalar:x"}]} | tables), "utf-8")
    said = None
    try:
        assert read_study(file).models
    except InputError as error:
        said = str(error)
    assert said is None or (said.startswith(f"{file}: ") and "\n" not in said)


def test_the_judge_is_asked_as_prbgen_bon_judge_asks_it(tmp_path: Path) -> None:
    found = study(tmp_path, SMALLEST + BEST)
    assert found.best_of_n
    assert found.best_of_n.judge == judge_model("openai/b")
    own = '{ name = "openai/b", api_base = "http://127.0.0.1:1/v1", max_tokens = 300, rpm = 7 }'
    found = study(tmp_path, SMALLEST + BEST.replace('"openai/b"', own))
    assert found.best_of_n
    options = {"max_tokens": 300, "rpm": 7}
    assert found.best_of_n.judge == judge_model("openai/b", api_base="http://127.0.0.1:1/v1", options=options)
    assert study(tmp_path, found.to_toml()) == found


def test_a_policy_on_this_machine_lies_beside_the_file_and_a_model_that_a_server_knows_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("here/policy", "here/openai/b", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = study(tmp_path / "here", SMALLEST + BEST.replace('"openai/a"', '"hf:policy"'))
    assert found.best_of_n
    assert found.best_of_n.policy.name == f"hf:{tmp_path / 'here' / 'policy'}"
    assert found.best_of_n.judge.name == "openai/b"


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x", "x" * 5000])
def test_a_name_that_can_be_no_path_stays(tmp_path: Path, name: str) -> None:
    assert study(tmp_path, SMALLEST.replace("org/data", name)).data.path == name


def test_results_of_policies_are_found_again_from_the_settings_that_a_study_leaves(in_tmp_path: Path) -> None:
    (in_tmp_path / "ppo").mkdir()
    (in_tmp_path / "out").mkdir()
    found = study(in_tmp_path, SMALLEST + "[ppo]\nresults = ['ppo']\n")
    assert study(in_tmp_path / "out", found.to_toml()) == found
