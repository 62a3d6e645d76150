"""The annotation page. Every answer is its own request; without JavaScript the page is one plain form."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import SuspiciousOperation
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.annotate.forms import (
    MalformedAnswer,
    ReportForm,
    SkipForm,
    parse_json,
    parse_milliseconds,
    parse_number,
    parse_ranking,
    parse_ranking_form,
    parse_sentence_answer,
)
from evaluation.annotate.queries import Above, build_pair_page
from evaluation.annotate.services import answers, assignments, places, practice
from evaluation.annotate.services.answers import InvalidAnswer, Receipt, StaleAnswer, Submission
from evaluation.annotate.services.assignments import REASONS
from evaluation.models import Annotator, Assignment, Item, Occurrence, Task, User
from evaluation.schemes import CHOICE_REASONS
from evaluation.web import get_user, post_only

AnswerView = Callable[[HttpRequest, str], HttpResponse]
ANSWERED = Assignment.objects.for_answering()


def get_annotator(user: User) -> Annotator:
    return Annotator.objects.get_or_create(user=user)[0]


def get_own_assignment(request: HttpRequest, token: str) -> Assignment:
    """Return the assignment with this token; that of another annotator is a 404."""
    return get_shown_assignment(request, Assignment.objects.select_related("task", "annotator"), token)


def get_shown_assignment(request: HttpRequest, assignments: QuerySet[Assignment], token: str) -> Assignment:
    """Return one of these assignments if the user may see its page; 404 otherwise."""
    assignment = get_object_or_404(assignments, token=token)
    if not assignment.is_shown_to(get_user(request)):
        raise Http404
    return assignment


@post_only
def work(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin or continue a task: claim a slot and open its page."""
    user = get_user(request)
    return begin_task(request, get_object_or_404(Task.objects.annotated_by(user), slug=slug), user)


def begin_task(request: HttpRequest, task: Task, user: User) -> HttpResponse:
    """Redirect to the practice round if it is due, otherwise to the next sentence."""
    annotator = get_annotator(user)
    if task.is_open and practice.is_practice_due(task, annotator):
        return redirect("practice", slug=task.slug, number=1)
    return _open_assignment(request, task, annotator)


def open_next(request: HttpRequest, task: Task, annotator: Annotator) -> HttpResponse:
    """Redirect to the next sentence, unless the annotator was removed from the task meanwhile."""
    if not Task.objects.annotated_by(get_user(request)).filter(pk=task.pk).exists():
        messages.info(request, _("You are no longer a member of this task. Thank you for your work."))
        return redirect("home")
    return _open_assignment(request, task, annotator)


def _open_assignment(request: HttpRequest, task: Task, annotator: Annotator) -> HttpResponse:
    try:
        assignment = assignments.next_assignment(task, annotator)
    except assignments.TaskClosed:
        messages.info(request, _("This task is closed. Thank you for your work."))
        return redirect("home")
    if assignment is None:
        has_work = Assignment.objects.of(annotator, task).exists()
        return redirect("review" if has_work else "finished", slug=task.slug)
    return redirect(assignment)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def annotate(request: HttpRequest, token: str) -> HttpResponse:
    assignment = get_own_assignment(request, token)
    if assignment.passage_id is not None:
        return redirect("assess", token=token)
    if assignment.is_by_place:
        return redirect("places", token=token)
    if request.method == "GET":
        return _page(request, assignment)
    try:
        submissions = answers.list_changed(assignment, parse_ranking_form(request.POST))
        conflicts = store_form(submissions, lambda one: answers.submit_ranking(assignment, one))
        outdated = store_sentence_answers(request, assignment)
        assignments.add_time(assignment, parse_milliseconds(request.POST, "active_ms"))
    except (MalformedAnswer, InvalidAnswer) as error:
        raise SuspiciousOperation(str(error)) from error  # our own pages never send this: 400
    following = find_following(assignment)
    missing = answers.finish_pairs(assignment)
    if conflicts or missing or outdated:
        return _page(request, assignment, conflicts=conflicts, missing=missing, status=409)
    return redirect(following) if following else open_next(request, assignment.task, assignment.annotator)


