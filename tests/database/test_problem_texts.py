"""Problems in files: in German on German pages, in English everywhere else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import translation

from appraise.lib.problems import Problem
from evaluation.models import Annotator, User
from evaluation.tasks.problem_texts import CONTEXT, name_language, translate_problem
from scripts import catalogue

SignIn = Callable[[User | Annotator | None], Client]
MSGIDS = [text.msgid for text in catalogue.texts_of_project().places if text.context == CONTEXT]
GERMAN = {"Accept-Language": "de"}
# A row with a cell too few.
TABLE = b"id\tsource\tnorth\tsouth\n1\tein Haus\ta house\ta home\n2\tein Hund\ta dog\n"


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    with translation.override("en"):
        yield


def fill(text: str) -> str:
    return re.sub(r"\{(\d)\}", r"«\1»", text)


def test_every_message_is_told_from_the_others_by_its_own_words() -> None:
    assert len(MSGIDS) > 350
    with translation.override("de"):
        wrong = [
            msgid
            for msgid in MSGIDS
            if translate_problem(fill(msgid)) != fill(translation.pgettext(CONTEXT, msgid))
        ]
    assert wrong == []


def test_numbers_and_names_keep_their_places_and_unknown_texts_stay() -> None:
    with translation.override("de"):
        text = "the row has 3 columns, the header names 4"
        assert translate_problem(text) == "die Zeile hat 3 Spalten, die Kopfzeile nennt 4"
        assert name_language(text) == "de"
        # What a reader wrote into the file cannot be mistaken for a gap.
        assert translate_problem("{2} is not a format") == "{2} ist kein Format"
        assert translate_problem("no one makes this message") == "no one makes this message"
        assert name_language("no one makes this message") == "en"
    assert (translate_problem(text), name_language(text)) == (text, "en")


def test_a_german_page_explains_a_problem_in_german(alice: User, signed_in: SignIn) -> None:
    client = signed_in(alice)
    page = upload(client, GERMAN)
    assert '<div lang="de">' in page
    assert "Die Zeile hat 3 Spalten, die Kopfzeile nennt 4" in page
    assert "Ergänzen Sie die fehlende Zelle." in page
    assert "the row has" not in page
    english = upload(client, {"Accept-Language": "cs"})
    assert '<div lang="en">' in english
    assert "The row has 3 columns, the header names 4" in english


def upload(client: Client, headers: dict[str, str]) -> str:
    data = {"files": SimpleUploadedFile("week.tsv", TABLE)}
    response = client.post(reverse("new-upload"), data, headers=headers, follow=True)
    return response.content.decode()


def test_a_command_stays_in_english(tmp_path: Path, alice: User) -> None:
    path = tmp_path / "week.tsv"
    path.write_bytes(TABLE)
    with translation.override("de"), pytest.raises(CommandError, match="the row has 3 columns"):
        call_command("import_task", str(path), "--name=T")
    with translation.override("de"):
        assert str(Problem("no_items", "the file is blank")) == "no_items: the file is blank"
