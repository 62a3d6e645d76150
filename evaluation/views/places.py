"""The page on which all variants of a place are ranked at once; a plain form, or one request per place."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.forms import BadAnswer, json_object
from evaluation.forms_places import as_sent, parse_place, places_of, typed_steps
from evaluation.markup_places import place_cards
from evaluation.models import Assignment, Task
from evaluation.reports.annotation import with_texts
from evaluation.reports.places import comment_of, places_page
from evaluation.services import judging, places
from evaluation.templatetags.appraise import lang_and_dir
from evaluation.views.annotate import open_next, own_assignment, store_sentence
from evaluation.views.held import outlives_session, was_held


@outlives_session
@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def judge(request: HttpRequest, token: str) -> HttpResponse:
    assignment = _own(request, token)
    if request.method == "GET":
        return _page(request, assignment)
    try:
        conflicts, typed = _store_form(request, assignment), typed_steps(request.POST)
        outdated = store_sentence(request, assignment)
    except (BadAnswer, judging.ChoiceNotInScheme) as error:
        raise SuspiciousOperation(str(error)) from error  # our own pages never send this: 400
    missing = places.finish(assignment)
    refused = bool(conflicts or missing or outdated)
    if refused or was_held(request):
        return _page(request, assignment, conflicts=conflicts, missing=missing, typed=typed, refused=refused)
    return open_next(request, assignment.task, assignment.annotator)


@never_cache
@require_POST
def rank(request: HttpRequest, token: str) -> JsonResponse:
    """Store the ranking of one place; 200 only after the commit. Scripts get 401 where pages redirect."""
    if not request.user.is_authenticated:
        return JsonResponse({"error": "signed_out"}, status=401)
    try:
        assignment = _own(request, token)
        receipt = places.rank_place(assignment, parse_place(json_object(request.body)))
    except Http404:
        return JsonResponse({"error": "not_found"}, status=404)
    except places.StalePlace as stale:
        stored = stale.stored
        return JsonResponse(
            {"error": "conflict", "version": stored.version, "steps": as_sent(stored.steps)}, status=409
        )
    except (ValueError, places.UnknownPlace, places.BadSteps, judging.ReusedId) as error:
        return JsonResponse({"error": "invalid", "detail": str(error)}, status=400)
    return JsonResponse({"version": receipt.version, "steps": as_sent(receipt.steps)})


def _own(request: HttpRequest, token: str) -> Assignment:
    assignment = with_texts(own_assignment(request, token))
    if not assignment.is_by_place:
        raise Http404
    return assignment


def _store_form(request: HttpRequest, assignment: Assignment) -> set[int]:
    """Store the answers of a plain form; returns the places that were answered elsewhere in the meantime."""
    conflicts = set()
    for given in places_of(request.POST):
        try:
            places.rank_place(assignment, given)
        except places.StalePlace:
            conflicts.add(given.place)
        except (places.UnknownPlace, places.BadSteps, judging.ReusedId):
            continue
    return conflicts


def _page(
    request: HttpRequest,
    assignment: Assignment,
    *,
    conflicts: set[int] | None = None,
    missing: list[int] | None = None,
    typed: dict[int, list[str]] | None = None,
    refused: bool = False,
) -> HttpResponse:
    task, item = assignment.task, assignment.comparison.item
    # An unfinished place keeps what was chosen in the refused form; the others show the stored answer.
    kept = {place: steps for place, steps in (typed or {}).items() if place in (missing or ())}
    page = places_page(assignment, kept)
    missing_numbers = [card.number for card in page.cards if card.place in (missing or ())]
    shows_source = task.shows == Task.Shows.SOURCE
    context = {
        "assignment": assignment,
        "task": task,
        "page": page,
        "cards": place_cards(
            page.cards,
            attributes=lang_and_dir(task.target_language),
            missing=missing_numbers,
            reports=True,
        ),
        "scheme": page.scheme,
        "around": [text for text in (item.context_before, item.context_after) if text],
        "above": [item.source] if shows_source else item.references,
        "above_language": task.source_language if shows_source else task.target_language,
        "shows_source": shows_source,
        "comment": comment_of(assignment) if task.ask_comment else None,
        "missing": missing_numbers,
        "conflicts": [card.number for card in page.cards if card.place in (conflicts or ())],
    }
    return render(request, "evaluation/places.html", context, status=409 if refused else 200)
