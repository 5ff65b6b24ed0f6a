"""What a report says, before it is written as anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prbgen.errors import InputError
from prbgen.evaluation.report.document import document
from prbgen.evaluation.report.latex import render_latex
from prbgen.evaluation.report.markdown import render_markdown
from prbgen.evaluation.report.page import render_page
from prbgen.evaluation.report.report import Report, make_report
from prbgen.evaluation.report.scatter import parameters_plot
from prbgen.evaluation.report.tables import conditions_table, gains_table
from prbgen.evaluation.report.wording import outcome
from prbgen.evaluation.results import Results, found_results
from prbgen.evaluation.settings import CONDITIONS
from prbgen.run import as_line
from tests.evaluation.results_samples import MODELS, Model, Sample, write_pairs, write_results

SMALL = MODELS[:2]


def reported(folder: Path, data: str | None = None) -> Report:
    return make_report(found_results([folder]), data)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("full")
    data = write_pairs(folder / "pairs.jsonl")
    write_results(folder / "results", Sample(data=str(data)))
    return reported(folder / "results")


def test_leaderboards_are_by_condition_and_by_accuracy(full: Report) -> None:
    (evaluated,) = full.sets
    assert [board.condition for board in evaluated.boards] == list(CONDITIONS)
    for board in evaluated.boards:
        values = [row.entry.summary.accuracy.value or 0 for row in board.rows]
        assert values == sorted(values, reverse=True)
        assert len(values) == len(MODELS)
        assert {row.entry.summary.condition for row in board.rows} == {board.condition}
        assert [row.mark for row in board.rows].count("best") == 1


def test_a_clear_loser_is_behind_and_a_near_one_is_level(tmp_path: Path) -> None:
    models = (Model("scalar:a", 0.9), Model("scalar:b", 0.89), Model("scalar:c", 0.2))
    write_results(tmp_path / "r", Sample(models=models, conditions=["none"]))
    rows = {row.entry.label: row for row in reported(tmp_path / "r").sets[0].boards[0].rows}
    assert rows["scalar:c"].mark == "behind"
    assert {rows["scalar:a"].mark, rows["scalar:b"].mark} == {"best", "level"}
    assert [rows[f"scalar:{name}"].standing.group for name in "abc"] == [1, 1, 2]


def test_the_headline_is_profile_minus_shuffled_on_the_same_pairs(full: Report) -> None:
    contrasts = full.sets[0].contrasts
    assert [(each.one, each.other) for each in contrasts] == [
        ("profile", "shuffled"),
        ("profile", "none"),
        ("planner", "none"),
        ("planner", "profile"),
    ]
    assert all(len(each.gains) == len(MODELS) for each in contrasts)
    scalar = next(gain for gain in contrasts[0].gains if gain.name.endswith("Qwen3-4B"))
    one, other = scalar.one.summary.accuracy.value, scalar.other.summary.accuracy.value
    assert one is not None
    assert other is not None
    assert scalar.value == pytest.approx(one - other)
    assert (scalar.one.summary.scorer, scalar.tested.paired.n) == (scalar.other.summary.scorer, 300)


@pytest.mark.parametrize(
    "other",
    [Sample(SMALL, ["none"], digest="d2"), Sample(SMALL, ["none"], pairs=50)],
    ids=["other data", "another limit"],
)
def test_different_pairs_are_never_in_one_leaderboard(tmp_path: Path, other: Sample) -> None:
    write_results(tmp_path / "a", Sample(SMALL, ["none"]))
    write_results(tmp_path / "b", other)
    sets = reported(tmp_path).sets
    assert len(sets) == 2
    assert [len(each.boards[0].rows) for each in sets] == [2, 2]


def test_the_same_pairs_under_two_names_are_one_set(tmp_path: Path) -> None:
    write_results(tmp_path / "a", Sample(SMALL, ["none"]))
    write_results(tmp_path / "b", Sample(SMALL, ["profile"], data="org/name"))
    (evaluated,) = reported(tmp_path).sets
    assert evaluated.names == ("./pairs.jsonl", "org/name")
    assert len(evaluated.boards) == 2


def test_results_of_one_model_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    one = MODELS[:1]
    write_results(tmp_path / "a", Sample(one, ["profile", "shuffled"]))
    write_results(tmp_path / "b", Sample(one, ["profile"], change={"posts": 3}))
    (evaluated,) = reported(tmp_path).sets
    labels = {entry.label.removeprefix(one[0].scorer) for entry in evaluated.entries}
    assert labels == {"", " (10 posts)", " (3 posts)"}
    # Three own posts are not held against ten of a stranger's.
    assert [gain.name.removeprefix(one[0].scorer) for gain in evaluated.contrasts[0].gains] == [" (10 posts)"]
    write_results(tmp_path / "c", Sample(one, ["profile"], change={"protocol": "released"}))
    systems = {entry.system.removeprefix(one[0].scorer) for entry in reported(tmp_path).sets[0].entries}
    assert systems == {" (prbgen protocol)", " (released protocol)"}


def test_the_planner_is_held_against_as_many_posts_as_it_saw(tmp_path: Path) -> None:
    one = MODELS[:1]
    write_results(tmp_path / "a", Sample(one, ["planner"], change={"posts": 3}))
    write_results(tmp_path / "b", Sample(one, ["profile", "none"]))
    contrasts = reported(tmp_path).sets[0].contrasts
    # The bare question has no history: the number of posts says nothing there.
    assert [(each.one, each.other) for each in contrasts] == [("profile", "none"), ("planner", "none")]


def test_another_device_makes_no_other_model(tmp_path: Path) -> None:
    for device, condition in (("cpu", "profile"), ("cuda", "shuffled")):
        (folder,) = write_results(tmp_path / device, Sample(MODELS[:1], [condition]))  # type: ignore[list-item]
        summary = Results(folder).summary()
        Results(folder).write(summary.model_copy(update={"model": summary.model.model_copy(update={"device": device})}))
    (evaluated,) = reported(tmp_path).sets
    assert {entry.label for entry in evaluated.entries} == {MODELS[0].scorer}
    assert len(evaluated.contrasts[0].gains) == 1


def test_what_can_be_told_apart_is_told_by_users_not_by_pairs(tmp_path: Path) -> None:
    """Ten pairs each of four users: McNemar's test is sure, the people are too few."""
    for name, condition in (("won", "profile"), ("lost", "shuffled")):
        (folder,) = write_results(tmp_path / name, Sample(MODELS[:1], [condition], pairs=40))  # type: ignore[list-item]
        items = [
            each.model_copy(update={"user_key": f"u{n % 4}", "outcome": "win" if name == "won" else "loss"})
            for n, each in enumerate(Results(folder).items())
        ]
        (folder / "items.jsonl").write_text("".join(map(as_line, items)), encoding="utf-8")
    (gain,) = reported(tmp_path).sets[0].contrasts[0].gains
    assert gain.value == 1
    assert gain.tested.p_holm == pytest.approx(2 / 2**4)
    assert gain.tested.paired.mcnemar is not None
    assert gain.tested.paired.mcnemar < 1e-9
    assert gain.tested.apart is False


