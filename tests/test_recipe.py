import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.model_settings import ModelSettings
from prbgen.recipe import Recipe, load_recipe, shipped_recipe

SMALLEST = '[source]\npath = "org/data"\n[models]\nanswer = "openai/a"\n'


def recipe(folder: Path, text: str) -> Recipe:
    file = folder / "recipe.toml"
    file.write_text(text, encoding="utf-8")
    return load_recipe(file)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as error:
        recipe(folder, text)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"{folder / 'recipe.toml'}: ")
    return str(error.value).removeprefix(f"{folder / 'recipe.toml'}: ")


def with_answer(setting: str) -> str:
    return f'[source]\npath = "org/data"\n[models]\nanswer = {{ name = "openai/a", {setting} }}\n'


@pytest.mark.parametrize("name", ["default", "demo"])
def test_every_key_of_a_shipped_recipe_is_read(name: str) -> None:
    path = shipped_recipe(name)  # type: ignore[arg-type]
    loaded = load_recipe(path).model_dump(mode="json")
    for table, values in tomllib.loads(path.read_text()).items():
        for key, value in values.items():
            if table == "models":
                value = {"name": value} if isinstance(value, str) else value
                assert value.items() <= loaded[table][key].items()
            else:
                assert loaded[table][key] == value


def test_a_file_saved_with_a_byte_order_mark_loads(tmp_path: Path) -> None:
    assert recipe(tmp_path, "\ufeff" + SMALLEST).source.path == "org/data"


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ("[pair]\nstrategi = 'avoid'", '[pair] strategi: unknown key; did you mean "strategy"?'),
        ("[profil]\nposts = 3", '[profil]: unknown key; did you mean "profile"?'),
        ("[limits]\nzzz = 3", "[limits] zzz: unknown key; known are concurrency, timeout"),
        ("[pair]\nstrategy = 'avoyd'", "[pair] strategy: should be one of avoid, counter, swap, generic"),
        ("[pair]\nwords = 3", "[pair] words: Input should be greater than or equal to 10"),
        ("[pair]\nwords = 'many'", "[pair] words: Input should be a valid integer"),
        ("[profile]\nranker = 'dense:'", '[profile] ranker: is "bm25" or "dense:NAME-OR-FOLDER"'),
        ("[limits]\ntimeout = nan", "[limits] timeout: Input should be a finite number"),
        ("[pair]\nwords = 3\nattempts = 0", "[pair] words: Input should be greater than or equal to 10 (and 1 more)"),
    ],
)
def test_what_is_wrong_is_said_with_table_and_key(tmp_path: Path, extra: str, says: str) -> None:
    assert refusal(tmp_path, f"{SMALLEST}{extra}\n").startswith(says)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "[source]: Field required (and 1 more)"),
        ("source = 3\n[models]\nanswer = 'a/b'", "[source]: should be a table"),
        ("[source]\npath = 3\n[models]\nanswer = 'a/b'", "[source] path: should be a Hub id, a folder, a file or"),
        ("[source]\npath = ''\n[models]\nanswer = 'a/b'", "[source] path: should be a Hub id, a folder, a file or"),
        ("[source]\npath = []\n[models]\nanswer = 'a/b'", "[source] path: should be a Hub id, a folder, a file or"),
        ("[source]\npath = 'a'\nids = [3]\n[models]\nanswer = 'a/b'", "[source] ids: Input should be a valid string"),
        ("[source]\npath = 'a'", "[models]: Field required"),
        ("[source]\npath = 'a'\n[models]\nrubric = 'a/b'", "[models] answer: Field required"),
        ("[source]\npath = 'a'\n[models]\nanswer = 5", "[models] answer: should be a name or a table with a name"),
        (
            "[source]\npath = 'a'\n[models]\nanswer = ''",
            "[models] answer.name: String should have at least 1 character",
        ),
        ("[source]\npath = 'a'\n[models]\nanswr = 'a/b'", '[models] answr: unknown key; did you mean "answer"?'),
        (SMALLEST + "rubrik = 'a/b'", '[models] rubrik: unknown key; did you mean "rubric"?'),
        (with_answer("top_k = inf"), "[models] answer.top_k: Input should be a finite number"),
        (with_answer("extra_body = { since = 2020-01-01 }"), "[models] answer.extra_body: input was not a valid JSON"),
        (with_answer("timeout = 0"), "[models] answer.timeout: Input should be greater than 0"),
        (with_answer("num_retries = 3"), '[models] answer: cannot set "num_retries": prbgen has a retry policy'),
        (with_answer("model = 'x'"), '[models] answer: cannot set "model": the key is "name"'),
        ("[source\npath", "not a TOML file: "),
        ("[source]\npath = 'a'\npath = 'b'", "not a TOML file: Cannot overwrite a value"),
    ],
)
def test_a_recipe_that_is_none_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    assert refusal(tmp_path, text).startswith(says)


