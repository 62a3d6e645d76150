"""Parse the answers that a browser sends, as JSON or as a plain form; and the forms of annotation."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy as _

from evaluation.annotate.places import MOST_STEPS, Steps, choice_from_steps, count_steps
from evaluation.annotate.services.answers import Receipt, Submission, Value
from evaluation.annotate.services.assessments import (
    NO_VALUE,
    AssessmentSubmission,
    CollectedSpan,
    CollectedValue,
)
from evaluation.annotate.services.assignments import MOST_MILLISECONDS
from evaluation.assessments import MarkedSpan, SpanSide
from evaluation.models import AlignmentReport
from evaluation.schemes import Choice, Scheme

MOST_VARIANTS = 500
Fields = Mapping[str, object]
"""The fields of one answer, from a JSON object or from a plain form."""


class MalformedAnswer(ValueError):
    """A field is missing or malformed; pages of this site never send such an answer."""


def parse_json(body: bytes) -> dict[str, object]:
    try:
        document = json.loads(body)
    except RecursionError as error:
        raise MalformedAnswer("nested too deeply") from error
    if not isinstance(document, dict):
        raise MalformedAnswer("a JSON object is expected")
    return document


def parse_ranking(data: Fields) -> Submission[Choice]:
    """Parse the ranking of one phrase pair; an empty choice withdraws it."""
    submission = _parse_submission(data, lambda: Choice(str(data["choice"])) if data.get("choice") else None)
    return replace(submission, reason=str(data.get("reason") or ""))


def parse_place_ranking(data: Fields) -> Submission[Steps]:
    """Parse the ranking of one place.

    ``steps`` is a list of numbers, 0 for a variant that cannot be compared; an empty list withdraws the
    answer.
    """
    return _parse_submission(data, lambda: _parse_steps(data["steps"]))


def parse_sentence_answer(data: Fields) -> tuple[str, str, uuid.UUID, int, int | None]:
    """Return question, value, UUID, the version that was seen and the active time."""
    question, value = data.get("question"), data.get("value")
    if not isinstance(question, str) or not isinstance(value, str):
        raise MalformedAnswer("question and value must be text")
    with _convert_errors():
        seen, active_ms = parse_number(data, "base"), parse_milliseconds(data, "active_ms")
        return question, value, uuid.UUID(str(data["uuid"])), seen, active_ms


def parse_assessment(data: Fields) -> AssessmentSubmission:
    """Parse score and error spans of one candidate; an empty score is not set."""
    with _convert_errors():
        spans = data.get("spans", [])
        spans = json.loads(spans) if isinstance(spans, str) else spans
        if not isinstance(spans, list):
            raise MalformedAnswer("spans must be a list")
        value = CollectedValue(parse_score(data.get("score")), tuple(map(_parse_span, spans)))
        return AssessmentSubmission(
            key=str(data["output"]),
            uuid=uuid.UUID(str(data["uuid"])),
            value=value,
            base=parse_number(data, "base"),
            active_ms=parse_milliseconds(data, "active_ms"),
            elapsed_ms=parse_milliseconds(data, "elapsed_ms"),
        )


def parse_score(value: object) -> float | None:
    """
    >>> parse_score(""), parse_score("66"), parse_score(0)
    (None, 66.0, 0.0)
    """
    if value in (None, ""):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > 20:
        raise MalformedAnswer("score must be a number")
    score = float(value)
    if not math.isfinite(score):
        raise MalformedAnswer("score must be a number")
    return score


def _parse_span(data: object) -> CollectedSpan:
    if not isinstance(data, dict):
        raise MalformedAnswer("a span must be an object")
    severity, category = data.get("severity"), data.get("category") or ""
    if not isinstance(severity, str) or not isinstance(category, str):
        raise MalformedAnswer("severity and category must be text")
    is_omission = data.get("start") is None and data.get("end") is None
    start, end = (None if is_omission else parse_number(data, name) for name in ("start", "end"))
    span = MarkedSpan(severity, category, start, end, SpanSide(data.get("side") or SpanSide.TARGET))
    return CollectedSpan(span, parse_number(data, "suggestion") if data.get("suggestion") else None)


def assessment_to_json(value: CollectedValue | None) -> dict[str, object]:
    """Return score and spans as ``parse_assessment`` reads them."""
    score, spans = value or NO_VALUE
    return {"score": score, "spans": [_span_to_json(each) for each in spans]}


def _span_to_json(each: CollectedSpan) -> dict[str, object]:
    span = each.span
    return {
        "side": span.side.value, "start": span.start, "end": span.end, "severity": span.severity,
        "category": span.category, "suggestion": each.suggestion,
    }  # fmt: skip


def _parse_submission(data: Fields, parse_value: Callable[[], Value | None]) -> Submission[Value]:
    """A plain function: this is the most frequent request of the site, and a form costs ten times as much."""
    with _convert_errors():
        return Submission(
            uuid=uuid.UUID(str(data["uuid"])),
            question=parse_number(data, "phrase"),
            value=parse_value(),
            base=parse_number(data, "base"),
            active_ms=parse_milliseconds(data, "active_ms"),
            elapsed_ms=parse_milliseconds(data, "elapsed_ms"),
        )


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Convert errors about missing or malformed fields to ``MalformedAnswer``."""
    try:
        yield
    except KeyError as error:
        raise MalformedAnswer(f"{error.args[0]} is missing") from error
    except MalformedAnswer:
        raise
    except ValueError as error:
        raise MalformedAnswer(str(error)) from error


def parse_number(data: Fields, name: str, most: int = 1_000_000) -> int:
    value = data[name]
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise MalformedAnswer(f"{name} must be a whole number from 0 to {most}")
    return value


