"""Base forms and synsets from WordNet's files: a tiny one of our own, and the real one where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from appraise.lib.problems import InputError
from evaluation.alignment.wordnet import PartOfSpeech, WordNet
from metrics.tools import base

NOUN, VERB, ADJECTIVE = PartOfSpeech.NOUN, PartOfSpeech.VERB, PartOfSpeech.ADJECTIVE

INDEX = {
    "noun": "dog n 2 1 @ 2 1 00000010 00000020\nhound n 1 1 @ 1 0 00000010\nrelation n 1 0 1 0 00000030\n"
    "relations n 1 0 1 0 00000040\nhot_dog n 1 0 1 0 00000020\nbox n 1 0 1 0 00000050\n",
    "verb": "dog v 1 0 1 0 00000060\nmeet v 1 0 1 0 00000070\nhope v 1 0 1 0 00000080\n"
    "hop v 1 0 1 0 00000090\n",
    "adj": "large a 1 0 1 0 00000100\ngood a 1 0 1 0 00000110\n",
    "adv": "well r 1 0 1 0 00000120\n",
}
EXCEPTIONS = {"noun": "", "verb": "met meet\ndogged dog\n", "adj": "better good well\n", "adv": "best well\n"}


@pytest.fixture
def tiny(tmp_path: Path) -> WordNet:
    for part, rows in INDEX.items():
        (tmp_path / f"index.{part}").write_text(f"  1 a line of the licence\n{rows}", encoding="utf-8")
        (tmp_path / f"{part}.exc").write_text(EXCEPTIONS[part], encoding="utf-8")
    return WordNet(tmp_path)


@pytest.mark.parametrize(
    ("word", "part", "inflected", "expected"),
    [
        ("relations", NOUN, True, "relation"),  # though it has an entry
        ("relations", NOUN, False, "relations"),
        ("dogged", VERB, True, "dog"),
        ("met", VERB, True, "meet"),
        ("met", VERB, False, "meet"),  # no entry: better the base than nothing
        ("hoping", VERB, True, "hope"),  # -ing → -e comes before -ing → ∅
        ("boxes", NOUN, True, "box"),
        ("better", ADJECTIVE, True, "good"),
        ("larger", ADJECTIVE, True, "large"),
        ("dog", NOUN, True, "dog"),
        ("unheard", VERB, True, "unheard"),
        ("best", PartOfSpeech.ADVERB, True, "well"),
    ],
)
def test_base_forms(tiny: WordNet, word: str, part: PartOfSpeech, inflected: bool, expected: str) -> None:
    assert tiny.base_form(word, part, inflected=inflected) == expected


def test_synsets_are_those_of_all_parts_of_speech(tiny: WordNet) -> None:
    assert tiny.synsets("dog") == {(NOUN, 10), (NOUN, 20), (VERB, 60)}


def test_the_licence_is_not_read_as_words(tiny: WordNet) -> None:
    assert set(tiny.lemmas(VERB)) == {"dog", "meet", "hope", "hop"}


def test_a_broken_index_is_named_with_its_line(tiny: WordNet) -> None:
    (tiny.folder / "index.noun").write_text("dog n two\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"index.noun:1: wordnet_index"):
        tiny.lemmas(NOUN)


def test_wordnet_is_found_where_its_own_variable_points(
    tiny: WordNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(tiny.folder))
    base.load_wordnet.cache_clear()
    try:
        assert base.load_wordnet().folder == tiny.folder
        assert base.wordnet_tool(base.load_wordnet()).mode is base.ToolMode.REAL
    finally:
        base.load_wordnet.cache_clear()


def test_an_absent_wordnet_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_wordnet_folders", lambda: iter([tmp_path]))
    base.load_wordnet.cache_clear()
    try:
        with pytest.raises(base.ToolAbsent, match="WordNet is not installed; run `make tools`"):
            base.load_wordnet()
    finally:
        base.load_wordnet.cache_clear()


def test_real_wordnet_gives_the_papers_base_forms() -> None:
    try:
        real = base.load_wordnet()
    except base.ToolAbsent as error:
        pytest.skip(str(error))
    assert real.base_form("relations", NOUN, inflected=True) == "relation"
    assert real.base_form("met", VERB, inflected=True) == "meet"
    assert real.base_form("dogged", VERB, inflected=True) == "dog"
    assert real.synsets("car") & real.synsets("automobile")
