"""Taggers: the rule of thumb anywhere, the real ones where the tools are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics.collocation.content_words import READERS, find_lemmas, get_reader
from metrics.tools import base
from metrics.tools.base import ToolAbsent
from metrics.tools.process import Failure
from metrics.tools.tagger import (
    HanTaTagger,
    SpacyTagger,
    Tagged,
    read_answer,
    spacy_tagger,
)

EXAMPLE = (
    "The Egyptian Prime Minister, Atif Abeer, also met the Sudanese Minister today to discuss mutual and "
    "trade relations between Egypt and Sudan."
)
CANONICAL = (
    "egyptian prime minister atif abeer also meet sudanese today discuss mutual trade relation egypt sudan"
)


def installed(name: str) -> None:
    try:
        get_reader(name)
    except ToolAbsent as error:
        pytest.skip(str(error))


def test_spacy_and_wordnet_read_the_example_of_paper_002_from_plain_text() -> None:
    installed("en")
    found, nothing = get_reader("en").read([EXAMPLE, ""])
    assert " ".join(found.words) == CANONICAL
    assert nothing.words == ()


def test_spacy_takes_hostile_text() -> None:
    installed("en")
    texts = ["", " ", "\u200b\u202e", "a" * 3000, "\ud800 lone", "line\nfeed", "🙂 " * 50]
    assert len(spacy_tagger().tag(texts)) == len(texts)


def test_hanta_reads_german() -> None:
    installed("de")
    (found,) = get_reader("de").read(["Die Minister trafen sich gestern in Berlin."])
    assert {"minister", "treffen", "gestern", "berlin"} <= set(found.words)
    assert found.words[found.first_verb or 0] == "treffen"


def test_a_failed_sentence_comes_back_empty_with_the_reason() -> None:
    failure = Failure("time-out", "no answer within 120 s")
    tagged = read_answer(lambda item, answer: pytest.fail("there is nothing to read"), ["a"], failure)
    assert tagged == Tagged((), (), reason="time-out: no answer within 120 s")


def test_lemmas_are_chosen_by_the_beginning_of_the_tag() -> None:
    tagged = Tagged(("Sie", "lief", "1"), ("PPER", "VV(FIN)", "NN"), ("sie", "laufen", "1"))
    assert find_lemmas(("VV", "NN"), tagged).words == ("laufen",)


def test_absent_tools_are_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "find_tools_folder", lambda: tmp_path)
    for make in (SpacyTagger, HanTaTagger):
        with pytest.raises(ToolAbsent, match="is not installed; run `make tools` to install it"):
            make()


def test_an_unknown_reader_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="unknown reader 'tlh'; known: en, de"):
        get_reader("tlh")
    assert set(READERS) == {"en", "de"}
