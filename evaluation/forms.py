"""Turns what a browser sends into domain values."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django import forms
from django.http import QueryDict

from evaluation.models import AlignmentReport
from evaluation.schemes import Choice
from evaluation.services.judging import Answer

MOST_MILLISECONDS = 24 * 60 * 60 * 1000


class BadAnswer(ValueError):
    """An answer that no page of ours would send; names the field."""


def parse_answer(data: Mapping[str, object]) -> Answer:
    """One answer to one phrase pair; an empty choice withdraws it.

    A plain function and not a form: this is the hottest path of the site, and a form costs ten times as much.
    """
    choice = data.get("choice") or None
    with bad_answers():
        return Answer(
            uuid=uuid.UUID(str(data["uuid"])),
            phrase=number(data, "phrase"),
            choice=None if choice is None else Choice(str(choice)),
            base=number(data, "base"),
            active_ms=milliseconds(data, "active_ms"),
            elapsed_ms=milliseconds(data, "elapsed_ms"),
        )


def json_object(body: bytes) -> dict[str, object]:
    """The JSON object that a script sends."""
    try:
        found = json.loads(body)
    except RecursionError as error:
        raise BadAnswer("nested too deeply") from error
    if not isinstance(found, dict):
        raise BadAnswer("a JSON object is expected")
    return found


def parse_sentence(data: Mapping[str, object]) -> tuple[str, str, uuid.UUID, int]:
    """An answer about the whole sentence: question, value, id and the version that was seen."""
    question, value = data.get("question"), data.get("value")
    if not isinstance(question, str) or not isinstance(value, str):
        raise BadAnswer("question and value must be text")
    with bad_answers():
        return question, value, uuid.UUID(str(data["uuid"])), number(data, "base")


@contextmanager
def bad_answers() -> Iterator[None]:
    """Turns errors over missing or malformed fields into ``BadAnswer``."""
    try:
        yield
    except KeyError as error:
        raise BadAnswer(f"{error.args[0]} is missing") from error
    except BadAnswer:
        raise
    except ValueError as error:
        raise BadAnswer(str(error)) from error


def number(data: Mapping[str, object], name: str, most: int = 1_000_000) -> int:
    value = data[name]
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise BadAnswer(f"{name} must be a whole number from 0 to {most}")
    return value


def milliseconds(data: Mapping[str, object], name: str) -> int | None:
    return None if data.get(name) in (None, "") else number(data, name, MOST_MILLISECONDS)


def answers_of(post: QueryDict) -> list[Answer]:
    """The answers of a whole page sent as a plain form, one per question that has a choice."""
    found = []
    for phrase in post.getlist("phrase"):
        if post.get(f"choice-{phrase}"):
            found.append(
                parse_answer(
                    {
                        "phrase": phrase,
                        "choice": post[f"choice-{phrase}"],
                        "uuid": post.get(f"uuid-{phrase}") or uuid.uuid4(),
                        "base": post.get(f"base-{phrase}", "0"),
                    }
                )
            )
    return found


class SkipForm(forms.Form):
    reason = forms.CharField(max_length=300, strip=True)


class ReportForm(forms.Form):
    phrase = forms.IntegerField(min_value=0)
    reason = forms.ChoiceField(choices=AlignmentReport.Reason.choices)
    note = forms.CharField(max_length=2000, required=False, strip=True)
