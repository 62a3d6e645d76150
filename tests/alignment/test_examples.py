"""The examples in the documentation are what the aligner does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.alignment import aligners, vocabulary
from evaluation.alignment.question_rules import QuestionSize
from evaluation.alignment.wordnet import WordNet, find_wordnet
from metrics.tools.base import find_nltk_folder
from tests.alignment.drawing import draw_example, list_questions

PAGE = Path(__file__).resolve().parents[2] / "docs" / "results" / "alignment.md"
QUESTIONS = PAGE.parents[1] / "questions.md"


@pytest.fixture
def wordnet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The system's, or that of ``make tools``, which the aligner does not look for by itself."""
    folder = find_nltk_folder() / "corpora" / "wordnet"
    found = find_wordnet() or (WordNet(folder) if folder.is_dir() else None)
    if found is None:
        pytest.skip("the examples were drawn with WordNet, which is not installed")
    monkeypatch.setattr(vocabulary, "find_wordnet", lambda: found)
    aligners._cached_lexical.cache_clear()
    yield
    aligners._cached_lexical.cache_clear()


@pytest.mark.usefixtures("wordnet")
def test_the_twenty_documented_examples_are_drawn_as_the_aligner_cuts_them_now() -> None:
    found = re.findall(
        r"^\d+\. `([^`]+)`:[^\n]*\n\n {8}(.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(found) == 20
    for name, line in found:
        file, item, one, other = name.split()
        assert draw_example(file, item, one, other) == line


@pytest.mark.usefixtures("wordnet")
def test_the_twenty_cases_of_the_page_on_questions_are_what_an_import_asks() -> None:
    cases = re.findall(
        r"^\d+\. `([^`]+)`:[^\n]*\n\n {8}before: (.+)\n {8}after: (.+)$",
        QUESTIONS.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(cases) == 20
    for name, before, after in cases:
        file, item, one, other = name.split()
        assert list_questions(file, item, one, other, QuestionSize.PHRASE) == before
        assert list_questions(file, item, one, other, QuestionSize.MEDIUM) == after
