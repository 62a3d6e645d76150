"""Reading and writing a file sorts it and changes nothing else."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from evaluation.assessments import WEIGHTINGS, MarkedSpan, OutputRating, ParallelTexts, SpanSide
from evaluation.exporters.assessments import appraise_csv_lines, mqm_table_lines, write_mtme
from evaluation.importers import SourceFile
from evaluation.importers.evidence import (
    MtmeFiles,
    read_appraise_rows,
    read_human_scores,
    read_metric_scores,
    read_mqm_table,
    read_parallel_texts,
    read_ratings,
)
from tests.assessments.samples import ESA, MQM, MTME, mtme_files, source_file


def export_mtme(files: MtmeFiles, name: str = "mqm") -> dict[str, str]:
    texts = read_parallel_texts(files)
    exported = write_mtme(
        texts,
        {name: read_ratings(files, texts, name)},
        read_human_scores(files, texts),
        read_metric_scores(files, texts),
    )
    return {path: "".join(lines) for path, lines in exported}


def canonical_mtme(path: str, text: str) -> tuple[str, list[str]]:
    """What ``docs/formats.md`` promises, without the readers: blocks by system, and floats for scores."""
    lines = text.split("\n")[:-1]
    if path.endswith(".score"):
        lines = ["\t".join([*line.split("\t")[:-1], as_float(line.split("\t")[-1])]) for line in lines]
    if ".domain." in path:
        groups = sorted({line.split("\t")[0] for line in lines})
        systems = sorted({line.split("\t")[1] for line in lines})
        known = {tuple(line.split("\t")[:2]): line for line in lines}
        lines = [known.get((g, s), f"{g}\t{s}\tNone") for g in groups for s in systems]
    elif path.startswith(("human-scores", "metric-scores")):
        lines = sorted(lines, key=lambda line: line.split("\t")[0])
    return path.replace(".merged.", "."), lines


def as_float(text: str) -> str:
    return text if text == "None" else repr(float(text))


def test_an_exported_directory_is_the_imported_one_in_canonical_order() -> None:
    exported = {path: text.split("\n")[:-1] for path, text in export_mtme(mtme_files()).items()}
    assert exported == dict(canonical_mtme(path, text) for path, text in MTME.items())


@pytest.mark.realdata
def test_the_published_directory_survives(real_data: Path) -> None:
    """WMT23 en-de, all 24 metric files, human scores at three levels and 5,980 ratings."""
    root = real_data / "mtme_wmt23"
    exported = {
        path: text.split("\n")[:-1]
        for path, text in export_mtme(MtmeFiles.from_folder(root, "en-de")).items()
    }
    files = {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in root.rglob("*")
        if path.is_file()
    }
    expected = dict(canonical_mtme(path, text) for path, text in files.items())
    assert exported.keys() == expected.keys()
    assert [path for path in exported if exported[path] != expected[path]] == []


def test_exporting_twice_changes_nothing() -> None:
    first = export_mtme(mtme_files())
    again = MtmeFiles.from_files([source_file(text, path) for path, text in first.items()], "en-de")
    assert export_mtme(again) == first


def test_a_weighting_writes_the_scores_of_published_files() -> None:
    files = mtme_files()
    texts = read_parallel_texts(files)
    ratings = [
        replace(r, spans=tuple(replace(span, weight=None) for span in r.spans))
        for r in read_ratings(files, texts, "mqm")
    ]
    weigh = WEIGHTINGS["mqm-google"].weigh
    exported = {path: "".join(lines) for path, lines in write_mtme(texts, {"mqm": ratings}, weigh=weigh)}
    path = "human-scores/en-de.mqm.seg.rating"
    assert exported[path] == export_mtme(files)[path]


def test_one_changed_answer_changes_one_line() -> None:
    files = mtme_files()
    texts = read_parallel_texts(files)
    ratings = list(read_ratings(files, texts, "mqm"))
    edited = [replace(ratings[0], spans=(MarkedSpan("minor", "", 0, 2, weight=1.0),)), *ratings[1:]]
    before, after = (
        ["".join(lines) for _, lines in write_mtme(texts, {"mqm": answers})] for answers in (ratings, edited)
    )
    assert count_different_lines("".join(before), "".join(after)) == 1


def count_different_lines(before: str, after: str) -> int:
    assert before.count("\n") == after.count("\n")
    return sum(x != y for x, y in zip(before.split("\n"), after.split("\n"), strict=True))


def canonical_csv(text: str) -> list[list[str]]:
    rows = list(csv.reader(io.StringIO(text)))
    for row in rows:
        spans = json.loads(row[9])
        for span in spans:
            span.setdefault("error_type", None)
        row[9] = json.dumps(spans, separators=(",", ":"))
    return sorted(rows, key=lambda row: (row[0], int(row[2]), row[7], float(row[-2]), float(row[-1])))


def export_csv(text: str) -> str:
    return "".join(appraise_csv_lines(read_appraise_rows(source_file(text))))


def test_appraise_csv_survives_in_canonical_order() -> None:
    exported = export_csv(ESA)
    assert list(csv.reader(io.StringIO(exported))) == canonical_csv(ESA)
    assert export_csv(exported) == exported
    assert count_different_lines(exported, export_csv(ESA.replace(",90,", ",20,"))) == 1


def test_direct_assessment_csv_survives() -> None:
    row = "u1,wmt.alpha,2,TGT,eng,deu,87.5,one#alpha,True,1.5,2.5\n"
    assert export_csv(row) == row


@pytest.mark.realdata
def test_the_published_campaign_survives(real_data: Path) -> None:
    text = (real_data / "esa_wmt23" / "ESA-1.scores.csv").read_text("utf-8")
    assert list(csv.reader(io.StringIO(export_csv(text)))) == canonical_csv(text)


def export_mqm(text: str) -> str:
    return "".join(mqm_table_lines(read_mqm_table(source_file(text))))


def test_an_mqm_table_survives_in_canonical_order() -> None:
    header, *rows = MQM.replace("<v>Haus\t", "<v>Haus</v>\t").splitlines(keepends=True)
    kept = [row for row in rows if "HOTW-test" not in row]
    order = sorted(kept, key=lambda row: (row.split("\t")[0], int(row.split("\t")[3]), row.split("\t")[4]))
    exported = export_mqm(MQM)
    assert exported == header + "".join(order)
    assert export_mqm(exported) == exported


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["generalMT2023_sxs.en-de", "ted.en-de", "ted.zh-en"])
def test_published_mqm_tables_survive(real_data: Path, name: str) -> None:
    table = read_mqm_table(SourceFile.from_path(real_data / "mqm" / f"{name}.errors.tsv.gz"))
    again = read_mqm_table(source_file("".join(mqm_table_lines(table))))
    assert again.ratings == table.ratings
    assert again.places == table.places


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12).map(
    lambda text: f"{text}x"  # a blank line would be no segment of a file
)


@st.composite
def rated_texts(draw: st.DrawFn) -> tuple[ParallelTexts, list[OutputRating]]:
    size = draw(st.integers(1, 3))
    block = st.lists(texts, min_size=size, max_size=size).map(tuple)
    outputs = {name: draw(block) for name in draw(st.sets(st.sampled_from("abc"), min_size=1))}
    parallel = ParallelTexts("en-de", draw(block), dict(sorted(outputs.items())))
    ratings = []
    for system, segments in parallel.outputs.items():
        for segment, text in enumerate(segments):
            for annotator in sorted(draw(st.sets(st.sampled_from(["rater1", "rater2"])))):
                spans = draw(st.lists(spans_in(text, parallel.sources[segment]), max_size=3))
                ratings.append(OutputRating(annotator, system, segment, None, tuple(spans)))
    return parallel, ratings


@st.composite
def spans_in(draw: st.DrawFn, target: str, source: str) -> MarkedSpan:
    side = draw(st.sampled_from(SpanSide))
    size = len(target if side is SpanSide.TARGET else source)
    start, end = sorted(draw(st.tuples(st.integers(0, size), st.integers(0, size))))
    weight = draw(st.one_of(st.none(), st.integers(0, 25), st.floats(0, 25)))
    severity = draw(st.sampled_from(["minor", "major", "“odd”"]))
    if draw(st.booleans()):
        return MarkedSpan(severity, draw(texts), None, None, side, weight)
    return MarkedSpan(severity, draw(texts), start, end, side, weight)


@settings(max_examples=50, deadline=None)
@given(rated_texts())
def test_any_ratings_survive_the_directory(example: tuple[ParallelTexts, list[OutputRating]]) -> None:
    parallel, ratings = example
    files = [source_file("".join(lines), path) for path, lines in write_mtme(parallel, {"esa": ratings})]
    directory = MtmeFiles.from_files(files, "en-de")
    found = read_parallel_texts(directory)
    assert found == parallel
    back = list(read_ratings(directory, found, "esa"))
    key = lambda rating: (rating.system, rating.segment, rating.annotator)  # noqa: E731
    assert sorted(back, key=key) == sorted(ratings, key=key)
