"""Each recipe from files to tables, on small invented data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from appraise.lib.problems import InputError
from evaluation.agreement import Judgements
from evaluation.schemes import SCHEMES
from metrics.collocation import content_words, table
from metrics.ranking.language_model import train_language_model
from metrics.ranking.models import save_language_model
from metrics.replicate import paper003, recipes
from metrics.replicate.paper000 import find_truth, read_rated_set
from metrics.replicate.paper002 import read_set
from metrics.replicate.recipes import run_recipe
from metrics.replicate.report import (
    DISCOURSE,
    GRID,
    KAPPA,
    PaperCell,
    PaperTable,
    Replication,
    ReplicationOptions,
)
from tests.collocation.toys import count, toy_reader
from tests.learned.data import write_set
from tests.replicate.reading import report_from_dict


def judgements(path: Path, rows: Iterable[tuple[str, str, str]]) -> str:
    path.write_text("annotator\titem\tlabel\n" + "".join("\t".join(row) + "\n" for row in rows), "utf-8")
    return str(path)


def table_of(report: Replication, start: str) -> PaperTable:
    return next(one for one in report.tables if one.title.startswith(start))


def cells(report: Replication, start: str, label: str) -> tuple[PaperCell, ...]:
    return next(row.cells for row in table_of(report, start).rows if row.label.startswith(label))


def code(error: pytest.ExceptionInfo[InputError]) -> str:
    return error.value.problems[0].code


@pytest.fixture
def judged(tmp_path: Path) -> str:
    """Sixty segments, three systems; each segment is ranked by two judges, so there is a human metric."""
    prefix = write_set(tmp_path, "test", segments=60)
    path = Path(f"{prefix}.rankings.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    twice = [{**line, "judge": judge} for judge in ("j1", "j2") for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in twice))
    return str(prefix)


# --- paper 003 --------------------------------------------------------------------------------------------


def test_kappa_stands_beside_the_printed_task_of_the_same_number(tmp_path: Path) -> None:
    """Two annotators, four items: P(A) is 2/4 over six choices and 3/4 over four (paper 003, section 5.1)."""
    said = {"i1": ("A>B", "A>B"), "i2": ("A=B", "A=B"), "i3": ("A>>B", "A>B"), "i4": ("A<B", "A>B")}
    rows = [(who, item, label) for item, both in said.items() for who, label in zip("xy", both, strict=True)]
    one = judgements(tmp_path / "one.tsv", rows)
    two = judgements(tmp_path / "two.tsv", [row for row in rows if row[1] != "i4"])
    report = run_recipe("paper-003", ReplicationOptions(sets=(one, two), resamples=0))
    first, second = cells(report, "Table 2", "task 1: one"), cells(report, "Table 2", "task 2: two")
    assert (first[0].paper, first[1].paper) == (0.4127, 0.7770)
    assert first[0].ours == pytest.approx((2 / 4 - 1 / 6) / (5 / 6))
    assert first[1].ours == pytest.approx(2 / 3)
    assert second[1] == PaperCell(0.6357, 1.0)
    mean = cells(report, "Table 2", "mean over tasks")
    assert mean[0].paper == pytest.approx(0.2570, abs=5e-5)  # not the printed average
    assert mean[1].ours == pytest.approx((2 / 3 + 1) / 2)
    assert cells(report, "Table 2", "average as printed") == (PaperCell(0.2990), PaperCell(0.7185))
    assert cells(report, "Size", "judgements") == (PaperCell(15325, 14.0),)


def test_judgements_over_four_choices_have_no_kappa_and_say_so(tmp_path: Path) -> None:
    file = judgements(tmp_path / "a.tsv", [("x", "1", "A>B"), ("y", "1", "A>B")])
    report = run_recipe("paper-003", ReplicationOptions(sets=(file,), scheme="four-way", resamples=0))
    assert cells(report, "Table 2", "task 1") == (PaperCell(KAPPA[0][0]), PaperCell(KAPPA[0][1], 1.0))
    assert "4 choices" in report.missing[0].because


def test_more_tasks_than_the_paper_has_stand_without_a_printed_number(tmp_path: Path) -> None:
    files = [judgements(tmp_path / f"t{n}.tsv", [("x", "1", "A=B"), ("y", "1", "A=B")]) for n in range(9)]
    report = run_recipe("paper-003", ReplicationOptions(sets=tuple(files), resamples=0))
    assert cells(report, "Table 2", "task 9") == (PaperCell(None, 1.0), PaperCell(None, 1.0))


@pytest.mark.parametrize(
    ("rows", "scheme", "expected"),
    [
        ([], "", "no_judgements"),
        ([("x", "1", "")], "", "no_judgements"),
        ([("x", "1", "A>>B")], "four-way", "unknown_label"),
        ([("x", "1", "better")], "", "unknown_label"),
    ],
)
def test_files_that_hold_no_judgements_of_the_scheme_are_refused(
    tmp_path: Path, rows: list[tuple[str, str, str]], scheme: str, expected: str
) -> None:
    file = judgements(tmp_path / "a.tsv", rows)
    with pytest.raises(InputError) as error:
        run_recipe("paper-003", ReplicationOptions(sets=(file,), scheme=scheme))
    assert code(error) == expected


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    file = judgements(tmp_path / "a.tsv", [("x", "1", "A=B")])
    with pytest.raises(InputError) as error:
        run_recipe("paper-003", ReplicationOptions(sets=(file, file)))
    assert code(error) == "duplicate_task"


def test_tasks_of_two_schemes_share_the_column_of_four_choices(tmp_path: Path) -> None:
    rows = [("x", "1", "A=B"), ("y", "1", "A=B")]
    six, _ = paper003.read_studies([judgements(tmp_path / "six.tsv", rows)], SCHEMES["six-way"])
    four, _ = paper003.read_studies([judgements(tmp_path / "four.tsv", rows)], SCHEMES["four-way"])
    report = paper003.replicate_studies(six | four, resamples=0)
    assert [cell.ours for cell in cells(report, "Table 2", "task 2: four")] == [None, 1.0]
    assert [cell.ours for cell in cells(report, "Table 2", "pooled")] == [1.0, 1.0]
    assert report.missing[0].part == "κ of four"


def test_other_labels_than_the_papers_are_refused() -> None:
    said = Judgements.from_rows([("x", 1, "yes"), ("y", 1, "no")], ("yes", "no"))
    with pytest.raises(InputError) as error:
        paper003.replicate_studies({"t": said})
    assert code(error) == "wrong_scheme"


# --- paper 001 --------------------------------------------------------------------------------------------


@pytest.fixture
def ranked(tmp_path: Path) -> tuple[str, str]:
    """Forty sources whose worse outputs hold words that the language model has never seen; and the model."""
    records = []
    for n in range(40):
        texts = ("the red house is small", "the red Haus is small", "Haus rote ist klein")
        items = [
            {"system": f"s{(n + k) % 3}", "rank": k + 1, "text": f"{text} now"}
            for k, text in enumerate(texts)
        ]
        records.append(
            {"seg": n, "doc": f"d{n // 4}", "judge": "j", "source": f"das Haus {n}", "items": items}
        )
    path = tmp_path / "ranked.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    model = train_language_model([("the", "red", "house", "is", "small", "now")] * 5, order=3)

    save_language_model(model, tmp_path / "lm.npz")
    return str(path), str(tmp_path / "lm.npz")


def test_a_ranker_that_knows_unknown_words_agrees_with_people(ranked: tuple[str, str]) -> None:
    file, model = ranked
    report = run_recipe("paper-001", ReplicationOptions(sets=(file,), test=(file,), lm=model, resamples=20))
    found = cells(report, "Table 1: basic", "unk, len")
    assert [cell.paper for cell in found] == [0.67, 0.20, 0.73, 0.24]
    assert found[1].ours == 1.0
    assert cells(report, "Table 1: basic", "unk, len, logparse")[0] == PaperCell(0.75)
    assert any(one.part == "row “unk, len, logparse”" and "parser" in one.because for one in report.missing)
    assert cells(report, "Table 1: extended", "unk, len, nparse")[0] == PaperCell(0.60)
    pooled = table_of(report, "Basic experiment, τ").rows[1].cells[0]
    assert (pooled.ours, pooled.low, pooled.high) == (1.0, 1.0, 1.0)


def test_without_a_language_model_every_row_says_what_it_lacks(ranked: tuple[str, str]) -> None:
    report = run_recipe("paper-001", ReplicationOptions(sets=(ranked[0],), resamples=0))
    assert all(cell.ours is None for row in table_of(report, "Table 1").rows[:11] for cell in row.cells)
    assert len([one for one in report.missing if "a language model" in one.because]) == 11
    assert any(one.part == "the extended experiment" for one in report.missing)


@pytest.mark.parametrize(
    ("paper", "options"),
    [
        ("paper-001", ReplicationOptions(lm="gone.npz")),
        ("paper-002", ReplicationOptions(table="gone.npz")),
    ],
)
def test_a_file_that_is_not_there_is_refused_before_any_work(paper: str, options: ReplicationOptions) -> None:
    with pytest.raises(InputError) as caught:
        run_recipe(paper, options, note=pytest.fail)
    assert str(caught.value) == "gone.npz: unreadable_file: there is no such file; check the path"


# --- paper 002 --------------------------------------------------------------------------------------------

PAIRS = [["hong", "kong"]] * 12 + [["new", "york"]] * 12 + [["x"]] * 80


@pytest.fixture
def collocations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.setitem(content_words.READERS, "toy", toy_reader)
    write_judged(tmp_path)
    table.save_table(count(PAIRS), tmp_path / "toy.npz")
    return str(tmp_path / "a"), str(tmp_path / "toy.npz")


def write_judged(folder: Path, references: bool = True) -> None:
    texts = {"good": ("hong kong", "new york"), "bad": ("hong kong", "new kong")}
    column = "\treference" if references else ""
    rows = ["hong kong", "new york"]
    body = "".join(f"{n}\tq" + (f"\t{text}" if references else "") + "\n" for n, text in enumerate(rows, 1))
    (folder / "a.segments.tsv").write_text(f"seg\tsource{column}\n{body}", "utf-8")
    outputs = "".join(
        f"{name}\t{n}\t{text}\n" for name, own in texts.items() for n, text in enumerate(own, 1)
    )
    (folder / "a.outputs.tsv").write_text(f"system\tseg\ttranslation\n{outputs}", "utf-8")
    (folder / "a.pairs.tsv").write_text("seg\tbetter\tworse\n2\tgood\tbad\n", "utf-8")


def test_collocations_separate_and_rank_beside_the_printed_sets(collocations: tuple[str, str]) -> None:
    prefix, background = collocations
    report = run_recipe("paper-002", ReplicationOptions(sets=(prefix,), table=background))
    separation = cells(report, "Separation ratio in per cent, by measure", "2002 Arabic, mst")
    assert [cell.paper for cell in separation] == [22.21, 25.44, 23.51, 39.66]
    assert separation[0].ours == 0.0  # all sentences that have a score score alike
    assert cells(report, "Accuracy of the ranking of systems, beside 2002", "nist")[0] == PaperCell(
        0.9047619, 1.0
    )
    assert cells(report, "Accuracy of the ranking of systems, beside 2002", "meteor")[0].paper is None
    assert "toy" in report.signatures["background"]
    assert read_set(prefix).people == {"good": 1.0, "bad": 0.0}


def test_without_a_background_only_metrics_with_a_reference_are_run(collocations: tuple[str, str]) -> None:
    report = run_recipe("paper-002", ReplicationOptions(sets=(collocations[0],)))
    assert report.missing[0].part == "every row of collocations"
    assert "no background table" in report.missing[0].because
    assert cells(report, "Accuracy", "t")[0] == PaperCell(0.666667)
    assert cells(report, "Accuracy", "nist")[0].ours == 1.0


# --- paper 000 --------------------------------------------------------------------------------------------


def test_people_metrics_and_the_machine_stand_in_one_table(judged: str, tmp_path: Path) -> None:
    train = str(write_set(tmp_path, "train", segments=120, references=2, seed=2))
    report = run_recipe("paper-000", ReplicationOptions(sets=(judged,), train=(train,), examples=80))
    human, machine = cells(report, "Table 4.1", "human"), cells(report, "Table 4.1", "SVM")
    assert human[0].paper == 0.4633
    assert human[0].ours == 1.0  # both judges of a segment say the same
    assert machine[0].ours is not None
    assert machine[0].ours > 0.3
    assert all(
        (row.cells[0].low or -1) < (row.cells[0].ours or 0) for row in table_of(report, "Table 4.1").rows[1:]
    )
    grid = table_of(report, "Table A.1 (a)")
    assert [[cell.paper for cell in row.cells] for row in grid.rows] == GRID["accuracy"]
    assert all(0 <= (cell.ours or -1) <= 1 for row in grid.rows for cell in row.cells)
    assert cells(report, "Correlation between accuracy", "accuracy")[0].paper == 0.855
    assert "split in thirds" not in report.settings


def test_a_small_set_trains_the_machine_in_thirds_and_the_report_says_so(judged: str, tmp_path: Path) -> None:
    train = str(write_set(tmp_path, "few", segments=24, references=2, seed=2))
    report = run_recipe("paper-000", ReplicationOptions(sets=(judged,), train=(train,), examples=80))
    assert cells(report, "Table 4.1", "SVM")[0].ours is not None
    assert report.settings["split in thirds"] == report.settings["trained on"]


def test_without_judges_the_truth_is_the_share_of_wins(judged: str) -> None:
    found = read_rated_set(judged)
    truth = find_truth([found], seed=1)
    assert truth.human is not None
    assert len(truth.items) == 180
    without = find_truth([type(found)(found.name, found.dataset, (), found.human)], seed=1)
    assert without.human is None
    assert {round(value, 6) for value in without.values.tolist()} == {0.0, 0.5, 1.0}


def test_training_on_the_tested_set_is_refused(judged: str) -> None:
    with pytest.raises(InputError) as error:
        run_recipe("paper-000", ReplicationOptions(sets=(judged,), train=(judged,)))
    assert code(error) == "train_is_test"


# --- paper 004 --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_discourse_is_added_to_metrics_and_to_their_sum(judged: str, tmp_path: Path) -> None:
    other = str(write_set(tmp_path, "other", segments=45, seed=4))
    report = run_recipe("paper-004", ReplicationOptions(sets=(judged,), test=(other,), resamples=20))
    bleu = cells(report, "Table 3", "BLEU")
    assert [cell.paper for cell in bleu] == DISCOURSE["uniform"]["bleu"]
    assert all(cell.ours is not None and cell.ours > 0.5 for cell in bleu)
    assert bleu[0].low is None  # the gain over itself has no interval
    low, high = bleu[2].low, bleu[2].high
    assert low is not None
    assert high is not None
    assert low <= (bleu[2].ours or 0) <= high
    assert cells(report, "Table 2", "DR-LEX")[0].ours == 1.0
    assert cells(report, "Table 3", "ASIYA-SYN")[0].ours is None
    transferred = table_of(report, "Table 5").rows
    shown = [row.cells[0].ours for row in transferred[2:-1] if row.cells[0].ours is not None]
    assert len(shown) == 5  # the paper has no METEOR here, so that ours is not in the average either
    assert transferred[-1].cells[0].ours == pytest.approx(sum(shown) / 5)
    assert any("--syntax" in one.because for one in report.missing)
    assert "heuristic" in report.signatures["dr"]


@pytest.mark.slow
def test_a_small_set_is_tuned_in_thirds_and_a_single_document_not_at_all(tmp_path: Path) -> None:
    prefix = write_set(tmp_path, "few", segments=24)
    found = run_recipe("paper-004", ReplicationOptions(sets=(str(prefix),), resamples=0))
    assert cells(found, "Table 4", "BLEU")[2].ours is not None
    path = Path(f"{prefix}.segments.tsv")
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([f"{header}\tdocument", *(f"{line}\tonly" for line in lines)]) + "\n")
    single = run_recipe("paper-004", ReplicationOptions(sets=(str(prefix),), resamples=0))
    assert cells(single, "Table 3", "BLEU")[2].ours is not None
    assert cells(single, "Table 4", "BLEU")[2] == PaperCell(DISCOURSE["tuned"]["bleu"][2])
    assert "one document" in next(one.because for one in single.missing if one.part == "Table 4")


def test_the_copied_columns_of_the_tuned_sums_give_the_printed_averages() -> None:
    """Table 4: the average over all nineteen rows with DR is .201; Table 5: over ten rows .244 and .267."""
    others = (0.253, 0.230, 0.181, 0.181, 0.175, 0.160, 0.161, 0.087)  # WMT12's own metrics but METEOR
    semantic = (0.039, 0.179)
    rows = {name: row for name, row in DISCOURSE["tuned"].items() if len(row) > 1 and name != "average"}
    with_dr = [*others, *semantic, *(row[1] for row in rows.values())]
    assert len(with_dr) == 19
    assert round(sum(with_dr) / 19, 3) == DISCOURSE["tuned"]["average"][1]
    other = {
        name: row for name, row in DISCOURSE["transferred"].items() if len(row) > 1 and name != "average"
    }
    for column, lost in ((1, (0.051, 0.220)), (2, (0.200, 0.239))):
        found = [*lost, *(row[column] for row in other.values())]
        assert len(found) == 10
        assert round(sum(found) / 10, 3) == DISCOURSE["transferred"]["average"][column]
    assert [name for name, row in rows.items() if name.startswith("asiya") and row[1] > row[0]] == [
        "asiya-lex"
    ]


# --- all of them ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", recipes.RECIPES)
def test_a_recipe_without_data_is_refused(name: str) -> None:
    with pytest.raises(InputError) as error:
        run_recipe(name, ReplicationOptions())
    assert code(error) == "no_data"


@pytest.mark.parametrize("name", ["paper-000", "paper-002", "paper-004"])
def test_a_set_without_references_is_refused(tmp_path: Path, name: str) -> None:
    write_judged(tmp_path, references=False)
    with pytest.raises(InputError) as error:
        run_recipe(name, ReplicationOptions(sets=(str(tmp_path / "a"),)))
    assert code(error) == "missing_reference"


@pytest.mark.parametrize("name", ["paper-000", "paper-001", "paper-002", "paper-004"])
def test_a_set_that_nobody_judged_is_refused(tmp_path: Path, name: str) -> None:
    write_judged(tmp_path)
    (tmp_path / "a.pairs.tsv").unlink()
    with pytest.raises(InputError) as error:
        run_recipe(name, ReplicationOptions(sets=(str(tmp_path / "a"),)))
    assert code(error) in {"no_judgements", "missing_file"}


def test_unknown_recipes_and_foreign_options_are_refused() -> None:
    with pytest.raises(InputError) as error:
        run_recipe("paper-999", ReplicationOptions(sets=("x",)))
    assert code(error) == "unknown_recipe"
    with pytest.raises(InputError) as error:
        run_recipe("paper-003", ReplicationOptions(sets=("x",), lm="lm.npz"))
    assert code(error) == "foreign_option"
    with pytest.raises(InputError) as error:
        ReplicationOptions(resamples=-1)
    assert code(error) == "bad_value"


def test_what_the_paper_printed_does_not_depend_on_the_data(tmp_path: Path) -> None:
    agreeing = judgements(tmp_path / "a.tsv", [("x", "1", "A=B"), ("y", "1", "A=B")])
    disputing = judgements(tmp_path / "b.tsv", [("x", "1", "A=B"), ("y", "1", "A>B")])
    one, other = (
        run_recipe("paper-003", ReplicationOptions(sets=(file,), resamples=0))
        for file in (agreeing, disputing)
    )
    printed = [
        [cell.paper for table in report.tables for row in table.rows for cell in row.cells]
        for report in (one, other)
    ]
    assert printed[0] == printed[1]
    assert one.data[0].sha256 != other.data[0].sha256
    assert report_from_dict(json.loads(json.dumps(one.as_dict()))) == one
