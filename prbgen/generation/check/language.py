"""Is the answer in the language of the question?"""

from __future__ import annotations

import re
import tempfile
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

from prbgen.generation.check.base import Finding, Given
from prbgen.run import cannot_write

# Languages that a short text does not tell apart, and those whose rare ones are mistaken for the common one. The code
# of the first stands for all.
_ALIKE = {
    code: group.split()[0]
    for group in (
        "no nn da", "sr hr bs", "zh wuu yue", "id ms jv", "cs sk", "es ext an gl", "en pcm", "de lb",
        "nl af fy", "fr wa oc gcf gcr", "it vec lij", "ar ary arz", "fa ps sdh", "el grc", "he hbo", "tr az crh",
        "uz uzs", "lv ltg",
    )
    for code in group.split()
}  # fmt: skip
_NAMES = {
    "ar": "Arabic", "cs": "Czech", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fa": "Persian",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "la": "Latin", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili",
    "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
# "No language": figures, code, names.
_NO_LANGUAGE = "zxx"
# The identifier is wrong on the first 30 letters of English posts in 2 %, on 40 in 0.7 %, on 80 in none, and it is then
# as sure as .88. It reads UTF-8: a letter of Cyrillic is as good as two, one of Chinese as three.
_BYTES = 40
_SURE = 0.9
_RULED_OUT = 0.05
# Enough for it, and a bound on the time that a hostile text takes.
_READ = 3000
# What may be in another language, or in none: code, formulae, addresses, quotations.
_FOREIGN = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|\$[^$\n]{1,200}\$|(?:https?://|www\.)\S{1,300}|\S{1,100}@\S{1,100}"
    r'|"[^"\n]{1,200}"|[“”„][^“”\n]{1,200}[“”]|[«»][^«»\n]{1,200}[«»]|「[^」\n]{1,200}」|『[^』\n]{1,200}』',
    re.DOTALL,
)
# After them a capital makes no name.
_ENDS = ".!?…:"
_NO_LETTERS = re.compile(r"[\W\d_]+")
_ASKS_TO_TRANSLATE = re.compile(r"translat|übersetz|tradu|перев[оё]|翻译|翻譯|翻訳|번역", re.IGNORECASE)


def check(answer: str, given: Given) -> Finding:
    """Whether both are surely in the same language, or surely not; the figure is the probability that the answer is.

    Unknown where the answer is too short or unsure, where another language is likelier and the question is too short or
    unsure, and where the question may ask for another language.
    """
    of_answer, of_question = _languages(_prose(answer)), _languages(_prose(given.question))
    if not of_answer:
        return Finding("unknown", detail="is too short to tell its language")
    if not of_question:
        return Finding("unknown", detail="cannot be held against the question, whose language is not known")
    written, asked = _likeliest(of_answer), _likeliest(of_question)
    figure = round(of_answer.get(asked, 0.0), 3)
    if of_answer[written] < _SURE or written == _NO_LANGUAGE:
        return Finding("unknown", figure, "is in a language that is hard to tell")
    if written == asked:
        return Finding("pass", figure)
    if min(_size(answer), _size(given.question)) < _BYTES:
        return Finding("unknown", None, f"is perhaps in {_name(written)}; it or the question is too short to be sure")
    if of_question[asked] < _SURE or asked == _NO_LANGUAGE or max(figure, of_question.get(written, 0.0)) > _RULED_OUT:
        return Finding("unknown", figure, f"is in {_name(written)}; the question is in a language that is hard to tell")
    if _ASKS_TO_TRANSLATE.search(given.question) or _name(written).lower() in given.question.lower():
        return Finding("unknown", figure, f"is in {_name(written)}, for which the question may ask")
    return Finding("fail", figure, f"is in {_name(written)}, but the question is in {_name(asked)}")


def _prose(text: str) -> str:
    """The text without what may be in another language, and without names: a list of French films is no French."""
    text = text[:_READ]
    words = _FOREIGN.sub(" ", text.lower() if text.isupper() else text).split()
    return " ".join(word for before, word in pairwise([".", *words]) if before[-1] in _ENDS or not word[0].isupper())


def _size(text: str) -> int:
    return len(_NO_LETTERS.sub("", _prose(text)).encode(errors="replace"))


def _likeliest(languages: dict[str, float]) -> str:
    return max(languages, key=languages.__getitem__)


def _name(code: str) -> str:
    return _NAMES.get(code, f'the language "{code}"')


# A question is asked for twice a pair.
@lru_cache(maxsize=1024)
def _languages(prose: str) -> dict[str, float]:
    """Languages that are possible, with their probability; none if there is no letter."""
    if not _NO_LETTERS.sub("", prose):
        return {}
    found: dict[str, float] = {}
    for code, probability in _identifier().rank(prose):
        code = _ALIKE.get(code, code)
        found[code] = found.get(code, 0.0) + float(probability)
    return found


_LOADING = Lock()


def _identifier() -> Any:
    # Two threads would both load it.
    with _LOADING:
        return _loaded_identifier()


@cache
def _loaded_identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except OSError as error:  # it unpacks its model into a temporary file
        raise cannot_write(Path(tempfile.gettempdir()), error) from None
