"""Small questions about a text that several stages ask, answered in one way."""

import re
import unicodedata

# Scripts that put no spaces between words: each character counts as a word.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+(?:['’.,\-\u2010\u2011][^\W{UNSPACED}]+)*")
# They stand inside words: soft hyphen, zero-width non-joiner and joiner.
_JOINERS = "\u00ad\u200c\u200d"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？]+[”’」』）]*")
# The number of a list item, or an abbreviation that never ends a sentence.
_NO_END = re.compile(r"(?:(?:^|\n)\s*\d{1,2}|(?:^|\W)(?:e\.g|i\.e|vs|Dr|Mr|Mrs|Ms|Prof|St))\.$")
_QUOTE_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " "})


def storable(text: str) -> str:
    """The text with NUL and lone surrogates, which neither UTF-8 files nor providers take, replaced by U+FFFD."""
    return storable_and_count(text)[0]


def storable_and_count(text: str) -> tuple[str, int]:
    """The storable text, and how many characters were replaced."""
    if "\0" not in text and is_unicode(text):
        return text, 0
    return _UNSTORABLE.subn("\ufffd", text)


def is_unicode(text: str) -> bool:
    """Whether the text holds no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_line(text: str, limit: int = 300) -> str:
    """The text on one line without control characters, shortened to `limit` characters."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def middle_out(text: str, limit: int) -> str:
    """The text on one line; of a long one a third of `limit` from its beginning, the rest from its end: names mostly
    begin alike.
    """
    line = one_line(text, 10_000)
    return line if len(line) <= limit else f"{line[: limit // 3]}…{line[-(limit - 1 - limit // 3) :]}"


def count_words(text: str) -> int:
    """Words as people count them; "well-known" and "1,000" are one; in Chinese, Japanese and Thai, characters."""
    if not text.isascii():
        # Accents and vowel signs that are characters of their own are no letters to `re`: they would split words.
        text = "".join(each for each in text if not (unicodedata.category(each)[0] == "M" or each in _JOINERS))
    return sum(1 for _ in _WORD.finditer(text))


def cut_at_sentence_end(text: str, words: int) -> str | None:
    """The text if it has at most `words` words, else as many whole sentences of it as have.

    Null if that leaves less than half of `words`.
    """
    if count_words(text) <= words:
        return text
    kept = count = 0
    for match in _SENTENCE_END.finditer(text):
        end = match.end()
        if _NO_END.search(text[max(0, end - 12) : end]):
            continue
        # No word reaches over the end of a sentence, so the counts add up.
        further = count_words(text[kept:end])
        if count + further > words:
            break
        kept, count = end, count + further
    return text[:kept] if kept and count * 2 >= words else None


def find_quote(text: str, quote: str) -> str | None:
    """The passage of `text` that `quote` repeats, exactly as it stands there; null if there is none.

    Runs of white space and the shape of quotation marks may differ: models change both when they quote.
    """
    pieces = [re.escape(piece) for piece in " ".join(quote.translate(_QUOTE_MARKS).split()).strip(" \"'").split()]
    if not pieces:
        return None
    found = re.search(r"\s+".join(pieces), text.translate(_QUOTE_MARKS))
    # One character stands for one in the translation, so positions hold in the original too.
    return text[found.start() : found.end()] if found else None


def folder_name(*parts: str) -> str:
    """A name for a folder, made of what it is about; parts that are empty say nothing."""
    return re.sub(r"[^\w.-]+", "-", "-".join(filter(None, parts))).strip("-.")[-100:] or "data"