def test_a_missing_file_a_folder_and_other_encodings_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: No such file or directory; `prbgen init DIR` writes one"):
        load_recipe(tmp_path / "none.toml")
    with pytest.raises(InputError, match="is no regular file"):
        load_recipe(tmp_path)
    (tmp_path / "latin.toml").write_bytes('[source]\npath = "é"'.encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.toml: not a TOML file"):
        load_recipe(tmp_path / "latin.toml")


CANARY = "sk-canary-4711-secret"


@pytest.mark.parametrize(
    "setting",
    [
        f'api_key = "{CANARY}"',
        f'aws_secret_access_key = "{CANARY}"',
        f'azure_ad_token = "{CANARY}"',
        f'client_secret = "{CANARY}"',
        f'watsonx_apikey = "{CANARY}"',
        f'vertex_credentials = "{CANARY}"',
        f'vertex_credentials = {{ type = "service_account", client = "{CANARY}" }}',
        f'extra_headers = {{ Authorization = "Bearer {CANARY}" }}',
        f'extra_headers = {{ x-api-key = "{CANARY}" }}',
        f'extra_body = {{ proxies = [{{ password = "{CANARY}" }}] }}',
        f'api_base = "http://me:{CANARY}@host/v1"',
        f'api_base = "http://{CANARY}@host/v1"',
        f'base_url = "https://me:{CANARY}@host/v1"',
        f'base_url = "https://host/v1?a=b&key={CANARY}"',
        f'secret_key = "{CANARY}"',
        f'access_key = "{CANARY}"',
        f'extra_body = {{ pwd = "{CANARY}" }}',
        f'extra_headers = {{ auth = "{CANARY}" }}',
        f'base_url = "https://host/v1?access_token={CANARY}"',
        *(f'api_base = "https://host/v1?{name}={CANARY}"' for name in ("code", "access_token", "password", "anything")),
    ],
)
def test_a_secret_in_a_recipe_is_refused_and_not_repeated(tmp_path: Path, setting: str) -> None:
    says = refusal(tmp_path, with_answer(setting))
    assert CANARY not in says
    assert says.startswith("[models] answer: ")
    assert "would be written into the run" in says


def test_a_secret_in_the_name_of_a_model_is_refused_and_not_repeated(tmp_path: Path) -> None:
    says = refusal(tmp_path, f'[source]\npath = "x"\n[models]\nanswer = "openai/x?api_key={CANARY}"\n')
    assert CANARY not in says
    assert 'no model has a "?" in its name' in says


@pytest.mark.parametrize(
    "setting",
    [
        'api_key = "os.environ/MY_KEY"',
        'extra_headers = { Authorization = "os.environ/MY_AUTH", X-Title = "prbgen" }',
        'vertex_credentials = "os.environ/MY_CREDENTIALS"',
        'api_base = "http://127.0.0.1:8000/v1?version=2"',
        "max_tokens = 400",
        'stop = ["user@host", "token: "]',
        'extra_body = { prompt_cache_key = "k", stop_token_ids = [1, 2] }',
    ],
)
def test_what_is_no_secret_is_taken(tmp_path: Path, setting: str) -> None:
    recipe(tmp_path, with_answer(setting))


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/~\0"), min_size=1, max_size=20)
VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES.map("value {}".format),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES.map("key {}".format), inner, max_size=3),
    max_leaves=6,
)
MODELS = st.builds(
    # Two tables for one model must agree, so each concurrency is that of another model here.
    lambda name, base, concurrency, params: {
        "name": f"openai/{name} {concurrency}",
        "api_base": base,
        "concurrency": concurrency,
        **params,
    },
    NAMES.map(lambda name: name.replace("?", "-")),  # which no model has in its name
    st.none() | st.just("http://localhost/v1"),
    st.none() | st.integers(1),
    st.dictionaries(NAMES.map("param {}".format), VALUES, max_size=3),
)
RECIPES = st.fixed_dictionaries(
    {
        "source": st.fixed_dictionaries(
            {"path": NAMES.map("org/{}".format) | st.lists(NAMES.map("org/{}".format), min_size=1, max_size=2)},
            optional={
                "limit": st.integers(0),
                "subsets": st.lists(NAMES, max_size=2),
                "ids": st.lists(NAMES, max_size=2),
            },
        ),
        "models": st.fixed_dictionaries({"answer": MODELS}, optional={"rubric": MODELS, "judge": MODELS}),
    },
    optional={
        "pair": st.fixed_dictionaries({}, optional={"words": st.integers(10), "seed": st.integers(0)}),
        "limits": st.fixed_dictionaries(
            {}, optional={"timeout": st.floats(min_value=0, exclude_min=True, allow_infinity=False)}
        ),
    },
)


