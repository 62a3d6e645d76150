"""Adjudications of disputed pairs.

An adjudication never changes an annotator's answer: it is a row of its own, the last one counts, and reports
on agreement do not read it.
"""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from evaluation.annotate.services.answers import ChoiceNotInScheme
from evaluation.models import Adjudication, AuditEntry, PhrasePair, Role, Task, User
from evaluation.schemes import Choice
from evaluation.web import get_user, post_only


class ReasonMissing(ValueError):
    """An adjudication needs a reason."""


@transaction.atomic
def append_adjudication(pair: PhrasePair, *, choice: Choice, reason: str, by: User) -> Adjudication:
    """Append a choice with its reason, and an audit entry."""
    if choice not in pair.task.scheme.choices:
        raise ChoiceNotInScheme(f"{choice} is none of {', '.join(pair.task.scheme.labels)}")
    if not reason.strip():
        raise ReasonMissing("a reason is needed")
    adjudication = Adjudication.objects.create(
        pair=pair, choice=choice.value, reason=reason.strip(), made_by=by
    )
    target = f"pair {pair.pk} of {pair.task.slug}"
    AuditEntry.objects.record(by, "adjudicate", target, {"choice": choice.value})
    return adjudication


class AdjudicationForm(forms.Form):
    choice = forms.ChoiceField(choices=[(c.value, c.value) for c in Choice])
    reason = forms.CharField(max_length=2000)


@post_only
def adjudicate(request: HttpRequest, pair: int) -> HttpResponse:
    user = get_user(request)
    managed = PhrasePair.objects.filter(task__in=Task.objects.with_role(user, Role.MANAGER))
    disputed = get_object_or_404(managed.select_related("task"), pk=pair)
    form = AdjudicationForm(request.POST)
    try:
        if not form.is_valid():
            raise ReasonMissing
        choice, reason = Choice(form.cleaned_data["choice"]), form.cleaned_data["reason"]
        append_adjudication(disputed, choice=choice, reason=reason, by=user)
        messages.success(request, _("Decision saved. The annotators’ answers are unchanged."))
    except (ChoiceNotInScheme, ReasonMissing):
        messages.error(request, _("Choose an answer and give a short reason."))
    back = request.POST.get("back", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = disputed.task.get_absolute_url()
    return redirect(back)
