from __future__ import annotations

import itertools
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from prbgen.evaluation.metrics.figures import figures
from prbgen.evaluation.report.page import render_page
from prbgen.evaluation.report.report import Report, make_report
from prbgen.evaluation.results import Results, found_results
from prbgen.run import as_line
from tests.evaluation.results_samples import MODELS, Model, Sample, write_pairs, write_results

VOID = {"meta", "br"}
HOSTILE = (
    "</style></script><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}{% raw %}\u202eעברית\x1b[31m\ud800 "
)


class Page(HTMLParser):
    """Tags and text of a page; refuses tags that do not match."""

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
        elif tag == "br":
            self.text += " "

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.text += data

    def attributes(self, name: str) -> list[str]:
        return [value for _, attributes in self.tags for key, value in attributes.items() if key == name and value]


def words(page: str) -> str:
    return " ".join(Page(page).text.split())


def reported(folder: Path, *samples: Sample) -> Report:
    for number, sample in enumerate(samples):
        write_results(folder / f"r{number}", sample)
    return make_report(found_results([folder]))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    data = write_pairs(folder / "pairs.jsonl")
    return render_page(reported(folder, Sample(data=str(data))))


def test_a_page_shows_all_parts(page: str) -> None:
    text = words(page)
    for part in (
        "300 pairs", "150 users", "8 models", "5 conditions", "split: test",
        "What does the person's own history add over a stranger's?", "Does the raw profile help or hurt?",
        "Does the planner help?", "Is the planner better than the raw profile?", "Of 8 models,",
        "Under profile", "Under oracle upper bound", "best", "level with the best", "same family",
        "judges pairs that were written by anthropic/claude-haiku-4-5", "price unknown", "$0.1431", "8.03B", "596M",
        "Not drawn, as their number of parameters is not known: judge:", "By subset", "By strategy", "By category",
        "By generator", "Art and Entertainment", "Standardised", "Right if matched", "A both times",
        "the reply is not in the format that was asked for", "4 to 4", "How do I keep basil alive", "Preferred by 4:",
        "What is gained is personalisation.", "How to read this", "p to best (Holm)", "McNemar 0.", "Group",
    ):  # fmt: skip
        assert part in text, part
    for part in ("None", "nan", "SECRET", "Undefined"):
        assert part not in text, part


def test_the_upper_bound_is_marked_wherever_it_stands(page: str) -> None:
    shown = re.sub("<svg.*?</svg>", "", page[: page.index("<footer>")], flags=re.DOTALL)
    places = [found.end() for found in re.finditer(r"(?<=[>/])oracle(?=<)", shown)]
    assert len(places) > 8
    assert all("upper bound" in shown[at : at + 60] for at in places)


def test_a_page_is_one_file_without_network_and_its_only_script_is_ours(page: str) -> None:
    parsed = Page(page)
    tags = [tag for tag, _ in parsed.tags]
    assert tags.count("script") == 1
    assert not set(tags) & {"link", "iframe", "object", "embed", "img", "base", "image", "form"}
    assert not parsed.attributes("src")
    assert all(value.startswith("#") for value in parsed.attributes("href"))
    ids = parsed.attributes("id")
    assert len(ids) == len(set(ids))
    assert not any(name.startswith("on") for _, attributes in parsed.tags for name in attributes)
    styles = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert "url(" not in styles
    assert "@import" not in styles
    policy = next(str(each["content"]) for _, each in parsed.tags if each.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy


def test_tables_and_plots_say_what_they_show(page: str) -> None:
    parsed = Page(page)
    assert all(each["role"] == "img" and each["aria-label"] for tag, each in parsed.tags if tag == "svg")
    assert all(each.get("scope") for tag, each in parsed.tags if tag == "th")
    assert "judge" not in "".join(re.findall(r"<svg class=\"bar-plot.*?</svg>", page))
    assert "Skywork-Reward-V2-Qwen3-4B: 4.02B, 0.6" in "".join(parsed.attributes("aria-label"))
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


def test_equal_results_give_equal_bytes(page: str, tmp_path: Path) -> None:
    first = render_page(reported(tmp_path / "a", Sample(pairs=40)))
    assert render_page(reported(tmp_path / "b", Sample(pairs=40))) == first != page


def test_sets_of_different_pairs_stand_apart_and_it_is_said(tmp_path: Path) -> None:
    report = reported(
        tmp_path, Sample(MODELS[:2], ["none"], pairs=30), Sample(MODELS[:1], ["none"], pairs=20, split=None)
    )
    text = words(render_page(report))
    assert "These results are on different pairs" in text
    assert "30 pairs, 2 results" in text
    assert "20 pairs, 1 result" in text
    assert not re.search(r"\b1 (pairs|results|users|models)\b", text)
    assert "split: the data has none" in text


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        (Sample(MODELS[:1], ["profile"]), "No model has results under two conditions"),
        (Sample(MODELS[:1], ["profile"]), "That takes two models under one condition."),
        (Sample(MODELS[:1], ["profile"]), "Every pair was scored."),
        (Sample(MODELS[:1], ["profile"]), "No model here sees two answers at once"),
        (Sample(MODELS[4:5], ["none"]), "No model here gives scores that have a margin"),
        (Sample((Model("judge:x/y", 0.5, fails=1.0),), ["none"]), "unknown no pair scored"),
        (
            Sample((Model("judge:x/y", 0.5, fails=1.0), Model("judge:x/z", 0.5, fails=1.0)), ["none", "profile"]),
            "no pair divides the two models",
        ),
        (Sample((Model("judge:x/y", 0.5, fails=1.0),), ["shuffled", "profile"]), "unknown no pair scored in both"),
        (Sample((Model("rate:x/y", 0.5, 7_000_000_000, fails=1.0),), ["none"]), "Nothing to draw: no pair is scored."),
        (Sample(MODELS[7:], ["oracle"]), "Nothing to draw: the number of parameters is not known of any model"),
        (Sample(MODELS[:2], ["none", "profile"], pairs=1), "one user: no interval"),
        (Sample(MODELS[:2], ["none", "profile"], pairs=0), "0 pairs"),
        (Sample(MODELS[:2], ["none"]), "pairs divide the two models. Here are 12 of them."),
        (
            Sample(MODELS[1:2], ["none"], pairs=4),
            "the size of one model alone is known: scalar:Skywork/Skywork-Reward-V2-Qwen3-0.6B, 596M, accuracy 0.",
        ),
        (Sample((MODELS[0], MODELS[7]), ["none"]), "The number of parameters is not known of the others: http:"),
    ],
)
def test_few_results_still_make_a_page(tmp_path: Path, sample: Sample, said: str) -> None:
    text = words(render_page(reported(tmp_path, sample)))
    assert said in text
    assert "None" not in text
    assert "nan" not in text


