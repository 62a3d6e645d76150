"""``python -m endurance.growth_parts PART FOLDER``: one measurement of growth; prints its seconds.

Reports, export and backup in CPU seconds, page and save in elapsed time.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import django

from faults.prepare import DIFFERENT

REPEATED = 30  # pages; the fastest counts, because other work makes the others slower
CAMPAIGN = "growth"


def prepare(folder: Path) -> None:
    """One sentence, imported and answered by three people; and the other annotators."""
    from django.core.management import call_command
    from django.db import transaction

    from endurance.growth import ANNOTATORS
    from evaluation.annotate.services import answers, assignments
    from evaluation.models import Annotator, Membership, Role, Task, User
    from evaluation.schemes import Choice

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    make_task("growth-0", 1)
    task = Task.objects.get()
    people = []
    for number in range(ANNOTATORS):
        user = User.objects.create(username=f"person-{number}", password="!")
        Membership.objects.create(user=user, campaign=task.campaign, role=Role.ANNOTATOR)
        people.append(Annotator.objects.create(user=user, key=f"key {number}"))
    for annotator in people[:3]:
        assignment = assignments.next_assignment(task, annotator)
        assert assignment is not None
        with transaction.atomic():
            for index in answers.load_questions(assignment):
                sent = answers.Submission(uuid.uuid4(), index, Choice.A_BETTER, 0, active_ms=3000)
                answers.submit_ranking(assignment, sent)
        assert not answers.finish_pairs(assignment)
    Task.objects.filter(pk=task.pk).update(state=Task.State.CLOSED)


def make_task(slug: str, sentences: int) -> None:
    from evaluation.importers import SourceFile, read
    from evaluation.models import Campaign
    from evaluation.tasks.services.importing import import_set
    from evaluation.tasks.services.task_settings import TaskSettings

    pairs = [(f"{left} w{n}", f"{right} w{n}") for n, (left, right) in enumerate(DIFFERENT * 2)]
    north, south = (" ".join(side) for side in zip(*pairs, strict=True))
    lines = [
        json.dumps({"id": f"{n}", "source": f"{slug}, {n}", "candidates": {"north": north, "south": south}})
        for n in range(sentences)
    ]
    imported = read([SourceFile.from_bytes("items.jsonl", "\n".join(lines).encode())])
    campaign, _ = Campaign.objects.get_or_create(slug=CAMPAIGN, defaults={"name": "Growth"})
    settings = TaskSettings(name=slug, scheme="six-way", overlap=3, aligner="exact", question_size="phrase")
    import_set(imported, settings, campaign=campaign)


def measure_requests(folder: Path, what: str) -> float:
    """The shortest time of opening a page, or of storing an answer, in a task with free seats."""
    from django.test import Client

    from evaluation.models import Task, User

    slug = f"seats-{Task.objects.count()}"
    make_task(slug, 2 * REPEATED)
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(username="person-7" if what == "page" else "person-8"))
    times = []
    for _ in range(REPEATED):
        place = client.post(f"/tasks/{slug}/work").headers["Location"]
        assert place.startswith("/a/"), place
        started = time.perf_counter()
        page = client.get(place)
        if what == "page":
            times.append(time.perf_counter() - started)
        assert page.status_code == 200
        for index in phrases(page.content.decode()):
            given = {"uuid": str(uuid.uuid4()), "phrase": index, "choice": "A>B", "base": 0, "active_ms": 5}
            started = time.perf_counter()
            reply = client.post(f"{place}answer", json.dumps(given), content_type="application/json")
            if what == "save":
                times.append(time.perf_counter() - started)
            assert reply.status_code == 200
        client.post(place)
    return min(times)


def phrases(page: str) -> list[int]:
    from faults.people import questions

    return [index for index, base in questions(page) if base == 0]


def measure_cpu(folder: Path, run: Callable[[], object]) -> float:
    """CPU seconds of this process, of those it starts, and of PostgreSQL: other work does not count."""

    def spent() -> float:
        own = os.times()
        return own.user + own.system + own.children_user + own.children_system + database_seconds(folder)

    started = spent()
    run()
    return spent() - started


def database_seconds(folder: Path) -> float:
    """Of the server with all of its processes, those that have ended included."""
    server = int((folder / "pgdata" / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    ticks = sum(read_ticks(server)) + sum(sum(read_ticks(int(child))[:2]) for child in children)
    return ticks / os.sysconf("SC_CLK_TCK")


def read_ticks(pid: int) -> list[int]:
    """User and system time of a process, and of its ended children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has just ended
        return [0, 0, 0, 0]
    return [int(field) for field in fields[11:15]]


def main(what: str, folder: Path) -> None:
    django.setup()
    from django.core.management import call_command

    def command(*arguments: Any) -> float:
        with (folder / "output").open("w") as output, redirect_stdout(output):
            return measure_cpu(folder, lambda: call_command(*arguments, stdout=output))

    def report(name: str) -> float:
        command("report", name, "--task", "growth-0")  # loads what is needed
        return command("report", name, "--campaign", CAMPAIGN)

    def export() -> float:
        out = "--format", "jsonl", "--out", str(folder / "export")
        command("export", "--task", "growth-0", *out)
        return command("export", "--campaign", CAMPAIGN, *out)

    parts: dict[str, Callable[[], float | None]] = {
        "prepare": lambda: prepare(folder),
        "page": lambda: measure_requests(folder, "page"),
        "save": lambda: measure_requests(folder, "save"),
        "agreement": lambda: report("agreement"),
        "results": lambda: report("results"),
        "export": export,
        "backup": lambda: command("backup", str(folder / "backups"), "--keep", "1"),
    }
    print(json.dumps(parts[what]() or 0.0))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
