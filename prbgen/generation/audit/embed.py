"""Answers as points of an embedding model's space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prbgen.errors import InputError, MissingExtraError
from prbgen.schema import PreferencePair
from prbgen.text import one_line, storable

_OPTIONS = {"batch_size": 32, "normalize_embeddings": True, "show_progress_bar": False}


def embedding_differences(pairs: Sequence[PreferencePair], name: str) -> NDArray[np.float64]:
    """The embedding of `chosen` minus that of `rejected`, n x k.

    `name` is a model of sentence-transformers, or a folder. It reads no more of an answer than its maximum length.
    Raises MissingExtraError without sentence-transformers, InputError where the model cannot be used.
    """
    texts = [storable(text) for pair in pairs for text in (pair.chosen, pair.rejected)]
    # Equal texts are embedded once: in different batches they would differ in the last digits.
    distinct = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    embedded = np.asarray(_embed(list(distinct), name), dtype=np.float64)
    points = embedded[[distinct[text] for text in texts]]
    differences: NDArray[np.float64] = points[0::2] - points[1::2]
    return differences


def _embed(texts: list[str], name: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError("the audit by embeddings", "dense") from None
    try:
        return SentenceTransformer(name).encode(texts, **_OPTIONS)
    except Exception as error:  # whatever a missing, gated or broken model raises
        reason = one_line(str(error)).rstrip(".") or type(error).__name__
        raise InputError(
            f'the embedding model "{name}" cannot be used: {reason}.'
            " Name an embedding model of the Hub, or a folder that holds one"
        ) from None
