"""A small site in a process of its own, on a real SQLite file: ``python -m tests.security.whole_site``.

It imports, annotates, scores and reports, erases a person and restores an older backup. Prints what happened
as JSON: every connection that was opened, and every file in which the person's name could still be found.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

CONNECTIONS: list[str] = []
CANARIES = ("Ingeborg-Kanarienvogel", "kanarienvogel@example.org", "Elsterweg seventeen", "canary-laptop")


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.sendto", "socket.getaddrinfo"}:
        CONNECTIONS.append(f"{event} {arguments[1:] if event == 'socket.connect' else arguments}")


sys.addaudithook(watch)


def main(home: Path) -> dict[str, object]:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "appraise.settings"
    os.environ["APPRAISE_HOME"] = str(home)
    os.environ["DEBUG"] = "true"  # static files as they are, not collected
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    work()
    found: dict[str, object] = {"at work": traces(home)}
    backup(home, "appraise.sqlite3", "backup.sqlite3")
    erase()
    found["rankings"] = rankings()
    os.rename(home / "backup.sqlite3", home.parent / "backup.sqlite3")
    found["after the erasure"] = traces(home)
    restore(home)
    found["restored"] = traces(home)
    from evaluation.people.erasure import replay_erasures

    found["erased again"] = replay_erasures()
    found["after the replay"] = traces(home)
    found["connections"] = CONNECTIONS
    return found


def work() -> None:
    """One person does everything that a person can do here."""
    import uuid

    from django.test import Client

    from evaluation.annotate.services import assignments
    from evaluation.annotate.services.answers import submit_sentence_answer
    from evaluation.models import User
    from evaluation.people import api_tokens
    from evaluation.schemes import Choice
    from evaluation.tasks.services import management
    from metrics.scoring.services.metric_lookup import find_metrics
    from metrics.scoring.services.runs import score_task
    from tests.database.answering import always, answer_task
    from tests.database.conftest import annotator, make_task

    name, mail, street, laptop = CANARIES
    task = make_task()
    root = User.objects.create_superuser("root")
    bird = annotator(name, task)
    assert bird.user is not None
    bird.key = "random"
    bird.save()
    bird.user.email, bird.user.last_name = mail, street
    bird.user.save()
    management.add_members(task, [name], by=root)
    api_tokens.create_token(bird.user, name=laptop)
    first = assignments.next_assignment(task, bird)
    assert first is not None
    submit_sentence_answer(first, "comment", street, uuid=uuid.uuid4())
    assignments.skip_assignment(first, street)
    answer_task(task, bird, always(Choice.EQUAL))
    score_task(task, find_metrics(["wer"]))
    for user, pages in (
        (bird.user, ("/", "/me/", "/me/data.json")),
        (root, (f"/tasks/{task.slug}/agreement",)),
    ):
        client = Client(headers={"host": "localhost"})
        client.force_login(user)
        for page in pages:
            assert client.get(page).status_code == 200, page


def erase() -> None:
    from evaluation.models import User
    from evaluation.people import erasure

    erasure.erase(User.objects.get(username=CANARIES[0]))


def rankings() -> int:
    from evaluation.models import Ranking

    return Ranking.objects.count()


def backup(home: Path, source: str, target: str) -> None:
    with sqlite3.connect(home / source) as one, sqlite3.connect(home / target) as other:
        one.backup(other)
    one.close()
    other.close()


def restore(home: Path) -> None:
    from django.db import connection

    connection.close()
    for path in home.glob("appraise.sqlite3*"):
        path.unlink()
    os.rename(home.parent / "backup.sqlite3", home / "appraise.sqlite3")


def traces(home: Path) -> list[str]:
    """Files of the site, and of its write-ahead log, that hold any of the words, byte for byte."""
    words = [word.encode() for word in CANARIES]
    return sorted(
        f"{path.name}: {word.decode()}"
        for path in home.rglob("*")
        if path.is_file()
        for word in words
        if word in path.read_bytes()
    )


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
