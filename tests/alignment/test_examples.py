"""The examples in the documentation are what the aligner does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.alignment import vocabulary, words
from evaluation.alignment.wordnet import WordNet, find_wordnet
from metrics.linguistics.base import nltk_root
from tests.alignment.drawing import drawn

PAGE = Path(__file__).resolve().parents[2] / "docs" / "alignment.md"


@pytest.fixture
def wordnet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The system's, or that of ``make tools``, which the aligner does not look for by itself."""
    folder = nltk_root() / "corpora" / "wordnet"
    found = find_wordnet() or (WordNet(folder) if folder.is_dir() else None)
    if found is None:
        pytest.skip("the examples were drawn with WordNet, which is not installed")
    monkeypatch.setattr(vocabulary, "find_wordnet", lambda: found)
    words._lexical_of.cache_clear()
    yield
    words._lexical_of.cache_clear()


@pytest.mark.usefixtures("wordnet")
def test_the_twenty_documented_examples_are_drawn_as_the_aligner_cuts_them_now() -> None:
    found = re.findall(
        r"^\d+\. `([^`]+)`:[^\n]*\n\n {8}(.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(found) == 20
    for name, line in found:
        file, item, one, other = name.split()
        assert drawn(file, item, one, other) == line
