from __future__ import annotations

import itertools
import re
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.generation.audit.page import render_page
from prbgen.generation.audit.results import Audit, Group, Personal, Shortcut, Telling, Twins
from tests.generation.audit.audit_samples import BARE, FULL

VOID = {"meta", "br", "use", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Tags, attributes and text of a page; refuses tags that do not match."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def attributes(self, name: str) -> list[str]:
        return [value for _, attributes in self.tags for key, value in attributes.items() if key == name and value]


def words(page: str) -> str:
    return " ".join(Page(page).text.split())


@pytest.fixture(scope="module")
def one() -> str:
    return render_page([FULL])


@pytest.fixture(scope="module")
def several() -> str:
    return render_page([FULL, BARE])


def test_a_page_shows_all_that_was_found(one: str) -> None:
    text = words(one)
    for part in (
        "leaks A shallow model", "2,830 pairs", "1,911 users", "14 empty profiles", "0.541", "0.522 to 0.561",
        "not measured: the extra 'dense' is not installed", "however", "-13.7", "median of 82 words", "ratio is 1.04",
        "Lifestyle_and_Personal_Development", "not named", "0.95", "Also in train", "812", "57", "0_1_1, 0_9_2",
        "2,830 of 3,412", "0.62", "$0.0023", "99.1 %", "could not tell", "How to read this",
    ):  # fmt: skip
        assert part in text


def test_what_is_not_known_is_said_or_left_out(one: str) -> None:
    page = render_page([BARE])
    text = words(page)
    assert "about 4,200 pairs would be enough" in text
    assert "it has no profiles" in text
    assert "No e-mail address, phone number or street address was found." in text
    for part in ("empty profiles", "Also in", "How the pairs came about", "Term or feature", "None"):
        assert part not in text
    assert "how many pairs would be enough cannot be told" in words(render_page([replace(BARE, pairs_needed=None)]))


def test_several_sets_stand_side_by_side_first_and_each_has_its_own_section(several: str) -> None:
    page = Page(several)
    assert sum(tag == "details" for tag, _ in page.tags) == 2
    assert {"#set-1", "#set-2"} <= set(page.attributes("href"))
    assert {"set-1", "set-2"} <= set(page.attributes("id"))
    table = several[several.index("<table") : several.index("</table>")]
    text = " ".join(unescape(re.sub("<[^>]*>", " ", table)).split())
    assert "runs/counter 2,830 leaks 0.504 0.485 to 0.523 0.541 0.522 to 0.561 0.684 0.666 to 0.701" in text
    assert "not measured 83% 2,830 of 3,412 0.62 $0.0023" in text
    assert "QiyaoMa/Personalized-RewardBench 2,830 unclear" in text
    assert text.endswith("– – –")


@pytest.mark.parametrize("audits", [[FULL], [FULL, BARE]])
def test_a_page_is_one_file_without_script_or_network(audits: list[Audit]) -> None:
    page = Page(render_page(audits))
    assert not {tag for tag, _ in page.tags} & {"script", "link", "iframe", "object", "embed", "img", "base", "image"}
    references = [value for name in ("src", "href", "xlink:href") for value in page.attributes(name)]
    assert all(value.startswith("#") for value in references)
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    assert {value[1:] for value in references} <= set(ids)
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    styles = "".join(re.findall(r"<style>(.*?)</style>", render_page(audits), re.DOTALL))
    assert "url(" not in styles
    assert "@import" not in styles
    assert all(value.startswith("url(#") for each in page.attributes("style") for value in re.findall(r"url\(.", each))
    policy = dict(page.tags[[tag for tag, _ in page.tags].index("meta") + 1][1])
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert "default-src 'none'" in str(policy["content"])


def test_equal_audits_give_equal_bytes(one: str, several: str) -> None:
    assert render_page([replace(FULL)]) == one
    assert render_page([FULL, replace(BARE)]) == several


def test_a_page_is_small(one: str) -> None:
    groups = tuple(Group(f"subset {number}", f"category {number}", 1000 - number) for number in range(900))
    telling = tuple(Telling("term", f"term {number}", "chosen", 10, 5, 1.0, by_chance=False) for number in range(900))
    page = render_page([replace(FULL, groups=groups, telling=telling)])
    assert len(one.encode()) < len(page.encode()) < 200_000
    assert "And 870 smaller ones with 465,885 pairs." in words(page)


def test_plots_say_what_they_show_and_tables_have_headers(several: str) -> None:
    page = Page(several)
    plots = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(plots) == 5
    assert all(each["role"] == "img" and each["aria-label"] for each in plots)
    assert "Length (runs/counter) 0.504 [0.485, 0.523]" in str(plots[0]["aria-label"])
    assert all(attributes.get("scope") for tag, attributes in page.tags if tag == "th")
    assert several.count("<table") == several.count("<thead")


@pytest.mark.parametrize("audits", [[FULL], [FULL, BARE]])
def test_headings_leave_no_level_out(audits: list[Audit]) -> None:
    levels = [int(tag[1]) for tag, _ in Page(render_page(audits)).tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


def test_colours_are_those_of_the_page(one: str) -> None:
    plots = "".join(re.findall(r"<svg.*?</svg>", one, re.DOTALL))
    assert not re.search(r"(?:fill|stroke): #", plots)
    assert set(re.findall(r"var\(--(\w+)\)", plots)) == {"faint", "chosen", "rejected", "clean", "leaks"}


def hostile(text: str) -> Audit:
    """An audit with the text wherever data stands."""
    making = FULL.making
    assert making
    assert FULL.overlap
    return replace(
        FULL,
        name=text,
        data=text,
        shortcut={text: Shortcut(0.5, (0.4, 0.6)), "length": Shortcut(None, None, text)},
        telling=(Telling("term", text, "chosen", 3, 1, 1.0, by_chance=False),),
        groups=(Group(text, text, 3),),
        duplicates=replace(FULL.duplicates, examples=(Twins(text, text, text, text, 0.9),)),
        personal=(Personal("e-mail", "question", 1, (text,)),),
        overlap=replace(FULL.overlap, other=text, examples=(text,)),
        making=replace(making, pass_rates={text: 0.5}, cost=replace(making.cost, reason=text)),
    )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "</style><script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "'--><svg/onload=alert(1)>",
        "{{ 7 * 7 }}{% raw %}",
        "$\\frac{1}{0}$ \\notacommand $",
        "%s %d {0} {name}",
        "\u202eright to left\u2066 עברית العربية",
        "\ud800 \x00\x1b[31m \ufffe",
        "漢字 😀 \U000e0041",
        "long " * 2000,
        "",
    ],
)
def test_hostile_text_is_shown_as_text_and_short(text: str) -> None:
    page = render_page([hostile(text), FULL])
    parsed = Page(page)
    assert not {tag for tag, _ in parsed.tags} & {"script", "img"}
    assert not any(name.startswith("on") for _, attributes in parsed.tags for name in attributes)
    assert len(page.encode()) < 250_000
    assert not re.search("[\x00\x1b\u202a-\u202e\u2066-\u2069]", page)
    if "<" in text:
        assert text not in page
        assert escape(text)[:20].replace("&quot;", "&#34;").replace("&#x27;", "&#39;") in page


def structure(page: str) -> list[str]:
    """All tags but those within plots, which depend on how wide a text is."""
    return [tag for tag, _ in Page(re.sub("<svg.*?</svg>", "", page, flags=re.DOTALL)).tags]


@pytest.fixture(scope="module")
def plain() -> list[str]:
    return structure(render_page([hostile("plain")]))


@given(text=st.text())
@settings(max_examples=10, deadline=None)
def test_any_text_changes_nothing_but_text(text: str, plain: list[str]) -> None:
    assert structure(render_page([hostile(text)])) == plain


def test_no_audit_makes_no_page() -> None:
    with pytest.raises(ValueError, match="no audit"):
        render_page([])
