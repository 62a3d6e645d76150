"""A scheme is data: one that nobody has thought of is shown with its own choices, words and keys."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string

from evaluation.schemes import FOUR_WAY, SCHEMES, Choice, Scheme

THREE_WAY = Scheme("three-way", "3 choices", FOUR_WAY.options[:3], step_meanings=("Worse.",))


@pytest.mark.parametrize("scheme", [*SCHEMES.values(), THREE_WAY], ids=lambda scheme: scheme.name)
def test_pages_show_the_choices_of_any_scheme(scheme: Scheme) -> None:
    scale = render_to_string("evaluation/_scale.html", {"scheme": scheme, "name": "x", "chosen": "A=B"})
    assert scale.count('type="radio"') == len(scheme.choices)
    assert scale.count(" checked") == 1
    assert scale.count("opt-na") == (Choice.NOT_APPLICABLE in scheme.choices)
    guide = render_to_string("evaluation/_guidelines.html", {"scheme": scheme})
    assert guide.count("<dt>") == len(scheme.choices)
    assert all(option.meaning in guide for option in scheme.options)
    assert f"<kbd>{len(scheme.choices)}</kbd>" in render_to_string(
        "evaluation/_keys.html", {"scheme": scheme}
    )


@pytest.mark.parametrize("scheme", [*SCHEMES.values(), THREE_WAY], ids=lambda scheme: scheme.name)
def test_every_grade_of_a_scheme_is_a_distance_in_steps(scheme: Scheme) -> None:
    assert len(scheme.step_meanings) == len(scheme.preferences)
    guide = render_to_string("evaluation/_places_guide.html", {"scheme": scheme})
    assert guide.count("<dt>+ ") == len(scheme.preferences)
