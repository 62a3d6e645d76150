"""People from a crowd platform: fifty replayed visits with duplicates, further devices and early leavers."""

from __future__ import annotations

import csv
import io
import json
import logging
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluation.annotate.services import assignments
from evaluation.exporters import FORMATS
from evaluation.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Campaign,
    Comparison,
    CrowdPlatform,
    CrowdWorker,
    Invitation,
    Ranking,
    Slot,
    Task,
    User,
)
from evaluation.people import erasure
from evaluation.people.personal_data import stream_document
from evaluation.schemes import Choice
from evaluation.tasks.services import management
from tests.database.answering import always, answer_task
from tests.database.conftest import make_task

LINK = "https://platform.example/complete"


@pytest.fixture
def campaign(db: None, settings: object, tmp_path: Path) -> Campaign:
    settings.HOME = tmp_path  # type: ignore[attr-defined]  # pytest-django's fixture takes any setting
    task = make_task(overlap=3, checks=10)
    Task.objects.update(most_per_person=1)
    CrowdPlatform.objects.create(
        campaign=task.campaign, passed_code="PASS-1", passed_url=f"{LINK}?cc=PASS-1", failed_code="FAIL-2",
        screened_url=f"{LINK}?cc=OUT-3", least_checks=50,
    )  # fmt: skip
    return task.campaign


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def invitation(campaign: Campaign, root: User) -> Invitation:
    return management.create_invitation(campaign, by=root, most_uses=1000, is_crowd=True)


def worker_id(number: int) -> str:
    return f"5f3c{number:020x}"


def visit(invitation: Invitation, number: int, session: str = "") -> tuple[Client, str]:
    """Come from the platform in a new browser; returns it and where it was led."""
    client, link = Client(), reverse("join", args=[invitation.token])
    given = {"PROLIFIC_PID": worker_id(number), "STUDY_ID": "study9", "SESSION_ID": session or f"s{number}"}
    page = client.get(link, given)
    assert page.status_code == 200
    assert 'type="hidden"' in page.content.decode()
    response = client.post(link, given)
    assert response.status_code == 302
    return client, str(response["Location"])


def person_of(number: int) -> Annotator:
    return Annotator.objects.get(user__crowd_worker__worker=worker_id(number))


def work(task: Task, number: int) -> None:
    answer_task(task, person_of(number), always(Choice.A_BETTER), ms=6000)


def test_fifty_workers(campaign: Campaign, invitation: Invitation, root: User) -> None:
    task = campaign.tasks.get()
    capacity = task.slots.count()
    assert 30 < capacity < 45
    leavers, finishers = range(5), range(5, 25)
    for number in (*leavers, *finishers):
        _client, led = visit(invitation, number)
        assert led.startswith("/a/"), "the first sentence"
    for number in finishers:
        work(task, number)
    # Duplicates: the same id again, with another session and on another device.
    for number in (5, 6, 7, *leavers[:2]):
        other, led = visit(invitation, number, "again")
        assert led.startswith("/a/") is (number in leavers)
        assert other.get("/").context["user"] == person_of(number).user
    assert CrowdWorker.objects.count() == 25 == User.objects.filter(username__startswith="guest-").count()
    assert CrowdWorker.objects.get(worker=worker_id(5)).session == "s5", "the visit that is paid is the first"
    # Who leaves in the middle keeps a sentence only for the time of the lease.
    assert task.slots.filter(state=Slot.State.TAKEN).count() == len(leavers)
    task.slots.filter(state=Slot.State.TAKEN).update(lease_until=timezone.now() - timedelta(seconds=1))
    for number in range(25, 50):
        visit(invitation, number)
        if not CrowdWorker.objects.get(worker=worker_id(number)).outcome:
            work(task, number)
    outcomes: Counter[str] = Counter()
    for number in range(50):
        client, _led = visit(invitation, number)
        page = client.get(reverse("campaign-finished", args=[campaign.slug])).content.decode()
        worker = CrowdWorker.objects.get(worker=worker_id(number))
        outcomes[worker.outcome] += 1
        shown = [code for code in ("PASS-1", "FAIL-2", "OUT-3") if code in page]
        expected = {"passed": ["PASS-1"], "failed": ["FAIL-2"], "screened": ["OUT-3"], "": []}
        assert shown == expected[worker.outcome]
    done = task.slots.filter(state=Slot.State.DONE).count()
    assert outcomes["passed"] + outcomes["failed"] == done <= capacity
    assert outcomes["failed"] > 0, "who gets a check answers it as anything else"
    assert sum(outcomes.values()) == 50
    for number in leavers[2:]:
        assert person_of(number).assignments.count() == 1
    one_each = Assignment.objects.values_list("annotator", flat=True)
    assert max(Counter(one_each).values()) == 1
    check_pay_sheet(campaign, root)


def check_pay_sheet(campaign: Campaign, root: User) -> None:
    client = Client()
    client.force_login(root)
    sheet = client.get(reverse("pay-sheet", args=[campaign.slug]))
    rows = {row["worker"]: row for row in csv.DictReader(io.StringIO(sheet.content.decode()))}
    assert len(rows) == 50
    for worker in CrowdWorker.objects.select_related("user__annotator"):
        row, person = rows[worker.worker], Annotator.objects.filter(user=worker.user).first()
        if person is None:  # there was nothing left
            assert (row["outcome"], row["answers"], row["minutes"]) == ("screened", "0", "0.0")
            continue
        rankings = Ranking.objects.filter(annotator=person)
        assert int(row["answers"]) == rankings.count()
        assert float(row["minutes"]) == pytest.approx(rankings.count() * 6 / 60, abs=0.01)
        done = person.assignments.exclude(finished_at=None).filter(skip_reason="").count()
        assert (int(row["sentences"]), row["outcome"]) == (done, worker.outcome)
        checks = rankings.exclude(pair__owner__check_kind="").values("pair__owner").distinct()
        assert int(row["checks"]) == checks.count()
    assert AuditEntry.objects.filter(action="export", detail__format="pay sheet").exists()


