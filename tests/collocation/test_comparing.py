"""Uses of the scores, with the printed averages of paper 002."""

from __future__ import annotations

import pytest

from metrics.replicate.paper002 import separation_ratio

# Slides "Different Collocation Metrics": human average, system average, printed ratio in per cent.
PRINTED = [
    (0.0620049, 0.0482311, 22.21),
    (7.5624950, 5.6388967, 25.44),
    (11009.499, 8420.9759, 23.51),
    (559.36625, 337.50552, 39.66),
    (0.0633512, 0.0595995, 5.92),
    (7.9221359, 7.5500239, 4.70),
    (11604.130, 11242.706, 3.11),
    (625.73902, 600.59049, 4.02),
    (1027.9084, 1050.6777, -2.22),
]


@pytest.mark.parametrize(("human", "system", "ratio"), PRINTED)
def test_separation_ratios_of_the_slides(human: float, system: float, ratio: float) -> None:
    found = separation_ratio(human, system)
    assert found is not None
    assert round(100 * found, 2) == ratio


def test_a_separation_without_data_is_none() -> None:
    assert separation_ratio(None, 1.0) is None
    assert separation_ratio(1.0, None) is None
    assert separation_ratio(0.0, 1.0) is None
