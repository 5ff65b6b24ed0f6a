"""Dense ranking: posts whose embedding points the same way as the question's come first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from prbgen.errors import InputError, MissingExtraError

_OPTIONS = {"batch_size": 32, "normalize_embeddings": True, "show_progress_bar": False}


class DenseScorer:
    """Cosine similarity under an embedding model: of sentence-transformers, or a plain encoder (mean pooling).

    The model reads no more of a text than its own maximum length (often 256 or 512 of its tokens).
    """

    def __init__(self, name: str) -> None:
        self._model = _load(name)

    def __call__(self, question: str, posts: Sequence[str]) -> list[float]:
        """The cosine similarity, -1 to 1, of each of n posts to the question."""
        texts = list(map(_without_surrogates, posts))
        # Equal texts are embedded once: in different batches they would differ in the last digits.
        distinct = list(dict.fromkeys(texts))
        query = self._model.encode_query(_without_surrogates(question), **_OPTIONS)
        similarities = cast("list[float]", (self._model.encode_document(distinct, **_OPTIONS) @ query).tolist())
        score = dict(zip(distinct, similarities, strict=True))
        return [score[text] for text in texts]


def _load(name: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError("dense ranking", "dense") from None
    try:
        model = SentenceTransformer(name)
        model.encode_document(["a", "a b"], **_OPTIONS)  # a model that cannot pad, say, is found out here
    except Exception as error:  # whatever a missing, gated or broken model raises
        reason = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
        raise InputError(
            f'[profile] ranker "dense:{name}" cannot be used: {reason}.'
            " Name an embedding model of the Hub, or a folder that holds one"
        ) from None
    return model


def _without_surrogates(text: str) -> str:
    """Lone surrogates as "?": tokenizers take no others' half characters."""
    return text.encode("utf-8", "replace").decode("utf-8")
