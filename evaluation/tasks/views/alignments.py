"""The queue of alignment reports and the editor of word links, for managers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.annotate.services.assignments import find_moved_assignment
from evaluation.models import Alignment, Assignment, Comparison, Task, User
from evaluation.tasks.forms.management import QuestionForm, RealignmentForm
from evaluation.tasks.queries.alignments import (
    EditorPage,
    build_editor_page,
    build_preview,
    build_regrouping_page,
    find_comparisons,
    list_reported_pairs,
)
from evaluation.tasks.services import question_regrouping, realignments
from evaluation.web import get_managed_task, get_user, lang_and_dir, private_page

REPORTS_PER_PAGE = 50
View = Callable[[HttpRequest, str], HttpResponseBase]


@private_page
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_managed_task(request, slug)
    pairs, item = list_reported_pairs(task), request.GET.get("item", "").strip()[:200]
    context = {
        "task": task,
        "reported_pairs": Paginator(pairs, REPORTS_PER_PAGE).get_page(request.GET.get("page")),
        "total": len(pairs),
        "item": item,
        "matches": find_comparisons(task, item) if item else [],
        "attributes": lang_and_dir(task.target_language),
    }
    return render(request, "evaluation/alignment_queue.html", context)


@login_required
@require_POST
def dismiss(request: HttpRequest, slug: str, pair: int) -> HttpResponse:
    task = get_managed_task(request, slug)
    closed = realignments.dismiss_reports(task, get_object_or_404(task.pairs, pk=pair), by=get_user(request))
    if closed:
        messages.success(request, _("Report dismissed. The alignment is unchanged."))
    else:
        messages.info(request, _("Someone else has already handled this report."))
    return redirect("alignments", slug=slug)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """Cut a task into questions again: GET shows before and after, POST begins the job."""
    task = get_managed_task(request, slug)
    current = {"question_size": task.question_size, "ask_all": task.ask_all}
    form = QuestionForm(request.POST or request.GET or current)
    settings = form.cleaned_data if form.is_valid() else current
    page = build_regrouping_page(task, **settings)
    if request.method == "POST" and form.is_valid() and not page.is_judged:
        return redirect(question_regrouping.begin_regrouping(task, **settings, by=get_user(request)))
    status = 409 if request.method == "POST" else 200
    context = {
        "task": task,
        "form": form,
        "page": page,
        "is_current": settings == current,
        "attributes": lang_and_dir(task.target_language),
    }
    return render(request, "evaluation/questions.html", context, status=status)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def editor(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    comparison = _get_comparison(request, slug, pk)
    page = build_editor_page(comparison)
    if request.method == "GET":
        return _page(
            request,
            comparison,
            page,
            RealignmentForm.of(page.start, page.newest.version, page.lengths),
        )
    form = RealignmentForm(request.POST, page.lengths)
    if form.is_valid() and (action := _read_regrouping(request)):
        form = _regroup_form(request, comparison, page, form, *action)
    if not form.is_valid() or "save" not in request.POST:
        return _page(request, comparison, page, form)
    try:
        stored = realignments.realign_comparison(
            comparison, form.correction(), base=form.cleaned_data["base"], by=get_user(request)
        )
    except realignments.StaleAlignment as stale:
        # The links stay in the form, so that they can be saved again.
        again = RealignmentForm.of(form.correction(), stale.newest.version, page.lengths)
        return _page(request, comparison, build_editor_page(comparison), again, stale=stale.newest)
    except realignments.NothingChanged:
        messages.info(request, _("No changes, so no new version was saved."))
        return _page(request, comparison, page, form)
    messages.success(request, _stored_message(stored))
    return redirect("alignments", slug=slug)


def _read_regrouping(request: HttpRequest) -> tuple[str, int] | None:
    """Return the action of a button on a question and the question's first phrase, from ``next:4``."""
    action, _colon, first = request.POST.get("regroup", "").partition(":")
    return (action, int(first)) if first.isdecimal() and len(first) < 7 else None


