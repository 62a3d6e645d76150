"""Symmetrisation and the alignment error rate, also on published gold alignments."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment.values import Link, Symmetry, alignment_error_rate, symmetrize

links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=10)


@given(links, links)
def test_every_heuristic_lies_between_intersection_and_union(one: set[Link], other: set[Link]) -> None:
    made = {how: symmetrize(one, other, how) for how in Symmetry}
    assert made[Symmetry.INTERSECTION] == one & other
    assert made[Symmetry.UNION] == one | other
    for found in made.values():
        assert one & other <= found <= one | other
    assert made[Symmetry.GROW_DIAG] <= made[Symmetry.GROW_DIAG_FINAL_AND]
    assert made[Symmetry.GROW_DIAG] <= made[Symmetry.GROW_DIAG_FINAL]


@given(links)
def test_two_equal_directions_stay_as_they_are(one: set[Link]) -> None:
    assert all(symmetrize(one, one, how) == one for how in Symmetry)


def test_growing_and_finishing_worked_by_hand() -> None:
    forward = [(0, 0), (1, 1), (3, 3), (4, 0)]
    backward = [(0, 0), (1, 2), (5, 5)]
    grown = {(0, 0), (1, 1), (1, 2)}
    assert symmetrize(forward, backward, Symmetry.GROW_DIAG) == grown
    assert symmetrize(forward, backward, Symmetry.GROW_DIAG_FINAL_AND) == grown | {(3, 3), (5, 5)}
    assert symmetrize(forward, backward, Symmetry.GROW_DIAG_FINAL) == grown | {(3, 3), (5, 5), (4, 0)}


def test_error_rate_of_nothing_is_none() -> None:
    assert alignment_error_rate([]) is None
    assert alignment_error_rate([([], [(0, 0)], [])]) is None


def test_error_rate_worked_by_hand() -> None:
    # |A∩S| = 1, |A∩P| = 2, |A| = 3, |S| = 2: 1 − 3/5
    assert alignment_error_rate([([(0, 0), (1, 1)], [(2, 2)], [(0, 0), (2, 2), (3, 3)])]) == pytest.approx(
        0.4
    )


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return stream.read().split("\n")[:-1]


def gold(folder: Path, pair: str) -> list[tuple[list[Link], list[Link]]]:
    """Sure (i-j) and possible (ipj) links, counted from 1 in the files."""

    def parsed(line: str, sign: str) -> list[Link]:
        cells = [token.split(sign) for token in line.split() if sign in token]
        return [(int(i) - 1, int(j) - 1) for i, j in cells]

    return [(parsed(line, "-"), parsed(line, "p")) for line in lines(folder / f"{pair}.gold.gz")]


def talp(path: Path) -> list[frozenset[Link]]:
    cells = [[token.split("-") for token in line.split()] for line in lines(path)]
    return [frozenset((int(i), int(j)) for i, j in row) for row in cells]


def error_rate(gold: list[tuple[list[Link], list[Link]]], found: list[frozenset[Link]]) -> float:
    rate = alignment_error_rate((s, p, a) for (s, p), a in zip(gold, found, strict=True))
    assert rate is not None
    return 100 * rate


@pytest.mark.realdata
@pytest.mark.parametrize(("pair", "size"), [("enfr", 447), ("roen", 248)])
@pytest.mark.parametrize("tool", ["giza", "fastalign"])
def test_intersection_and_union_equal_the_published_files(
    real_data: Path, pair: str, size: int, tool: str
) -> None:
    folder = real_data / "align" / "hyp"
    forward = talp(folder / f"{tool}.{pair}.forward.talp.gz")
    backward = [frozenset((j, i) for i, j in row) for row in talp(folder / f"{tool}.{pair}.reverse.talp.gz")]
    assert len(forward) == size
    for how in (Symmetry.INTERSECTION, Symmetry.UNION):
        ours = [symmetrize(x, y, how) for x, y in zip(forward, backward, strict=True)]
        assert ours == talp(folder / f"{tool}.{pair}.{how.value}.talp.gz")


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("pair", "links", "published"),
    [
        ("enfr", "giza.enfr.grow-diagonal", 5.94),
        ("enfr", "giza.enfr.intersection", 7.6),
        ("enfr", "giza.enfr.forward", 8.0),
        ("roen", "giza.roen.grow-diagonal-final", 26.40),
        ("roen", "giza.roen.intersection", 30.7),
        ("roen", "giza.roen.forward", 28.7),
        ("enfr", "fastalign.enfr.grow-diagonal", 10.5),
        ("roen", "fastalign.roen.grow-diagonal", 32.1),
    ],
)
def test_error_rates_are_the_published_ones(real_data: Path, pair: str, links: str, published: float) -> None:
    folder = real_data / "align"
    rate = error_rate(gold(folder, pair), talp(folder / "hyp" / f"{links}.talp.gz"))
    assert rate == pytest.approx(published, abs=0.06)
