"""No route does expensive work in a web thread, whatever an importer admits.

A site is filled with the largest inputs: candidates of 2,000 words in 2,000 phrases, 100 candidates of a
sentence, 500 annotators. Then the CPU time of every route of the table is compared with that of an empty
view, in the same run: no assertion depends on the speed of the machine.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from appraise.lib.digests import text_digest
from evaluation import jobs
from evaluation.alignment.pairs import place_key
from evaluation.models import (
    Annotator,
    Assignment,
    Candidate,
    Comparison,
    Job,
    Membership,
    Occurrence,
    PhrasePair,
    Ranking,
    Role,
    Upload,
    User,
)
from evaluation.schemes import SIX_WAY
from tests.database.test_cost import forget
from tests.security.stage import Stage, set_stage
from tests.security.test_routes import table

WORDS = PHRASES = 2_000
CANDIDATES, PEOPLE = 100, 500
# Measured: the annotation page with 2,000 questions and the agreement of 500 annotators take 7,000 to 10,400
# times as long as an empty view, one to three seconds. Aligning the upload in its page took over 100,000.
MOST_TIMES = 20_000
WHO = ("manager", "annotator", "administrator", "anonymous")  # the first of them who may enter


@pytest.fixture
def stage(db: None, settings: Settings, tmp_path: Path) -> Stage:
    settings.HOME = settings.MEDIA_ROOT = tmp_path
    stage = set_stage()
    add_people(stage)
    enlarge_comparison(Comparison.objects.get(pk=str(stage.values["comparison"])))
    enlarge_group(Assignment.objects.get(token=stage.values["places"]).compared)
    stage.values["upload"] = upload_long_sentences(stage)
    return stage


def add_people(stage: Stage) -> None:
    """500 annotators, each of whom has ranked every pair of the task."""
    users = User.objects.bulk_create(User(username=f"annotator {n}") for n in range(PEOPLE))
    Membership.objects.bulk_create(
        Membership(user=user, campaign=stage.task.campaign, task=stage.task, role=Role.ANNOTATOR)
        for user in users
    )
    people = Annotator.objects.bulk_create(Annotator(user=user, key=f"k{user.pk}") for user in users)
    long_ago = timezone.now() - timedelta(hours=1)
    Ranking.objects.bulk_create(
        Ranking(
            uuid=uuid.uuid4(), annotator=who, pair=pair, version=1, received_at=long_ago,
            choice=SIX_WAY.labels[(n * 7 + pair.pk * 3) % 6],
        )
        for pair in stage.task.pairs.all()
        for n, who in enumerate(people)
    )  # fmt: skip


def enlarge_comparison(comparison: Comparison) -> None:
    """Two candidates of 2,000 words, every word of which is a question."""
    alignment = comparison.alignments.get()
    for candidate, letter in ((comparison.first, "a"), (comparison.second, "b")):
        set_text(candidate, [f"{letter}{n}" for n in range(WORDS)])
        candidate.save()
    alignment.phrases = [[n, n + 1, n, n + 1, "different", False] for n in range(PHRASES)]
    alignment.save()
    known = set(alignment.occurrences.values_list("index", flat=True))
    numbers = [n for n in range(PHRASES) if n not in known]
    pairs = PhrasePair.objects.bulk_create(
        PhrasePair(
            task=comparison.item.task, item=comparison.item, owner=comparison, kind="different",
            first=f"a{n}", second=f"b{n}", key=text_digest(f"large {n}"),
        )
        for n in numbers
    )  # fmt: skip
    Occurrence.objects.bulk_create(
        Occurrence(pair=pair, alignment=alignment, index=n, flipped=False)
        for n, pair in zip(numbers, pairs, strict=True)
    )


def enlarge_group(comparison: Comparison) -> None:
    """100 candidates that are judged together at 20 places."""
    item, places = comparison.item, range(0, 40, 2)
    texts = [
        [
            f"{'xy'[n >> (place // 2 % 7) & 1]}{place}" if place in places else f"s{place}"
            for place in range(40)
        ]
        for n in range(CANDIDATES)
    ]
    known = list(item.candidates.all())
    candidates = [*known, *(Candidate(item=item) for _ in range(CANDIDATES - len(known)))]
    for candidate, words in zip(candidates, texts, strict=True):
        set_text(candidate, words)
    for candidate in known:
        candidate.save()
    Candidate.objects.bulk_create(candidates[len(known) :])
    item.places = [[n, n + 1] * CANDIDATES for n in range(40)]
    item.save()
    PhrasePair.objects.bulk_create(
        PhrasePair(
            task=item.task, item=item, owner=comparison, kind="different", first=f"x{n}", second=f"y{n}",
            key=text_digest(repr(place_key(item.key, n, f"x{n}", f"y{n}"))),
        )
        for n in places
    )  # fmt: skip


def set_text(candidate: Candidate, words: list[str]) -> None:
    candidate.text = " ".join(words)
    candidate.digest = text_digest(candidate.text)
    candidate.offsets, start = [], 0
    for word in words:
        candidate.offsets += [start, start + len(word)]
        start += len(word) + 1


def upload_long_sentences(stage: Stage) -> object:
    """Ten sentences of 1,999 words, checked by the job where there is one."""
    rows = ["id\tsource\ta\tb"]
    for item in range(10):
        first, second = (
            " ".join(f"w{n * step * (item + 7) % 997}" for n in range(WORDS - 1)) for step in (1, 5)
        )
        rows.append(f"{item}\teins\t{first}\t{second}")
    client = Client()
    manager = stage.people["manager"]
    assert manager is not None
    client.force_login(manager)
    file = SimpleUploadedFile("long.tsv", ("\n".join(rows) + "\n").encode())
    address = client.post("/upload/", {"files": [file]}).headers["Location"]
    client.get(address)
    for job in Job.objects.runnable().filter(kind="check"):
        jobs.run_job.call(str(job.pk))
    return Upload.objects.latest("created_at").pk


def measure(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def costs(stage: Stage) -> dict[str, float]:
    """CPU seconds of every route at its first opening, for the first who may use it."""
    seconds = {}
    for row in table():
        who = next((who for who in WHO if row[who] in {"200", "202", "302"}), "manager")
        path = stage.path(row["example"])
        forget()
        seconds[f"{row['method']} {row['example']}"] = measure(
            lambda path=path, row=row, who=who: stage.ask(who, row["method"], path)  # type: ignore[misc]  # bound now
        )
    return seconds


@pytest.mark.slow
def test_the_largest_inputs_make_no_route_expensive(stage: Stage) -> None:
    show_largest_inputs(stage)
    client = Client()
    empty = min(measure(lambda: client.get("/healthz")) for _ in range(50))
    times = {route: seconds / empty for route, seconds in costs(stage).items()}
    assert {route: round(n) for route, n in times.items() if n > MOST_TIMES} == {}
    assert len(times) > 150


def show_largest_inputs(stage: Stage) -> None:
    """The routes show what they are measured with."""

    def ask(who: str, example: str) -> str:
        response = stage.ask(who, "GET", stage.path(example))
        assert isinstance(response, HttpResponse)
        assert response.status_code == 200
        return response.content.decode()

    assert ask("annotator", "a/{assignment}/").count("<fieldset") >= PHRASES
    assert ask("annotator", "p/{places}/").count("<fieldset") >= 20
    assert ask("manager", "upload/{upload}/").count('class="ph ') >= 2
    assert ask("manager", "tasks/{task}/members").count("annotator ") >= 100, "the first of several pages"
