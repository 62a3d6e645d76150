"""The annotation page. Every answer is its own request; the page also works as one plain form."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import SuspiciousOperation
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.forms import (
    BadAnswer,
    ReportForm,
    SkipForm,
    answers_of,
    json_object,
    number,
    parse_answer,
    parse_sentence,
)
from evaluation.models import Annotator, Assignment, Task, User
from evaluation.prepared import Prepared
from evaluation.reports.annotation import SO_FAR, annotation_page, with_texts
from evaluation.services import alignments, claiming, judging, places, practice, sentences
from evaluation.views.desk import desk
from evaluation.views.held import outlives_session, was_held

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponse)
View = TypeVar("View", bound=Callable[..., HttpResponse])


def signed_in(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # every view here requires a log-in
    return request.user


def never_kept(view: Callable[P, R]) -> Callable[P, R]:
    """No cache may keep the response. Like Django's ``never_cache``, which parses and joins header fields and
    takes longer than a query."""

    @wraps(view)
    def kept_never(*args: P.args, **kwargs: P.kwargs) -> R:
        response = view(*args, **kwargs)
        response.headers["Cache-Control"] = "max-age=0, no-cache, no-store, must-revalidate, private"
        return response

    return kept_never


def posted(view: View) -> View:
    """What only a form can ask for: whoever has to sign in first is not led back to where no page is."""
    return login_required(require_POST(view), redirect_field_name=None)


def annotator_of(user: User) -> Annotator:
    return Annotator.objects.get_or_create(user=user)[0]


def _own(token: str, user: int) -> QuerySet[Assignment]:
    shown = (Task.State.OPEN, Task.State.CLOSED)
    return Assignment.objects.filter(token=token, annotator__user=user, task__state__in=shown)


_ASSIGNMENT = Prepared(
    lambda token, user: _own(token, user).select_related("task", "annotator"), "a token", 10001
)
# A page also shows the progress.
_OPENED: Prepared[Assignment] = Prepared(
    lambda token, user: _own(token, user).select_related("task", "annotator").annotate(so_far=SO_FAR),
    "a token", 10001,
)  # fmt: skip
# Saving an answer needs fewer columns, and is the most frequent request of all.
_ANSWERED = Prepared(
    lambda token, user: _own(token, user)
    .select_related("task")
    .only(
        "annotator", "task__scheme_name", "task__state", "task__judging", "task__lease_minutes", "comparison",
        "presentation", "alignment", "swapped", "finished_at",
    ),
    "a token", 10001,
)  # fmt: skip


def own_assignment(request: HttpRequest, token: str, query: Prepared[Assignment] = _ASSIGNMENT) -> Assignment:
    """The assignment behind a token; somebody else's is a 404."""
    for assignment in query.objects(token, request.user.pk or 0):
        return assignment
    raise Http404


