"""The tables of separation and accuracy on a small judged set, with a reader that needs no tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from appraise.lib.problems import InputError
from benchmarks.studies import collocation_tables, dependencies
from metrics.collocation import content_words, table
from metrics.collocation.association import AssociationMeasure
from metrics.collocation.scoring import Method
from metrics.replicate import paper002 as study
from metrics.syntax.overlap import Dependencies

from .toys import content, count, toy_reader

CORPUS = [["hong", "kong"]] * 12 + [["new", "york"]] * 12 + [["x"]] * 80


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two segments, a good and a bad system; the reference is a human."""
    monkeypatch.setitem(content_words.READERS, "toy", toy_reader)
    texts = {"good": ("hong kong", "new york x"), "bad": ("hong york", "new kong")}
    (tmp_path / "a.segments.tsv").write_text(
        "seg\tsource\treference\n1\tq\thong kong\n2\tq\tnew york\n", encoding="utf-8"
    )
    rows = "".join(
        f"{name}\t{seg}\t{text}\n" for name, own in texts.items() for seg, text in enumerate(own, 1)
    )
    (tmp_path / "a.outputs.tsv").write_text(f"system\tseg\ttranslation\n{rows}", encoding="utf-8")
    ranking = {"id": 1, "seg": 1, "judge": "j", "items": [[["good"], 1], [["bad"], 2]]}
    (tmp_path / "a.rankings.jsonl").write_text(json.dumps(ranking) + "\n", encoding="utf-8")
    table.save_table(count(CORPUS), tmp_path / "toy.npz")
    return str(tmp_path / "a")


def test_a_system_with_collocations_is_ranked_before_one_without(judged: str) -> None:
    found = study.read_set(judged)
    words = {text: content(text) for own in found.texts().values() for text in own}
    results = study.study_set(found, count(CORPUS), words)
    best = results[AssociationMeasure.DICE, Method.MST]
    assert best.separation == 0  # the only system that has a score equals the human
    assert best.accuracy is None  # and there is no second one to compare it with
    assert best.coverage_accuracy == 1.0
    assert best.undefined == 2 / 6


def test_the_command_prints_every_table_with_its_corpus(
    judged: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        collocation_tables.main(
            ["--set", judged, "--table", str(Path(judged).parent / "toy.npz"), "--no-cutoff"]
        )
        == 0
    )
    told = capsys.readouterr().out
    for part in ("| nist | 1.000 |", "toy (invented sentences), 104 sentences", "| llr |", "mst-ncb2"):
        assert part in told


def test_trees_are_compared_with_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    class Parser:
        def parse(self, sentences: list[str]) -> list[Dependencies]:
            return [
                Dependencies(tuple(line.split()), ("NN",) * 3, (1, 1, 1), ("dep",) * 3) for line in sentences
            ]

    monkeypatch.setattr(collocation_tables, "shared_parser", Parser)
    found = collocation_tables.parse_agreement(["hong kong x"], count(CORPUS), toy_reader())
    assert found[None, None] == dependencies.Agreement(2, 2, 2)
    assert found[AssociationMeasure.DICE, Method.MST] == dependencies.Agreement(1, 1, 2)
    assert "| neighbours | 100.0% |" in collocation_tables._parse_report(found)


def test_a_set_without_judgements_is_refused(judged: str) -> None:
    Path(f"{judged}.rankings.jsonl").unlink()
    with pytest.raises(InputError, match="no_judgements"):
        study.read_set(judged)
