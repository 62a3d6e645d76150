"""``manage.py ratings``: published figures, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from hypothesis import assume, given, settings, strategies as st
from scipy import stats

from appraise.lib.tables import TsvReader
from evaluation.assessments import OutputRating
from evaluation.assessments.annotator_agreement import measure_agreement, pair_ratings
from evaluation.assessments.ranking import rank_sum, signed_rank
from evaluation.assessments.scores import ScoreColumns, average_systems, estimate_intervals
from evaluation.assessments.values import MarkedSpan
from evaluation.importers.evidence import read_standardised_scores
from evaluation.importers.model import SourceFile
from tests.assessments import samples


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("ratings", *arguments)
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def write(folder: Path, **files: str) -> dict[str, str]:
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return {name: str(folder / name) for name in files}


def test_a_directory_by_its_error_spans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = samples.write_mtme_folder(tmp_path)
    document = run(capsys, "--mtme", str(folder), "--lp", "en-de", "--resamples", "50")
    assert document["protocol"] == "mqm"
    assert document["segments"] == {"alpha": [0.0, -2.0, -1.0], "beta": [-5.0, -1.0, None]}
    assert list(document["systems"]) == ["alpha", "beta"]
    assert document["systems"]["alpha"]["mean"] == -1
    assert document["systems"]["beta"] | {"ci": None} == {
        "mean": -3.0, "z": None, "n": 2, "ci": None, "rank": [1, 2], "cluster": 1,
    }  # fmt: skip
    assert document["annotators"]["mqm"]["n"] == 5
    assert document["tests"] == [{"a": "alpha", "b": "beta", "p": 1.0}]


def test_without_error_spans_the_segment_scores_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = samples.write_mtme_folder(tmp_path)
    (folder / "human-scores/en-de.mqm.merged.seg.rating").unlink()
    document = run(capsys, "--mtme", str(folder), "--lp", "en-de", "--resamples=0")
    assert document["segments"]["beta"] == [-5.0, -1.0, None]
    assert document["annotators"] == {}
    assert document["systems"]["beta"]["ci"] is None


def test_a_campaign_with_quality_control(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write(tmp_path, answers=samples.ESA, batches=json.dumps(samples.BATCHES))
    arguments = ["--appraise-csv", files["answers"], "--batches", files["batches"], "--resamples=0"]
    document = run(capsys, *arguments)
    assert document["protocol"] == "esa"
    assert document["segments"] == {"alpha": [90.0, 80.0, 70.0], "beta": [50.0, None, 60.0]}
    quality = document["annotators"]["u1"]["quality_control"]
    assert (quality["pairs"], quality["good_mean"], quality["bad_mean"]) == (1, 50.0, 10.0)
    assert document["annotators"]["u2"]["quality_control"] is None
    mine = np.array([90.0, 80.0, 50.0])
    z = (np.array([90.0, 80.0]) - mine.mean()) / mine.std(ddof=1)
    theirs = 1 / np.sqrt(2)  # two scores are ± 1/√2 standard deviations from their mean
    assert document["systems"]["alpha"]["z"] == pytest.approx((z.sum() + theirs) / 3)
    weighted = run(capsys, *arguments, "--score", "esa-spans")
    assert weighted["segments"]["alpha"] == [0.0, -5.0, 0.0]


def test_an_mqm_table_averages_raters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write(tmp_path, mqm=samples.MQM)
    document = run(capsys, "--mqm-tsv", files["mqm"], "--details", "--resamples=0")
    assert document["segments"] == {"alpha": [pytest.approx(-0.55), -5.0], "beta": [-25.0, None]}
    assert document["annotators"]["r1"]["quality_control"] == {"found": 1, "missed": 0}
    assert document["agreement"]["all"]["pairs"] == 1
    assert document["agreement"]["all"]["pearson"] is None


@pytest.mark.parametrize("form", ["csv", "latex", "text"])
def test_every_format_names_the_systems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    call_command(
        "ratings", "--mqm-tsv", write(tmp_path, mqm=samples.MQM)["mqm"], "--details", "--format", form
    )
    assert "alpha" in capsys.readouterr().out


REFUSED = {
    "no language pair": (["--mtme", "DIR"], "--lp"),
    "another language pair": (["--mtme", "DIR", "--lp", "de-en"], "missing_file"),
    "unknown scores": (["--mtme", "DIR", "--lp", "en-de", "--human", "da"], "names with scores"),
    "no batches": (["--appraise-csv", "answers"], "--batches"),
    "no scores": (["--mqm-tsv", "mqm", "--score", "given"], "mqm-google"),
    "no spans": (
        ["--mtme", "DIR", "--lp", "en-de", "--human", "plain", "--score", "mqm-esa"],
        "no error spans",
    ),
    "no documents": (["--appraise-csv", "answers", "--batches", "batches", "--unit", "document"], "document"),
    "unknown severity": (["--mqm-tsv", "odd"], "'Grave'"),
    "no such file": (["--da", "absent"], "unreadable_file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_computed_is_refused(tmp_path: Path, case: str) -> None:
    arguments, words = REFUSED[case]
    folder = samples.write_mtme_folder(tmp_path / "DIR")
    (folder / "human-scores/en-de.plain.seg.score").write_text("alpha\t1\nalpha\t1\nalpha\t1\n")
    odd = samples.MQM.replace("\tMajor\n", "\tGrave\n")
    write(tmp_path, answers=samples.ESA, batches=json.dumps(samples.BATCHES), mqm=samples.MQM, odd=odd)
    names = {"DIR", "answers", "batches", "mqm", "odd", "absent"}
    paths = [str(tmp_path / word) if word in names else word for word in arguments]
    with pytest.raises(CommandError, match=words) as caught:
        call_command("ratings", *paths)
    assert caught.value.returncode == 2


def test_an_interval_resamples_segments_or_documents() -> None:
    rng = np.random.default_rng(1)
    effects = np.repeat(rng.normal(size=20), 10)  # segments of a document are alike
    outputs = (effects + rng.normal(scale=0.1, size=200))[None]
    (by_segment,), (by_document,) = (
        estimate_intervals(outputs, units=units, resamples=2000)
        for units in (None, [n // 10 for n in range(200)])
    )
    assert by_segment
    assert by_document
    assert by_segment[1] - by_segment[0] == pytest.approx(2 * 1.96 * outputs.std() / 200**0.5, rel=0.1)
    assert by_document[1] - by_document[0] > 2.5 * (by_segment[1] - by_segment[0])


def test_segments_that_nobody_scored_do_not_widen_the_interval() -> None:
    scores = np.random.default_rng(1).normal(size=(1, 100))
    padded = np.hstack([scores, np.full((1, 900), np.nan)])
    assert estimate_intervals(padded) == estimate_intervals(scores)
    assert average_systems(padded) == average_systems(scores)


def test_annotators_whose_scores_are_equal_have_no_z() -> None:
    ratings = [OutputRating("ann", "s", n, 5.0) for n in range(3)]
    columns = ScoreColumns.of(ratings, lambda rating: rating.score)
    assert np.isnan(columns.standardise()).all()


def test_tests_without_data_or_differences() -> None:
    nothing, equal = np.full(3, np.nan), np.ones(3)
    assert signed_rank(nothing, equal).p is None
    assert rank_sum(nothing, equal).p is None
    assert signed_rank(equal, equal) == (1.0, 1.0)
    assert signed_rank(equal, np.zeros(3)) == (0.25, 0.125)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=7))
def test_the_signed_rank_test_of_few_pairs_is_that_of_scipy(differences: list[int]) -> None:
    values = np.array(differences, dtype=np.float64)
    changed = values[values != 0]
    found = signed_rank(values, np.zeros(len(values)))
    assume(len(changed) > 1)  # fewer are too few for scipy
    for p, side in ((found.p, "two-sided"), (found.p_greater, "greater")):
        exact = stats.PermutationMethod(n_resamples=1000)
        assert p == pytest.approx(stats.wilcoxon(changed, alternative=side, method=exact).pvalue)


def test_agreement_of_annotators_on_scores_and_characters() -> None:
    ratings = [
        OutputRating("bob", "s", 0, 1.0, (MarkedSpan("minor", "", 0, 4),)),
        OutputRating("ann", "s", 0, 2.0, (MarkedSpan("major", "", 2, 6), MarkedSpan("minor"))),
        OutputRating("ann", "s", 1, 3.0),
        OutputRating("bob", "s", 1, 5.0, (MarkedSpan("minor", "", 0, 2),)),
        OutputRating("ann", "t", 0, 9.0),
        OutputRating("ann", "s", 2, 4.0),
        OutputRating("bob", "s", 2, 4.0),
    ]
    pairs = pair_ratings(ratings)
    assert [(a.annotator, b.annotator) for a, b in pairs] == [("ann", "bob")] * 3
    found = measure_agreement(pairs, lambda rating: rating.score, lambda rating: 10)
    assert found.pairs == 3
    assert found.character_f1 == pytest.approx(2 * 2 / (4 + 4 + 2))
    assert found.kendall_tau_c == pytest.approx(stats.kendalltau([2, 3, 4], [1, 5, 4], variant="c").statistic)
    assert found.pearson == pytest.approx(stats.pearsonr([2, 3, 4], [1, 5, 4]).statistic)
    assert found.alpha_u is not None
    assert measure_agreement([], lambda rating: rating.score, lambda rating: 1).character_f1 is None


def published_columns(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text("utf-8").splitlines() if line.strip()]


@pytest.mark.realdata
@pytest.mark.parametrize("pair", ["cs-en", "zh-en"])
def test_direct_assessment_of_wmt22(real_data: Path, capsys: pytest.CaptureFixture[str], pair: str) -> None:
    """Kocmi et al. 2022: system z-scores, Wilcoxon's p-values and clusters as published."""
    root = real_data / "da_wmt22"
    file = root / f"{pair}.good-stnd-redup.tsv.gz"
    document = run(capsys, "--da", str(file), "--resamples=0")
    systems = document["systems"]
    published = {row[3]: row for row in published_columns(root / f"{pair}.sys-scores.csv")[1:]}
    assert systems.keys() == published.keys()
    for name, row in published.items():
        assert systems[name]["z"] == pytest.approx(float(row[1]), abs=1e-9)
        assert systems[name]["n"] == int(row[2])
    clusters = {row[7]: row for row in published_columns(root / "clusters.csv")[1:] if row[0] == pair[:2]}
    starts = sorted({int(row[4]) for row in clusters.values()})
    for name, row in clusters.items():
        assert systems[name]["cluster"] == starts.index(int(row[4])) + 1
        assert len(clusters) - systems[name]["rank"][1] == int(row[2])  # wins
    check_p_values(file, published_columns(root / f"{pair}.wilcoxon.csv"))


