"""Replications: ask for one, see its tables, take them away."""

from __future__ import annotations

import json
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from evaluation.views.annotate import signed_in
from evaluation.views.reporting import attachment, researcher
from metrics.forms_replication import ReplicationForm
from metrics.jobs import begin_replication
from metrics.replicate.folder import TOOLS, look
from metrics.replicate.rendering import FORMS
from metrics.reports.replications import ReplicationPage, campaigns, finished, replications
from metrics.services.replicating import data_folder

TITLES = {"json": "JSON", "md": "Markdown", "tex": "LaTeX", "csv": "CSV"}


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    user = researcher(request)
    offer, own = look(data_folder()), campaigns(user)
    form = ReplicationForm(request.POST if request.method == "POST" else None, campaigns=own, offer=offer)
    if request.method == "POST" and form.is_valid():
        return redirect(begin_replication(form.arguments, user))
    context = {
        "form": form,
        "jobs": replications(user),
        "offered": bool(offer),
        "own": bool(own),
        "folder": data_folder(),
    }
    return render(request, "metrics/replications.html", context, status=422 if form.is_bound else 200)


@login_required
@never_cache
@require_GET
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = _found(request, pk)
    context = {
        "page": found,
        "forms": TITLES.items(),
        "folder": data_folder(),
        "tools": ", ".join(TOOLS.values()),
    }
    return render(request, "metrics/replication.html", context)


@login_required
@require_GET
def file(request: HttpRequest, pk: UUID, form: str) -> HttpResponse:
    found = _found(request, pk).report
    if form == "json":
        text = json.dumps(found.as_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        return attachment(f"{found.recipe}.json", "application/json", text + "\n")
    if form not in FORMS:
        raise Http404(f"no form {form}")
    content_type, render_as = FORMS[form]
    return attachment(f"{found.recipe}.{form}", content_type, render_as(found))


def _found(request: HttpRequest, pk: UUID) -> ReplicationPage:
    found = finished(signed_in(request), pk)
    if found is None:
        raise Http404(f"no replication {pk}")
    return found
