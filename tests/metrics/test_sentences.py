"""Running text into sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.studies.debian_corpus import read
from metrics.ranking.training import train_lm
from metrics.tools import base
from metrics.tools import sentences as linguistics
from metrics.tools.sentences import PlainSplitter, find_splitter, plain_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rained. We stayed.", ["It rained.", "We stayed."]),
        (
            "Mrs. Hill and J. Reed agreed. Nobody else did!",
            ["Mrs. Hill and J. Reed agreed.", "Nobody else did!"],
        ),
        ("It cost 3.5 million. 20 came.", ["It cost 3.5 million.", "20 came."]),
        ("He asked why? and left.", ["He asked why? and left."]),
        ("", []),
        (" no end", ["no end"]),
    ],
)
def test_the_plain_rule(text: str, sentences: list[str]) -> None:
    assert plain_sentences(text) == sentences


@given(st.text("aB .!?”“1\n", max_size=40))
def test_no_character_is_lost(text: str) -> None:
    assert "".join("".join(plain_sentences(text)).split()) == "".join(text.split())


def test_a_language_without_a_model_is_cut_by_the_plain_rule() -> None:
    chosen = find_splitter("xx")
    assert isinstance(chosen, PlainSplitter)
    assert chosen.tool.mode is base.ToolMode.HEURISTIC
    assert chosen.split(["One. Two."]) == [["One.", "Two."]]
    chosen.close()


@pytest.mark.skipif(base.package("punkt") is None, reason="the optional tools are not installed")
def test_punkt_knows_abbreviations_that_the_plain_rule_does_not() -> None:
    chosen = find_splitter("de")
    try:
        assert chosen.tool.mode is base.ToolMode.REAL
        text = "Das ist z.B. ein Satz. Und  noch einer."
        assert chosen.split([text, ""]) == [["Das ist z.B. ein Satz.", "Und noch einer."], []]
    finally:
        chosen.close()


def test_pages_are_cut_by_the_splitter_of_their_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Halver(PlainSplitter):
        def split(self, texts: Sequence[str]) -> list[list[str]]:
            return [text.replace("five ", "five.|").split("|") for text in texts]

    monkeypatch.setattr(linguistics, "find_splitter", lambda language: Halver() if language == "en" else None)
    (tmp_path / "a.html").write_text(
        "<p>one two three four five six seven eight nine ten.</p>", encoding="utf-8"
    )
    assert list(read(tmp_path, "*.html")) == ["one two three four five.", "six seven eight nine ten."]


def test_a_language_model_learns_sentences_out_of_paragraphs(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("It rained. We stayed. It rained.\n\nWe left.\n", encoding="utf-8")
    options = {"text": [str(tmp_path / "text.txt")], "language": "xx", "tokenized": True, "order": 2}
    summaries = {
        running: train_lm(options | {"running_text": running, "out": str(tmp_path / "lm.arpa")}, print)
        for running in (False, True)
    }
    assert summaries[False]["cut_by"] is None
    assert summaries[True]["cut_by"] == "sentences-plain 1 (heuristic)"
    text = (tmp_path / "lm.arpa").read_text(encoding="utf-8")  # the last one: every sentence begins and ends
    assert "<s> We" in text
    assert "rained. We" not in text
