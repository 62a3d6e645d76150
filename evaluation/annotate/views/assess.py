"""The page on which scores and error spans are collected. Every answer is its own request."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.annotate.assess_page import build_assess_page
from evaluation.annotate.forms import (
    MalformedAnswer,
    assessment_to_json,
    parse_assessment,
    parse_json,
    parse_milliseconds,
    parse_score_form,
)
from evaluation.annotate.services import assessments, assignments
from evaluation.annotate.services.answers import InvalidAnswer, StaleAnswer
from evaluation.annotate.services.passages import ShownPassage, load_passage
from evaluation.annotate.views.pairs import (
    find_following,
    get_own_assignment,
    get_shown_assignment,
    json_answer,
    open_next,
    receipt_response,
)
from evaluation.models import Assignment

ASSESSED = Assignment.objects.for_assessing()


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def assess(request: HttpRequest, token: str) -> HttpResponse:
    """Show the page. A POST is Next, with the scores of a page without JavaScript."""
    assignment = get_own_assignment(request, token)
    if assignment.passage_id is None:
        return redirect("annotate", token=token)
    if request.method == "GET":
        return _page(request, assignment)
    passage = load_passage(assignment)
    try:
        conflicts = _store_scores(request, assignment, passage)
        assignments.add_time(assignment, parse_milliseconds(request.POST, "active_ms"))
    except (MalformedAnswer, InvalidAnswer) as error:
        raise SuspiciousOperation(str(error)) from error  # our own pages never send this: 400
    following = find_following(assignment)
    missing = assessments.finish_passage(assignment, passage)
    if conflicts or missing:
        return _page(request, assignment, conflicts=conflicts, missing=missing, status=409)
    return redirect(following) if following else open_next(request, assignment.task, assignment.annotator)


def _store_scores(request: HttpRequest, assignment: Assignment, passage: ShownPassage) -> list[str]:
    """Store the scores of the form; returns the candidates that were answered elsewhere meanwhile."""
    keys = [candidate.key for candidate in passage.candidates]
    if not any(f"score-{key}" in request.POST for key in keys):
        return []
    stored, conflicts = assessments.load_collected(assignment, passage), []
    for submission in parse_score_form(request.POST, stored, keys):
        try:
            assessments.submit_assessment(assignment, passage, submission)
        except StaleAnswer:
            conflicts.append(submission.key)
    return conflicts


@never_cache
@require_POST
@json_answer
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """Store score and error spans of one candidate."""
    assignment = get_shown_assignment(request, ASSESSED, token)
    if assignment.passage_id is None:
        raise Http404
    submission = parse_assessment(parse_json(request.body))
    passage = load_passage(assignment)
    return receipt_response(
        lambda: assessments.submit_assessment(assignment, passage, submission), assessment_to_json
    )


def _page(
    request: HttpRequest,
    assignment: Assignment,
    *,
    conflicts: list[str] | None = None,
    missing: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    page = build_assess_page(assignment)
    context: dict[str, Any] = {  # Any: values for a template
        "assignment": assignment,
        "task": assignment.task,
        "page": page,
        "protocol": page.protocol,
        "strip": page.strip,
        "assess": page.data,
        "conflicts": conflicts or [],
        "missing": missing or [],
    }
    return render(request, "evaluation/assess.html", context, status=status)
