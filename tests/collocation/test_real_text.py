"""On published news text: real sentences hold together better than mixtures of two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metrics.collocation.association import AssociationMeasure
from metrics.collocation.content_words import ContentWordReader, ContentWords, get_reader
from metrics.collocation.counting import PairCounter
from metrics.collocation.scoring import Method, score_sentences
from metrics.collocation.table import CollocationTable, Corpus
from metrics.metaeval.datasets import read_texts
from metrics.tools.base import ToolAbsent

TRAINING, TEST = 1500, 300


def references(folder: Path, prefix: str, most: int) -> list[str]:
    texts, _ = read_texts(folder / f"{prefix}.segments.tsv.gz")
    return [text.references[0] for text in texts.values()][:most]


@pytest.fixture(scope="module")
def words() -> ContentWordReader:
    try:
        return get_reader("en")
    except ToolAbsent as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def background(real_data: Path, words: ContentWordReader) -> CollocationTable:
    counter = PairCounter()
    for sentence in words.read(references(real_data, "rr_wmt13_pairs/de-en", TRAINING)):
        counter.add(sentence.words)
    return counter.table(Corpus("news of 2013", "news", "", 0))


@pytest.fixture(scope="module")
def sentences(real_data: Path, words: ContentWordReader) -> list[ContentWords]:
    return words.read(references(real_data, "rr_wmt12/de-en", TEST))


def mixed(sentences: list[ContentWords]) -> list[ContentWords]:
    """The first half of every sentence with the second half of the one after the next."""
    others = [*sentences[2:], *sentences[:2]]
    found = []
    for one, other in zip(sentences, others, strict=True):
        half = len(one.words) // 2
        joined = tuple(dict.fromkeys([*one.words[:half], *other.words[len(other.words) // 2 :]]))
        found.append(ContentWords(joined, tuple(range(len(joined))), None))
    return found


def coverage(background: CollocationTable, sentences: list[ContentWords]) -> float:
    key = AssociationMeasure.CHI2, Method.MST
    kept = score_sentences(background, sentences, [key[0]], [key[1]])[key].kept
    return float(kept.sum() / sum(max(0, len(sentence.words) - 1) for sentence in sentences))


@pytest.mark.realdata
@pytest.mark.slow
def test_sentences_are_better_covered_than_mixtures(
    background: CollocationTable, sentences: list[ContentWords]
) -> None:
    assert coverage(background, sentences) > 1.05 * coverage(background, mixed(sentences))


@pytest.mark.realdata
@pytest.mark.slow
def test_most_news_sentences_have_a_score(
    background: CollocationTable, sentences: list[ContentWords]
) -> None:
    key = AssociationMeasure.DICE, Method.MST
    averages = score_sentences(background, sentences, [key[0]], [key[1]])[key].averages
    assert np.isfinite(averages).mean() > 0.8