def find_following(assignment: Assignment) -> Assignment | None:
    """Return the sentence after one that was finished before: whoever reviews goes on from there."""
    if assignment.is_unsettled:
        return None
    later = Assignment.objects.of(assignment.annotator_id, assignment.task_id)
    return later.filter(number__gt=assignment.number).order_by("number").first()


# --- storing answers: one as JSON, or all of a page as a plain form -----------------------------------


def json_answer(view: AnswerView) -> AnswerView:
    """Report errors as JSON. A script gets 401 where a page redirects to the login page."""

    @wraps(view)
    def wrapped(request: HttpRequest, token: str) -> HttpResponse:
        if not request.user.is_authenticated:
            return JsonResponse({"error": "signed_out"}, status=401)
        try:
            return view(request, token)
        except Http404:
            return JsonResponse({"error": "not_found"}, status=404)
        except (ValueError, InvalidAnswer) as error:
            return JsonResponse({"error": "invalid", "detail": str(error)}, status=400)

    return wrapped


def receipt_response(
    submit: Callable[[], Receipt[Any]],  # Any: choice, steps or text, as ``encode`` expects it
    encode: Callable[[Any], dict[str, object]],
) -> JsonResponse:
    """Store an answer and return its version; 200 only after the commit, 409 if a newer one is stored."""
    try:
        receipt = submit()
    except StaleAnswer as stale:
        conflict = {"error": "conflict", "version": stale.stored.version, **encode(stale.stored.value)}
        return JsonResponse(conflict, status=409)
    return JsonResponse({"version": receipt.version, **encode(receipt.value)})


@never_cache
@require_POST
@json_answer
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """Store one answer about a phrase pair or about the whole sentence."""
    assignment = get_shown_assignment(request, ANSWERED, token)
    if assignment.passage_id is not None:
        raise Http404
    data = parse_json(request.body)
    if "question" in data:
        question, value, uuid_, base, active_ms = parse_sentence_answer(data)
        return receipt_response(
            lambda: answers.submit_sentence_answer(
                assignment, question, value, uuid=uuid_, base=base, active_ms=active_ms
            ),
            lambda stored: {"value": stored},
        )
    if assignment.is_by_place:
        raise Http404
    submission = parse_ranking(data)
    return receipt_response(
        lambda: answers.submit_ranking(assignment, submission), answers.ReasonedChoice._asdict
    )


def store_form(
    submissions: Iterable[Submission[Any]], submit: Callable[[Submission[Any]], object]
) -> set[int]:
    """Store the answers of a plain form; returns the questions that were answered elsewhere meanwhile."""
    conflicts = set()
    for submission in submissions:
        try:
            submit(submission)
        except StaleAnswer:
            conflicts.add(submission.question)
        except InvalidAnswer:
            continue
    return conflicts


def store_sentence_answers(request: HttpRequest, assignment: Assignment) -> bool:
    """Store the answers of a plain form about the whole sentence; returns whether there was a conflict."""
    outdated = False
    for question in answers.SENTENCE_QUESTIONS:
        if question not in request.POST:
            continue
        base = request.POST.get(f"base-{question}", "")
        try:
            answers.submit_sentence_answer(
                assignment,
                question,
                request.POST[question],
                uuid=uuid.uuid4(),
                base=parse_number({"base": base}, "base") if base else None,
            )
        except StaleAnswer:
            outdated = True
    if outdated:
        messages.warning(
            request,
            _(
                "Your answer about the whole sentence was changed in another window. That answer is"
                " shown; you can change it here."
            ),
        )
    return outdated


# --- marking, skipping and reporting ------------------------------------------------------------------