def test_a_difference_stands_beside_the_accuracies_that_it_is_of(tmp_path: Path) -> None:
    models = (Model("judge:half/dumb", 0.6, gain=2.0, fails=0.4),)
    write_results(tmp_path / "r", Sample(models, ["profile", "shuffled"]))
    (evaluated,) = reported(tmp_path / "r").sets
    (row,) = gains_table(evaluated.contrasts[0]).rows
    one, other, difference = (float(cell.replace("−", "-")) for cell in row[1:4])
    assert one - other == pytest.approx(difference, abs=0.0011)
    (gain,) = evaluated.contrasts[0].gains
    assert row[1:3] != tuple(f"{each.summary.accuracy.value:.3f}" for each in (gain.one, gain.other))


def test_of_a_result_made_twice_the_first_folder_stands_for_both(tmp_path: Path) -> None:
    for name in "ba":
        write_results(tmp_path / name, Sample(MODELS[:1], ["none"]))
    report = reported(tmp_path)
    (evaluated,) = report.sets
    assert [entry.results.folder.parent.name for entry in evaluated.entries] == ["a"]
    assert [each.entry.results.folder.parent.name for each in evaluated.repeats] == ["b"]
    (said,) = document(report)["sets"][0]["repeats"]
    assert said == {"results": str(tmp_path / "b" / "0-none"), "shown": str(tmp_path / "a" / "0-none")}
    for text in (render_page(report), render_markdown(report), render_latex(report)):
        assert "repeats" in text


def test_copies_of_the_data_do_not_multiply_gains(tmp_path: Path) -> None:
    """Conditions are compared on the file that most results are on, and each model counts once in a family of tests."""
    write_results(tmp_path / "own", Sample(SMALL, ["none", "profile", "shuffled"], data="own.jsonl"))
    copies = {"a": ["shuffled", "oracle"], "b": ["profile", "shuffled"]}
    for name, conditions in copies.items():
        write_results(tmp_path / name, Sample(MODELS[:1], conditions, data=f"{name}.parquet"))  # type: ignore[arg-type]
    (evaluated,) = reported(tmp_path).sets
    assert [len(each.gains) for each in evaluated.contrasts] == [2, 2]
    for contrast in evaluated.contrasts:
        assert contrast.models == len({gain.name for gain in contrast.gains}) == 2
        assert outcome(contrast).startswith("Of 2 models, ")
        assert {each.summary.data for gain in contrast.gains for each in (gain.one, gain.other)} == {"own.jsonl"}
    assert [(board.condition, len(board.rows)) for board in evaluated.boards] == [
        ("none", 2), ("profile", 2), ("shuffled", 2), ("oracle", 1),
    ]  # fmt: skip
    assert len(evaluated.repeats) == 3


