"""Assessment protocols: what an annotator may say about an output. A protocol is data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NoReturn

from appraise.lib.problems import InputError, Problem


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The scale of the score; ``anchors`` are texts at some of its values."""

    lowest: float
    highest: float
    step: float = 1
    anchors: tuple[tuple[float, str], ...] = ()

    def __contains__(self, score: float) -> bool:
        return self.lowest <= score <= self.highest


@dataclass(frozen=True, slots=True)
class AssessmentProtocol:
    """What is asked about an output: a score (``scale``), error spans (``severities``), or both.

    Texts are in English; pages translate those of the shipped protocols.
    """

    name: str
    title: str
    scale: ScoreScale | None = None
    severities: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    has_omissions: bool = False
    has_source_errors: bool = False
    span_required_below: float | None = None
    has_document_score: bool = False
    guidelines: str = ""

    @property
    def has_spans(self) -> bool:
        return bool(self.severities)

    def requires_span(self, score: float | None) -> bool:
        """Whether an answer with this score has to mark an error."""
        least = self.span_required_below
        return score is not None and least is not None and score < least

    def to_json(self) -> dict[str, Any]:  # Any: plain JSON values
        """Return a JSON object from which ``read_protocol`` makes an equal protocol."""
        return asdict(self)


_SQM = (
    (0.0, "Nonsense or no meaning preserved"),
    (33.0, "Some meaning preserved"),
    (66.0, "Most meaning preserved and few grammar mistakes"),
    (100.0, "Perfect meaning and grammar"),
)
_MQM_CATEGORIES = (
    "accuracy/addition",
    "accuracy/creative reinterpretation",
    "accuracy/mistranslation",
    "accuracy/omission",
    "accuracy/source language fragment",
    "fluency/grammar",
    "fluency/inconsistency",
    "fluency/punctuation",
    "fluency/register",
    "fluency/spelling",
    "locale convention/address format",
    "locale convention/currency format",
    "locale convention/date format",
    "locale convention/time format",
    "non-translation!",
    "other",
    "source issue",
    "style/archaic or obscure word choice",
    "style/bad sentence structure",
    "style/unnatural or awkward",
    "terminology/inappropriate for context",
    "terminology/inconsistent",
)
_RATE = (
    "Compare the translation with the source: does it say the same, and is it well written? Judge this"
    " translation, not how you would have written it."
)
_MARK = (
    "Mark every error, with as few words as show it. An error is major if it changes the meaning or makes it"
    " hard to understand, otherwise it is minor."
)
PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        AssessmentProtocol("da", "Direct assessment", ScoreScale(0, 100), guidelines=_RATE),
        AssessmentProtocol(
            "da-sqm",
            "Direct assessment with quality levels",
            ScoreScale(0, 100, 1, _SQM),
            guidelines=_RATE,
        ),
        AssessmentProtocol(
            "esa",
            "Error span annotation",
            ScoreScale(0, 100, 1, _SQM),
            severities=("minor", "major"),
            has_omissions=True,
            guidelines=f"{_MARK}\n\nThen rate the whole translation, with its errors in mind.",
        ),
        AssessmentProtocol(
            "mqm",
            "Multidimensional quality metrics",
            severities=("minor", "major"),
            categories=_MQM_CATEGORIES,
            has_omissions=True,
            has_source_errors=True,
            guidelines=f"{_MARK} Choose the category that fits best.",
        ),
    )
}
"""The protocols that are shipped."""


def read_protocol(document: object) -> AssessmentProtocol:
    """Read a protocol from JSON values; ``InputError`` names the key that is wrong.

    >>> read_protocol(PROTOCOLS["esa"].to_json()) == PROTOCOLS["esa"]
    True
    """
    known = _read_object(document, AssessmentProtocol, "the protocol")
    for key in ("name", "title"):
        if not isinstance(known.get(key), str) or not known[key].strip():
            _refuse(f"{key!r} must be a text")
    for key in ("severities", "categories"):
        known[key] = _read_names(known.get(key, ()), key)
    for key in ("has_omissions", "has_source_errors", "has_document_score"):
        if not isinstance(known.setdefault(key, False), bool):
            _refuse(f"{key!r} must be true or false")
    if known.get("scale") is not None:
        known["scale"] = _read_scale(known["scale"])
    least = known.get("span_required_below")
    if least is not None and not _is_number(least):
        _refuse("'span_required_below' must be a number")
    if not isinstance(known.setdefault("guidelines", ""), str):
        _refuse("'guidelines' must be a text")
    protocol = AssessmentProtocol(**known)
    if protocol.scale is None and not protocol.has_spans:
        _refuse("a protocol asks for a score (scale), for errors (severities) or for both")
    if protocol.scale is None and (least is not None or protocol.has_document_score):
        _refuse("'span_required_below' and 'has_document_score' need a scale")
    return protocol


def _read_scale(document: object) -> ScoreScale:
    known = _read_object(document, ScoreScale, "'scale'")
    numbers = {key: known.get(key, 1) for key in ("lowest", "highest", "step")}
    if not {"lowest", "highest"} <= known.keys() or not all(map(_is_number, numbers.values())):
        _refuse("'scale' needs the numbers 'lowest' and 'highest', and 'step' is a number")
    if not (numbers["lowest"] < numbers["highest"] and numbers["step"] > 0):
        _refuse("'lowest' must be below 'highest', and 'step' above 0")
    anchors = known.get("anchors", ())
    if not isinstance(anchors, list | tuple) or not all(map(_is_anchor, anchors)):
        _refuse("'anchors' must be a list of [score, text]")
    return ScoreScale(**numbers, anchors=tuple((value, text) for value, text in anchors))


def _read_object(document: object, kind: type[Any], what: str) -> dict[str, Any]:  # Any: any JSON value
    names = [field.name for field in fields(kind)]
    if not isinstance(document, Mapping):
        _refuse(f"{what} must be an object with the keys {', '.join(names)}")
    unknown = [str(key) for key in document if key not in names]
    if unknown:
        _refuse(f"{what} has the unknown key {unknown[0]!r}")
    return dict(document)


def _read_names(value: object, key: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(n, str) and n.strip() for n in value):
        _refuse(f"{key!r} must be a list of texts")
    if len(set(value)) < len(value):
        _refuse(f"{key!r} has an entry twice")
    return tuple(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _is_anchor(value: object) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return _is_number(value[0]) and isinstance(value[1], str)


def _refuse(message: str) -> NoReturn:
    raise InputError(Problem("bad_protocol", message, "see the protocols in docs/ratings.md"))
