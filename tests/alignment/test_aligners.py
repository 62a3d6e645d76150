"""Word aligners: what they find, and what all of them promise."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment import align, load_aligner
from evaluation.alignment.lexical import ADJACENT, LexicalAligner, find_heaviest_chain
from evaluation.alignment.values import mirror_links
from evaluation.alignment.wordnet import WordNet

VOCABULARY = [
    "the",
    "a",
    "The",
    "red",
    "house",
    "houses",
    "housing",
    "quick",
    "quickly",
    ",",
    ".",
    "of",
    "it",
    "burned",
    "burning",
]
sentences = st.lists(st.sampled_from(VOCABULARY), max_size=9)


@given(sentences, sentences, st.sampled_from(["exact", "lexical"]))
def test_aligners_are_symmetric_and_one_to_one(a: list[str], b: list[str], name: str) -> None:
    links = load_aligner(name, "en").links(a, b)
    assert len(links) == len({i for i, _ in links}) == len({j for _, j in links})
    assert all(0 <= i < len(a) and 0 <= j < len(b) for i, j in links)
    assert list(links) == sorted(links)
    assert mirror_links(load_aligner(name, "en").links(b, a)) == links


@given(sentences, st.sampled_from(["exact", "lexical"]))
def test_a_sentence_is_aligned_with_itself_word_by_word(a: list[str], name: str) -> None:
    assert load_aligner(name, "en").links(a, a) == tuple((k, k) for k in range(len(a)))


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_exact_finds_a_longest_common_subsequence(a: str, b: str) -> None:
    links = load_aligner("exact").links(a, b)
    assert all(a[i] == b[j] for i, j in links)
    assert all(x[0] < y[0] and x[1] < y[1] for x, y in pairwise(links))
    longest = max(size for size in range(len(a) + 1) if any(_is_in(c, b) for c in combinations(a, size)))
    assert len(links) == longest


def _is_in(part: tuple[str, ...], whole: str) -> bool:
    rest = iter(whole)
    return all(letter in rest for letter in part)


cells = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 12), max_size=8)


@given(cells)
def test_the_chain_is_the_heaviest_of_all_chains(weights: dict[tuple[int, int], int]) -> None:
    def value(chain: tuple[tuple[int, int], ...]) -> int:
        touching = sum(x[0] + 1 == y[0] and x[1] + 1 == y[1] for x, y in pairwise(chain))
        return sum(weights[cell] for cell in chain) + ADJACENT * touching

    chains = [
        chain
        for size in range(len(weights) + 1)
        for chain in combinations(sorted(weights), size)
        if all(x[0] < y[0] and x[1] < y[1] for x, y in pairwise(chain))
    ]
    found = find_heaviest_chain([(i, j, w, True, True) for (i, j), w in weights.items()])
    assert value(tuple(found)) == max(map(value, chains))


@pytest.mark.parametrize(
    ("a", "b", "links"),
    [
        ("The house", "the Houses", "0-0 1-1"),  # case and ending
        ("he was burning it", "it was burnt", "1-1 2-2"),  # spelling; 'it' has not moved
        ("today Anna left", "Anna left today", "0-2 1-0 2-1"),  # a content word has
        (
            "in May of 1990 it rained",
            "it rained in May of 1990",
            "0-2 1-3 2-4 3-5 4-0 5-1",
        ),  # a whole block has
        ("colour", "color", "0-0"),
        ("cat", "dog", ""),
    ],
)
def test_lexical_links(a: str, b: str, links: str) -> None:
    alignment = align(a.split(), b.split(), aligner=load_aligner("lexical", "en"))
    assert alignment.to_json()["links"] == links


def test_a_comma_elsewhere_has_not_moved() -> None:
    links = load_aligner("lexical", "en").links([",", "he", "said", "yes"], ["he", "said", "yes", ","])
    assert links == ((1, 0), (2, 1), (3, 2))


def test_very_long_and_very_repetitive_sentences_take_bounded_time() -> None:
    a, b = ["the", "cat"] * 600, ["cat", "the", "dog"] * 400
    for name in ("exact", "lexical"):
        alignment = align(a, b, aligner=load_aligner(name, "en"))
        assert sum(p.a[1] - p.a[0] for p in alignment.phrases if p.a) == len(a)


def test_an_unknown_aligner_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown aligner 'giza'; known: eflomal, exact"):
        load_aligner("giza")


@pytest.mark.parametrize("language", ["", "en", "de-AT", "xx", "zh"])
def test_the_version_names_what_the_links_depend_on(language: str) -> None:
    version = load_aligner("lexical", language).version
    assert "stem=" in version
    assert "synonyms=" in version


def wordnet_folder(folder: Path) -> Path:
    """A database of three nouns in WordNet's own format, invented for this test."""
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"index.{part}").write_text("  1 a licence line\n", encoding="utf-8")
        (folder / f"{part}.exc").write_text("", encoding="utf-8")
    (folder / "index.noun").write_text(
        "  1 a licence line\nautomobile n 1 1 @ 1 1 00000111  \ncar n 2 1 @ 2 1 00000111 00000222  \n"
        "goose n 1 1 @ 1 0 00000333  \n",
        encoding="utf-8",
    )
    (folder / "noun.exc").write_text("geese goose\n", encoding="utf-8")
    return folder


def test_words_with_a_common_wordnet_sense_are_linked(tmp_path: Path) -> None:
    wordnet = WordNet(wordnet_folder(tmp_path))
    assert wordnet.senses("geese") == wordnet.senses("goose") == {"n00000333"}
    assert wordnet.senses("cars") == {"n00000111", "n00000222"}
    assert wordnet.senses("unknown") == frozenset()
    with_synonyms = LexicalAligner("en", wordnet)
    assert "synonyms=wordnet" in with_synonyms.version
    assert with_synonyms.links(["fast", "automobiles", "won"], ["slow", "geese", "lost"]) == ()
    assert with_synonyms.links(["some", "geese"], ["a", "goose"]) == ((1, 1),)
    assert LexicalAligner("", wordnet).links(["my", "automobile", "broke"], ["no", "cars", "today"]) == (
        (1, 1),
    )