def test_of_many_groups_the_largest_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    (folder,) = write_results(tmp_path / "r", Sample(MODELS[:1], ["none"]))
    items = [each.model_copy(update={"category": f"c{n}"}) for n, each in enumerate(Results(folder).items())]
    Results(folder).write(Results(folder).summary().model_copy(update=dict(figures(items, resamples=20))))
    text = words(render_page(make_report(found_results([tmp_path]))))
    assert "By category The 60 largest of 300." in text


def test_histograms_are_scaled_by_the_deviation_that_the_table_gives(tmp_path: Path) -> None:
    (folder,) = write_results(tmp_path / "r", Sample(MODELS[:1], ["none"], pairs=2))
    margins = {"p0": -1.0, "p1": 5.0}
    items = [
        each.model_copy(update={"score_chosen": margins[each.key], "score_rejected": 0.0, "outcome": "win"})
        for each in Results(folder).items()
    ]
    Results(folder).write(Results(folder).summary().model_copy(update=dict(figures(items, resamples=20))))
    (folder / "items.jsonl").write_text("".join(map(as_line, items)), encoding="utf-8")
    page = render_page(make_report(found_results([tmp_path])))
    (drawn,) = re.findall(r'<svg class="histogram".*?</svg>', page)
    bars = [at for at, tall in enumerate(re.findall(r'<rect[^>]* height="([\d.]+)"', drawn)) if float(tall)]
    # Of 24 bars from -3 to 3; the deviation is 3 x the square root of 2.
    assert bars == [int((each / 18**0.5 + 3) * 4) for each in (-1.0, 5.0)]


def test_texts_that_are_missing_are_explained(tmp_path: Path) -> None:
    text = words(render_page(reported(tmp_path, Sample(MODELS[:2], ["none"], data="./gone.jsonl"))))
    assert "Texts are not shown for all of them" in text
    assert "--data DATA" in text


def test_hostile_text_is_inert(tmp_path: Path) -> None:
    data = write_pairs(tmp_path / "pairs.jsonl", text=HOSTILE.replace("\ud800", "") + "long" * 5000)
    model = Model(f"judge:{HOSTILE.strip()}", 0.6, 7_000_000_000, fails=0.2)
    storable = HOSTILE.replace("\ud800", "")
    sample = Sample(
        (Model(model.scorer.replace("\ud800", ""), 0.6, 7_000_000_000, fails=0.2), MODELS[0]),
        ["profile"],
        data=str(data),
        change={"reasons": {storable: 3}, "split": "test"},
    )
    page = render_page(reported(tmp_path, sample))
    parsed = Page(page)
    assert [tag for tag, _ in parsed.tags if tag in ("script", "img")] == ["script"]
    assert not re.search("[\x00\x1b\u202a-\u202e\u2066-\u2069]", page)
    assert "{{ 7*7 }}" in parsed.text
    assert "more characters)" in parsed.text
    assert len(page.encode()) < 600_000


def test_many_results_render_in_reasonable_time(tmp_path: Path) -> None:
    models = [Model(f"scalar:org/model-{n}", 0.5 + n / 400, (n + 1) * 10**8) for n in range(40)]
    report = reported(tmp_path, Sample(models, ["profile", "shuffled"], pairs=200))
    begun = time.perf_counter()
    page = render_page(report)
    assert time.perf_counter() - begun < 10
    assert words(page).count("scalar:org/model-7 ") > 5