def parse_milliseconds(data: Fields, name: str) -> int | None:
    return None if data.get(name) in (None, "") else parse_number(data, name, MOST_MILLISECONDS)


def _parse_steps(steps: object) -> Steps | None:
    if not isinstance(steps, list) or len(steps) > MOST_VARIANTS:
        raise MalformedAnswer("steps must be a list of numbers")
    return tuple([parse_number({"step": step}, "step", MOST_STEPS) or None for step in steps]) or None


def steps_to_json(steps: Steps | None) -> list[int]:
    """The inverse of ``parse_place_ranking``, for the receipt."""
    return [step or 0 for step in steps or ()]


# --- all answers of a page, sent as a plain form ------------------------------------------------------


def parse_ranking_form(post: QueryDict) -> list[Submission[Choice]]:
    """Return one submission for each question that has a choice."""
    choices = {phrase: post.get(f"choice-{phrase}") for phrase in post.getlist("phrase")}
    return [
        parse_ranking({"choice": choice, "reason": post.get(f"why-{phrase}"), **_form_fields(post, phrase)})
        for phrase, choice in choices.items()
        if choice
    ]


def parse_place_form(post: QueryDict) -> list[Submission[Steps]]:
    """Return one submission for each place in which every variant has a step."""
    return [
        parse_place_ranking({"steps": steps, **_form_fields(post, place)})
        for place, steps in read_typed_steps(post).items()
        if steps and all(steps)
    ]


def read_typed_steps(post: QueryDict) -> dict[int, list[str]]:
    """Return the chosen step of every variant by place, empty where none is chosen."""
    typed = {}
    for place in post.getlist("place"):
        count = parse_number({"variants": post.get(f"variants-{place}", "")}, "variants", MOST_VARIANTS)
        typed[parse_number({"place": place}, "place")] = [
            post.get(f"step-{place}-{n}", "") for n in range(count)
        ]
    return typed


def parse_score_form(
    post: QueryDict, stored: Mapping[str, Receipt[CollectedValue | None]], keys: Iterable[str]
) -> list[AssessmentSubmission]:
    """Return the scores of a plain form that differ from what is stored; error spans stay as they are."""
    submissions = []
    for key in keys:
        if f"score-{key}" not in post:
            continue
        with _convert_errors():
            score = parse_score(post[f"score-{key}"])
        value = (stored[key].value if key in stored else None) or NO_VALUE
        if score != value.score:
            fields = {**_form_fields(post, key), "output": key}
            submissions.append(replace(parse_assessment(fields), value=value._replace(score=score)))
    return submissions


def _form_fields(post: QueryDict, question: str | int) -> dict[str, object]:
    return {
        "phrase": question,
        "uuid": post.get(f"uuid-{question}") or uuid.uuid4(),
        "base": post.get(f"base-{question}", "0"),
    }


# --- other forms --------------------------------------------------------------------------------------


class SkipForm(forms.Form):
    reason = forms.CharField(max_length=300, strip=True)
    active_ms = forms.IntegerField(min_value=0, max_value=MOST_MILLISECONDS, required=False)


class ReportForm(forms.Form):
    phrase = forms.IntegerField(min_value=0)
    reason = forms.ChoiceField(choices=AlignmentReport.Reason.choices)
    note = forms.CharField(max_length=2000, required=False, strip=True)


class PracticeAnswerForm(forms.Form):
    """One of the choices of the scheme."""

    choice = forms.CharField(max_length=4)

    def __init__(self, scheme: Scheme, *args: Any) -> None:
        super().__init__(*args)
        self.scheme = scheme

    def clean_choice(self) -> Choice:
        choice: str = self.cleaned_data["choice"]
        if choice not in self.scheme.labels:
            raise forms.ValidationError("not a choice of this task")
        return Choice(choice)


class PracticeStepsForm(forms.Form):
    """The steps of two variants, in tasks that rank places; converted to a choice."""

    def __init__(self, scheme: Scheme, *args: Any) -> None:
        super().__init__(*args)
        self.scheme = scheme
        for number in range(2):
            self.fields[f"step-0-{number}"] = forms.IntegerField(
                min_value=0, max_value=count_steps(2, scheme)
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors:
            one, other = (data[f"step-0-{number}"] or None for number in range(2))
            data["choice"] = choice_from_steps(one, other, self.scheme)
        return data

    @property
    def steps(self) -> list[int | None]:
        if not self.is_bound:
            return [None, None]
        return [self.cleaned_data.get(f"step-0-{number}") for number in range(2)]


def _text_area() -> forms.Textarea:
    return forms.Textarea(attrs={"class": "in area", "rows": 2})


class PracticeQuestionForm(forms.Form):
    """Two sentences and the expected choice, the first sentence being A."""

    above = forms.CharField(
        label=_("Text at the top"),
        required=False,
        max_length=5000,
        widget=_text_area(),
    )
    first = forms.CharField(label=_("Sentence A"), max_length=5000, widget=_text_area())
    second = forms.CharField(
        label=_("Sentence B"),
        max_length=5000,
        widget=_text_area(),
        help_text=_("The order of the two is random for each annotator."),
    )
    expected = forms.ChoiceField(label=_("Expected answer"), widget=forms.Select(attrs={"class": "in"}))
    why = forms.CharField(
        label=_("Explanation"),
        required=False,
        max_length=1000,
        widget=_text_area(),
        help_text=_("Shown after the answer. Do not mention A or B, because the sides may be swapped."),
    )

    def __init__(self, scheme: Scheme, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        expected = self.fields["expected"]
        assert isinstance(expected, forms.ChoiceField)
        expected.choices = [
            (option.choice.value, f"{option.choice.symbol}: {gettext(option.words)}")
            for option in scheme.options
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("first") and data.get("first") == data.get("second"):
            self.add_error("second", _("The two sentences are the same."))
        return data