@never_cache
@require_POST
@json_answer
def mark_unsure(request: HttpRequest, token: str) -> HttpResponse:
    """Set or clear the mark of a sentence, finished or not; refused when the task is closed."""
    assignment = get_own_assignment(request, token)
    is_script = request.content_type == "application/json"
    is_unsure = parse_json(request.body).get("is_unsure") if is_script else "is_unsure" in request.POST
    if not isinstance(is_unsure, bool):
        raise MalformedAnswer("is_unsure must be true or false")
    if not assignment.task.is_open:
        return JsonResponse({"error": "closed"}, status=409)
    assignments.mark_unsure(assignment, is_unsure)
    return JsonResponse({"is_unsure": is_unsure}) if is_script else redirect(assignment)


@never_cache
@require_POST
@json_answer
def add_time(request: HttpRequest, token: str) -> HttpResponse:
    """Add the time of a page that was left without Next or Skip."""
    assignment = get_own_assignment(request, token)
    assignments.add_time(assignment, parse_milliseconds(request.POST, "active_ms"))
    if not assignment.is_unsettled:
        assignments.end_assignment(assignment)  # its sum was made when it was finished
    return HttpResponse(status=204)


@post_only
def skip(request: HttpRequest, token: str) -> HttpResponse:
    assignment = get_own_assignment(request, token)
    form = SkipForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Give a short reason for skipping this sentence."))
        return redirect(assignment)
    assignments.add_time(assignment, form.cleaned_data["active_ms"])
    assignments.skip_assignment(assignment, form.cleaned_data["reason"])
    return open_next(request, assignment.task, assignment.annotator)


@post_only
def report_alignment(request: HttpRequest, token: str) -> HttpResponse:
    """Report a wrong alignment to the managers; the answer is unaffected."""
    assignment = get_own_assignment(request, token)
    form = ReportForm(request.POST)
    if form.is_valid():
        data = form.cleaned_data
        pair, alignment = _find_reported(assignment, data["phrase"])
        assignments.report_alignment(
            assignment.annotator, pair=pair, alignment=alignment, reason=data["reason"], note=data["note"]
        )
        messages.success(request, _("Thank you. The manager will see your report."))
    else:
        messages.error(request, _("Choose what is wrong with the pair."))
    return redirect(assignment)


def _find_reported(assignment: Assignment, phrase: int) -> tuple[int, int]:
    """Return the pair and the alignment of a card, on either kind of page."""
    if not assignment.is_by_place:
        occurrence = get_object_or_404(Occurrence.objects.asked_by(assignment), index=phrase)
        return occurrence.pair_id, occurrence.alignment_id
    try:
        return places.find_representative(assignment, phrase)
    except answers.UnknownQuestion as error:
        raise Http404 from error


def _page(
    request: HttpRequest,
    assignment: Assignment,
    *,
    conflicts: set[int] | None = None,
    missing: list[int] | None = None,
    status: int = 200,
) -> HttpResponse:
    task, page = assignment.task, build_pair_page(assignment)
    context = {
        "assignment": assignment,
        "task": task,
        "page": page,
        "scheme": page.scheme,
        "strip": page.strip,
        "reasons": REASONS.items(),
        "choice_reasons": CHOICE_REASONS if task.ask_reasons else (),
        "comment": page.sentence.get("comment") or (Receipt(0, "") if task.ask_comment else None),
        "conflicts": [q.card.number for q in page.questions if q.card.index in (conflicts or ())],
        "missing": [q.card.number for q in page.questions if q.card.index in (missing or ())],
        **context_above(task, page.above),
    }
    return render(request, "evaluation/annotate.html", context, status=status)


def context_above(task: Task, item: Item | Above) -> dict[str, Any]:  # Any: values for a template
    """Return what is shown above the candidates: source or references, and the neighbouring sentences."""
    shows_source = task.shows == Task.Shows.SOURCE
    return {
        "shows_source": shows_source,
        "above": [item.source] if shows_source else item.references,
        "above_language": task.source_language if shows_source else task.target_language,
        "around": [text for text in (item.context_before, item.context_after) if text],
    }
