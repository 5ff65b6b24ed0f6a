"""The terms of an answer: its words, and two words in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prbgen.schema import PreferencePair
from prbgen.text import UNSPACED

_WORD = rf"[{UNSPACED}]|[^\W{UNSPACED}]+(?:['’][^\W{UNSPACED}]+)*"


def term_counts(pairs: Sequence[PreferencePair]) -> tuple[tuple[str, ...], Any, Any]:
    """Names of k terms, and how often they stand in `chosen` and in `rejected`: two sparse n x k matrices (CSR).

    A term that only one answer of all has is left out, as it says nothing about other pairs.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import CountVectorizer

    texts = [text for pair in pairs for text in (pair.chosen, pair.rejected)]
    vectorizer = CountVectorizer(token_pattern=f"(?u){_WORD}", ngram_range=(1, 2), min_df=2)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError:  # no text has a word, or no two texts have one in common
        nothing = csr_matrix((len(pairs), 0))
        return (), nothing, nothing
    return tuple(vectorizer.get_feature_names_out().tolist()), counts[0::2], counts[1::2]


def tfidf_differences(in_chosen: Any, in_rejected: Any) -> Any:
    """The TF-IDF vector of `chosen` minus that of `rejected`, n x k sparse (CSR), each of length 1 before.

    Weights come from all texts at once: that uses no label, so it gives nothing away.
    """
    from scipy.sparse import vstack
    from sklearn.feature_extraction.text import TfidfTransformer

    if not in_chosen.shape[1]:
        return in_chosen
    weights = TfidfTransformer(sublinear_tf=True).fit(vstack([in_chosen, in_rejected]))
    return (weights.transform(in_chosen) - weights.transform(in_rejected)).tocsr()