def test_other_numbers_of_posts_are_no_repeats(tmp_path: Path) -> None:
    for posts in (3, 10):
        write_results(
            tmp_path / str(posts), Sample(MODELS[:1], ["none", "profile", "shuffled"], change={"posts": posts})
        )
    (evaluated,) = reported(tmp_path).sets
    assert [each.entry.summary.condition for each in evaluated.repeats] == ["none"]
    headline = evaluated.contrasts[0]
    assert sorted(gain.name.removeprefix(MODELS[0].scorer) for gain in headline.gains) == [" (10 posts)", " (3 posts)"]
    assert outcome(headline).startswith("Of 2 comparisons of 1 model, ")
    # One model has nothing to be drawn against.
    assert [(len(board.sized), parameters_plot(board)) for board in evaluated.boards[1:]] == [(2, None)] * 2
    (row,) = conditions_table(evaluated).rows
    assert [sum(f"({posts} posts)" in cell for cell in row) for posts in (3, 10)] == [2, 2]


def test_all_that_equal_the_best_are_best(tmp_path: Path) -> None:
    models = (Model("scalar:a", 0.8), Model("scalar:b", 0.8), Model("scalar:c", 0.2))
    folders = write_results(tmp_path / "r", Sample(models, ["none"]))
    items = (folders[0] / "items.jsonl").read_text(encoding="utf-8")
    (folders[1] / "items.jsonl").write_text(items, encoding="utf-8")
    figures_of_both = Results(folders[0]).summary().accuracy
    Results(folders[1]).write(Results(folders[1]).summary().model_copy(update={"accuracy": figures_of_both}))
    rows = reported(tmp_path).sets[0].boards[0].rows
    assert [row.mark for row in rows] == ["best", "best", "behind"]


def test_users_are_a_range_where_results_know_different_numbers(tmp_path: Path) -> None:
    write_results(tmp_path / "a", Sample(MODELS[:1], ["none"], change={"users": 45}))
    write_results(tmp_path / "b", Sample(MODELS[1:2], ["none"], change={"users": 150}))
    report = reported(tmp_path)
    assert report.sets[0].users == (45, 150)
    assert document(report)["sets"][0]["users"] == {"fewest": 45, "most": 150}
    assert "300 pairs of 45 to 150 users" in render_markdown(report)


def test_judges_are_marked_that_judge_what_their_family_wrote(full: Report) -> None:
    kin = {entry.summary.scorer: entry.kin for entry in full.sets[0].entries if entry.kin}
    assert kin == {
        "judge:openai/gpt-4o-mini": ("openai/gpt-4o-mini",),
        "judge:anthropic/claude-haiku-4-5": ("anthropic/claude-haiku-4-5",),
    }


def test_pairs_that_divide_the_models_come_with_texts_and_votes(full: Report) -> None:
    found = full.sets[0].disagreements
    assert found
    assert (found.condition, found.lacking, len(found.shown)) == ("none", None, 12)
    for each in found.shown:
        assert min(len(each.for_chosen), len(each.for_rejected)) == 4
        votes = (*each.for_chosen, *each.for_rejected, *each.undecided, *each.unscored)
        assert sorted(votes) == sorted(model.scorer for model in MODELS)
        assert each.text
        number = each.item.id[1:]
        assert f"sill, {number}?" in each.text.question
        assert "north" in each.text.chosen
        assert "Water" in each.text.rejected
    assert "SECRET" not in json.dumps(document(full))


def test_a_report_is_the_same_each_time(full: Report) -> None:
    results = [entry.results for entry in full.sets[0].entries]
    assert json.dumps(document(make_report(results))) == json.dumps(document(full))


def test_texts_that_cannot_be_read_here_are_no_error(tmp_path: Path) -> None:
    write_results(tmp_path / "r", Sample(SMALL, ["none"], data=str(tmp_path / "gone.jsonl")))
    found = reported(tmp_path / "r").sets[0].disagreements
    assert found
    assert found.lacking
    assert "gone.jsonl" in found.lacking
    assert "--data DATA" in found.lacking
    assert [each.text for each in found.shown] == [None] * 12


def test_data_that_is_named_must_be_readable_and_may_lack_pairs(tmp_path: Path) -> None:
    write_results(tmp_path / "r", Sample(SMALL, ["none"]))
    with pytest.raises(InputError, match="nowhere"):
        reported(tmp_path / "r", str(tmp_path / "nowhere.jsonl"))
    few = write_pairs(tmp_path / "few.jsonl", pairs=40)
    found = reported(tmp_path / "r", str(few)).sets[0].disagreements
    assert found
    assert f"does not hold {sum(each.text is None for each in found.shown)} of these pairs" in str(found.lacking)


def test_unscored_results_stand_last_without_a_figure(tmp_path: Path) -> None:
    write_results(tmp_path / "r", Sample((*SMALL, Model("judge:dead/model", 0.5, fails=1.0)), ["none"]))
    rows = reported(tmp_path / "r").sets[0].boards[0].rows
    last = rows[-1]
    assert (last.entry.label, last.mark, last.standing.group) == ("judge:dead/model", "unknown", None)
    assert last.standing.reason == "no pair is scored"


def test_damaged_items_are_an_error_that_names_the_line(tmp_path: Path) -> None:
    (folder,) = write_results(tmp_path, Sample(MODELS[:1], ["none"], pairs=3))
    with (folder / "items.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(InputError, match="line 4"):
        reported(tmp_path)