@given(tables=RECIPES)
def test_a_recipe_that_was_written_down_reads_back_equal(
    tables: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    original = Recipe.model_validate(tables)
    folder = tmp_path_factory.getbasetemp()
    assert recipe(folder, original.to_toml()) == original
    assert recipe(folder, original.to_toml()).to_toml() == original.to_toml()


def test_names_of_what_lies_beside_the_recipe_become_absolute_and_all_others_stay(tmp_path: Path) -> None:
    for name in ("rows.json", "model.gguf", "replies.jsonl"):
        (tmp_path / name).touch()
    (tmp_path / "encoder").mkdir()
    loaded = recipe(
        tmp_path,
        """
        source = { path = ["rows.json", "alireza7/LaMP-QA", "~nobody-of-this-name/x", "~/no-such-file"] }
        profile = { ranker = "dense:encoder" }
        [models]
        answer = "local/model.gguf"
        rubric = "scripted/replies.jsonl"
        judge = "local/smollm2-135m"
        """,
    )
    assert loaded.source.path == (
        f"{tmp_path}/rows.json",
        "alireza7/LaMP-QA",
        "~nobody-of-this-name/x",
        "~/no-such-file",
    )
    assert loaded.profile.ranker == f"dense:{tmp_path}/encoder"
    assert loaded.models.answer.name == f"local/{tmp_path}/model.gguf"
    assert loaded.models.rubric
    assert loaded.models.rubric.name == f"scripted/{tmp_path}/replies.jsonl"
    assert loaded.models.judge
    assert loaded.models.judge.name == "local/smollm2-135m"
    # From the run folder, where none of them lie, it means the same.
    (tmp_path / "run").mkdir()
    assert recipe(tmp_path / "run", loaded.to_toml()) == loaded


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("local//home/me/model.gguf", "local/model.gguf"),
        ("local/models/model.gguf", "local/model.gguf"),
        ("scripted//home/me/replies.jsonl", "scripted/replies.jsonl"),
        ("local/smollm2-135m", "local/smollm2-135m"),
        ("hosted_vllm//home/me/checkpoint", "hosted_vllm/checkpoint"),
        ("hosted_vllm/Qwen/Qwen2.5-32B-Instruct", "hosted_vllm/Qwen/Qwen2.5-32B-Instruct"),
        ("openai/gpt-4o-mini", "openai/gpt-4o-mini"),
        ("hf:/home/me/runs/tuned/policy", "hf:tuned"),
        ("hf:/home/me/tuned", "hf:tuned"),
        ("hf:runs/tuned/policy/", "hf:tuned"),
        ("hf:./tuned", "hf:tuned"),
        ("hf:Qwen/Qwen2.5-0.5B-Instruct", "hf:Qwen/Qwen2.5-0.5B-Instruct"),
        ("hf:gpt2", "hf:gpt2"),
    ],
)
def test_the_label_of_a_model_hides_folders(name: str, label: str) -> None:
    assert ModelSettings(name=name).label == label


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text(SMALLEST + "[pair]\nwords = 50\nseed = 3\n")
    loaded = load_recipe(file, {"source": {"limit": 7}, "pair": {"words": 60}, "limits": {}})
    assert (loaded.source.limit, loaded.source.path) == (7, "org/data")
    assert (loaded.pair.words, loaded.pair.seed) == (60, 3)


