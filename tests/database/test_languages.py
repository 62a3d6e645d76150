"""Annotator pages in every language; other pages are in English where they are not translated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format

from evaluation.annotate.services import assignments
from evaluation.models import Annotator, Task, User
from evaluation.templatetags.campaigns import setting_value

SignIn = Callable[[User | Annotator | None], Client]
WORDS = {
    "cs": ("Vaše úlohy", "Která fráze je lepší překlad?"),
    "es": ("Sus tareas", "¿Qué sintagma es la mejor traducción?"),
    "fr": ("Vos tâches", "Quel segment est la meilleure traduction\u00a0?"),
    "zh-hans": ("您的任务", "哪个短语译得更好？"),
    "ja": ("あなたのタスク", "どちらのフレーズがより良い訳ですか？"),
    "ar": ("مهامك", "أي العبارتين أفضل ترجمةً؟"),
}


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """A request leaves its language behind in this thread; the next test expects English."""
    with translation.override("en"):
        yield


def read(client: Client, address: str, code: str, status: int = 200) -> str:
    response = client.get(address, headers={"Accept-Language": code})
    assert response.status_code == status
    return response.content.decode()


def test_every_language_that_only_annotators_have_is_tried_here() -> None:
    assert set(WORDS) == set(settings.ANNOTATOR_LANGUAGES)


@pytest.mark.parametrize("code", WORDS)
def test_annotator_pages_are_in_the_language_of_the_browser(
    code: str, task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    assignment = assignments.next_assignment(task, bob)
    assert assignment is not None
    tasks, question = WORDS[code]
    client = signed_in(bob)
    home = read(client, "/", code)
    page = read(client, assignment.get_absolute_url(), code)
    for html, text in ((home, tasks), (page, question)):
        assert text in html
        html_tag = f'<html lang="{code}"' + (' dir="rtl">' if code == "ar" else ">")
        assert html_tag in html
    assert '<p lang="en" dir="ltr">' in page, "a sentence keeps its language"
    assert read(client, "/nowhere", code, 404).count(f'lang="{code}"') == 1


@pytest.mark.parametrize("code", WORDS)
def test_other_pages_are_wholly_in_english(code: str, task: Task, alice: User, signed_in: SignIn) -> None:
    client = signed_in(alice)
    for route in ("task", "members", "task-agreement"):
        page = read(client, reverse(route, args=[task.slug]), code)
        assert '<html lang="en">' in page
        assert "Your tasks" in page
        assert WORDS[code][0] not in page


def test_an_unchecked_language_says_so_and_how_to_correct_it(bob: Annotator, signed_in: SignIn) -> None:
    client = signed_in(bob)
    note = 'href="/languages"'
    assert note in read(client, "/", "cs")
    assert note not in read(client, "/", "en")
    assert note not in read(client, "/", "de")
    page = read(client, "/languages", "en")
    assert page.count("not checked by a speaker yet") == len(settings.UNCHECKED_LANGUAGES)
    assert "locale/…/LC_MESSAGES/django.po" in page


@pytest.mark.parametrize(("code", "count"), [("cs", 5), ("ar", 11), ("ja", 2)])
def test_plural_forms_follow_the_language(code: str, count: int) -> None:
    msgids = (
        "One sentence of “%(name)s” is still open. Your answers so far are saved.",
        "%(n)s sentences of “%(name)s” are still open. Your answers so far are saved.",
    )
    with translation.override(code):
        forms = {translation.ngettext(*msgids, n) for n in range(120)}
        text = translation.ngettext(*msgids, count) % {"n": count, "name": "T"}
    assert len(forms) == {"cs": 3, "ar": 5, "ja": 1}[code]  # two of the six Arabic forms are alike here
    assert re.search(rf"\b{count}\b", text)


def test_english_dates_have_the_day_before_the_month_on_every_page() -> None:
    moment = datetime(2026, 11, 9, 18, 5, tzinfo=UTC)
    assert date_format(moment.date()) == "9 Nov 2026"
    assert setting_value(moment) == date_format(moment, "DATETIME_FORMAT") == "9 Nov 2026, 18:05"
    with translation.override("de"):
        assert date_format(moment.date()) == "9. November 2026"
