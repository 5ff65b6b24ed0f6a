from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.generation.rank import estimate_tokens, make_ranker
from prbgen.recipe import ProfileSettings
from prbgen.schema import Post, Question

texts = st.lists(st.sampled_from(["Tofu", "lentils", "bridge", "violin,", "rain", "京"]), max_size=30).map(" ".join)
profiles = st.lists(texts, max_size=12).map(
    lambda all_texts: tuple(Post(category=f"site {i % 3}", id=f"0_{i}", text=text) for i, text in enumerate(all_texts))
)


def question(text: str, *posts: Post | str) -> Question:
    profile = [
        each if isinstance(each, Post) else Post(category=None, id=str(i), text=each) for i, each in enumerate(posts)
    ]
    return Question(
        id="0_1_0",
        question=text,
        profile=tuple(profile),
        rubric_aspects=None,
        narrative="all about rain",
        category=None,
        subset="Society_and_Culture",
        split="test",
        user_key="u",
    )


def test_relevant_posts_come_first_with_their_id_and_category() -> None:
    cooking = Post(category="cooking", id="7", text="Lentils burn when the pot is thin")
    music = Post(category="music", id="8", text="A violin of my own")
    ranked = make_ranker(ProfileSettings())(question("Which violin for a beginner?", cooking, music))
    assert ranked.posts == (music, cooking)
    assert ranked.shown == ranked.posts
    assert ranked.cut == ()


def test_ties_keep_source_order() -> None:
    ranked = make_ranker(ProfileSettings())(question("violin?", "rain", "violin", "bridge", "violin", "rain"))
    assert [post.id for post in ranked.posts] == ["1", "3", "0", "2", "4"]


def test_a_question_of_stop_words_keeps_source_order() -> None:
    ranked = make_ranker(ProfileSettings())(question("How do I do that?", "rain", "do that", "bridge"))
    assert [post.id for post in ranked.posts] == ["0", "1", "2"]


def test_the_narrative_is_no_part_of_the_query() -> None:
    ranked = make_ranker(ProfileSettings())(question("violin", "bridge", "all about rain"))
    assert [post.id for post in ranked.posts] == ["0", "1"]


def test_an_empty_profile_shows_nothing() -> None:
    ranked = make_ranker(ProfileSettings())(question("violin"))
    assert (ranked.posts, ranked.shown, ranked.cut) == ((), (), ())


def test_no_posts_are_shown_where_the_recipe_says_none() -> None:
    ranked = make_ranker(ProfileSettings(posts=0))(question("violin", "violin", "rain"))
    assert len(ranked.posts) == 2
    assert (ranked.shown, ranked.cut) == ((), ())


def test_only_top_posts_count_as_cut() -> None:
    ranked = make_ranker(ProfileSettings(posts=2, tokens=60))(question("violin", "violin " * 90, *["rain"] * 5))
    assert [post.id for post in ranked.shown] == ["0"]
    assert [post.id for post in ranked.cut] == ["0", "1"]


def test_posts_that_share_an_id_keep_their_own_texts() -> None:
    twins = [Post(category="a", id="1", text="rain"), Post(category="b", id="1", text="violin")]
    assert make_ranker(ProfileSettings())(question("violin", *twins)).posts == (twins[1], twins[0])


@settings(deadline=None)
@given(texts, profiles, st.integers(0, 6), st.integers(1, 120))
def test_ranking_moves_whole_posts_and_loses_none(text: str, posts: tuple[Post, ...], top: int, tokens: int) -> None:
    ranker = make_ranker(ProfileSettings(posts=top, tokens=tokens))
    ranked = ranker(question(text, *posts))
    assert sorted(ranked.posts, key=posts.index) == list(posts)
    assert sum(estimate_tokens(post.text) for post in ranked.shown) <= tokens
    shown_or_left_out = [post.id for post in ranked.shown] + [post.id for post in ranked.cut if not post.tokens_kept]
    assert shown_or_left_out == [post.id for post in ranked.posts[:top]]
    assert ranker(question(text, *posts)) == ranked


def test_the_label_names_the_method() -> None:
    assert make_ranker(ProfileSettings(ranker="bm25")).label == "bm25"