def _regroup_form(
    request: HttpRequest,
    comparison: Comparison,
    page: EditorPage,
    form: RealignmentForm,
    action: str,
    first: int,
) -> RealignmentForm:
    changed = realignments.regroup(comparison, page.newest, form.correction(), action, first)
    if changed is None:
        messages.error(request, _("These questions cannot be joined: too much lies between them."))
        return form
    return RealignmentForm.of(changed, form.cleaned_data["base"], page.lengths)


@login_required
@require_POST
def apply_report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Apply a report that questions belong together or apart: store the regrouped version."""
    comparison = _get_comparison(request, slug, pk)
    page = build_editor_page(comparison)
    regrouping = _read_regrouping(request)
    is_current = request.POST.get("base") == str(page.newest.version)
    changed = None
    if regrouping and is_current:
        changed = realignments.regroup(comparison, page.newest, page.start, *regrouping)
    if changed is None:
        messages.error(request, _("This report cannot be applied with one click. Correct the alignment."))
        return redirect("alignment", slug=slug, pk=pk)
    try:
        stored = realignments.realign_comparison(
            comparison, changed, base=page.newest.version, by=get_user(request)
        )
    except (realignments.StaleAlignment, realignments.NothingChanged):
        messages.info(request, _("Someone else has already handled this report."))
    else:
        messages.success(request, _stored_message(stored))
    return redirect("alignments", slug=slug)


@login_required
@never_cache
@require_POST
def live_preview(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Render the preview of the editor for the submitted links."""
    comparison = _get_comparison(request, slug, pk)
    page = build_editor_page(comparison)
    form = RealignmentForm(request.POST, page.lengths)
    context = _preview_context(comparison, page, form) | {
        "attributes": lang_and_dir(comparison.item.task.target_language)
    }
    return render(request, "evaluation/alignment_preview.html", context)


def redirect_old_token(view: View) -> View:
    """Redirect from an old token: a correction gives assignments without answers a new one.

    An answer from the old page is refused, because its phrases are numbered by the old version.
    """

    @wraps(view)
    def following(request: HttpRequest, token: str) -> HttpResponseBase:
        try:
            response = view(request, token)
        except Http404:
            new = _find_moved(request, token)
            if new is None:
                raise
            return _redirect_to_moved(request, new)
        # 400 and 409: the correction came after the view had read the assignment.
        if response.status_code in (400, 404, 409) and (new := _find_moved(request, token)):
            if isinstance(response, JsonResponse):
                return JsonResponse({"error": "corrected", "version": 0, "choice": None}, status=409)
            return _redirect_to_moved(request, new)
        return response

    return following


def _redirect_to_moved(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    messages.info(
        request, _("The manager has corrected the alignment of these sentences. Please read them again.")
    )
    return redirect(assignment)


def _find_moved(request: HttpRequest, token: str) -> Assignment | None:
    user = request.user
    return find_moved_assignment(token, user) if isinstance(user, User) else None


def _get_comparison(request: HttpRequest, slug: str, pk: int) -> Comparison:
    # Where all candidates are judged together, two of them have no alignment of their own.
    found = Comparison.objects.filter(item__task=get_managed_task(request, slug), item__places=[])
    return get_object_or_404(found.select_related("item__task__campaign", "first", "second"), pk=pk)


def _stored_message(alignment: Alignment) -> str:
    people = alignment.assignments.count()
    message = _("Version %(n)d saved. Existing answers keep their version.")
    if not people:
        return message % {"n": alignment.version}
    moved = ngettext(
        "%(n)d annotator without answers now sees it.",
        "%(n)d annotators without answers now see it.",
        people,
    )
    return f"{message % {'n': alignment.version}} {moved % {'n': people}}"


def _preview_context(comparison: Comparison, page: EditorPage, form: RealignmentForm) -> dict[str, object]:
    """Return the preview, or the problems of the links."""
    preview = build_preview(comparison, page.newest, form.correction()) if form.is_valid() else None
    return {"preview": preview, "problems": form.problems, "form": form}


def _page(
    request: HttpRequest,
    comparison: Comparison,
    page: EditorPage,
    form: RealignmentForm,
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
        **_preview_context(comparison, page, form),
    }
    status = 409 if stale else 200 if form.is_valid() else 422
    return render(request, "evaluation/alignment_editor.html", context, status=status)
