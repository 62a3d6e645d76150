"""The practice round for annotators, and its settings for managers of the task."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from evaluation.annotate.forms import PracticeAnswerForm, PracticeQuestionForm, PracticeStepsForm
from evaluation.annotate.places import count_steps
from evaluation.annotate.queries import describe_steps, exercise_as_place
from evaluation.annotate.services import practice
from evaluation.annotate.services.practice import PracticePage, build_practice_page, load_exercises
from evaluation.annotate.views.pairs import get_annotator
from evaluation.models import Item, PracticeQuestion, Task
from evaluation.web import get_managed_task, get_user, post_only


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def question(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show one exercise; a POST grades the answer without storing it."""
    user = get_user(request)
    tasks = Task.objects.annotated_by(user).open().filter(practice=True)
    task, annotator = get_object_or_404(tasks, slug=slug), get_annotator(user)
    by_place = task.judging == Task.Judging.PLACES
    form = (PracticeStepsForm if by_place else PracticeAnswerForm)(task.scheme, request.POST or None)
    given = form.cleaned_data["choice"] if form.is_valid() else None
    page = build_practice_page(task, annotator, number, given)
    if page is None or (page.given and page.number == page.total):
        practice.finish_practice(task, annotator)
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
        "staves": [page.sheet.a, page.sheet.b],
        "expected": describe_steps(page.expected, task.scheme) if page.expected else "",
        "steps": count_steps(2, task.scheme),
        "place": exercise_as_place(page, task.scheme, form.steps)
        if isinstance(form, PracticeStepsForm)
        else None,
        "shows_source": shows_source,
        "above_language": task.source_language if shows_source else task.target_language,
        "refused": refused,
    }
    return render(request, "evaluation/practice.html", context, status=422 if refused else 200)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Switch the practice round on or off, list its questions, add a question."""
    task = get_managed_task(request, slug)
    if request.method == "GET":
        return _settings_page(
            request, task, PracticeQuestionForm(task.scheme, initial=_prefilled(request, task))
        )
    if "switch" in request.POST:
        practice.switch_practice(task, request.POST["switch"] == "on", by=get_user(request))
        return redirect("practice-settings", slug=slug)
    form = PracticeQuestionForm(task.scheme, request.POST)
    if not form.is_valid():
        return _settings_page(request, task, form)
    practice.add_question(task, **form.cleaned_data, by=get_user(request))
    messages.success(request, _("Question saved. It is part of every practice round from now on."))
    return redirect("practice-settings", slug=slug)


@post_only
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    task = get_managed_task(request, slug)
    found = get_object_or_404(PracticeQuestion.objects.select_related("task"), task=task, pk=pk)
    practice.remove_question(found, by=get_user(request))
    return redirect("practice-settings", slug=slug)


def _prefilled(request: HttpRequest, task: Task) -> dict[str, str]:
    """Return initial values from a sentence of the task."""
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
        "questions": load_exercises(task),
        "items": list(task.items.order_by("position").values_list("key", flat=True)[:200]),
        "item": request.GET.get("item", ""),
    }
    return render(request, "evaluation/practice_settings.html", context, status=422 if form.is_bound else 200)
