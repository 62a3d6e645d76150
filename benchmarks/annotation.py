"""What an annotation page and a saved judgement cost, beside an empty view through the same stack.

All requests go through the real handler (middleware, session, log-in, database on disk) in one process; CPU
time, interleaved, median. Run: ``python -m benchmarks.annotation``.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.models import Annotator

ROUNDS = 100
RATINGS = "Ratings"
TYPICAL = 4  # questions on the page that is measured; paper 003 has three to four a sentence
PAGE_LIMIT = 20.0
SAVE_LIMIT = 10.0


def prepare(home: str) -> None:
    os.environ.update(APPRAISE_HOME=home, DJANGO_SETTINGS_MODULE="appraise.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("demo", verbosity=0)
    sample = str(Path(__file__).parents[1] / "fixtures" / "samples" / "wide.tsv")
    call_command("import_task", sample, "--name", RATINGS, "--assess", "esa", "--assess-systems", "2")


def measure(actions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median CPU milliseconds of each action, interleaved."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(ROUNDS):
        for name, action in actions.items():
            begin = time.process_time()
            action()
            times[name].append(time.process_time() - begin)
    return {name: 1000 * statistics.median(values) for name, values in times.items()}


def questions(annotator: Annotator) -> list[tuple[str, int]]:
    """Open questions of an annotator: the page's address and the phrase."""
    from evaluation.annotate.services import assignments
    from evaluation.models import Occurrence, Task

    found = []
    for task in Task.objects.filter(judging=Task.Judging.PAIRS, assessed_as="").order_by("slug"):
        while (assignment := assignments.next_assignment(task, annotator)) is not None:
            indices = Occurrence.objects.asked_by(assignment).values_list("index", flat=True)
            found += [(assignment.get_absolute_url(), index) for index in indices]
            assignments.skip_assignment(assignment, "opened for the benchmark")
    return sorted(found, key=lambda question: abs(sum(url == question[0] for url, _ in found) - TYPICAL))


def answer(index: int) -> str:
    """What a browser sends."""
    given = {"uuid": str(uuid.uuid4()), "phrase": index, "choice": "A>B", "base": 0}
    return json.dumps({**given, "active_ms": 4000, "elapsed_ms": 4200})


def open_assessment(annotator: Annotator) -> str:
    """The address of a page on which scores and error spans are collected."""
    from evaluation.annotate.services import assignments
    from evaluation.models import Membership, Role, Task

    assert annotator.user is not None
    task = Task.objects.get(name=RATINGS)
    Membership.objects.create(user=annotator.user, campaign=task.campaign, role=Role.ANNOTATOR)
    assignment = assignments.next_assignment(task, annotator)
    assert assignment is not None
    return assignment.get_absolute_url()


def assessments() -> Iterator[str]:
    """One change of an answer after the other, with three errors, as a browser sends them."""
    spans = [{"start": n, "end": n + 3, "severity": "minor"} for n in range(3)]
    for base in count():
        given = {"uuid": str(uuid.uuid4()), "output": "1A", "base": base, "score": base % 100, "spans": spans}
        yield json.dumps({**given, "active_ms": 4000, "elapsed_ms": 4200})


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="appraise-bench-", ignore_cleanup_errors=True) as home:
        prepare(home)
        return compare()


def compare() -> int:
    """Prints the figures; 1 where one is above its limit."""
    from django.http import HttpRequest, HttpResponse
    from django.test import Client
    from django.urls import path

    from appraise import urls
    from evaluation.models import Annotator

    def empty(request: HttpRequest) -> HttpResponse:
        return HttpResponse(b"")

    urls.urlpatterns.insert(0, path("empty", empty))
    annotator = Annotator.objects.get(user__username="wren")
    assert annotator.user is not None
    client = Client(SERVER_NAME="localhost")
    client.force_login(annotator.user)
    work = questions(annotator)
    page = work[0][0]

    bodies = [(url + "answer", answer(index)) for url, index in work]  # made by the browser, not by us

    def save() -> None:
        """A first answer to a question that has none, as nearly all are."""
        response = client.post(*bodies.pop(), content_type="application/json")
        assert response.status_code == 200, response.content

    assess, changes = open_assessment(annotator), assessments()

    def save_assessment() -> None:
        response = client.post(f"{assess}answer", next(changes), content_type="application/json")
        assert response.status_code == 200, response.content

    cost = measure(
        {
            "empty": lambda: client.get("/empty"),
            "page": lambda: client.get(page),
            "save": save,
            "assessment page": lambda: client.get(assess),
            "assessment save": save_assessment,
        }
    )
    size = len(client.get(page).content)
    limits = {name: SAVE_LIMIT if name.endswith("save") else PAGE_LIMIT for name in cost if name != "empty"}
    for name, limit in limits.items():
        ratio = cost[name] / cost["empty"]
        print(
            f"{name}: {cost[name]:.2f} ms CPU, {ratio:.1f}× an empty view"
            f" ({cost['empty']:.2f} ms), at most {limit}×"
        )
    print(f"page weight: {size / 1000:.1f} kB HTML")
    return int(any(cost[name] > limit * cost["empty"] for name, limit in limits.items()))


if __name__ == "__main__":
    raise SystemExit(main())
