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
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.models import Annotator

ROUNDS = 100
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
    for task in Task.objects.filter(judging=Task.Judging.PAIRS).order_by("slug"):
        while (assignment := assignments.next_assignment(task, annotator)) is not None:
            indices = Occurrence.objects.asked_by(assignment).values_list("index", flat=True)
            found += [(assignment.get_absolute_url(), index) for index in indices]
            assignments.skip_assignment(assignment, "opened for the benchmark")
    return sorted(found, key=lambda question: abs(sum(url == question[0] for url, _ in found) - TYPICAL))


def answer(index: int) -> str:
    """What a browser sends."""
    given = {"uuid": str(uuid.uuid4()), "phrase": index, "choice": "A>B", "base": 0}
    return json.dumps({**given, "active_ms": 4000, "elapsed_ms": 4200})


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

    cost = measure({"empty": lambda: client.get("/empty"), "page": lambda: client.get(page), "save": save})
    size = len(client.get(page).content)
    for name, limit in (("page", PAGE_LIMIT), ("save", SAVE_LIMIT)):
        ratio = cost[name] / cost["empty"]
        print(
            f"{name}: {cost[name]:.2f} ms CPU, {ratio:.1f}× an empty view"
            f" ({cost['empty']:.2f} ms), at most {limit}×"
        )
    print(f"page weight: {size / 1000:.1f} kB HTML")
    return (
        0 if cost["page"] <= PAGE_LIMIT * cost["empty"] and cost["save"] <= SAVE_LIMIT * cost["empty"] else 1
    )


if __name__ == "__main__":
    raise SystemExit(main())
