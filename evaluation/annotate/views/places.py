"""The page on which all variants of a place are ranked at once: a plain form, or one request per place."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.annotate.forms import (
    MalformedAnswer,
    parse_json,
    parse_milliseconds,
    parse_place_form,
    parse_place_ranking,
    read_typed_steps,
    steps_to_json,
)
from evaluation.annotate.queries import build_places_page, load_texts
from evaluation.annotate.services import assignments, places
from evaluation.annotate.services.answers import InvalidAnswer, Receipt, load_sentence_answers
from evaluation.annotate.services.assignments import PLACE_REASONS
from evaluation.annotate.views.pairs import (
    context_above,
    find_following,
    get_own_assignment,
    json_answer,
    open_next,
    receipt_response,
    store_form,
    store_sentence_answers,
)
from evaluation.models import Assignment


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def annotate_places(request: HttpRequest, token: str) -> HttpResponse:
    assignment = _get_own(request, token)
    if request.method == "GET":
        return _page(request, assignment)
    try:
        submissions, typed = parse_place_form(request.POST), read_typed_steps(request.POST)
        conflicts = store_form(submissions, places.PlaceForm(assignment).submit)
        outdated = store_sentence_answers(request, assignment)
        assignments.add_time(assignment, parse_milliseconds(request.POST, "active_ms"))
    except (MalformedAnswer, InvalidAnswer) as error:
        raise SuspiciousOperation(str(error)) from error  # our own pages never send this: 400
    following = find_following(assignment)
    missing = places.finish_places(assignment)
    if conflicts or missing or outdated:
        return _page(request, assignment, conflicts=conflicts, missing=missing, typed=typed, status=409)
    return redirect(following) if following else open_next(request, assignment.task, assignment.annotator)


@never_cache
@require_POST
@json_answer
def rank_place(request: HttpRequest, token: str) -> HttpResponse:
    """Store the ranking of one place."""
    assignment = _get_own(request, token)
    submission = parse_place_ranking(parse_json(request.body))
    return receipt_response(
        lambda: places.submit_place_ranking(assignment, submission),
        lambda steps: {"steps": steps_to_json(steps)},
    )


def _get_own(request: HttpRequest, token: str) -> Assignment:
    assignment = load_texts(get_own_assignment(request, token))
    if not assignment.is_by_place:
        raise Http404
    return assignment


def _page(
    request: HttpRequest,
    assignment: Assignment,
    *,
    conflicts: set[int] | None = None,
    missing: list[int] | None = None,
    typed: dict[int, list[str]] | None = None,
    status: int = 200,
) -> HttpResponse:
    task = assignment.task
    # An incomplete place keeps the steps of the refused form; the others show the stored answer.
    kept = {place: steps for place, steps in (typed or {}).items() if place in (missing or ())}
    page = build_places_page(assignment, kept)
    context = {
        "assignment": assignment,
        "task": task,
        "page": page,
        "scheme": page.scheme,
        "strip": page.strip,
        "reasons": PLACE_REASONS.items(),
        "comment": _load_comment(assignment) if task.ask_comment else None,
        "missing": [card.number for card in page.cards if card.place in (missing or ())],
        "conflicts": [card.number for card in page.cards if card.place in (conflicts or ())],
        **context_above(task, assignment.compared.item),
    }
    return render(request, "evaluation/places.html", context, status=status)


def _load_comment(assignment: Assignment) -> Receipt[str]:
    return load_sentence_answers(assignment).get("comment", Receipt(0, ""))
