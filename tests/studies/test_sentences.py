"""Running text into sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from benchmarks.studies import sentences as linguistics
from benchmarks.studies.debian_corpus import read
from benchmarks.studies.sentences import PlainSplitter, find_splitter, plain_sentences
from metrics.tools import base


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


@pytest.mark.skipif(base.find_package("punkt") is None, reason="the optional tools are not installed")
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
