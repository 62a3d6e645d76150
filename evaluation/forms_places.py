"""The ranking of a place as a browser sends it: one as JSON, or all of a page as a plain form."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.http import QueryDict

from evaluation.forms import BadAnswer, bad_answers, milliseconds, number
from evaluation.places import MOST_STEPS, Steps
from evaluation.services.places import PlaceAnswer

MOST_VARIANTS = 500


def parse_place(data: Mapping[str, object]) -> PlaceAnswer:
    """``steps`` is a list of numbers, 0 for a variant that cannot be compared; an empty list withdraws."""
    with bad_answers():
        given = data["steps"]
        if not isinstance(given, list) or len(given) > MOST_VARIANTS:
            raise BadAnswer("steps must be a list of numbers")
        return PlaceAnswer(
            uuid=uuid.UUID(str(data["uuid"])),
            place=number(data, "phrase"),
            steps=tuple([_step(step) for step in given]) or None,
            base=number(data, "base"),
            active_ms=milliseconds(data, "active_ms"),
            elapsed_ms=milliseconds(data, "elapsed_ms"),
        )


def _step(given: object) -> int | None:
    return number({"step": given}, "step", MOST_STEPS) or None


def typed_steps(post: QueryDict) -> dict[int, list[str]]:
    """Place → what the form says about its variants, empty where nothing is chosen."""
    typed = {}
    for place in post.getlist("place"):
        count = number({"variants": post.get(f"variants-{place}", "")}, "variants", MOST_VARIANTS)
        typed[number({"place": place}, "place")] = [post.get(f"step-{place}-{n}", "") for n in range(count)]
    return typed


def places_of(post: QueryDict) -> list[PlaceAnswer]:
    """The places of a plain form in which every variant has a step."""
    return [
        parse_place(
            {
                "phrase": place,
                "steps": steps,
                "uuid": post.get(f"uuid-{place}") or uuid.uuid4(),
                "base": post.get(f"base-{place}", "0"),
            }
        )
        for place, steps in typed_steps(post).items()
        if steps and all(steps)
    ]


def as_sent(steps: Steps | None) -> list[int]:
    """The inverse of ``parse_place``, for the receipt."""
    return [step or 0 for step in steps or ()]
