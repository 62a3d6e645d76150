"""Running text into sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.collocation.corpus import sentences as plain
from metrics.linguistics import base
from metrics.linguistics.sentences import PlainSplitter, splitter


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
    assert plain(text) == sentences


@given(st.text("aB .!?”“1\n", max_size=40))
def test_no_character_is_lost(text: str) -> None:
    assert "".join("".join(plain(text)).split()) == "".join(text.split())


def test_a_language_without_a_model_is_cut_by_the_plain_rule() -> None:
    chosen = splitter("xx")
    assert isinstance(chosen, PlainSplitter)
    assert chosen.tool.mode is base.Mode.HEURISTIC
    assert chosen.split(["One. Two."]) == [["One.", "Two."]]
    chosen.close()


@pytest.mark.skipif(base.package("punkt") is None, reason="the optional tools are not installed")
def test_punkt_knows_abbreviations_that_the_plain_rule_does_not() -> None:
    chosen = splitter("de")
    try:
        assert chosen.tool.mode is base.Mode.REAL
        text = "Das ist z.B. ein Satz. Und  noch einer."
        assert chosen.split([text, ""]) == [["Das ist z.B. ein Satz.", "Und noch einer."], []]
    finally:
        chosen.close()
