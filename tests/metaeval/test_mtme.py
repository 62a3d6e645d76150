"""``metaeval --mtme``: accuracy with tie calibration, soft accuracy, comparisons; figures of WMT23."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, strategies as st

from metrics.metaeval.datasets import Ratings
from metrics.metaeval.evaluation import pairs_of
from metrics.metaeval.kendall import accuracy_by_segment, calibrated_accuracy
from metrics.metaeval.mtme import load_mtme
from metrics.metaeval.scoring import score_dataset
from metrics.metaeval.soft_accuracy import permutation_p_values, soft_pairwise_accuracy
from metrics.scoring.model_files import load_metrics
from tests.assessments import samples


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("metaeval", *arguments)
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return samples.write_mtme_folder(tmp_path)


def test_all_published_metrics_take_part_unless_some_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """People prefer alpha in one segment and beta in another; "good" agrees twice, "odd" never."""
    found = run(capsys, f"--mtme={folder}", "--lp=en-de")
    assert list(found) == ["good-refA", "odd-src"]
    good, odd = found.values()
    assert (good["acc_eq"], good["acc_eq_epsilon"], good["tau"]) == (1.0, 0.0, 1.0)
    assert (odd["acc_eq"], odd["tau"]) == (0.0, -0.5)
    assert good["systems"] == 2
    assert good["system_pearson"] == pytest.approx(1)
    assert 0 <= odd["spa"] < good["spa"] <= 1


def test_documents_and_domains_have_figures_of_their_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures of a domain are those of a directory with its segments only."""
    labels = [line.split("\t") for line in (folder / "documents" / "en-de.docs").read_text().splitlines()]
    arguments = [f"--mtme={folder}", "--lp=en-de", "--resamples=0", "--metrics=chrf", "--imported=good-refA"]
    for column, by in enumerate(("domain", "document")):
        found = run(capsys, *arguments, f"--by={by}")
        for figures in found.values():
            assert list(figures["by"]) == list(dict.fromkeys(row[column] for row in labels))
            assert sum(part["pairs"] for part in figures["by"].values()) == figures["pairs"]
    (folder / "documents" / "en-de.docs").unlink()
    with pytest.raises(CommandError, match="the segments name no domain"):
        call_command("metaeval", *arguments, "--by=domain")
    with pytest.raises(CommandError, match="--by COLUMN belongs to --judged"):
        call_command("metaeval", *arguments, "--by=speaker")


def test_systems_can_be_resampled_with_segments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, f"--mtme={folder}", "--lp=en-de", "--imported=good-refA", "--resample-systems")
    assert found["good-refA"]["tau_ci"] == [1.0, 1.0]


def test_our_metrics_use_the_first_reference(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, f"--mtme={folder}", "--lp=en-de", "--metrics=chrf", "--imported=good-refA")
    assert list(found) == ["chrf", "good-refA"]


def test_references_take_part_on_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = folder / "human-scores" / "en-de.mqm.seg.score"
    scores.write_text(scores.read_text() + "refA\t0\n" * 3)
    assert run(capsys, f"--mtme={folder}", "--lp=en-de", "--metrics=chrf")["chrf"]["systems"] == 2
    found = run(capsys, f"--mtme={folder}", "--lp=en-de", "--metrics=chrf", "--with-references")
    assert found["chrf"]["systems"] == 3


