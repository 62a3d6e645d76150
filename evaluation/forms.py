"""From strings to domain values; everything a browser sends passes here."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms

from evaluation.schemes import Choice
from evaluation.services.judging import Answer

MOST_MILLISECONDS = 24 * 60 * 60 * 1000


class AnswerForm(forms.Form):
    """One answer to one phrase pair; an empty choice withdraws it."""

    uuid = forms.UUIDField()
    phrase = forms.IntegerField(min_value=0, max_value=1_000_000)
    choice = forms.ChoiceField(choices=[(choice.value, choice.value) for choice in Choice], required=False)
    base = forms.IntegerField(min_value=0, max_value=1_000_000)
    active_ms = forms.IntegerField(min_value=0, max_value=MOST_MILLISECONDS, required=False)
    elapsed_ms = forms.IntegerField(min_value=0, max_value=MOST_MILLISECONDS, required=False)

    def answer(self) -> Answer:
        data = self.cleaned_data
        return Answer(
            uuid=data["uuid"],
            phrase=data["phrase"],
            choice=Choice(data["choice"]) if data["choice"] else None,
            base=data["base"],
            active_ms=data["active_ms"],
            elapsed_ms=data["elapsed_ms"],
        )


def answers_of(post: Any) -> list[AnswerForm]:  # Any: a QueryDict or a plain mapping
    """The answers of a whole page sent as a plain form, one per question that has a choice."""
    return [
        AnswerForm(
            {
                "phrase": phrase,
                "choice": post.get(f"choice-{phrase}", ""),
                "uuid": post.get(f"uuid-{phrase}", str(uuid.uuid4())),
                "base": post.get(f"base-{phrase}", "0"),
            }
        )
        for phrase in post.getlist("phrase")
        if post.get(f"choice-{phrase}")
    ]


class SkipForm(forms.Form):
    reason = forms.CharField(max_length=300, strip=True)


class ReportForm(forms.Form):
    phrase = forms.IntegerField(min_value=0)
    reason = forms.ChoiceField(choices=[("unrelated", ""), ("cut", ""), ("not_moved", "")])
    note = forms.CharField(max_length=2000, required=False, strip=True)
