"""What people disagree about, and what each system does worse."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from evaluation import jobs
from evaluation.models import Job
from evaluation.reports.phenomena import agreement_plot, phenomena_page, profile_of, tables
from evaluation.reports.scope import Scope
from evaluation.reports.tagged import taggable
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import plot_file, report_context, scope_of, table_file


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    if request.method == "POST":
        return _tag(request, scope)
    context = {**report_context(request, scope, "phenomena"), "page": phenomena_page(scope)}
    return render(request, "evaluation/phenomena.html", context)


def _tag(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Tag the sentences in the background, unless that is already running."""
    tasks = [task.slug for task in taggable(scope.tasks)]
    if not tasks:
        messages.info(request, _("There is nothing here that a tagger on this site can read."))
        return redirect(scope.url("phenomena"))
    waiting = Job.objects.filter(kind="tag", state__in=[Job.State.WAITING, Job.State.RUNNING])
    running = waiting.filter(owner=signed_in(request), arguments={"tasks": tasks}).first()
    title = _("Tag %(name)s") % {"name": scope.name}
    return redirect(running or jobs.enqueue("tag", title, owner=signed_in(request), tasks=tasks))


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    return table_file(scope, tables(scope), name, form)


@login_required
@require_GET
def plot(request: HttpRequest, kind: str, slug: str, name: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    return plot_file(scope, {"agreement": agreement_plot(profile_of(scope))}, name)
