"""Syntactic overlap in the manner of ASIYA, on parses made by hand; and imported scores."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from appraise.lib.problems import InputError
from metrics import registry
from metrics.base import MetricUnavailable, Segment
from metrics.discourse.tables import FAMILIES
from metrics.syntax import metric as syntax_metric
from metrics.syntax.imported import read_scores
from metrics.syntax.overlap import (
    Dependencies,
    chain_match,
    chains,
    constituents,
    relation_overlap,
    subtree_match,
    subtrees,
)
from metrics.tools import base, constituency

RAIN = constituents("(ROOT (S (NP (PRP It)) (VP (VBD rained))))")
IT_RAINED = Dependencies(("It", "rained"), ("PRP", "VBD"), (1, 1), ("nsubj", "ROOT"))
IT_RAINED_HARD = Dependencies(
    ("it", "rained", "hard"), ("PRP", "VBD", "RB"), (1, 1, 1), ("nsubj", "ROOT", "advmod")
)
NOTHING = Dependencies((), (), (), ())


@pytest.mark.parametrize("text", ["", "(S", "S)", "(S) (S)", "word"])
def test_a_broken_parse_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        constituents(text)


def test_subtrees_are_cut_off_at_their_depth() -> None:
    assert sorted(subtrees(RAIN, 1)) == ["NP", "PRP", "ROOT", "S", "VBD", "VP"]
    assert sorted(subtrees(RAIN, 2)) == ["(NP PRP)", "(ROOT S)", "(S NP VP)", "(VP VBD)"]
    assert list(subtrees(RAIN, 4)) == ["(ROOT (S (NP PRP) (VP VBD)))"]
    assert list(subtrees(RAIN, 5)) == []


def test_subtree_matching_is_a_clipped_precision_over_depths() -> None:
    other = constituents("(ROOT (S (NP (PRP It)) (VP (VBD was) (ADJP (JJ wet)))))")
    assert subtree_match(RAIN, RAIN) == 1
    assert subtree_match(RAIN, other) == pytest.approx((1 + 3 / 4 + 1 / 2 + 0) / 4)
    assert subtree_match(None, RAIN) == subtree_match(RAIN, None) == 0
    assert subtree_match(None, None) == 1


def test_chains_go_from_dependants_to_heads() -> None:
    assert sorted(chains(IT_RAINED_HARD, "c", 2)) == [("PRP", "VBD"), ("RB", "VBD")]
    assert sorted(chains(IT_RAINED_HARD, "r", 1)) == [("ROOT",), ("advmod",), ("nsubj",)]
    assert list(chains(IT_RAINED_HARD, "w", 3)) == []


def test_chain_matching_is_a_clipped_precision_over_lengths() -> None:
    assert chain_match(IT_RAINED, IT_RAINED, "c") == 1
    assert chain_match(IT_RAINED_HARD, IT_RAINED, "r") == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert chain_match(NOTHING, IT_RAINED, "c") == chain_match(IT_RAINED, NOTHING, "c") == 0
    assert chain_match(NOTHING, NOTHING, "c") == 1


def test_relation_overlap_is_matches_over_the_union() -> None:
    assert relation_overlap(IT_RAINED_HARD, IT_RAINED) == pytest.approx(2 / 3)
    assert relation_overlap(IT_RAINED, IT_RAINED_HARD) == pytest.approx(2 / 3)
    assert relation_overlap(NOTHING, IT_RAINED) == 0
    assert relation_overlap(NOTHING, NOTHING) == 1


@pytest.mark.parametrize("name", ["cp-stm", "dp-hwcm-c", "dp-hwcm-r", "dp-or"])
def test_an_absent_parser_makes_the_metric_unavailable(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("APPRAISE_TOOLS", str(tmp_path))
    syntax_metric.shared_parser.cache_clear()
    constituency.shared_parser.cache_clear()
    with pytest.raises(MetricUnavailable, match="make tools"):
        registry.get(name).score([Segment("a", ("b",))])
    syntax_metric.shared_parser.cache_clear()
    constituency.shared_parser.cache_clear()


STAND_IN = """
import json, os, sys
for line in sys.stdin:
    answers = []
    for text in json.loads(line):
        if "crash" in text:
            os._exit(3)
        words = text.split()
        answers.append([words, ["NN"] * len(words), [0] * len(words), ["dep"] * len(words)])
    print(json.dumps(answers), flush=True)
