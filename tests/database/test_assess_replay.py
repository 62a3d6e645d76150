"""A campaign that was held elsewhere is held again here, over HTTP: what is exported is what was answered."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.assessments import PROTOCOLS, MarkedSpan, OutputRating, SpanSide
from evaluation.blinding import pseudonym
from evaluation.importers import SourceFile, read
from evaluation.importers.evidence.appraise_csv import (
    AppraiseBatches,
    read_appraise_rows,
    read_batches,
    select_ratings,
)
from evaluation.models import (
    Annotator,
    Assessment,
    Assignment,
    Campaign,
    Membership,
    Output,
    Passage,
    PassageOutput,
    Role,
    Slot,
    Task,
)
from evaluation.tasks.services.importing import import_set
from evaluation.tasks.services.task_settings import TaskSettings
from tests.assessments.test_round_trip import count_different_lines
from tests.database.conftest import person
from tests.database.evidence_files import write_appraise
from tests.database.test_evidence_exports import export

pytestmark = pytest.mark.django_db
NAME = "ESA-1"


def hold_campaign(
    answers: Path, batches: Path, choose: Callable[[list[OutputRating]], list[OutputRating]] = list
) -> tuple[Task, list[OutputRating]]:
    """The texts of the batches as a task, and for each chosen answer a passage that its author has."""
    files = [SourceFile.from_path(path) for path in (answers, batches)]
    imported = replace(read(files), evidence=None)
    settings = TaskSettings("Replay", "four-way", "en", "de", comparisons="none")
    campaign = Campaign.objects.create(slug="replay", name="Replay")
    slug = import_set(imported, settings, campaign=campaign).tasks[0]
    task = Task.objects.get(slug=slug)
    protocol = replace(PROTOCOLS["esa"], severities=("minor", "major", "undecided"))  # as in that campaign
    task.protocols, task.assessed_as = {NAME: protocol.to_json()}, NAME
    task.save()
    known: AppraiseBatches = read_batches(files[1])
    ratings = choose(select_ratings(list(read_appraise_rows(files[0])), known))
    give_passages(task, ratings)
    return task, ratings


def give_passages(task: Task, ratings: list[OutputRating]) -> None:
    """One passage for each output; people had their own batches, so their slots are given to them here."""
    outputs = {
        (system, key): pk for system, key, pk in Output.objects.values_list("system__name", "item__key", "pk")
    }
    passages: dict[tuple[str, int], Passage] = {}
    people: dict[str, Annotator] = {}
    numbers: dict[tuple[str, ...], int] = defaultdict(int)
    for rating in ratings:
        cell = (rating.system, rating.segment)
        if cell not in passages:
            passages[cell] = Passage.objects.create(task=task, position=len(passages))
            output = outputs[rating.system, str(rating.segment + 1)]
            PassageOutput.objects.create(passage=passages[cell], output_id=output)
        if rating.annotator not in people:
            user = person(rating.annotator)
            Membership.objects.create(user=user, campaign=task.campaign, role=Role.ANNOTATOR)
            people[rating.annotator] = Annotator.objects.create(user=user)
        seat, number = (str(cell),), (rating.annotator, "")
        who = people[rating.annotator]
        Slot.objects.create(
            task=task, passage=passages[cell], k=numbers[seat], position=passages[cell].position,
            state=Slot.State.TAKEN, annotator=who, lease_until=timezone.now() + timedelta(days=1),
        )  # fmt: skip
        numbers[seat] += 1
        numbers[number] += 1
        Assignment.objects.create(
            annotator=who, task=task, passage=passages[cell], number=numbers[number], swapped=False
        )


def answer_over_http(task: Task, ratings: list[OutputRating]) -> int:
    """Each author works through the own pages: the page, one answer, Next."""
    by_author: dict[str, dict[tuple[str, int], OutputRating]] = defaultdict(dict)
    for rating in ratings:
        by_author[rating.annotator][rating.system, rating.segment] = rating
    sent = 0
    for author, own in by_author.items():
        client = Client()
        client.force_login(Annotator.objects.get(user__username=author).user)  # type: ignore[arg-type]
        cells = dict(
            Assignment.objects.filter(annotator__user__username=author).values_list(
                "token", "passage__outputs__output"
            )
        )
        about = {
            pk: (system, int(key) - 1)
            for pk, system, key in Output.objects.filter(pk__in=cells.values()).values_list(
                "pk", "system__name", "item__key"
            )
        }
        url = client.post(f"/tasks/{task.slug}/work")["Location"]
        while url.startswith("/assess/"):
            rating = own[about[cells[url.split("/")[2]]]]
            post_rating(client, url, rating)
            sent += 1
            url = client.post(url, {"active_ms": "100"})["Location"]
    return sent


def post_rating(client: Client, url: str, rating: OutputRating) -> None:
    data = client.get(url).context["assess"]
    (candidate,) = data["units"][0]["candidates"]
    spans = [
        {
            "side": span.side.value, "start": span.start, "end": span.end, "severity": span.severity,
            "category": span.category, "suggestion": None,
        }
        for span in rating.spans
    ]  # fmt: skip
    body = {
        "uuid": str(uuid.uuid4()), "output": candidate["output"], "base": candidate["version"],
        "score": rating.score, "spans": spans, "active_ms": 10, "elapsed_ms": 10,
    }  # fmt: skip
    response = client.post(data["answer_url"], json.dumps(body), content_type="application/json")
    assert response.status_code == 200, (response.content, rating)


def expected_csv(task: Task, ratings: list[OutputRating]) -> set[tuple[Any, ...]]:
    """The columns of the answers that do not depend on when they were given, with pseudonyms."""
    keys = dict(Annotator.objects.values_list("user__username", "key"))
    documents = dict(task.items.values_list("key", "document"))
    return {
        (
            pseudonym(task.campaign.key, keys[rating.annotator]),
            str(rating.segment + 1),
            rating.score,
            f"{documents[str(rating.segment + 1)]}#{rating.system}",
            tuple(
                ("missing", "missing", span.severity, span.category or None)
                if span.start is None or span.end is None
                else (span.start, span.end - 1, span.severity, span.category or None)
                for span in rating.spans
            ),
        )
        for rating in ratings
    }


def read_csv(task: Task, text: str) -> list[tuple[Any, ...]]:
    numbers = {str(n + 1): key for n, key in task.items.values_list("position", "key")}
    return [
        (
            row[0], numbers[row[2]], float(row[6]), row[7],
            tuple((s["start_i"], s["end_i"], s["severity"], s["error_type"]) for s in json.loads(row[9])),
        )
        for row in csv.reader(io.StringIO(text))
    ]  # fmt: skip


def read_mtme(exported: dict[str, str]) -> set[tuple[Any, ...]]:
    """Every error of the rating files with its system and line."""
    errors = set()
    for path, text in exported.items():
        if path.endswith(".seg.rating"):
            lines: dict[str, int] = defaultdict(int)
            for line in text.splitlines():
                system, document, *_ = line.split("\t")
                for error in json.loads(document)["errors"] if document != "None" else ():
                    errors.add((path, system, lines[system], json.dumps(error, sort_keys=True)))
                lines[system] += 1
    return errors


def replay(answers: Path, batches: Path, out: Path) -> int:
    task, ratings = hold_campaign(answers, batches)
    assert answer_over_http(task, ratings) == len(ratings)
    assert Assessment.objects.current().count() == len(ratings)
    assert not task.slots.exclude(state=Slot.State.DONE).exists()

    (text,) = export(task, "appraise-csv", out / "one.csv").values()
    rows = read_csv(task, text)
    assert len(rows) == len(ratings)
    assert set(rows) == expected_csv(task, ratings)
    before = export(task, "mtme", out / "one")
    marked = sum(len(set(rating.spans)) for rating in ratings)
    assert len(read_mtme(before)) == marked
    assert all(span.side is SpanSide.TARGET for rating in ratings for span in rating.spans)

    changed = next((rating for rating in ratings if rating.spans), ratings[0])
    assert changed.score != 33
    assignment = Assignment.objects.get(
        annotator__user__username=changed.annotator,
        passage__outputs__output__system__name=changed.system,
        passage__outputs__output__item__key=str(changed.segment + 1),
    )
    spans = () if changed.spans else (MarkedSpan("minor", "", 0, 3),)
    client = Client()
    client.force_login(Annotator.objects.get(user__username=changed.annotator).user)  # type: ignore[arg-type]
    post_rating(client, assignment.get_absolute_url(), replace(changed, score=33, spans=spans))
    (again,) = export(task, "appraise-csv", out / "two.csv").values()
    # Lines are in the order of people, numbers and documents, which a changed answer keeps.
    assert count_different_lines(text, again) == 1
    after = export(task, "mtme", out / "two")
    differing = {path: count_different_lines(before[path], after[path]) for path in before}
    assert sorted(set(differing.values())) == [0, 1]
    assert sum(differing.values()) == 2  # the errors and the score
    return len(ratings)


def test_a_small_campaign_is_replayed(tmp_path: Path) -> None:
    answers, batches = write_appraise(tmp_path)
    assert replay(answers, batches, tmp_path) > 2


@pytest.mark.any_database  # in one transaction, of which PostgreSQL has no statistics: minutes
@pytest.mark.realdata
def test_the_published_campaign_is_replayed(tmp_path: Path, real_data: Path) -> None:
    folder = real_data / "esa_wmt23"
    assert replay(folder / "ESA-1.scores.csv", folder / "batches_esa.json.gz", tmp_path) == 2691
