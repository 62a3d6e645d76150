"""Judgements made elsewhere: the same checks whether they come from a table or from JSON.

Three measures: a label on two systems (``A>B`` and so on, in the order in which the two are named), a rating
of one system (higher is better), a rank of one system (1 is best).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from evaluation.importers.model import ImportedJudgement, Measure, Place
from evaluation.importers.reading import Reading, shown
from evaluation.schemes import Choice

FIELDS = ("annotator", "item", "a", "b", "label", "system", "rating", "rank", "phrase")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)
_COUNT = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


def judgement(fields: Mapping[str, str], place: Place, reading: Reading) -> ImportedJudgement | None:
    """One judgement from its fields as text; None, with a fault noted, if it makes no sense."""
    given = {key: value.strip() for key, value in fields.items() if value.strip()}
    for key in ("annotator", "item"):
        if key not in given:
            reading.fault("schema", f"the judgement names no {key}", f"fill in {key}", place)
            return None
        if len(given[key]) > reading.limits.max_name:
            reading.fault(
                "field_too_long",
                f"the {key} has {len(given[key]):,} characters",
                f"use at most {reading.limits.max_name}",
                place,
                given[key],
            )
    measures = [measure for measure in Measure if measure.value in given]
    if len(measures) != 1:
        said = "no verdict" if not measures else " and ".join(measures)
        reading.fault("schema", f"the judgement has {said}", "give a label, a rating or a rank", place)
        return None
    return (
        _label(given, place, reading)
        if measures == [Measure.LABEL]
        else _score(given, measures[0], place, reading)
    )


def _label(given: Mapping[str, str], place: Place, reading: Reading) -> ImportedJudgement | None:
    try:
        label = Choice(given["label"])
    except ValueError:
        known = ", ".join(Choice)
        reading.fault("bad_label", f"{shown(given['label'])!r} is no label", f"use one of {known}", place)
        return None
    systems = tuple(given[side] for side in ("a", "b") if side in given)
    if len(systems) != 2 or systems[0] == systems[1]:
        reading.fault(
            "schema", "a label needs two different systems", "name them in the columns a and b", place
        )
        return None
    phrase = _counted(given.get("phrase", ""), "phrase", place, reading)
    return ImportedJudgement(
        given["annotator"], given["item"], systems, Measure.LABEL, place, label=label, phrase=phrase
    )


def _score(
    given: Mapping[str, str], measure: Measure, place: Place, reading: Reading
) -> ImportedJudgement | None:
    if "system" not in given:
        reading.fault("schema", f"the {measure} names no system", "fill in system", place)
        return None
    text = given[measure]
    if not (_COUNT if measure is Measure.RANK else _NUMBER).fullmatch(text):
        expected = "1, 2, 3, …" if measure is Measure.RANK else "a plain decimal number"
        reading.fault("bad_number", f"{shown(text)!r} is no {measure}", f"write {expected}", place)
        return None
    phrase = _counted(given.get("phrase", ""), "phrase", place, reading)
    return ImportedJudgement(
        given["annotator"],
        given["item"],
        (given["system"],),
        measure,
        place,
        value=float(text),
        phrase=phrase,
    )


def _counted(text: str, what: str, place: Place, reading: Reading) -> int | None:
    if not text:
        return None
    if not _COUNT.fullmatch(text):
        reading.fault("bad_number", f"{shown(text)!r} is no number of a {what}", "write 1, 2, 3, …", place)
        return None
    return int(text)