def test_a_full_campaign_screens_out_and_stays_so(campaign: Campaign, invitation: Invitation) -> None:
    campaign.tasks.get().slots.all().delete()
    client, led = visit(invitation, 1)
    assert led == reverse("campaign-finished", args=[campaign.slug])
    assert f"{LINK}?cc=OUT-3" in client.get(led).content.decode()
    assert not client.get("/").context["page"].tasks
    assert visit(invitation, 1)[1] == led


def test_another_platform_names_its_parameters(campaign: Campaign, invitation: Invitation) -> None:
    CrowdPlatform.objects.update(
        worker_parameter="workerId", study_parameter="hitId", session_parameter="assignmentId"
    )
    link = reverse("join", args=[invitation.token])
    given = {"workerId": "A1XY", "hitId": "H7", "assignmentId": "3ABC", "PROLIFIC_PID": "ignored"}
    assert Client().post(link, given).status_code == 302
    worker = CrowdWorker.objects.get()
    assert (worker.worker, worker.study, worker.session) == ("A1XY", "H7", "3ABC")
    preview = {**given, "workerId": "B2", "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}
    assert Client().get(link, preview).status_code == 410, "who only looks at the work is nobody yet"


@pytest.mark.parametrize("bad", ["", "a b", "=1+1", "x" * 101, "a\nb", "<script>"])
def test_a_visit_without_a_proper_id_lets_nobody_in(
    campaign: Campaign, invitation: Invitation, bad: str
) -> None:
    link = reverse("join", args=[invitation.token])
    for response in (Client().get(link, {"PROLIFIC_PID": bad}), Client().post(link, {"PROLIFIC_PID": bad})):
        assert response.status_code == 410
        assert "Accept the work on" in response.content.decode()
    assert not CrowdWorker.objects.exists()


def test_an_id_opens_nothing_elsewhere(campaign: Campaign, invitation: Invitation, root: User) -> None:
    """An id is a password of its campaign only: other links do not know it, nor ordinary ones of its own."""
    visit(invitation, 1)
    other = Campaign.objects.create(slug="other", name="Other")
    theirs = management.create_invitation(other, by=root, most_uses=9, is_crowd=True)
    visit(theirs, 1)
    assert CrowdWorker.objects.filter(worker=worker_id(1)).count() == 2
    assert len(set(CrowdWorker.objects.values_list("user", flat=True))) == 2
    plain = management.create_invitation(campaign, by=root, most_uses=9)
    Client().post(reverse("join", args=[plain.token]), {"PROLIFIC_PID": worker_id(1)})
    assert User.objects.filter(username__startswith="guest-").count() == 3
    management.revoke_invitation(invitation, by=root)
    link = reverse("join", args=[invitation.token])
    assert Client().post(link, {"PROLIFIC_PID": worker_id(9)}).status_code == 410


def test_a_visit_replaces_whoever_was_signed_in(
    campaign: Campaign, invitation: Invitation, root: User
) -> None:
    first, _led = visit(invitation, 1)
    given = {"PROLIFIC_PID": worker_id(2)}
    first.post(reverse("join", args=[invitation.token]), given)
    assert first.get("/").context["user"] == person_of(2).user
    assert CrowdWorker.objects.count() == 2


def test_ids_are_in_no_export_log_or_history_and_go_with_the_person(
    campaign: Campaign, invitation: Invitation, root: User, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    task = campaign.tasks.get()
    client, _led = visit(invitation, 1)
    work(task, 1)
    client.get(reverse("campaign-finished", args=[campaign.slug]))
    admin = Client()
    admin.force_login(root)
    texts = [caplog.text, json.dumps(list(AuditEntry.objects.values_list("detail", flat=True)))]
    for form in [*FORMATS, "latex"]:
        for query in ("", "?identify=yes") if form in FORMATS else ("",):
            response = admin.get(f"/campaigns/{campaign.slug}/export/{form}{query}")
            texts.append(b"".join(response).decode("latin-1"))
    call_command(
        "export", "--campaign", campaign.slug, "--format", "bundle", "--out", str(tmp_path / "b.zip")
    )
    texts.append((tmp_path / "b.zip").read_bytes().decode("latin-1"))
    for page in ("campaign", "campaign-members", "campaign-crowd", "campaign-decision", "campaign-agreement"):
        texts.append(admin.get(reverse(page, args=[campaign.slug])).content.decode())
    assert not [text for text in texts if worker_id(1) in text]
    user = person_of(1).user
    assert user is not None
    assert worker_id(1) in "".join(stream_document(user)), "only the person sees it, and the pay sheet"
    erasure.erase(user)
    assert not CrowdWorker.objects.exists()
    assert Ranking.objects.exists()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            assert worker_id(1) not in str(cursor.fetchall()), table


def test_skipping_everything_is_not_passing(campaign: Campaign, invitation: Invitation) -> None:
    client, _led = visit(invitation, 1)
    assignment = person_of(1).assignments.get()
    assignments.skip_assignment(assignment, "no")
    client.get(reverse("campaign-finished", args=[campaign.slug]))
    assert CrowdWorker.objects.get().outcome == "screened"


def test_checks_are_part_of_the_campaign(campaign: Campaign) -> None:
    assert Comparison.objects.exclude(check_kind="").exists()
