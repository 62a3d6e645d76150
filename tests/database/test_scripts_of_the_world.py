"""Arabic, Hebrew, Chinese and Japanese on the annotation page: language, direction, and no spaces of ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from evaluation.annotate.services import assignments
from evaluation.models import Annotator, Assignment, Task, User
from evaluation.templatetags.appraise import language_name
from evaluation.web import text_direction
from tests.database.conftest import annotator, make_task

# Invented for these tests.
TEXTS = {
    "ar": ("وصل القطار الجديد إلى المحطة مبكرا.", "بلغ القطار الحديث المحطة يوم الاثنين."),
    "he": ("הילדים קראו ספר ארוך בגן.", "הילדים למדו ספר גדול בתוך הגן (ABC 12)."),
    "zh": ("市场附近的旧桥去年修好了。", "集市旁边的老桥在去年被修理了。"),
    "ja": ("彼女は新しい店でりんごを三つ買いました。", "彼女は三つのリンゴを新しいお店で購入した。"),
}
SignIn = Callable[[User | Annotator | None], Client]


def make_pages(language: str) -> tuple[Task, Annotator, Assignment]:
    first, second = TEXTS[language]
    sentence: dict[str, Any] = {
        "id": "s1",
        "source": "Invented sentence.",
        "references": [first],
        "candidates": {"alpha": first, "beta": second},
    }
    task = make_task(f"In {language}", [sentence], target_language=language, source_language="en", overlap=1)
    bob = annotator("bob", task)
    assignment = assignments.next_assignment(task, bob)
    assert assignment is not None
    return task, bob, assignment


STAVE = re.compile(r'<div class="stave stave-c".*?<p ([^>]*)>(.*?)</p>', re.S)
OURS = re.compile(
    r'<span class="vh"[^>]*>.*?</span>|<b class="chip"[^>]*>.*?</b>|<a class="ph none.*?</a>', re.S
)


def words_of(stave: str) -> str:
    """The sentence itself, without chips and what we say inside it."""
    return unescape(re.sub(r"<[^>]*>", "", OURS.sub("", stave)))


@pytest.mark.parametrize("language", TEXTS)
def test_sentences_carry_their_language_and_direction_and_no_space_of_ours(
    db: None, signed_in: SignIn, language: str
) -> None:
    _, bob, assignment = make_pages(language)
    page = signed_in(bob).get(assignment.get_absolute_url()).content.decode()
    way = "rtl" if language in ("ar", "he") else "ltr"
    staves = STAVE.findall(page)
    assert [attributes for attributes, _ in staves] == [f'lang="{language}" dir="{way}"'] * 2
    assert sorted(words_of(text) for _, text in staves) == sorted(TEXTS[language])
    said = re.findall(r'<span class="vh"([^>]*)>|<a class="ph none([^>]*)>', "".join(t for _, t in staves))
    assert said
    assert all('lang="en"' in one + other for one, other in said), "what we say there is marked as English"
    sides = re.findall(r'<div class="kwic" lang="([^"]*)" dir="([^"]*)"', page)
    assert set(sides) == {(language, way)}


@pytest.mark.parametrize(
    ("code", "way", "name"),
    [
        ("ar", "rtl", "Arabic"),
        ("arz", "rtl", "arz"),
        ("uz-Arab", "rtl", "Uzbek"),
        ("ku-Latn", "ltr", "Kurdish"),
        ("he-IL", "rtl", "Hebrew"),
        ("zh", "ltr", "Chinese"),
        ("zh-TW", "ltr", "Traditional Chinese"),
        ("zh-Hans", "ltr", "Simplified Chinese"),
        ("de-AT", "ltr", "German"),
        ("", "ltr", ""),
    ],
)
def test_a_language_has_a_direction_and_a_name(code: str, way: str, name: str) -> None:
    assert (text_direction(code), language_name(code)) == (way, name)