@posted
def work(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin or continue a task: claim a seat and open its page."""
    user = signed_in(request)
    return begin(request, get_object_or_404(Task.objects.annotated_by(user), slug=slug), user)


def begin(request: HttpRequest, task: Task, user: User) -> HttpResponse:
    """The practice round where there is one to do, then the next sentence."""
    annotator = annotator_of(user)
    if task.is_open and practice.is_due(task, annotator):
        return redirect("practice", slug=task.slug, number=1)
    return open_next(request, task, annotator)


@outlives_session
@login_required
@never_kept
@require_http_methods(["GET", "POST"])
def annotate(request: HttpRequest, token: str) -> HttpResponse:
    assignment = own_assignment(request, token, _OPENED if request.method == "GET" else _ASSIGNMENT)
    if assignment.is_by_place:
        return redirect("places", token=token)
    if request.method == "GET":
        return _page(request, assignment)
    try:
        conflicts = _store_form(request, assignment)
        outdated = store_sentence(request, assignment)
    except (BadAnswer, judging.ChoiceNotInScheme) as error:
        raise SuspiciousOperation(str(error)) from error  # our own pages never send this: 400
    missing = judging.finish(assignment)
    refused = bool(conflicts or missing or outdated)
    if refused or was_held(request):
        return _page(request, assignment, conflicts=conflicts, missing=missing, refused=refused)
    return open_next(request, assignment.task, assignment.annotator)


@never_kept
@require_POST
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """Store one answer; 200 only after the commit. A script gets 401 instead of a redirect."""
    if not request.user.is_authenticated:
        return JsonResponse({"error": "signed_out"}, status=401)
    try:
        assignment = own_assignment(request, token, _ANSWERED)
        said = json_object(request.body)
        if "question" in said:
            return _answer_sentence(assignment, said)
        if assignment.is_by_place:
            raise Http404  # judged place by place, elsewhere
        receipt = judging.submit_ranking(assignment, parse_answer(said))
    except Http404:
        return JsonResponse({"error": "not_found"}, status=404)
    except judging.StaleAnswer as stale:
        stored = stale.stored
        return JsonResponse(
            {"error": "conflict", "version": stored.version, "choice": stored.choice}, status=409
        )
    except (ValueError, judging.UnknownPhrase, judging.ChoiceNotInScheme, judging.ReusedId) as error:
        return JsonResponse({"error": "invalid", "detail": str(error)}, status=400)
    # Not JsonResponse, whose encoder would take as long as a query.
    return HttpResponse(
        json.dumps({"version": receipt.version, "choice": receipt.choice}), content_type="application/json"
    )


def _answer_sentence(assignment: Assignment, said: dict[str, object]) -> HttpResponse:
    """The same for what is asked about the whole sentence."""
    question, value, uuid_, base = parse_sentence(said)
    try:
        receipt = sentences.submit_sentence_answer(assignment, question, value, uuid=uuid_, base=base)
    except sentences.StaleSentence as stale:
        stored = stale.stored
        return JsonResponse(
            {"error": "conflict", "version": stored.version, "value": stored.value}, status=409
        )
    return JsonResponse({"version": receipt.version, "value": receipt.value})


@outlives_session
@posted
def skip(request: HttpRequest, token: str) -> HttpResponse:
    assignment = own_assignment(request, token)
    form = SkipForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say in a few words why you skip this sentence."))
        return redirect(assignment)
    judging.skip(assignment, form.cleaned_data["reason"])
    return open_next(request, assignment.task, assignment.annotator)


@outlives_session
@posted
def report_alignment(request: HttpRequest, token: str) -> HttpResponse:
    """Report a wrong alignment to the organiser; the answer stays as it is."""
    assignment = own_assignment(request, token)
    phrase = request.POST.get("phrase", "")
    form = ReportForm(
        {
            "phrase": phrase,
            "reason": request.POST.get(f"reason-{phrase}", ""),
            "note": request.POST.get(f"note-{phrase}", ""),
        }
    )
    if form.is_valid():
        data = form.cleaned_data
        pair, alignment = _reported(assignment, data["phrase"])
        alignments.report(
            assignment.annotator, pair=pair, alignment=alignment, reason=data["reason"], note=data["note"]
        )
        messages.success(request, _("Thank you. The organiser sees your report."))
    else:
        messages.error(request, _("Choose what is wrong with the pair."))
    return redirect(assignment)


def _reported(assignment: Assignment, phrase: int) -> tuple[int, int]:
    """Pair and alignment behind a card, of either kind of page."""
    if not assignment.is_by_place:
        found = get_object_or_404(judging.asked(assignment), index=phrase)
        return found.pair_id, assignment.alignment_id
    try:
        return places.stands_for(assignment, phrase)
    except places.UnknownPlace as error:
        raise Http404 from error


def _store_form(request: HttpRequest, assignment: Assignment) -> dict[int, judging.Receipt]:
    """Store the answers of a plain form; returns the phrases that were answered elsewhere in the meantime."""
    conflicts: dict[int, judging.Receipt] = {}
    for given in answers_of(request.POST):
        try:
            judging.submit_ranking(assignment, given)
        except judging.StaleAnswer as stale:
            conflicts[given.phrase] = stale.stored
        except (judging.UnknownPhrase, judging.ChoiceNotInScheme, judging.ReusedId):
            continue
    return conflicts


def store_sentence(request: HttpRequest, assignment: Assignment) -> bool:
    """Store a plain form's answers about the whole sentence; returns whether another window had changed
    one."""
    outdated = False
    for question in sentences.QUESTIONS:
        if question not in request.POST:
            continue
        base = request.POST.get(f"base-{question}", "")
        try:
            sentences.submit_sentence_answer(
                assignment,
                question,
                request.POST[question],
                uuid=uuid.uuid4(),
                base=number({"base": base}, "base") if base else None,
            )
        except sentences.StaleSentence:
            outdated = True
    if outdated:
        messages.warning(
            request,
            _(
                "What you said about the whole sentence was changed in another window."
                " That answer is shown; change it here if you prefer."
            ),
        )
    return outdated


def open_next(request: HttpRequest, task: Task, annotator: Annotator) -> HttpResponse:
    try:
        assignment = claiming.next_assignment(task, annotator)
    except claiming.TaskClosed:
        messages.info(request, _("This task is closed. Thank you for your work."))
        return redirect("home")
    if assignment is None:
        return redirect("finished", slug=task.slug)
    return redirect(assignment)


def _page(
    request: HttpRequest,
    assignment: Assignment,
    *,
    conflicts: dict[int, judging.Receipt] | None = None,
    missing: list[int] | None = None,
    refused: bool = False,
) -> HttpResponse:
    page = annotation_page(with_texts(assignment))
    html = desk(
        request,
        assignment,
        page,
        conflicts=[q.card.number for q in page.questions if conflicts and q.card.index in conflicts],
        missing=[q.card.number for q in page.questions if missing and q.card.index in missing],
    )
    return HttpResponse(html, status=409 if refused else 200)
