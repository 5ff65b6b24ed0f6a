"""How a dataset is to be cited: CITATION.cff and BibTeX."""

from __future__ import annotations

from prbgen.publication.spelling import quoted
from prbgen.recipe import PublicationSettings
from prbgen.text import one_line

CITATION = "CITATION.cff"
_LONGEST = 2000  # characters of a title or a name; more can only be a slip
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",  # also keeps the entry within its block of Markdown
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{sign: f"\\{sign}" for sign in "$&#_%"},
}


def citation_file(publication: PublicationSettings) -> str | None:
    """The text of CITATION.cff (Citation File Format 1.2.0); null if no authors are stated, as it must name one.

    Authors stand there as entities: how a person's name divides into given and family name is not ours to guess.
    """
    authors = _authors(publication)
    if not authors:
        return None
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use this dataset, please cite it as below."',
        "type: dataset",
        f"title: {quoted(_title(publication))}",
        f"version: {publication.version}",
        "authors:",
        *(f"- name: {quoted(author)}" for author in authors),
    ]
    return "\n".join(lines) + "\n"


def bibtex(publication: PublicationSettings) -> str:
    """The dataset as a BibTeX entry, without an author where none is stated; never a backtick or a blank line."""
    authors = " and ".join(f"{{{_latex(author)}}}" for author in _authors(publication))
    fields = {
        "title": f"{{{_latex(_title(publication))}}}",
        "author": authors,
        "version": publication.version,
        "note": f"Dataset, version {publication.version}",
    }
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@misc{{personalised-reward-pairs,\n{body}\n}}"


def _authors(publication: PublicationSettings) -> list[str]:
    return [name for author in publication.authors if (name := one_line(author, _LONGEST))]


def _title(publication: PublicationSettings) -> str:
    return one_line(publication.title, _LONGEST) or "Untitled"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
