"""``manage.py phrase_study``: the figures of a small set, computed by hand, and those of WMT23."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.assessments import MarkedSpan, OutputRating, ParallelTexts
from evaluation.assessments.phrase_study import SpanEvidence, study_phrases
from evaluation.assessments.study_counts import StudyRow
from evaluation.importers.evidence import MtmeFiles, read_parallel_texts
from evaluation.importers.evidence.study_files import load_evidence
from tests.assessments import samples

WEIGHTS = {"minor": 1.0, "major": 5.0}
TEXTS = ParallelTexts(
    "de-en",
    ("Sie verkauften das Haus",),
    {
        "one": ("they sold the red house",),
        "two": ("they sold the blue house",),
        "three": ("this morning, as far as we have heard, they sold the red house",),
        "ref": ("they sold the green house",),
    },
    {"ref": ("they sold the green house",)},
)
RED, BLUE = (14, 17), (14, 18)
RED_IN_THREE = (52, 55)


def evidence(name: str, **marked: list[tuple[str, int, int]]) -> SpanEvidence:
    ratings = [
        OutputRating(
            name, system, 0, None, tuple(MarkedSpan(grade, "", start, end) for grade, start, end in spans)
        )
        for system, spans in marked.items()
    ]
    return SpanEvidence.of(name, ratings, lambda span: WEIGHTS[span.severity])


def row(rows: tuple[StudyRow, ...], coarseness: str) -> StudyRow:
    return next(row for row in rows if row.coarseness == coarseness)


def test_a_pair_that_occurs_twice_counts_once() -> None:
    """red/blue occurs in one–two and in three–two; what only three says is a question of its own."""
    first = evidence("x", one=[("minor", *RED)], two=[], three=[("minor", *RED_IN_THREE)], ref=[])
    second = evidence("y", one=[("major", *RED)], two=[], three=[], ref=[])
    study = study_phrases(TEXTS, [first, second], resamples=0)
    assert study.sentence_pairs == 3
    question = row(study.rows, "question")
    assert (question.n, question.same_side) == (1, 1.0)
    # In three–two only x prefers a side.
    assert (question.n_occurrences, question.same_side_occurrences) == (1, 1.0)
    # Distinct: both prefer blue, and neither prefers a side of the addition.
    assert question.p_a == 1.0
    assert question.scott_pi == 1.0
    assert question.same_side_ci is None
    assert (question.in_one, question.cut, question.covered) == (1.0, 0.0, 1.0)


def test_sources_that_contradict_each_other() -> None:
    first = evidence("x", one=[("minor", *RED)], two=[])
    second = evidence("y", one=[], two=[("minor", *BLUE)])
    study = study_phrases(TEXTS, [first, second], resamples=0)
    for line in study.rows:
        assert (line.n, line.same_side, line.p_a) == (1, 0.0, 0.0)
        assert line.scott_pi == pytest.approx(-1.0)


def test_the_better_sentence_by_scores_and_by_errors_is_told_apart() -> None:
    """By its errors y prefers two and by its scores one, as x does, who gave no scores."""
    first = evidence("x", one=[], two=[("minor", *BLUE)])
    second = evidence("y", one=[("minor", *RED)], two=[])
    scores = {"one": 80.0, "two": 60.0}
    scored = {
        cell: [replace(rating, score=scores[rating.system]) for rating in ratings]
        for cell, ratings in second.ratings.items()
    }
    study = study_phrases(TEXTS, [first, replace(second, ratings=scored)], resamples=0)
    sentence = row(study.rows, "sentence")
    assert (sentence.n, sentence.same_side) == (1, 0.0)
    assert (sentence.n_scores, sentence.same_side_scores) == (1, 1.0)
    assert row(study.rows, "question").n_scores is None
    without = row(study_phrases(TEXTS, [first, second], resamples=0).rows, "sentence")
    assert (without.n_scores, without.same_side_scores) == (None, None)


def test_a_span_over_a_shared_word_is_neither_in_one_question_nor_cut() -> None:
    first = evidence("x", one=[("minor", 10, 17)], two=[])
    study = study_phrases(TEXTS, [first, evidence("y", one=[], two=[])], resamples=0)
    question, sentence = row(study.rows, "question"), row(study.rows, "sentence")
    assert (question.in_one, question.cut, question.covered) == (0.0, 0.0, 1.0)
    assert (sentence.in_one, sentence.cut) == (1.0, 0.0)
    assert question.same_side is None
    assert question.n == 0


def test_outputs_that_one_source_did_not_rate_are_no_evidence() -> None:
    study = study_phrases(TEXTS, [evidence("x", one=[], two=[]), evidence("y", one=[])], resamples=10)
    assert study.sentence_pairs == 0
    assert all(line.p_a is None and line.same_side_ci is None for line in study.rows)


def write_files(folder: Path) -> dict[str, str]:
    samples.write_mtme_folder(folder)
    (folder / "esa.csv").write_text(samples.ESA, "utf-8")
    (folder / "batches.json").write_text(json.dumps(samples.BATCHES), "utf-8")
    odd = samples.MTME["human-scores/en-de.mqm.merged.seg.rating"].replace('"score": 5', '"score": null')
    (folder / "odd.rating").write_text(odd, "utf-8")
    other = json.loads(json.dumps(samples.BATCHES))
    other[0]["items"][1]["targetText"] = "Das blaue Haus"
    (folder / "other.json").write_text(json.dumps(other), "utf-8")
    return {
        "mqm": f"mqm={folder}/human-scores/en-de.mqm.merged.seg.rating",
        "esa": f"esa={folder}/esa.csv:{folder}/batches.json",
        "odd": f"odd={folder}/odd.rating",
        "other": f"other={folder}/esa.csv:{folder}/other.json",
        "absent": f"absent={folder}/absent",
    }


def run(folder: Path, *evidence: str, form: str = "json") -> None:
    arguments = [f"--evidence={text}" for text in evidence]
    call_command("phrase_study", f"--mtme={folder}", "--lp=en-de", *arguments, f"--format={form}")


def test_the_command_reads_ratings_and_campaigns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write_files(tmp_path)
    run(tmp_path, files["mqm"], files["esa"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["sentence_pairs"] == 1
    assert [line["coarseness"] for line in document["rows"]] == [
        "question", "join-1", "join-2", "join-3", "join-5", "sentence",
    ]  # fmt: skip
    assert all(line["evidence"] == ["mqm", "esa"] for line in document["rows"])
    sentence = document["rows"][-1]
    assert (sentence["n"], sentence["same_side"]) == (1, 1.0)
    run(tmp_path, files["mqm"], files["esa"], form="text")
    assert "join-5" in capsys.readouterr().out
    run(tmp_path, files["mqm"], files["esa"], form="svg")
    assert capsys.readouterr().out.startswith("<svg")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["mqm"], "twice"),
        (["mqm", "mqm"], "two files"),
        (["mqm", "plain"], "NAME=FILE"),
        (["mqm", "absent"], "unreadable_file"),
        (["mqm", "odd"], "weighting"),
        (["mqm", "other"], "text_mismatch"),
    ],
)
def test_bad_evidence_is_refused(tmp_path: Path, names: list[str], words: str) -> None:
    files = write_files(tmp_path)
    with pytest.raises(CommandError, match=words):
        run(tmp_path, *(files.get(name, name) for name in names))


@pytest.mark.realdata
def test_phrases_and_sentences_of_wmt23(real_data: Path) -> None:
    """MQM and ESA-1 on every tenth segment; docs/phrase-study.md has the table of all."""
    esa, root = real_data / "esa_wmt23", real_data / "mtme_wmt23"
    texts = read_parallel_texts(MtmeFiles.from_folder(root, "en-de"))
    mqm = load_evidence("mqm", root / "human-scores" / "en-de.mqm.merged.seg.rating", None, texts)
    spans = load_evidence("esa", esa / "ESA-1.scores.csv", esa / "batches_esa.json.gz", texts)
    some = {cell: ratings for cell, ratings in mqm.ratings.items() if cell[1] % 10 == 0}
    study = study_phrases(texts, [replace(mqm, ratings=some), spans])
    question, sentence = row(study.rows, "question"), row(study.rows, "sentence")
    assert study.sentence_pairs == 970
    assert question.same_side_occurrences == pytest.approx(0.77, abs=0.06)
    assert sentence.same_side == pytest.approx(0.63, abs=0.05)
    assert question.same_side is not None
    assert sentence.same_side is not None
    assert question.same_side > sentence.same_side
    assert question.scott_pi == pytest.approx(0, abs=0.1)
    assert question.covered == pytest.approx(0.99, abs=0.01)
