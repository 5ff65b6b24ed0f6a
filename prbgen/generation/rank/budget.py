"""What of the most relevant posts fits into a prompt's token budget."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, takewhile

from prbgen.schema import CutPost, Post
from prbgen.words.words import is_character_end, is_word_end

_BYTES_PER_TOKEN = 4
_MORE = " ..."
_WORTH_SHORTENING = 50
"""Tokens: less of a post than this says too little to be shown, unless there is nothing else."""


def estimate_tokens(text: str) -> int:
    """The tokens of a text, estimated at four UTF-8 bytes each and rounded up.

    The estimate is the same for every model, so that one recipe shows one profile whoever answers; a real tokenizer
    would show each model other posts. Bytes rather than characters, because other scripts take more tokens a character.
    """
    return -(-len(_encode(text)) // _BYTES_PER_TOKEN)


def fit(posts: Sequence[Post], tokens: int) -> tuple[tuple[Post, ...], tuple[CutPost, ...]]:
    """The posts to show, and what the budget took away from them.

    Posts (most relevant first) are whole while they fit. The first that does not is shortened to what is left, if
    that is worth showing, and all after it are left out. Only texts count: not ids, not categories.
    """
    left = tokens
    for place, post in enumerate(posts):
        need = estimate_tokens(post.text)
        if need > left:
            short = shorten(post.text, left) if place == 0 or left >= _WORTH_SHORTENING else ""
            last = (post.model_copy(update={"text": short}),) if short else ()
            cut = CutPost(id=post.id, tokens=need, tokens_kept=estimate_tokens(short))
            return (*posts[:place], *last), (cut, *map(_left_out, posts[place + 1 :]))
        left -= need
    return tuple(posts), ()


def shorten(text: str, tokens: int) -> str:
    """The start of a too long text, to the end of a word, and " ...", in at most `tokens`; "" if nothing fits.

    A text that starts with one word longer than that is cut between two characters.
    """
    fitting = _fitting(text, tokens * _BYTES_PER_TOKEN - len(_MORE))
    for is_end in (is_word_end, is_character_end):
        end = next(at for at in range(fitting, -1, -1) if is_end(text, at))
        if start := text[:end].rstrip():
            return start + _MORE
    return ""


def _left_out(post: Post) -> CutPost:
    return CutPost(id=post.id, tokens=estimate_tokens(post.text), tokens_kept=0)


def _fitting(text: str, room: int) -> int:
    """How many characters of a text fit into `room` bytes."""
    sizes = accumulate(len(_encode(character)) for character in text)
    return sum(1 for _ in takewhile(lambda size: size <= room, sizes))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # a lone surrogate counts, too