def test_error_spans_are_summed_where_no_scores_are_published(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published = run(capsys, f"--mtme={folder}", "--lp=en-de")
    (folder / "human-scores" / "en-de.mqm.seg.score").unlink()
    assert run(capsys, f"--mtme={folder}", "--lp=en-de") == published


def test_differences_are_mirrored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, f"--mtme={folder}", "--lp=en-de", "--compare", "--resamples=100")
    difference = found["good-refA"]["compare"]["odd-src"]
    assert difference["acc_eq"] == 1
    assert difference["tau"] == 1.5
    mirrored = found["odd-src"]["compare"]["good-refA"]
    assert mirrored["acc_eq"] == -1
    assert mirrored["acc_eq_ci"] == [-bound for bound in reversed(difference["acc_eq_ci"])]
    assert mirrored["acc_eq_p"] == difference["acc_eq_p"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mtme=DIR"], "--lp"),
        (["--mtme=DIR", "--lp=de-en"], "missing_file"),
        (["--mtme=DIR", "--lp=en-de", "--human=da"], "names with segment scores"),
        (["--mtme=DIR", "--lp=en-de", "--imported=COMET-refA"], "good-refA"),
        (["--mtme=DIR", "--lp=en-de", "--metrics=bleu", "--reference=refB"], "refA"),
        (["--judged=x", "--imported=a"], "--imported belongs to --mtme"),
        (["--set=DIR/x", "--metrics=bleu"], "missing_file"),
    ],
)
def test_what_cannot_be_read_is_refused(folder: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("metaeval", *(argument.replace("DIR", str(folder)) for argument in arguments))


def test_sets_are_averaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, pair in (("one", "a\tb"), ("two", "b\ta")):
        (tmp_path / f"{name}.segments.tsv").write_text("seg\tsource\tref\n1\tx\tthe house\n")
        (tmp_path / f"{name}.outputs.tsv").write_text("system\tseg\ttranslation\na\t1\tthe house\nb\t1\tno\n")
        (tmp_path / f"{name}.pairs.tsv").write_text(f"seg\tbetter\tworse\n1\t{pair}\n")
    found = run(capsys, f"--set={tmp_path}/one", f"--set={tmp_path}/two", "--metrics=wer")["wer"]
    assert (found["tau"], found["pairs"]) == (0.0, 2)
    assert [figures["tau"] for figures in found["sets"].values()] == [1.0, -1.0]


scores = st.integers(0, 3).map(float)
cells = st.lists(st.tuples(st.integers(0, 3), scores, scores), min_size=2, max_size=16)


Scored = tuple[float, float]  # by the metric and by people


def is_right(first: Scored, second: Scored, threshold: float) -> bool:
    change = first[0] - second[0]
    return bool(np.sign(first[1] - second[1]) == (np.sign(change) if abs(change) > threshold else 0))


def accuracy_by_definition(rows: list[tuple[int, float, float]]) -> tuple[float, float] | None:
    """Try every threshold; average the accuracies of the segments."""
    segments: dict[int, list[Scored]] = {}
    for segment, *scored in rows:
        segments.setdefault(segment, []).append((scored[0], scored[1]))
    pairs = [list(combinations(group, 2)) for group in segments.values() if len(group) > 1]
    if not pairs:
        return None
    accuracy = {
        threshold: float(
            np.mean([np.mean([is_right(*pair, threshold) for pair in group]) for group in pairs])
        )
        for threshold in sorted({0.0, *(abs(a[0] - b[0]) for group in pairs for a, b in group)})
    }
    best = max(accuracy.values())
    return best, next(threshold for threshold, value in accuracy.items() if value > best - 1e-9)


@given(cells)
def test_accuracy_with_tie_calibration_is_the_definition(rows: list[tuple[int, float, float]]) -> None:
    segments, metric, human = (np.array(column) for column in zip(*rows, strict=True))
    comparisons = pairs_of(Ratings(np.arange(len(rows)), human.astype(np.float64)), segments)
    found = calibrated_accuracy(metric.astype(np.float64), comparisons, segments)
    expected = accuracy_by_definition(rows)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.accuracy == pytest.approx(expected[0])
        assert found.threshold == expected[1]
        by_segment = accuracy_by_segment(metric.astype(np.float64), comparisons, segments, found.threshold)
        assert np.mean([*by_segment.values()]) == pytest.approx(found.accuracy)


@given(st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6), min_size=2, max_size=4), st.booleans())
def test_p_values_are_shares_of_permutations(rows: list[list[int]], has_gap: bool) -> None:
    values = np.array(rows, dtype=np.float64)
    if has_gap:
        values[0, 0] = np.nan
    found = permutation_p_values(values, permutations=40, seed=3)
    signs = np.random.default_rng(3).choice([-1.0, 1.0], size=(6, 40))
    expected = []
    for a, b in combinations(values, 2):
        change = np.nan_to_num(a - b)
        expected.append(np.mean([(change * column).sum() >= change.sum() for column in signs.T]))
    assert found.tolist() == pytest.approx(expected)
    assert soft_pairwise_accuracy(found, found) == 1


def test_one_system_has_no_soft_accuracy() -> None:
    nothing = permutation_p_values(np.ones((1, 3)))
    assert soft_pairwise_accuracy(nothing, nothing) is None


@pytest.mark.realdata
def test_metrics_of_wmt23(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Freitag et al. 2023, en-de, accuracy with tie calibration against MQM."""
    found = run(capsys, f"--mtme={real_data}/mtme_wmt23", "--lp=en-de", "--resamples=0")
    assert len(found) == 12
    published = {
        "XCOMET-Ensemble-refA": 0.604, "MetricX-23-refA": 0.603, "COMET-refA": 0.574, "BLEU-refA": 0.520,
        "chrF-refA": 0.519,
    }  # fmt: skip
    assert {name: round(found[name]["acc_eq"], 3) for name in published} == published
    assert all(figures["systems"] == 12 for figures in found.values())


@pytest.mark.realdata
def test_our_bleu_and_chrf_equal_the_published_scores(real_data: Path) -> None:
    """All 6,684 segments; f200spBLEU needs a SentencePiece model that is not part of this project."""
    judged = load_mtme(real_data / "mtme_wmt23", "en-de", "mqm", with_references=False)
    published = judged.read_imported(["BLEU-refA", "chrF-refA"])
    for (name, metric), imported in zip(
        load_metrics(["bleu", "chrf"], []).items(), published.values(), strict=True
    ):
        ours = score_dataset(metric, judged.dataset)
        assert len(ours.cells) == 6684, name
        assert np.abs(ours.cells - imported.cells).max() < 1e-9
        assert ours.systems == pytest.approx(imported.systems, abs=1e-9)
