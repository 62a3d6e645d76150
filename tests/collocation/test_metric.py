"""The registered metrics and the ranker, over a toy table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from metrics import registry
from metrics.base import MetricUnavailable, Segment
from metrics.collocation import content_words, metric as module, table
from metrics.collocation.metric import Collocation, CollocationCoverage

from .toys import count, toy_reader

CORPUS = [["hong", "kong"]] * 12 + [["new", "york"]] * 12 + [["hong", "york"]] + [["x"]] * 80


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site whose folder holds the table ``english``, read by a tagger that needs no tools."""
    monkeypatch.setenv("APPRAISE_HOME", str(tmp_path))
    monkeypatch.setitem(content_words.READERS, "toy", toy_reader)
    (tmp_path / "collocations").mkdir()
    table.save_table(count(CORPUS), tmp_path / "collocations" / "english.npz")
    return tmp_path


def segments(*texts: str) -> list[Segment]:
    return [Segment(text) for text in texts]


def test_both_metrics_and_the_ranker_are_registered_and_need_no_reference() -> None:
    for name in ("collocation", "collocation-coverage"):
        entry = next(entry for entry in registry.list_metrics() if entry.name == name)
        assert entry.missing is None
        assert not entry.needs.reference


def test_together_beats_apart_and_apart_is_undefined() -> None:
    scores = Collocation().score(segments("hong kong", "hong new", ""))
    assert scores.segments[0] > 2.576
    assert np.isnan(scores.segments[1:]).all()
    assert scores.corpus == scores.segments[0]


def test_coverage_of_unsupported_words_is_zero_and_of_a_single_word_undefined() -> None:
    scores = CollocationCoverage().score(segments("hong kong", "hong new", "hong kong new", "hong"))
    assert scores.segments.tolist()[:3] == [1.0, 0.0, 0.5]
    assert np.isnan(scores.segments[3])
    assert scores.corpus == 0.5


def test_coverage_of_simple_counts_all_pairs() -> None:
    scores = CollocationCoverage(measure="dice", method="simple").score(segments("hong kong york"))
    assert scores.segments.tolist() == [pytest.approx(2 / 3)]  # hong–kong and hong–york


def test_statistics_add_up_to_the_corpus_score() -> None:
    metric = Collocation(measure="dice")
    scores = metric.score(segments("hong kong", "new york hong", "x"))
    assert scores.statistics is not None
    assert scores.statistics[:, 1].tolist() == [1.0, 1.0, 0.0]
    assert scores.corpus == float(metric.from_statistics(scores.statistics.sum(axis=0)))


def test_metaeval_leaves_out_and_counts_what_has_no_score(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "s.tsv").write_text("seg\tsource\n1\teins\n2\tzwei\n", encoding="utf-8")
    rows = [
        "system\tseg\ttranslation",
        "a\t1\thong kong",
        "b\t1\tx",
        "a\t2\thong kong",
        "b\t2\thong york new",
    ]
    (site / "o.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (site / "p.tsv").write_text("seg\tbetter\tworse\n1\ta\tb\n2\ta\tb\n", encoding="utf-8")
    files = {"segments": "s.tsv", "outputs": "o.tsv", "pairs": "p.tsv"}
    options = [f"--{name}={site / file}" for name, file in files.items()]
    call_command("metaeval", "--metrics=collocation:measure=dice", *options)
    captured = capsys.readouterr()
    found = json.loads(captured.out)["collocation:measure=dice"]
    assert (found["pairs"], found["undefined"], found["pairs_left_out"]) == (1, 1, 1)
    assert "has no score for 1 translations; they are left out" in captured.err


def test_nothing_to_score_is_none() -> None:
    assert Collocation().score([]).corpus is None
    assert Collocation().score(segments("x")).corpus is None


def test_the_signature_names_every_parameter_and_the_background_corpus() -> None:
    told = registry.parse("collocation:measure=llr:method=mst-ncb2").signature
    for part in ("measure:llr|log:2", "method:mst-ncb2", "cutoff:11.37", "corpus:toy (invented sentences)"):
        assert part in told
    assert "cutoff:none" in Collocation(cutoff=False).signature
    assert "cutoff:none" in Collocation(measure="dice").signature


@pytest.mark.parametrize("parameters", [{"measure": "pmi"}, {"method": "prim"}])
def test_an_unknown_measure_or_method_is_refused(parameters: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"pmi|prim"):
        registry.get("collocation", **parameters)


def test_a_missing_table_is_said_in_a_sentence_with_the_remedy() -> None:
    metric = Collocation(table="french")
    assert "train collocations --text FILE --out" in (metric.unavailable_because() or "")
    assert "french (absent)" in metric.signature
    with pytest.raises(MetricUnavailable, match="collocation has no table"):
        metric.score(segments("a"))


def test_a_broken_table_is_said_in_a_sentence(site: Path) -> None:
    (site / "collocations" / "broken.npz").write_bytes(b"PK")
    assert "not a collocation table" in (Collocation(table="broken").unavailable_because() or "")


def test_a_table_of_an_unknown_reader_cannot_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(content_words.READERS, "toy")
    assert "unknown reader 'toy'" in (Collocation().unavailable_because() or "")


def test_a_table_that_was_trained_again_is_read_again(site: Path) -> None:
    before = Collocation().signature
    table.save_table(count([["other", "words"]]), site / "collocations" / "english.npz")
    assert Collocation().signature != before


def test_tables_lie_side_by_side(site: Path) -> None:
    table.save_table(count([["a", "b"]]), site / "collocations" / "news.npz")
    assert Collocation(table="news", cutoff=False, measure="dice").score(segments("a b")).corpus == 1.0
    path = str(site / "collocations" / "news.npz")
    assert module.table_path(path) == Path(path)
