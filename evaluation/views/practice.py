"""The practice round, for annotators; and its settings, for those who manage the task."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from evaluation.forms_practice import PracticeAnswerForm, PracticeQuestionForm, PracticeStepsForm
from evaluation.markup import words
from evaluation.markup_places import place_cards
from evaluation.models import Item, PracticeQuestion, Task
from evaluation.places import step_count
from evaluation.reports.practice import PracticePage, as_place, practice_page, practice_questions
from evaluation.services import practice
from evaluation.templatetags.appraise import lang_and_dir
from evaluation.views.annotate import annotator_of, posted, signed_in
from evaluation.views.members import managed_task


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def question(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One question; a POST answers it and shows what was expected. Nothing of it is stored."""
    user = signed_in(request)
    tasks = Task.objects.annotated_by(user).open().filter(practice=True)
    task, annotator = get_object_or_404(tasks, slug=slug), annotator_of(user)
    by_place = task.judging == Task.Judging.PLACES
    form = (PracticeStepsForm if by_place else PracticeAnswerForm)(task.scheme, request.POST or None)
    given = form.cleaned_data["choice"] if form.is_valid() else None
    page = practice_page(task, annotator, number, given)
    if page is None or (page.given and page.number == page.total):
        practice.finish(task, annotator)
    if page is None:
        return render(request, "evaluation/practice_done.html", {"task": task})
    return _question_page(request, task, page, form, refused=request.method == "POST" and given is None)


def _question_page(
    request: HttpRequest,
    task: Task,
    page: PracticePage,
    form: PracticeAnswerForm | PracticeStepsForm,
    *,
    refused: bool,
) -> HttpResponse:
    shows_source = task.shows == Task.Shows.SOURCE
    context = {
        "task": task,
        "page": page,
        "scheme": task.scheme,
        "meant": words(task.scheme, page.expected) if page.expected else "",
        "steps": step_count(2, task.scheme),
        "cards": _cards(task, page, form, refused=refused) if isinstance(form, PracticeStepsForm) else "",
        "shows_source": shows_source,
        "above_language": task.source_language if shows_source else task.target_language,
        "refused": refused,
    }
    return render(request, "evaluation/practice.html", context, status=422 if refused else 200)


def _cards(task: Task, page: PracticePage, form: PracticeStepsForm, *, refused: bool) -> SafeString:
    return place_cards(
        [as_place(page, task.scheme, form.steps)],
        attributes=lang_and_dir(task.target_language),
        missing=[1] if refused else [],
    )


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Switch the round on or off, see its questions, write one."""
    task = managed_task(request, slug)
    if request.method == "GET":
        return _settings_page(
            request, task, PracticeQuestionForm(task.scheme, initial=_prefilled(request, task))
        )
    if "switch" in request.POST:
        practice.switch(task, request.POST["switch"] == "on", by=signed_in(request))
        return redirect("practice-settings", slug=slug)
    form = PracticeQuestionForm(task.scheme, request.POST)
    if not form.is_valid():
        return _settings_page(request, task, form)
    practice.add_question(task, **form.cleaned_data, by=signed_in(request))
    messages.success(request, _("The question is saved. Everyone who practises from now on gets it."))
    return redirect("practice-settings", slug=slug)


@posted
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    task = managed_task(request, slug)
    found = get_object_or_404(PracticeQuestion.objects.select_related("task"), task=task, pk=pk)
    practice.remove_question(found, by=signed_in(request))
    return redirect("practice-settings", slug=slug)


def _prefilled(request: HttpRequest, task: Task) -> dict[str, str]:
    """A sentence of the task to start from."""
    item = Item.objects.filter(task=task, key=request.GET.get("item", "")).first()
    if item is None:
        return {}
    above = item.source if task.shows == Task.Shows.SOURCE else "\n".join(item.references)
    texts = sorted(item.candidates.values_list("text", flat=True))[:2]
    return {"above": above, "first": texts[0] if texts else "", "second": texts[-1] if texts else ""}


def _settings_page(request: HttpRequest, task: Task, form: PracticeQuestionForm) -> HttpResponse:
    context = {
        "task": task,
        "form": form,
        "own": list(task.practice_questions.all()),
        "questions": practice_questions(task),
        "items": list(task.items.order_by("position").values_list("key", flat=True)[:200]),
        "item": request.GET.get("item", ""),
    }
    return render(request, "evaluation/practice_settings.html", context, status=422 if form.is_bound else 200)
