"""Complete mode: the worked cases, its laws for any set of links, and its slow twin."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random, getrandbits

import pytest
from hypothesis import given, settings, strategies as st

from evaluation.alignment import Kind, Link, PhraseAlignment, align
from evaluation.alignment.values import mirror_links
from tests.alignment.twin import twin

Row = tuple[str, str, str]


def rows(alignment: PhraseAlignment) -> list[Row]:
    """Phrases as (A words, B words, kind), a star for moved ones."""
    return [
        (
            " ".join(alignment.a[slice(*phrase.a)]) if phrase.a else "ε",
            " ".join(alignment.b[slice(*phrase.b)]) if phrase.b else "ε",
            phrase.kind.value + ("*" if phrase.moved else ""),
        )
        for phrase in alignment.phrases
    ]


def links_of(text: str) -> list[Link]:
    return [(int(i), int(j)) for i, j in (link.split("-") for link in text.split())]


# Worked by hand from the definition in paper 003, sections 2.1 and 6.2 (gaps, moved and crossing phrases).
WORKED = {
    "identity links over different words": (
        "the red house", "the blue house", "0-0 1-1 2-2",
        [("the", "the", "shared"), ("red", "blue", "different"), ("house", "house", "shared")],
    ),
    "one-sided gaps between the same neighbours pair up": (
        "the red house", "the blue house", "0-0 2-2",
        [("the", "the", "shared"), ("red", "blue", "different"), ("house", "house", "shared")],
    ),
    "a word that only B has": (
        "the cat", "the big cat", "0-0 1-2",
        [("the", "the", "shared"), ("ε", "big", "b_only"), ("cat", "cat", "shared")],
    ),
    "a moved word": (
        "the house is small", "the small house is", "0-0 1-2 2-3 3-1",
        [("the", "the", "shared"), ("house is", "house is", "shared"), ("small", "small", "shared*")],
    ),
    "neither order is the heavier": (
        "a b c d", "c d a b", "0-2 1-3 2-0 3-1",
        [("a b", "a b", "shared*"), ("c d", "c d", "shared*")],
    ),
    "gaps pair up across a moved word": (
        "yesterday I saw red", "I saw blue yesterday", "0-3 1-0 2-1",
        [("yesterday", "yesterday", "shared*"), ("I saw", "I saw", "shared"), ("red", "blue", "different")],
    ),
    "two words for one": (
        "going to go", "gonna go", "0-0 1-0 2-1",
        [("going to", "gonna", "different"), ("go", "go", "shared")],
    ),
    "no links at all": (
        "the red house", "the blue house", "",
        [("the", "the", "shared"), ("red", "blue", "different"), ("house", "house", "shared")],
    ),
    "a moved word does not keep the words after a common neighbour apart": (
        "we have luck to be able to go", "we are able to go luck", "0-0 2-5 5-2 6-3 7-4",
        [("we", "we", "shared"), ("have", "are", "different"), ("luck", "luck", "shared*"),
         ("to be", "ε", "a_only"), ("able to go", "able to go", "shared")],
    ),
    "words that moved along with a moved word": (
        "it was in all of Norway strongly disputed", "it was strongly contested in all of Norway",
        "0-0 1-1 2-4 3-5 4-6 5-7 6-2",
        [("it was", "it was", "shared"), ("in all of Norway", "in all of Norway", "shared"),
         ("strongly", "strongly", "shared*"), ("disputed", "contested", "different*")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("a", "b", "links", "expected"), WORKED.values(), ids=WORKED)
def test_worked_case(a: str, b: str, links: str, expected: list[Row]) -> None:
    assert rows(align(a.split(), b.split(), links=links_of(links))) == expected


@pytest.mark.parametrize(("a", "b"), [("", ""), ("x", ""), ("", "x y")])
def test_empty_sentences_are_one_sided_or_nothing(a: str, b: str) -> None:
    expected = [(a or "ε", b or "ε", "a_only" if a else "b_only")] if a or b else []
    assert rows(align(a.split(), b.split(), links=[])) == expected


def test_a_link_outside_the_sentences_is_refused_with_its_value() -> None:
    with pytest.raises(ValueError, match="link 3-0 is outside sentences of 1 and 1 tokens"):
        align(["x"], ["y"], links=[(3, 0)])
    with pytest.raises(ValueError, match="link -1-0"):
        align(["x"], ["y"], links=[(-1, 0)])


def test_links_that_loose_components_lose_are_reported() -> None:
    alignment = align("abcd", "wxyz", links=[(0, 1), (2, 1), (1, 0)])
    assert alignment.links == ((1, 0), (2, 1))  # 2 and 1 meet again between their neighbours
    assert alignment.dropped == ((0, 1),)


def test_json_has_the_documented_form() -> None:
    assert align(["the", "cat"], ["the", "big", "cat"], links=[(0, 0), (1, 2)]).to_json() == {
        "a": ["the", "cat"],
        "b": ["the", "big", "cat"],
        "links": "0-0 1-2",
        "dropped_links": "",
        "phrases": [
            {"a": [0, 1], "b": [0, 1], "kind": "shared", "moved": False},
            {"a": None, "b": [1, 2], "kind": "b_only", "moved": False},
            {"a": [1, 2], "b": [2, 3], "kind": "shared", "moved": False},
        ],
    }


Case = tuple[str, str, list[Link]]


def random_case(seed: int, density: str, longest: int = 9) -> Case:
    """Two random sentences over few words, with links of the given kind."""
    random = Random(seed)
    words = "abcdeF"[: random.randint(1, 6)]
    a, b = ("".join(random.choices(words, k=random.randint(0, longest))) for _ in "ab")
    cells = [(i, j) for i in range(len(a)) for j in range(len(b))]
    if density == "one-to-one":
        size = random.randint(0, min(len(a), len(b)))
        links = list(zip(random.sample(range(len(a)), size), random.sample(range(len(b)), size), strict=True))
    else:
        share = random.uniform(0, 0.25) if density == "sparse" else random.uniform(0.25, 1)
        links = [cell for cell in cells if random.random() < share]
    return a, b, links


def check_laws(a: str, b: str, links: list[Link], alignment: PhraseAlignment, **options: bool) -> None:
    phrases = alignment.phrases
    assert [i for p in phrases if p.a for i in range(*p.a)] == list(range(len(a))), (
        "A in order, each word once"
    )
    assert sorted(j for p in phrases if p.b for j in range(*p.b)) == list(range(len(b))), "B, each word once"
    assert len(phrases) <= len(a) + len(b)
    for phrase in phrases:
        left, right = a[slice(*phrase.a or (0, 0))], b[slice(*phrase.b or (0, 0))]
        assert phrase.kind == (
            Kind.B_ONLY
            if not left
            else Kind.A_ONLY
            if not right
            else Kind.SHARED
            if left == right
            else Kind.DIFFERENT
        )
        assert phrase.a is None or phrase.b is None or phrase.kind in (Kind.SHARED, Kind.DIFFERENT)
        assert not (phrase.moved and (phrase.a is None or phrase.b is None))
    of_a = {i: p for p in phrases if p.a for i in range(*p.a)}
    of_b = {j: p for p in phrases if p.b for j in range(*p.b)}
    assert set(alignment.links) | set(alignment.dropped) == set(links)
    assert all(of_a[i] is of_b[j] for i, j in alignment.links)
    assert all(of_a[i] is not of_b[j] for i, j in alignment.dropped)
    for place, phrase in enumerate(phrases):
        if phrase.kind is Kind.B_ONLY and phrase.b is not None:
            assert phrases[place - 1].b[1] == phrase.b[0] if phrase.b[0] else place == 0  # type: ignore[index]  # two-sided
    mirrored = align(b, a, links=mirror_links(links), **options)  # type: ignore[arg-type]  # all options are bool here
    assert {phrase.mirrored for phrase in mirrored.phrases} == set(phrases), "A and B may change places"


def check_one_to_one_law(a: str, b: str, links: list[Link], alignment: PhraseAlignment) -> None:
    of_a = {i: p for p in alignment.phrases if p.a for i in range(*p.a)}
    for i, j in links:
        if a[i] == b[j]:
            phrase = of_a[i]
            assert phrase.kind is Kind.SHARED
            assert phrase.a is not None
            assert phrase.b is not None
            assert i - phrase.a[0] == j - phrase.b[0]


seeds = st.integers(0, 2**48)


def new_seeds(count: int) -> Iterator[int]:
    """Other ones in every run; pytest-randomly says where it begins."""
    return (getrandbits(48) for _ in range(count))


@pytest.mark.parametrize("density", ["one-to-one", "sparse", "dense"])
@settings(max_examples=300, deadline=None)
@given(seed=seeds)
def test_laws_hold_for_any_links(density: str, seed: int) -> None:
    check_all_laws(density, seed)


@pytest.mark.slow
@pytest.mark.parametrize("density", ["one-to-one", "sparse", "dense"])
def test_laws_hold_for_ten_thousand_random_link_sets(density: str) -> None:
    # Plain numbers: of a seed hypothesis can make nothing smaller, and would take twice as long as the laws.
    for seed in new_seeds(10_000):
        check_all_laws(density, seed)


def check_all_laws(density: str, seed: int) -> None:
    a, b, links = random_case(seed, density)
    alignment = align(a, b, links=links)
    check_laws(a, b, links, alignment)
    if density == "one-to-one":
        check_one_to_one_law(a, b, links, alignment)


@pytest.mark.parametrize("density", ["one-to-one", "sparse", "dense"])
@settings(max_examples=300, deadline=None)
@given(seed=seeds)
def test_laws_hold_with_joined_differences_and_long_phrases_split(density: str, seed: int) -> None:
    a, b, links = random_case(seed, density)
    check_laws(a, b, links, align(a, b, links=links, join=True), join=True)
    mirrored = align(b, a, links=mirror_links(links), max_length=2)
    assert {p.mirrored for p in mirrored.phrases} == set(align(a, b, links=links, max_length=2).phrases)


@pytest.mark.parametrize("density", ["one-to-one", "sparse", "dense"])
@settings(max_examples=500, deadline=None)
@given(seed=seeds)
def test_it_equals_its_slow_twin(density: str, seed: int) -> None:
    a, b, links = random_case(seed, density, longest=7)
    ours = [(p.a, p.b, p.moved) for p in align(a, b, links=links).phrases if p.a and p.b]
    theirs = [((x.start, x.stop), (y.start, y.stop), moved) for (x, y), moved in twin(a, b, links)]
    assert ours == theirs


def test_no_more_sentences_collapse_into_one_phrase_than_by_the_plain_definition() -> None:
    cases = [
        random_case(seed, density) for seed in range(400) for density in ("one-to-one", "sparse", "dense")
    ]
    cases = [(a, b, links) for a, b, links in cases if len(a) > 1 and len(b) > 1]
    ours = sum(len(align(a, b, links=links).phrases) == 1 for a, b, links in cases)
    plain = 0
    for a, b, links in cases:
        pairs = [pair for pair, _ in twin(a, b, links, touching=False)]
        covered = sum(len(x) + len(y) for x, y in pairs)
        plain += len(pairs) == 1 and covered == len(a) + len(b)
    assert ours <= plain
