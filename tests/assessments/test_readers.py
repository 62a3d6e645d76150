"""The readers of assessments: what they return, and what they refuse with place and remedy."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from appraise.lib.problems import InputError
from evaluation.assessments import MarkedSpan, OutputRating, ScoreLevel, SpanSide
from evaluation.importers import SourceFile
from evaluation.importers.evidence import (
    MtmeFiles,
    QualityPair,
    StandardisedScore,
    find_quality_pairs,
    read_appraise_rows,
    read_batches,
    read_human_scores,
    read_metric_scores,
    read_mqm_table,
    read_parallel_texts,
    read_ratings,
    read_standardised_scores,
    select_ratings,
)
from evaluation.importers.evidence.mtme_files import list_language_pairs
from evaluation.importers.evidence.mtme_ratings import list_rating_names
from tests.assessments import samples
from tests.assessments.samples import (
    BATCHES,
    ESA,
    MQM,
    MTME,
    OUTPUTS,
    SOURCES,
    error,
    mtme_files,
    rating,
    source_file,
)

DA_HEADER = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
RATINGS = "human-scores/en-de.mqm.merged.seg.rating"
SCORES = "human-scores/en-de.mqm.seg.score"


def read_mtme(files: MtmeFiles) -> list[OutputRating]:
    texts = read_parallel_texts(files)
    list(read_human_scores(files, texts))
    list(read_metric_scores(files, texts))
    return list(read_ratings(files, texts, "mqm"))


def test_texts_documents_and_references_of_a_directory() -> None:
    texts = read_parallel_texts(mtme_files())
    assert texts.sources == SOURCES
    assert texts.outputs == OUTPUTS
    assert texts.systems == ("alpha", "beta")
    assert texts.documents[2] == ("social", "two")
    assert (texts.source_language, texts.target_language) == ("en", "de")


def test_error_spans_are_code_points_of_the_marked_side() -> None:
    ratings = {(r.system, r.segment): r for r in read_mtme(mtme_files())}
    assert len(ratings) == 5
    grammar = "fluency/grammar"
    assert ratings["beta", 0] == OutputRating(
        "mqm", "beta", 0, None, (MarkedSpan("major", grammar, 4, 7, weight=5),)
    )
    assert ratings["beta", 1].spans[0].is_omission
    assert ratings["alpha", 1].spans[1].side is SpanSide.SOURCE
    assert ratings["alpha", 0].spans == ()


def test_scores_at_every_level() -> None:
    files = mtme_files()
    texts = read_parallel_texts(files)
    human = {scores.level: scores for scores in read_human_scores(files, texts, "mqm")}
    assert human[ScoreLevel.SEGMENT].values["beta"] == (-5.0, -1.0, None)
    assert human[ScoreLevel.SYSTEM].values == {"alpha": (-1.0,), "beta": (-3.0,)}
    assert human[ScoreLevel.DOMAIN].groups == ("news", "social")
    assert human[ScoreLevel.DOMAIN].values["beta"] == (-3.0, None)
    metrics = list(read_metric_scores(files, texts, {"odd-src"}))
    assert [(scores.name, scores.reference) for scores in metrics] == [("odd", "src")]


def test_one_file_per_rater_is_read_if_nothing_is_merged() -> None:
    block = rating("alpha") * 3 + rating("beta", error(0, 1)) * 3
    changes = {RATINGS: None, **{f"human-scores/en-de.mqm.rater{n}.seg.rating": block for n in (1, 2, 10)}}
    found = read_mtme(mtme_files(changes))
    assert list(dict.fromkeys(r.annotator for r in found)) == ["rater1", "rater2", "rater10"]
    assert list_rating_names(mtme_files(changes)) == ["mqm"]


def test_a_row_can_name_its_rater() -> None:
    block = rating("alpha", rater="ann") * 3
    assert {r.annotator for r in read_mtme(mtme_files({RATINGS: block}))} == {"ann"}


def test_language_pairs_of_an_upload() -> None:
    names = ("x/sources/en-de.txt.gz", "x/sources/cs-uk.txt", "x/sources/deep/er.txt", "README")
    assert list_language_pairs([source_file("", name) for name in names]) == ["cs-uk", "en-de"]


def test_a_byte_order_mark_is_a_character_of_the_text() -> None:
    """Published offsets count it (AIRC in WMT23 en-de)."""
    marked = "\ufeff" + MTME["system-outputs/en-de/beta.txt"]
    texts = read_parallel_texts(mtme_files({"system-outputs/en-de/beta.txt": marked}))
    assert texts.outputs["beta"][0] == "\ufeff" + OUTPUTS["beta"][0]


def change_line(path: str, line: int, text: str) -> dict[str, str | bytes | None]:
    lines = MTME[path].splitlines(keepends=True)
    lines[line - 1] = text
    return {path: "".join(lines)}


BAD_MTME: dict[str, tuple[dict[str, str | bytes | None], str, int | None]] = {
    "no source": ({"sources/en-de.txt": None}, "missing_file", None),
    "no error spans": ({RATINGS: None}, "missing_file", None),
    "output truncated": ({"system-outputs/en-de/beta.txt": "Das\n"}, "line_count", 1),
    "output too long": ({"system-outputs/en-de/beta.txt": "a\nb\nc\nd\n"}, "line_count", 4),
    "documents truncated": ({"documents/en-de.docs": "news\tone\n"}, "line_count", 1),
    "documents without domain": (change_line("documents/en-de.docs", 2, "one\n"), "column_count", 2),
    "unknown system": (change_line(RATINGS, 2, rating("gamma")), "unknown_system", 2),
    "unknown system in scores": (change_line(SCORES, 2, "gamma\t1\n"), "unknown_system", 2),
    "truncated row": (change_line(RATINGS, 1, "beta\n"), "column_count", 1),
    "four columns": (change_line(RATINGS, 1, "beta\tNone\tx\ty\n"), "column_count", 1),
    "truncated JSON": (change_line(RATINGS, 1, 'beta\t{"errors": [\n'), "json_syntax", 1),
    "no errors": (change_line(RATINGS, 1, "beta\t{}\n"), "schema", 1),
    "a list for a rating": (change_line(RATINGS, 1, "beta\t[]\n"), "schema", 1),
    "an error that is none": (change_line(RATINGS, 1, 'beta\t{"errors": [5]}\n'), "schema", 1),
    "score as text": (change_line(RATINGS, 1, rating("beta", error(0, 1, score="5"))), "schema", 1),
    "severity as number": (
        change_line(RATINGS, 1, rating("beta", error(0, 1) | {"severity": 5})),
        "schema",
        1,
    ),
    "side as text": (change_line(RATINGS, 1, rating("beta", error(0, 1, is_source_error="no"))), "schema", 1),
    "fraction of a character": (change_line(RATINGS, 1, rating("beta", error(0.5, 1))), "schema", 1),  # type: ignore[arg-type]
    "span outside the text": (change_line(RATINGS, 1, rating("beta", error(0, 13))), "span_outside_text", 1),
    "span backwards": (change_line(RATINGS, 1, rating("beta", error(3, 1))), "span_outside_text", 1),
    "span before the text": (change_line(RATINGS, 1, rating("beta", error(-2, 1))), "span_outside_text", 1),
    "cell too many": ({RATINGS: MTME[RATINGS] + rating("beta")}, "duplicate_cell", 10),
    "score too many": ({SCORES: MTME[SCORES] + "alpha\t0\n"}, "duplicate_cell", 7),
    "system score twice": ({"human-scores/en-de.mqm.sys.score": "alpha\t1\nalpha\t2\n"}, "duplicate_cell", 2),
    "block truncated": ({RATINGS: rating("beta")}, "line_count", None),
    "scores truncated": ({SCORES: "alpha\t1\n"}, "line_count", None),
    "score that is no number": (change_line(SCORES, 3, "beta\tnan\n"), "bad_number", 3),
    "not UTF-8": ({RATINGS: b"beta\t\xff\n"}, "bad_utf8", 1),
    "control character": ({SCORES: "alpha\x00\t1\n"}, "control_char", 1),
    "blank": ({SCORES: ""}, "empty_file", None),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_MTME)
def test_a_bad_directory_is_refused_with_its_place(case: str) -> None:
    changes, code, line = BAD_MTME[case]
    with pytest.raises(InputError) as caught:
        read_mtme(mtme_files(changes))
    problem = caught.value.problems[0]
    assert problem.code == code, problem
    assert problem.message
    assert problem.remedy
    assert problem.file
    if line is not None:
        assert problem.line == line


def test_all_problems_of_a_file_are_reported_together() -> None:
    with pytest.raises(InputError) as caught:
        read_mtme(mtme_files({RATINGS: rating("alpha", error(0, 99)) * 3 + rating("gamma")}))
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3, 4]


def read_esa(text: str = ESA, batches: str | None = None) -> list[OutputRating]:
    rows = list(read_appraise_rows(source_file(text, "esa.csv")))
    batch = source_file(batches or json.dumps(BATCHES), "batches.json")
    return select_ratings(rows, read_batches(batch))


def test_the_last_answer_counts_and_ends_are_exclusive() -> None:
    found = {(r.annotator, r.system, r.segment): r for r in read_esa()}
    assert len(found) == 5
    assert found["u1", "alpha", 0] == OutputRating("u1", "alpha", 0, 90.0, ())
    assert found["u1", "beta", 0].spans == (MarkedSpan("minor", "", 4, 7),)
    assert found["u1", "alpha", 1].spans[0].is_omission


def test_equal_item_numbers_are_told_apart_by_the_batch_of_the_annotator() -> None:
    found = {(r.annotator, r.system, r.segment): r.score for r in read_esa()}
    assert found["u1", "alpha", 1] == 80
    assert found["u2", "alpha", 2] == 70


def test_damaged_copies_are_paired_with_the_output() -> None:
    rows = list(read_appraise_rows(source_file(ESA)))
    pairs = find_quality_pairs(rows, read_batches(samples.batches_file()))
    assert pairs == [QualityPair("u1", "beta", 0, 50.0, 10.0)]


def test_direct_assessment_has_no_spans_column() -> None:
    row = "u1,wmt.alpha,2,TGT,eng,deu,88,one#alpha,False,1.5,2.5\n"
    (answer,) = read_appraise_rows(source_file(row))
    assert answer.spans is None
    assert select_ratings([answer], read_batches(samples.batches_file()))[0].score == 88


def test_an_answer_may_be_only_error_spans() -> None:
    row = samples.esa_row("u", 2, "one#alpha", 7, "[]", 9.5).replace(",7,", ",None,")
    (answer,) = read_appraise_rows(source_file(row))
    assert answer.score is None
    with pytest.raises(InputError, match="bad_number"):
        list(read_appraise_rows(source_file("u1,wmt.alpha,2,TGT,eng,deu,None,one#alpha,False,1.5,2.5\n")))


BAD_ESA = {
    "column missing": (ESA + "u1,wmt.alpha,2\n", "column_count", 9),
    "header": ("user,system\n" + ESA, "column_count", 1),
    "score that is no number": (ESA.replace(",90,", ",good,"), "bad_number", 5),
    "time that is no number": (ESA.replace("1060.5", "nan"), "bad_number", 5),
    "spans as an object": (ESA.replace("[]", "{}", 1), "schema", 1),
    "spans truncated": (ESA.replace('"[]"', '"["', 1), "json_syntax", 1),
    "half an omission": (ESA.replace('""end_i"":""missing""', '""end_i"":3'), "schema", 6),
    "span backwards": (ESA.replace('""start_i"":4', '""start_i"":40', 1), "schema", 4),
    "span outside the text": (ESA.replace('4,""end_i"":6', '4,""end_i"":12'), "span_outside_text", 8),
    "severity missing": (ESA.replace('""severity"":""minor""', '""x"":1', 1), "schema", 4),
    "neither true nor false": (ESA.replace("False", "no", 1), "schema", 1),
    "no user": (ESA.replace("u2,", ",", 1), "empty_cell", 1),
    "unknown item": (ESA.replace(",4,", ",77,", 1), "unknown_item", 2),
    "quotes not balanced": (ESA + '"', "csv_quote", 9),
    "not UTF-8": (b"u1\xff", "bad_utf8", 1),
    "blank": ("\n", "no_items", None),
}


@pytest.mark.parametrize("case", BAD_ESA)
def test_a_bad_answer_file_is_refused_with_its_place(case: str) -> None:
    text, code, line = BAD_ESA[case]
    with pytest.raises(InputError) as caught:
        read_esa(text)  # type: ignore[arg-type]
    problem = caught.value.problems[0]
    assert (problem.code, problem.line) == (code, line), problem
    assert problem.remedy


BAD_BATCHES: dict[str, tuple[object, str]] = {
    "no list": ({"items": []}, "json_syntax"),
    "no batches": ([], "no_items"),
    "no items": ([{"task": {}}], "schema"),
    "text missing": ([{"items": [{"itemID": 1, "documentID": "d#a", "itemType": "TGT"}]}], "schema"),
    "item twice": ([{"items": [samples.batch_item(1, "d#a", 0, "x")] * 2}], "duplicate_id"),
    "segment without number": (
        [{"items": [samples.batch_item(1, "d#a", 0, "x") | {"_item": "a | b | c"}]}],
        "schema",
    ),
}


@pytest.mark.parametrize("case", BAD_BATCHES)
def test_bad_batches_are_refused(case: str) -> None:
    document, code = BAD_BATCHES[case]
    with pytest.raises(InputError) as caught:
        read_batches(source_file(json.dumps(document)))
    assert caught.value.problems[0].code == code
    assert caught.value.problems[0].remedy


def test_batches_without_segments_cannot_be_joined() -> None:
    item = samples.batch_item(2, "one#alpha", 0, "Das rote Haus")
    del item["_item"]
    with pytest.raises(InputError, match="unknown_segment"):
        read_esa(ESA.splitlines(keepends=True)[3], json.dumps([{"items": [item]}]))


def test_an_mqm_table_gives_spans_texts_and_attention_tests() -> None:
    table = read_mqm_table(source_file(MQM, "mqm.tsv"))
    assert [place.identity for place in table.places] == ["7", "10"]
    assert table.outputs["alpha"] == {0: "Das rote Haus", 1: "Heute"}
    assert table.tests["r1"] == {"found": 1}
    found = {(r.system, r.segment, r.annotator): r.spans for r in table.ratings}
    assert found["alpha", 0, "r1"] == ()
    assert [(s.start, s.end) for s in found["alpha", 0, "r2"]] == [(4, 8), (0, 3)]
    assert found["alpha", 1, "r1"] == (MarkedSpan("Major", "Accuracy/Omission", 3, 8, SpanSide.SOURCE),)
    assert [(s.start, s.end) for s in found["beta", 0, "r1"]] == [(8, 12)]
    assert [warning.code for warning in table.warnings] == ["unclosed_mark"]


BAD_MQM = {
    "no header": (MQM.split("\n", 1)[1], "bad_header", 1),
    "column missing": (MQM.replace("\tseverity\n", "\n"), "bad_header", 1),
    "row truncated": (MQM.replace("\tMinor\n", "\n", 1), "column_count", 2),
    "no rater": (MQM.replace("\tr2\t", "\t\t", 1), "empty_cell", 2),
    "two marks": (MQM.replace("<v>rote</v>", "<v>ro</v><v>te</v>"), "bad_markup", 2),
    "another target": (MQM.replace("<v>Das</v>", "<v>Der</v>"), "text_mismatch", 3),
    "another source": (MQM.replace("The red house", "A red house", 1), "text_mismatch", 3),
    "segment in two documents": (MQM.replace("\tone\t1\t7", "\ttwo\t1\t7", 1), "duplicate_id", 3),
    "no rows": (samples.MQM_HEADER, "no_items", None),
    "not UTF-8": (b"system\xff", "bad_utf8", 1),
}


@pytest.mark.parametrize("case", BAD_MQM)
def test_a_bad_mqm_table_is_refused_with_its_place(case: str) -> None:
    text, code, line = BAD_MQM[case]
    with pytest.raises(InputError) as caught:
        read_mqm_table(source_file(text))  # type: ignore[arg-type]
    problem = caught.value.problems[0]
    assert (problem.code, problem.line) == (code, line), problem
    assert problem.remedy


DA_ROW = "h\tw1\tcs\ten\tad\t97\talpha\t1\tSYSTEM\t7\t0.5\t3\n"


def test_standardised_scores_with_and_without_quality_control() -> None:
    text = DA_HEADER + DA_ROW + DA_ROW.replace("SYSTEM", "BAD_REF")
    found = list(read_standardised_scores(source_file(text)))
    assert found[0] == StandardisedScore("w1", "97", "alpha", "7", "SYSTEM", 0.5)
    assert [score.is_judgement for score in found] == [True, False]


BAD_DA = {
    "no header": (DA_ROW, "bad_header", 1),
    "row truncated": (DA_HEADER + DA_ROW + "h\tw1\n", "column_count", 3),
    "score infinite": (DA_HEADER + DA_ROW.replace("0.5", "inf"), "bad_number", 2),
    "no worker": (DA_HEADER + DA_ROW.replace("w1", ""), "empty_cell", 2),
    "no rows": (DA_HEADER, "no_items", None),
}


@pytest.mark.parametrize("case", BAD_DA)
def test_bad_da_scores_are_refused_with_their_place(case: str) -> None:
    text, code, line = BAD_DA[case]
    with pytest.raises(InputError) as caught:
        list(read_standardised_scores(source_file(text)))
    problem = caught.value.problems[0]
    assert (problem.code, problem.line) == (code, line), problem
    assert problem.remedy


READERS: dict[str, Callable[[SourceFile], object]] = {
    "rows": lambda file: list(read_appraise_rows(file)),
    "batches": read_batches,
    "mqm": read_mqm_table,
    "da": lambda file: list(read_standardised_scores(file)),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_missing_file_is_a_problem_and_no_crash(reader: str, tmp_path: object) -> None:
    with pytest.raises(InputError, match="unreadable_file"):
        READERS[reader](SourceFile.from_path(f"{tmp_path}/absent"))
