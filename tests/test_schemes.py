"""Laws that every scheme keeps."""

from __future__ import annotations

import pytest

from evaluation.schemes import FOUR_WAY, SCHEMES, SIX_WAY, Choice, Scheme


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=str)
class TestEveryScheme:
    def test_mirroring_twice_changes_nothing(self, scheme: Scheme) -> None:
        assert [choice.mirrored.mirrored for choice in scheme.choices] == list(scheme.choices)

    def test_mirror_stays_inside_the_scheme(self, scheme: Scheme) -> None:
        assert {choice.mirrored for choice in scheme.choices} == set(scheme.choices)

    def test_collapse_commutes_with_mirror(self, scheme: Scheme) -> None:
        for choice in scheme.choices:
            assert choice.collapsed.mirrored == choice.mirrored.collapsed

    def test_mirror_turns_the_sign(self, scheme: Scheme) -> None:
        for choice in scheme.choices:
            sign = choice.sign
            assert choice.mirrored.sign == (None if sign is None else -sign)


def test_kappa_prime_of_six_way_is_computed_over_four_way() -> None:
    assert SIX_WAY.collapsed is FOUR_WAY
    assert FOUR_WAY.collapsed is FOUR_WAY


def test_chance_is_fixed_by_the_size_of_the_scheme() -> None:
    assert SIX_WAY.chance == 1 / 6
    assert FOUR_WAY.chance == 1 / 4


def test_labels_are_those_of_the_files() -> None:
    assert SIX_WAY.labels == ("A>>B", "A>B", "A=B", "A<B", "A<<B", "N/A")
    assert Choice.NOT_APPLICABLE not in SIX_WAY.ordered
