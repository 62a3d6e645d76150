"""Alignments for those who manage a task: the queue of reports and the editor of word links."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evaluation.forms_alignment import CorrectionForm
from evaluation.models import Alignment, Assignment, Comparison, Task, User
from evaluation.reports.alignments import EditorPage, comparisons_of, editor_page, flags, preview
from evaluation.services import alignments
from evaluation.templatetags.appraise import lang_and_dir
from evaluation.views.annotate import signed_in
from evaluation.views.members import managed_task

FLAGS_AT_ONCE = 50
View = Callable[[HttpRequest, str], HttpResponseBase]


@login_required
@never_cache
@require_GET
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    found, item = flags(task), request.GET.get("item", "").strip()[:200]
    context = {
        "task": task,
        "flags": Paginator(found, FLAGS_AT_ONCE).get_page(request.GET.get("page")),
        "total": len(found),
        "item": item,
        "found": comparisons_of(task, item) if item else [],
        "attributes": lang_and_dir(task.target_language),
    }
    return render(request, "evaluation/alignment_queue.html", context)


@login_required
@require_POST
def dismiss(request: HttpRequest, slug: str, pair: int) -> HttpResponse:
    task = managed_task(request, slug)
    closed = alignments.dismiss(task, get_object_or_404(task.pairs, pk=pair), by=signed_in(request))
    if closed:
        messages.success(request, _("Dismissed. The alignment stays as it is."))
    else:
        messages.info(request, _("Somebody else has dealt with this report already."))
    return redirect("alignments", slug=slug)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def editor(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    comparison = _comparison(request, slug, pk)
    page = editor_page(comparison)
    if request.method == "GET":
        return _page(
            request, comparison, page, CorrectionForm.of(page.start, page.newest.version, _sizes(page))
        )
    form = CorrectionForm(request.POST, _sizes(page))
    if not form.is_valid() or "save" not in request.POST:
        return _page(request, comparison, page, form)
    try:
        stored = alignments.correct(
            comparison, form.correction(), base=form.cleaned_data["base"], by=signed_in(request)
        )
    except alignments.StaleAlignment as stale:
        # Their work is not lost: the links stay in the form, and they can save again.
        again = CorrectionForm.of(form.correction(), stale.newest.version, _sizes(page))
        return _page(request, comparison, editor_page(comparison), again, stale=stale.newest)
    except alignments.NothingChanged:
        messages.info(request, _("Nothing has changed, so there is no new version."))
        return _page(request, comparison, page, form)
    messages.success(request, _stored(stored))
    return redirect("alignments", slug=slug)


@login_required
@never_cache
@require_POST
def live_preview(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The preview part of the editor, for the links as they are now."""
    comparison = _comparison(request, slug, pk)
    page = editor_page(comparison)
    form = CorrectionForm(request.POST, _sizes(page))
    context = _shown(comparison, page, form) | {
        "attributes": lang_and_dir(comparison.item.task.target_language)
    }
    return render(request, "evaluation/alignment_preview.html", context)


def follow(view: View) -> View:
    """Redirect from an old token: an assignment without an answer gets a new one when it is corrected.

    An answer from the old page is refused, because its phrases are numbered by the old version.
    """

    @wraps(view)
    def following(request: HttpRequest, token: str) -> HttpResponseBase:
        try:
            response = view(request, token)
        except Http404:
            new = _moved(request, token)
            if new is None:
                raise
            messages.info(
                request, _("The organiser has corrected how these sentences align. Please look again.")
            )
            return redirect(new)
        if response.status_code == 404 and _moved(request, token):
            return JsonResponse({"error": "corrected", "version": 0, "choice": None}, status=409)
        return response

    return following


def _moved(request: HttpRequest, token: str) -> Assignment | None:
    user = request.user
    return alignments.moved_assignment(token, user) if isinstance(user, User) else None


def _comparison(request: HttpRequest, slug: str, pk: int) -> Comparison:
    # Where all candidates are judged together, two of them cannot be aligned on their own.
    found = Comparison.objects.filter(item__task=managed_task(request, slug), item__places=[])
    return get_object_or_404(found.select_related("item__task__campaign", "first", "second"), pk=pk)


def _sizes(page: EditorPage) -> tuple[int, int]:
    return len(page.a), len(page.b)


def _stored(alignment: Alignment) -> str:
    people = alignment.assignments.count()
    said = _("Version %(n)d is saved; earlier answers keep the version they were given for.")
    if not people:
        return said % {"n": alignment.version}
    moved = ngettext(
        "%(n)d person who had begun but not answered sees it now.",
        "%(n)d people who had begun but not answered see it now.",
        people,
    )
    return f"{said % {'n': alignment.version}} {moved % {'n': people}}"


def _shown(comparison: Comparison, page: EditorPage, form: CorrectionForm) -> dict[str, object]:
    """The preview, or what is wrong with the links."""
    if not form.is_valid():
        return {"preview": None, "problems": form.problems, "form": form}
    return {"preview": preview(comparison, page.newest, form.correction()), "problems": (), "form": form}


def _page(
    request: HttpRequest,
    comparison: Comparison,
    page: EditorPage,
    form: CorrectionForm,
    *,
    stale: Alignment | None = None,
) -> HttpResponse:
    task, item = comparison.item.task, comparison.item
    shows_source = task.shows == Task.Shows.SOURCE
    context = {
        "task": task,
        "comparison": comparison,
        "page": page,
        "stale": stale,
        "above": [item.source] if shows_source else item.references,
        "above_attributes": lang_and_dir(task.source_language if shows_source else task.target_language),
        "attributes": lang_and_dir(task.target_language),
        **_shown(comparison, page, form),
    }
    status = 409 if stale else 200 if form.is_valid() else 422
    return render(request, "evaluation/alignment_editor.html", context, status=status)
