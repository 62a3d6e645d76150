"""A skeleton gives what its template gives, escapes what it is given, and keeps nothing of it."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import override

from evaluation.skeleton import Skeleton

COMMENT = "evaluation/_comment.html"


@pytest.mark.parametrize("text", ["", "plain", "100 % <b>&\"' %(open)s %s \x02comment\x03", "é 漢字"])
def test_a_filled_skeleton_is_the_rendered_template(text: str) -> None:
    filled = Skeleton(COMMENT, "open", "comment").fill({"open": "", "comment": text})
    assert filled == render_to_string(COMMENT, {"open": "", "comment": text})


def test_values_are_escaped_unless_they_are_marked_safe() -> None:
    skeleton = Skeleton(COMMENT, "open", "comment")
    assert "<i>" not in skeleton.fill({"open": "", "comment": "<i>"})
    assert "<i>" in skeleton.fill({"open": "", "comment": mark_safe("<i>")})


def test_nothing_of_one_page_is_left_in_the_next() -> None:
    skeleton = Skeleton(COMMENT, "open", "comment")
    assert "secret" in skeleton.fill({"open": "", "comment": "secret"})
    assert "secret" not in skeleton.fill({"open": "", "comment": ""})


def test_each_language_has_its_own() -> None:
    skeleton = Skeleton(COMMENT, "open", "comment")
    for language in ("en", "de", "en"):
        with override(language):
            expected = render_to_string(COMMENT, {"open": "", "comment": "x"})
            assert skeleton.fill({"open": "", "comment": "x"}) == expected


def test_a_place_that_the_template_lacks_is_named() -> None:
    with pytest.raises(ValueError, match=r"_comment\.html has no place for reason"):
        Skeleton(COMMENT, "open", "comment", "reason").fill({})