def test_flags_over_a_file_without_that_table_do_not_hide_its_fault(tmp_path: Path) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text('source = "rows.json"\n[models]\nanswer = "a/b"\n')
    with pytest.raises(InputError, match=r"\[source\]: should be a table"):
        load_recipe(file, {"source": {"limit": 7}})


def test_a_recipe_with_every_table_of_the_documentation_loads(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[source]\npath = "samples"\n[models]\nanswer = "openai/gpt-4o-mini"\n'
        "[limits]\nrpm = 0\ntpm = 0\nbudget_usd = 0\n[annotation]\n[validation]\n"
    )
    assert load_recipe(recipe).limits.concurrency == 64


@pytest.mark.parametrize(
    ("models", "limits", "says"),
    [
        (
            'answer = { name = "a/b", concurrency = 4 }\nrubric = "a/b"',
            "",
            r"\[models\]: rubric and answer are one model, whose limits count once, but concurrency is 4 in answer and",
        ),
        (
            'answer = { name = "a/b", rpm = 10 }\nrubric = { name = "a/b", rpm = 20 }',
            "",
            "rpm is 10 in answer and 20 in rubric",
        ),
        (
            'answer = { name = "a/b", max_tokens = 400 }',
            "tpm = 300",
            "tpm = 300 is less than max_tokens = 400 of answer: no call fits",
        ),
        ('answer = { name = "a/b", max_tokens = 400 }', "budget_tokens = 399", "budget_tokens = 399 is less than"),
        ('answer = "a/b"', "rpm = -1", r"\[limits\] rpm: Input should be greater than or equal to 0"),
        ('answer = "a/b"', "concurrency = 0", r"\[limits\] concurrency: Input should be greater than or equal to 1"),
        ('answer = "a/b"', "budget_usd = -0.5", r"\[limits\] budget_usd: Input should be greater than or equal to 0"),
    ],
)
def test_limits_that_contradict_each_other_are_refused(tmp_path: Path, models: str, limits: str, says: str) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f'[source]\npath = "samples"\n[models]\n{models}\n[limits]\n{limits}\n')
    with pytest.raises(InputError, match=says):
        load_recipe(recipe)


def test_one_model_at_two_places_may_have_two_limits(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[source]\npath = "samples"\n[models]\nanswer = { name = "a/b", api_base = "http://x", concurrency = 1 }\n'
        'rubric = { name = "a/b", api_base = "http://y", concurrency = 2 }\n'
    )
    assert load_recipe(recipe).called["rubric"].concurrency == 2


@pytest.mark.parametrize(
    ("slip", "meant"), [("temprature", "temperature"), ("max_token", "max_tokens"), ("api_bse", "api_base")]
)
def test_a_slip_in_a_models_table_is_told_from_what_the_library_takes(tmp_path: Path, slip: str, meant: str) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f'[source]\npath = "samples"\n[models]\nanswer = {{ name = "a/b", {slip} = 1 }}\n')
    with pytest.raises(InputError, match=f'unknown key "{slip}"; did you mean "{meant}"'):
        load_recipe(recipe)


@pytest.mark.parametrize("address", ["127.0.0.1:9/v1", "localhost:9", "http://", "not a url", "ftp://x/y"])
def test_an_address_that_is_none_is_refused_and_not_repeated(tmp_path: Path, address: str) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f'[source]\npath = "samples"\n[models]\nanswer = {{ name = "a/b", api_base = "{address}" }}\n')
    with pytest.raises(InputError, match="api_base is no address"):
        load_recipe(recipe)
