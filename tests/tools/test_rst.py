"""The adapter to the real discourse parser: its faults with a stand-in, itself where it is present."""

from __future__ import annotations

import json
import os
import signal
import sys
import textwrap
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from metrics.discourse import external_parser
from metrics.discourse.external_parser import FengHirstParser, build_tree
from metrics.discourse.trees import edu
from metrics.tools import base

STAND_IN = """
import json, os, sys, time
for line in sys.stdin:
    answers = []
    for text in json.loads(line):
        if "crash" in text:
            os._exit(3)
        if "hang" in text:
            time.sleep(60)
        if "noise" in text:
            print("chatter, not JSON", flush=True)
        if "give up" in text:
            answers.append(None)
        else:
            answers.append(["Cause[S][N]", ["edu", text], ["edu", str(os.getpid())]])
    print(json.dumps(answers), flush=True)
"""


@pytest.fixture
def parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FengHirstParser:
    """The adapter in front of a stand-in that crashes, hangs, chatters or gives up when told to."""
    script = tmp_path / "stand_in.py"
    script.write_text(textwrap.dedent(STAND_IN))
    tool = base.Tool("stand-in", "1", None, base.ToolMode.REAL)
    monkeypatch.setattr(FengHirstParser, "tool", tool)
    command = (sys.executable, str(script))
    return FengHirstParser(command=command, cache_path=tmp_path / "c.sqlite3", timeout=2.0, restart_every=50)


def test_a_tree_has_coarse_relations_and_words(parser: FengHirstParser) -> None:
    with parser:
        (tree,) = parser.parse(["it didn't rain"])
    assert (tree.linked_by, tree.pattern) == ("Cause", "SN")
    assert tree.children[0].text == "it did n't rain"


@pytest.mark.parametrize(
    ("text", "reason"), [("crash now", "crash"), ("hang now", "time-out"), ("noise now", "protocol")]
)
def test_a_fault_costs_its_own_sentence_only(parser: FengHirstParser, text: str, reason: str) -> None:
    parser.timeout = 0.5
    with parser:
        parser.parse(["warm"])  # the first answer may take its time while the process starts
        before, lost, after = parser.parse(["one", text, "two"])
    assert before.children
    assert after.children
    assert lost == edu(text)
    assert parser.failures == {text: reason}


def test_a_sentence_that_the_parser_gives_up_on_is_one_unit(parser: FengHirstParser) -> None:
    with parser:
        assert parser.parse(["I give up."]) == [edu("I give up .")]
    assert parser.failures == {"I give up.": "no tree"}


def test_a_killed_process_is_replaced_and_costs_the_sentence_that_it_was_asked(
    parser: FengHirstParser,
) -> None:
    with parser:
        (first,) = parser.parse(["one"])
        pid = int(first.children[1].text)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        lost, kept = parser.parse(["two", "three"])
    assert lost == edu("two")
    assert parser.failures == {"two": "crash"}
    assert kept.children[0].text == "three"
    assert kept.children[1].text != str(pid)


def test_answers_are_kept_on_disk_and_faults_are_not(parser: FengHirstParser) -> None:
    with parser:
        first = parser.parse(["one", "crash"])
        again = parser.parse(["one"])
    assert first[0] == again[0]
    other = FengHirstParser(command=("false",), cache_path=parser._cache.path)
    with other:
        assert other.parse(["one"]) == again
        assert other.parse(["crash"]) == [edu("crash")]


def test_empty_sentences_are_not_asked(parser: FengHirstParser) -> None:
    parser.command = ("false",)
    assert parser.parse(["", " \t"]) == [edu(""), edu("")]
    assert parser.parse([]) == []


def test_a_document_of_one_unit_is_one_unit() -> None:
    assert build_tree(["n/a", ["edu", "A short one ."]]) == edu("A short one .")


def test_without_the_tools_the_parser_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("APPRAISE_TOOLS", str(tmp_path))
    with pytest.raises(base.ToolAbsent, match="make tools"):
        FengHirstParser(cache_path=tmp_path / "c.sqlite3")


def test_without_the_tools_the_command_falls_back_to_the_heuristic_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("APPRAISE_TOOLS", str(tmp_path))
    external_parser.shared_parser.cache_clear()
    (tmp_path / "text").write_text("She left because he was tired.\n\n", encoding="utf-8")
    call_command("parse", "--discourse", str(tmp_path / "text"))
    said = capsys.readouterr()
    assert "heuristic parser instead" in said.err
    assert {json.loads(line)["tool"]["mode"] for line in said.out.splitlines()} == {"heuristic"}
    with pytest.raises(CommandError, match="make tools"):
        call_command("parse", "--discourse", "--tool", "real", str(tmp_path / "text"))


@pytest.mark.slow
def test_the_real_parser_reads_the_sentence_of_figure_1(tmp_path: Path) -> None:
    """Paper 004, figure 1: an elaboration over an attribution."""
    try:
        parser = external_parser.FengHirstParser(cache_path=tmp_path / "c.sqlite3", timeout=240)
    except base.ToolAbsent as absent:
        pytest.skip(str(absent))
    with parser:
        (tree,) = parser.parse(
            ["Voices are coming from Germany, suggesting that ECB be the last resort creditor."]
        )
    assert (tree.linked_by, tree.pattern) == ("Elaboration", "NS")
    assert (tree.children[1].linked_by, tree.children[1].pattern) == ("Attribution", "SN")