"""


def test_dependencies_come_from_a_process_whose_crash_costs_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    monkeypatch.setattr(syntax_metric, "WORKER", script)
    monkeypatch.setattr(base, "find_python", lambda: sys.executable)
    monkeypatch.setattr(
        syntax_metric.DependencyParser, "tool", base.Tool("stand-in", "1", None, base.ToolMode.REAL)
    )
    parser = syntax_metric.DependencyParser(cache_path=tmp_path / "c.sqlite3", timeout=20)
    found = parser.parse(["two words", "crash", "", "one"])
    parser.close()
    assert [parsed.words for parsed in found] == [("two", "words"), (), (), ("one",)]


def test_families_are_made_of_metrics() -> None:
    assert FAMILIES["asiya-lex"] == ("bleu", "nist", "meteor", "rouge-w", "ter")
    assert set(FAMILIES["asiya-all"]) == {*FAMILIES["asiya-lex"], *FAMILIES["asiya-syn"]}
    assert set(FAMILIES["asiya-all"]) <= set(registry.list_names())


TABLE = "translation\treference\tscore\nein Haus\thouse\t0.5\nkein Haus\thouse\t-1\n"


def test_imported_scores_belong_to_their_texts(tmp_path: Path) -> None:
    (tmp_path / "comet.tsv.gz").write_bytes(gzip.compress(TABLE.encode()))
    comet = registry.get("imported", file=str(tmp_path / "comet.tsv.gz"), label="COMET")
    scores = comet.score([Segment("kein  Haus", ("house",)), Segment("ein Haus", ("other", "house"))])
    assert scores.segments.tolist() == [-1.0, 0.5]
    assert scores.corpus == pytest.approx(-0.25)
    assert "of:COMET|column:score|data:" in scores.signature


def test_a_file_without_references_serves_any_reference(tmp_path: Path) -> None:
    (tmp_path / "s.tsv").write_text("translation\tscore\nein Haus\t0.5\n")
    anything = registry.get("imported", file=str(tmp_path / "s.tsv"))
    assert anything.score([Segment("ein Haus"), Segment("ein Haus", ("x",))]).segments.tolist() == [0.5, 0.5]


def test_a_translation_without_a_score_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.tsv").write_text("translation\tscore\nein Haus\t0.5\n")
    with pytest.raises(MetricUnavailable, match="zwei"):
        registry.get("imported", file=str(tmp_path / "s.tsv")).score([Segment("zwei")])


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("text\tscore\n", "bad_header", 1),
        ("translation\tvalue\n", "bad_header", 1),
        ("translation\tscore\na\n", "column_count", 2),
        ("translation\tscore\na\t1\nb\tnan\n", "bad_number", 3),
        ("translation\tscore\na\tx\n", "bad_number", 2),
        ("translation\tscore\na\t1\na\t2\n", "two_scores", 3),
    ],
)
def test_a_bad_table_is_refused_with_its_line(tmp_path: Path, text: str, code: str, line: int) -> None:
    (tmp_path / "s.tsv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_scores(tmp_path / "s.tsv")
    assert (caught.value.problems[0].code, caught.value.problems[0].line) == (code, line)


def test_a_table_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.tsv").write_bytes("translation\tscore\nHäuser\t1\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"s\.tsv:2:2: bad_utf8"):
        read_scores(tmp_path / "s.tsv")


def test_imported_scores_need_a_readable_file(tmp_path: Path) -> None:
    with pytest.raises(MetricUnavailable, match="unreadable_file"):
        registry.get("imported", file=str(tmp_path / "absent.tsv")).score([Segment("a")])
    with pytest.raises(MetricUnavailable, match="file=FILE"):
        registry.get("imported").score([Segment("a")])
