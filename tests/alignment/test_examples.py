"""The examples in the documentation are what the aligner does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluation.alignment.wordnet import find_wordnet
from tests.alignment.drawing import drawn

PAGE = Path(__file__).resolve().parents[2] / "docs" / "alignment.md"


def test_the_twenty_documented_examples_are_drawn_as_the_aligner_cuts_them_now() -> None:
    if find_wordnet() is None:
        pytest.skip("the examples were drawn with WordNet, which is not installed")
    found = re.findall(
        r"^\d+\. `([^`]+)`:[^\n]*\n\n {8}(.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(found) == 20
    for name, line in found:
        file, item, one, other = name.split()
        assert drawn(file, item, one, other) == line