def check_p_values(file: Path, matrix: list[list[str]]) -> None:
    """The matrix has the one-sided p of row over column, .12 for what is not below .05."""
    segments: dict[str, int] = {}
    ratings = [
        OutputRating(s.annotator, s.system, segments.setdefault(s.segment, len(segments)), s.score)
        for s in read_standardised_scores(SourceFile.from_path(file))
        if s.is_judgement
    ]
    columns = ScoreColumns.of(ratings, lambda rating: rating.score)
    outputs = dict(zip(columns.systems, columns.average_outputs(columns.value), strict=True))
    names, *rows = matrix
    count = 0
    for a, *values in rows:
        for b, text in zip(names, values, strict=True):
            p, expected = rank_sum(outputs[a], outputs[b]).p_greater, float(text)
            assert p is not None
            if expected == 0.12:
                assert a == b or p >= 0.05
            else:
                assert p == pytest.approx(expected, rel=1e-9)
                count += 1
    assert count == 47


@pytest.mark.realdata
def test_mqm_of_wmt23_equals_the_published_scores(
    real_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = real_data / "mtme_wmt23"
    for score in ("given", "mqm-google"):
        document = run(capsys, "--mtme", str(root), "--lp", "en-de", "--score", score, "--resamples=0")
        assert count_equal(document, root / "human-scores" / "en-de.mqm.seg.score") == (5980, 5980)
    published = dict(published_columns(root / "human-scores" / "en-de.mqm.sys.score"))
    for name, system in document["systems"].items():
        assert system["mean"] == pytest.approx(float(published[name]), abs=1e-9)


@pytest.mark.realdata
@pytest.mark.parametrize("pair", ["en-de", "zh-en"])
def test_mqm_tables_of_ted_equal_the_published_scores(
    real_data: Path, capsys: pytest.CaptureFixture[str], pair: str
) -> None:
    """All 6,877 outputs of thirteen systems; the table of scores has their numbers in the set."""
    document = run(capsys, "--mqm-tsv", str(real_data / "mqm" / f"ted.{pair}.errors.tsv.gz"), "--resamples=0")
    published: dict[str, dict[int, float]] = {}
    for _, row in TsvReader(real_data / "mqm" / f"ted.{pair}.scores.tsv.gz", ("system", "seg", "mqm")):
        if row["mqm"] not in ("", "None"):
            published.setdefault(row["system"], {})[int(row["seg"])] = float(row["mqm"])
    machines = {name: scores for name, scores in published.items() if not name.startswith("ref")}
    assert sum(map(len, machines.values())) == 6877
    for name, scores in machines.items():
        expected = [scores[segment] for segment in sorted(scores)]
        assert document["segments"][name] == pytest.approx(expected, abs=1e-6), name


@pytest.mark.realdata
def test_esa_of_wmt23_equals_the_published_scores(
    real_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = real_data / "esa_wmt23"
    answers, batches = (str(root / name) for name in ("ESA-1.scores.csv", "batches_esa.json.gz"))
    document = run(capsys, "--appraise-csv", answers, "--batches", batches, "--resamples=0")
    assert count_equal(document, root / "en-de.ESA-1.seg.score") == (2691, 2691)


def count_equal(document: dict[str, Any], path: Path) -> tuple[int, int]:
    """How many scores are equal, and how many there are."""
    published: dict[str, list[float | None]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for system, text in csv.reader(file, delimiter="\t"):
            published.setdefault(system, []).append(None if text == "None" else float(text))
    pairs = [
        (value, document["segments"][system][segment])
        for system, values in published.items()
        for segment, value in enumerate(values)
        if value is not None
    ]
    return sum(y is not None and abs(x - y) < 1e-9 for x, y in pairs), len(pairs)
