"""German tags and the phrases that are read off them."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics.tools import base
from metrics.tools.tagger import GermanTagger, phrase_counts


def test_a_run_of_nouns_is_one_noun_phrase_and_a_pronoun_is_another() -> None:
    counts = phrase_counts(["PPER", "VV(FIN)", "NE", "NE", "$,", "APPR", "ART", "NN", "$."])
    assert counts == {"NN": 3, "NP": 3, "PP": 1, "VP": 1, "PUNC": 2}


def test_every_verb_of_a_group_counts() -> None:
    assert phrase_counts(["VA(FIN)", "VV(PP)", "VA(INF)"])["VP"] == 3


def test_no_tags_no_phrases() -> None:
    assert phrase_counts([]).total() == 0


@pytest.mark.slow
def test_the_real_tagger_tags_and_its_answers_are_kept(tmp_path: Path) -> None:
    if base.find_package("HanTa") is None:
        pytest.skip("HanTa is not installed (make tools)")
    with GermanTagger(cache_path=tmp_path / "c") as tagger:
        tagged, empty = tagger.tag(["Das rote Haus ist klein.", ""])
        assert (tagger.tool.mode, tagger.chunk_tool.mode) == (base.ToolMode.REAL, base.ToolMode.HEURISTIC)
    assert tagged is not None
    assert tagged[2] == ("Haus", "NN")
    assert empty == ()
    with GermanTagger(cache_path=tmp_path / "c") as again:
        again._ask = lambda items: pytest.fail("the cache should have answered")  # type: ignore[method-assign] # a tripwire
        assert again.tag(["Das rote Haus ist klein."]) == [tagged]
