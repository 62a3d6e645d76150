"""The annotation page as HTML: the data of ``annotation_page`` filled into its template."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.messages import get_messages
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.html import format_html_join, linebreaks
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation import markup
from evaluation.models import Assignment, Item, Task
from evaluation.numerals import numeral
from evaluation.reports.annotation import AnnotationPage, Said
from evaluation.skeleton import Skeleton
from evaluation.templatetags.appraise import enumeration, lang_and_dir, language_name, time_left

_DESK = Skeleton(
    "evaluation/annotate.html",
    "position", "task_name", "languages", "left", "total", "done", "saved", "notices", "above_kind",
    "above_language", "above", "attributes", "stave_a", "stave_b", "url", "csrf", "cards",
    "sentence_questions", "comment", "refused", "need", "instructions",
)  # fmt: skip
_COMMENT = Skeleton("evaluation/_comment.html", "open", "comment", "version")
_CONTEXT = Skeleton("evaluation/_context.html", "sentences")
_INSTRUCTIONS = Skeleton("evaluation/_instructions.html", "instructions")
NOTHING = mark_safe("")


def desk(
    request: HttpRequest,
    assignment: Assignment,
    page: AnnotationPage,
    *,
    conflicts: Sequence[int] = (),
    missing: Sequence[int] = (),
) -> SafeString:
    """The whole page; ``conflicts`` and ``missing`` are numbers of cards."""
    task, item, sides = assignment.task, assignment.comparison.item, page.sheet
    attributes = lang_and_dir(task.target_language)
    values = {
        "task_name": task.name,
        "total": page.progress.total,
        "done": page.progress.done,
        "notices": _notices(request, task, conflicts),
        "above": _above(task, item),
        "attributes": attributes,
        "stave_a": markup.stave(sides.a),
        "stave_b": markup.stave(sides.b),
        "url": assignment.get_absolute_url(),
        "csrf": get_token(request),
        "cards": markup.cards(page.questions, page.scheme, attributes=attributes, missing=missing),
        "sentence_questions": _sentence_questions(task, page),
        "comment": _comment(task, page.sentence.get("comment")),
        "refused": " is-refused" if missing else "",
        "instructions": _instructions(task),
        **_said(page, task, missing),
    }
    return _DESK.fill(values, scheme=page.scheme)


def _said(page: AnnotationPage, task: Task, missing: Sequence[int]) -> dict[str, str]:
    """The page's sentences with numbers or languages in them."""
    source, target = language_name(task.source_language), language_name(task.target_language)
    shows_source = task.shows == Task.Shows.SOURCE
    return {
        "position": _position(task, page.number, page.progress.total),
        "left": time_left(page.progress.minutes_left),
        "languages": f"{source} → {target} · " if source else "",
        "above_kind": _("Source") if shows_source else _("Reference"),
        "above_language": source if shows_source else target,
        "saved": _("Saved") if page.answered else "",
        "need": _need(page, missing),
    }


def _position(task: Task, number: int, total: int) -> str:
    """A sentence has one comparison for every two candidates, or one of all of them."""
    by_place = task.judging == Task.Judging.PLACES
    said = _("Sentence %(n)s of %(total)s") if by_place else _("Comparison %(n)s of %(total)s")
    return said % {"n": numeral(f"{number:,}"), "total": numeral(f"{total:,}")}


def _need(page: AnnotationPage, missing: Sequence[int]) -> str:
    if page.answered == len(page.questions):
        return _("All pairs answered.")
    if not missing:
        return _("%(n)d of %(total)d answered") % {"n": page.answered, "total": len(page.questions)}
    return ngettext(
        "Pair %(list)s has no answer yet. Choose one, or N/A if the phrases cannot be compared.",
        "Pairs %(list)s have no answer yet. Choose one, or N/A if the phrases cannot be compared.",
        len(missing),
    ) % {"list": enumeration(list(missing))}


def _above(task: Task, item: Item) -> SafeString:
    """Source or references, and the sentences around them, folded."""
    shows_source = task.shows == Task.Shows.SOURCE
    texts = [item.source] if shows_source else item.references
    shown = _paragraphs(texts, task.source_language if shows_source else task.target_language)
    around = [text for text in (item.context_before, item.context_after) if text]
    if not around:
        return shown
    return mark_safe(shown + _CONTEXT.fill({"sentences": _paragraphs(around, task.source_language)}))


def _paragraphs(texts: Sequence[str], language: str) -> SafeString:
    attributes = lang_and_dir(language)
    return format_html_join("", "<p {}>{}</p>", ((attributes, text) for text in texts))


def _notices(request: HttpRequest, task: Task, conflicts: Sequence[int]) -> SafeString:
    waiting = get_messages(request)
    said = render_to_string("_messages.html", {"messages": waiting}) if waiting else NOTHING
    if not task.is_open:
        said += render_to_string("evaluation/_closed.html")
    if conflicts:
        said += render_to_string("evaluation/_conflict.html", {"conflicts": list(conflicts)})
    return said


def _sentence_questions(task: Task, page: AnnotationPage) -> SafeString:
    if not (task.ask_sentence or task.ask_rating):
        return NOTHING
    context = {"task": task, "scheme": page.scheme, "page": page}
    return render_to_string("evaluation/_sentence_questions.html", context)


def _comment(task: Task, said: Said | None) -> SafeString:
    if not (task.ask_comment or said):
        return NOTHING
    comment, version = (said.value, said.version) if said else ("", 0)
    return _COMMENT.fill({"open": " open" if comment else "", "comment": comment, "version": version})


def _instructions(task: Task) -> SafeString:
    if not task.instructions:
        return NOTHING
    return _INSTRUCTIONS.fill({"instructions": mark_safe(linebreaks(task.instructions, autoescape=True))})
