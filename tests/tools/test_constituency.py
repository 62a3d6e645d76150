"""Parses: their numbers, the parser's line protocol, refusals, and the real parser where it is installed."""

from __future__ import annotations

import math
import os
import signal
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from metrics.tools import base
from metrics.tools.constituency import (
    NEAR,
    ConstituencyParser,
    Parse,
    StanfordDialogue,
    treebank_tokens,
)
from metrics.tools.process import Worker

TREE = "(ROOT (S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .)))"
SCORES = st.lists(st.floats(-200, -1), min_size=1, max_size=20).map(lambda s: tuple(sorted(s, reverse=True)))


@given(SCORES)
def test_confidence_is_the_share_of_the_best_tree_among_the_listed_ones(scores: tuple[float, ...]) -> None:
    parse = Parse(TREE, scores)
    shares = [math.exp(s - scores[0]) for s in scores]
    assert parse.confidence == pytest.approx(1 / sum(shares))
    near = [x for x, s in zip(shares, scores, strict=True) if s >= scores[0] - NEAR]
    assert parse.mean_confidence == pytest.approx(sum(near) / len(near) / sum(shares))
    assert 1 <= parse.trees_within(NEAR) <= len(scores)


def test_very_improbable_trees_do_not_underflow() -> None:
    assert Parse(TREE, (-5000.0, -5000.0)).confidence == pytest.approx(0.5)


def test_labels_and_tags_are_read_off_the_tree() -> None:
    parse = Parse(TREE, (-30.0,))
    assert parse.labels["NP"] == parse.labels["NN"] == parse.labels["."] == 1
    assert parse.tags == (("The", "DT"), ("dog", "NN"), ("barks", "VBZ"), (".", "."))


def test_no_parse_has_no_numbers() -> None:
    parse = Parse(None, (), "too long")
    assert (parse.score, parse.confidence, parse.mean_confidence) == (None, None, None)
    assert not parse.labels
    assert parse.tags == ()


def test_the_dialogue_reads_trees_up_to_the_end_mark_and_knows_a_failed_sentence() -> None:
    dialogue = StanfordDialogue(max_tokens=3)
    assert dialogue.write(["a b"]) == "a b\nx x x x\n"
    lines = iter([TREE, "# Parse 1 with score -9.50004", TREE, "# Parse 2 with score -11", "(X)", "(())"])
    assert dialogue.read(lambda: next(lines), ["a b"]) == [{"tree": TREE, "scores": [-9.5, -11.0]}]
    failed = iter(["(())", "(())"])
    assert dialogue.read(lambda: next(failed), ["a b"]) == [{"tree": None, "scores": []}]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("He said: “Go!”", ("He", "said", ":", "``", "Go", "!", "''")),
        ("He left. She stayed.", ("He", "left", ".", "She", "stayed", ".")),
        ("can’t (won't)", ("ca", "n't", "-LRB-", "wo", "n't", "-RRB-")),
        ("", ()),
    ],
)
def test_words_are_cut_as_the_treebank_cuts_them(text: str, tokens: tuple[str, ...]) -> None:
    assert treebank_tokens(text) == tokens


FAKE_PARSER = textwrap.dedent(
    """
    import os, sys, time
    for line in sys.stdin:
        words = line.split()
        if words == ["crash"]:
            os._exit(1)
        if words == ["hang"]:
            time.sleep(60)
        if len(words) > 5:
            print("(())", flush=True)
        else:
            print(f"(ROOT (X {words[0]}))")
            print(f"# Parse 1 with score {-len(words)}")
            print(f"(ROOT (X {words[0]}))", flush=True)
    """
)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ConstituencyParser:
    """The real adapter around a script that speaks the parser's protocol."""
    (tmp_path / "fake.py").write_text(FAKE_PARSER, encoding="utf-8")
    tool = base.Tool("fake", "1", None, base.ToolMode.REAL)
    monkeypatch.setattr(ConstituencyParser, "tool", tool)
    parser = ConstituencyParser(max_tokens=5, cache_path=tmp_path / "cache", workers=2)
    command = [sys.executable, str(tmp_path / "fake.py")]
    monkeypatch.setattr(
        parser,
        "_worker",
        lambda: Worker(command, dialogue=StanfordDialogue(5), timeout=1.0, startup_timeout=20.0),
    )
    return parser


def test_a_sentence_that_kills_or_stops_the_parser_is_lost_alone(fake: ConstituencyParser) -> None:
    with fake:
        found = fake.parse(["one", "crash", "two words", "", "a b c d e f", "one"])
    assert [parse.reason for parse in found] == ["", "crash", "", "empty", "too long", ""]
    assert [parse.score for parse in found] == [-1.0, None, -2.0, None, None, -1.0]


def test_parses_survive_the_process_and_are_not_made_twice(fake: ConstituencyParser) -> None:
    with fake:
        first = fake.parse(["one", "two words"])
    fake._worker = lambda: pytest.fail("the cache should have answered")  # type: ignore[method-assign] # a tripwire
    assert fake.parse(["two words", "one"]) == first[::-1]


def installed() -> bool:
    try:
        return bool(ConstituencyParser().tool and base.find_java())
    except base.ToolAbsent:
        return False


needs_parser = pytest.mark.skipif(not installed(), reason="the Stanford parser is not installed (make tools)")


@needs_parser
@pytest.mark.slow
def test_the_real_parser_prefers_a_sentence_to_its_shuffled_words() -> None:
    with ConstituencyParser(k=10) as parser:
        good, bad = parser.parse(["The red house is small.", "Small the is house red."])
        assert parser.tool.mode is base.ToolMode.REAL
    assert good.score is not None
    assert bad.score is not None
    assert good.score > bad.score
    assert (good.labels["NP"], good.labels["VP"], len(good.scores)) == (1, 1, 10)


@needs_parser
@pytest.mark.slow
def test_killing_the_real_parser_in_the_middle_of_a_run_loses_one_sentence() -> None:
    with ConstituencyParser(k=2) as parser:
        assert parser.parse(["First comes this."])[0].tree
        pool = parser._pool
        assert pool is not None
        process = pool._workers[0]._process
        assert process is not None
        pid = process.pid
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        lost, kept = parser.parse(["Then it is killed.", "And then it goes on."])
    assert (lost.tree, lost.reason) == (None, "crash")
    assert kept.tree is not None
