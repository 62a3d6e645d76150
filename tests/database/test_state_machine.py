"""Claim, answer, correct, realign, close, reopen, expire and erase, in any order, against a slow plain model.

Two annotators answer from pages that may be old, a manager corrects alignments and closes the task. After
every step hold the invariants of docs/faults.md, with the SQL of the fault injection.
"""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import Phase, settings as limit, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from evaluation.annotate.services import answers, assignments
from evaluation.models import (
    Alignment,
    Annotator,
    Assignment,
    Comparison,
    Occurrence,
    Ranking,
    Slot,
    Task,
    User,
)
from evaluation.models.judging import SlotQuerySet
from evaluation.people import erasure
from evaluation.schemes import Choice
from evaluation.tasks.edited_links import Realignment
from evaluation.tasks.services import management, realignments
from faults import invariants
from faults.journal import Acknowledged
from tests.database.conftest import SENTENCES, make_task
from tests.database.test_judging import first_free_of_all

MEETING = {
    "id": "meeting",
    "source": "Wir trafen ihn.",
    "candidates": {"alpha": "we met him on Monday in town", "beta": "we saw him in town this Monday"},
}
TWO_MORE = [
    {**sentence, "candidates": {name: sentence["candidates"][name] for name in ("alpha", "beta")}}
    for sentence in SENTENCES[:2]
]
LINKS = [(), ((0, 0), (1, 1), (2, 2)), ((0, 0), (1, 2), (2, 1)), tuple((n, n) for n in range(6))]
CHOICES = [Choice.A_MUCH_BETTER, Choice.A_BETTER, Choice.EQUAL, Choice.B_BETTER, None]  # None withdraws
people = st.sampled_from(["bob", "carol"])
numbers = st.integers(0, 7)  # of a question, a comparison or a slot: taken modulo how many there are

Key = tuple[int, int, int]  # annotator, pair, presentation
Sent = answers.Submission[Choice]


@dataclass
class Page:
    """What a browser shows: the questions of an assignment with the versions that the annotator saw."""

    token: str
    versions: dict[int, int]


@dataclass
class Model:
    """What was acknowledged: the versions of every answer, oldest first, with A and B as shown."""

    stored: dict[Key, list[tuple[uuid.UUID, Choice | None]]] = field(default_factory=dict)

    def submit(self, key: Key, sent: Sent) -> tuple[int, Choice | None] | None:
        """The version and value of the receipt; ``None`` for a conflict."""
        versions = self.stored.setdefault(key, [])
        for number, version in enumerate(versions, 1):
            if version == (sent.uuid, sent.value):
                return number, sent.value
        newest = versions[-1][1] if versions else None
        if newest != sent.value:
            if sent.base != len(versions):
                return None
            versions.append((sent.uuid, sent.value))
        return len(versions), sent.value


class Campaign(RuleBasedStateMachine):
    """One task; every example begins with it as it was imported, and is rolled back."""

    seen: ClassVar[Counter[str]]
    task: Task
    manager: User

    def __init__(self) -> None:
        super().__init__()
        self.block = transaction.atomic()
        self.block.__enter__()
        self.model = Model()
        self.has_expired = False
        self.pages: dict[str, Page] = {}
        self.sent: dict[str, tuple[str, Sent]] = {}  # the last of each person, with the token of its page
        self.people = {name: Annotator.objects.get(user__username=name) for name in ("bob", "carol")}

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.block.__exit__(None, None, None)

    def now(self) -> Task:
        return Task.objects.get(pk=self.task.pk)

    def is_here(self, name: str) -> bool:
        return Annotator.objects.get(pk=self.people[name].pk).user_id is not None

    # --- annotators

    @rule(name=people)
    def claim(self, name: str) -> None:
        if not self.is_here(name):
            return
        task, who = self.now(), self.people[name]
        if not task.is_open:
            with pytest.raises(assignments.TaskClosed):
                assignments.next_assignment(task, who)
            return
        expected = self.expect_claim(task, who)
        claimed = assignments.next_assignment(task, who)
        assert (claimed and (claimed.comparison_id, claimed.presentation)) == expected
        if claimed is not None:
            self.show(name, claimed)
        self.seen["claimed" if claimed else "nothing to claim"] += 1

    def expect_claim(self, task: Task, who: Annotator) -> tuple[int, int] | None:
        """Unfinished work whose seat is one's own or free, else the first free seat."""
        for open_one in who.assignments.filter(finished_at=None).order_by("number"):
            for seat in Slot.objects.of(open_one):
                is_over = seat.lease_until is not None and seat.lease_until < timezone.now()
                if seat.annotator_id == who.pk or seat.state == "free" or (seat.state == "taken" and is_over):
                    return open_one.compared_id, open_one.presentation
        free = first_free_of_all(task, who)
        return None if free is None else (free.comparison_id or 0, free.presentation)

    def show(self, name: str, assignment: Assignment) -> None:
        questions = answers.load_questions(assignment)
        self.pages[name] = Page(assignment.token, {index: q.version for index, q in questions.items()})

    @precondition(lambda self: self.pages)
    @rule(name=people, number=numbers)
    def look_again(self, name: str, number: int) -> None:
        """Open any of one's sentences, also finished ones."""
        own = list(self.people[name].assignments.order_by("number"))
        if own and self.is_here(name):
            self.show(name, own[number % len(own)])

    @rule(name=people, number=numbers, choice=st.sampled_from(CHOICES))
    def answer(self, name: str, number: int, choice: Choice | None) -> None:
        page = self.open_page(name)
        if page and page.versions:
            index = sorted(page.versions)[number % len(page.versions)]
            sent = answers.Submission(uuid.uuid4(), index, choice, page.versions[index])
            self.submit(name, page.token, sent)

    @rule(name=people)
    def answer_everything(self, name: str) -> None:
        page = self.open_page(name)
        if page:
            for index, version in list(page.versions.items()):
                sent = answers.Submission(uuid.uuid4(), index, Choice.EQUAL, version)
                self.submit(name, page.token, sent)
            self.finish(name)

    def open_page(self, name: str) -> Page | None:
        if name not in self.pages:
            self.claim(name)
        return self.pages.get(name) if self.is_here(name) else None

    @precondition(lambda self: self.sent)
    @rule(name=people)
    def repeat_the_last_request(self, name: str) -> None:
        if name in self.sent and self.is_here(name):
            self.submit(name, *self.sent[name])

    @precondition(lambda self: self.sent)
    @rule(name=people, choice=st.sampled_from(CHOICES))
    def answer_in_a_second_tab(self, name: str, choice: Choice | None) -> None:
        """It has not seen the newest answer."""
        if name in self.sent and self.is_here(name):
            token, last = self.sent[name]
            self.submit(name, token, answers.Submission(uuid.uuid4(), last.question, choice, last.base))

    def submit(self, name: str, token: str, sent: Sent) -> None:
        self.sent[name] = token, sent
        assignment = Assignment.objects.for_answering().filter(token=token).first()
        if assignment is None:  # a correction has moved it
            self.seen["page of an old alignment"] += 1
            return
        asked = Occurrence.objects.asked_by(assignment).filter(index=sent.question).first()
        if asked is None:
            with pytest.raises(answers.UnknownQuestion):
                answers.submit_ranking(assignment, sent)
            return
        key = (assignment.annotator_id, asked.pair_id, assignment.presentation)
        expected = self.model.submit(key, sent)
        if expected is None:
            with pytest.raises(answers.StaleAnswer):
                answers.submit_ranking(assignment, sent)
            self.seen["conflict"] += 1
            return
        is_new = not Ranking.objects.filter(uuid=sent.uuid).exists()
        receipt = answers.submit_ranking(assignment, sent)
        assert (receipt.version, receipt.value.choice) == expected
        new = Ranking.objects.filter(uuid=sent.uuid).select_related("slot").first()
        if is_new and new and new.slot:
            assert new.slot.annotator_id == assignment.annotator_id
        page = self.pages.get(name)
        if page and page.token == token:
            page.versions[sent.question] = receipt.version
        self.seen["answered"] += 1

    @precondition(lambda self: self.pages)
    @rule(name=people)
    def finish(self, name: str) -> None:
        page = self.pages.get(name)
        assignment = page and Assignment.objects.filter(token=page.token).first()
        if assignment and self.is_here(name):
            is_done = not answers.finish_pairs(assignment)
            self.seen["finished"] += is_done
            assert is_done <= (Assignment.objects.get(pk=assignment.pk).finished_at is not None)

    # --- time and the manager

    @precondition(lambda self: self.pages)
    @rule(number=numbers)
    def expire(self, number: int) -> None:
        taken = list(Slot.objects.filter(state=Slot.State.TAKEN).order_by("pk"))
        if taken:
            past = timezone.now() - timedelta(minutes=1)
            self.has_expired = True
            Slot.objects.filter(pk=taken[number % len(taken)].pk).update(lease_until=past)
            self.seen["expired"] += 1

    @rule(number=numbers, links=st.sampled_from(LINKS), ask_again=st.booleans(), is_late=st.booleans())
    def realign(self, number: int, links: tuple[Any, ...], ask_again: bool, is_late: bool) -> None:
        comparisons = list(Comparison.objects.filter(item__task=self.task).order_by("pk"))
        comparison = comparisons[number % len(comparisons)]
        newest = Alignment.objects.filter(comparison=comparison).latest().version
        base = newest - is_late
        try:
            made = realignments.realign_comparison(
                comparison, Realignment(links, True), base=base, by=self.manager, ask_again=ask_again
            )
        except realignments.StaleAlignment:
            assert is_late
        except realignments.NothingChanged:
            assert not is_late
        else:
            assert (made.version, is_late) == (newest + 1, False)
            self.seen["realigned"] += 1

    @precondition(lambda self: len(self.model.stored) > 2)
    @rule()
    def close_or_reopen(self) -> None:
        task = self.now()
        to = Task.State.CLOSED if task.is_open else Task.State.OPEN
        management.change_state(task, to, by=self.manager)
        self.seen[to] += 1

    @precondition(lambda self: len(self.model.stored) > 4)
    @rule(name=people)
    def erase(self, name: str) -> None:
        user = User.objects.filter(username=name).first()
        if user is not None:
            erasure.erase(user)
            self.seen["erased"] += 1

    # --- what holds after every step

    @invariant()
    def every_acknowledged_answer_is_stored_once_with_its_value(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(invariants.STORED)
            rows = cursor.fetchall()
            for sql in invariants.DOUBLED:
                cursor.execute(sql)
                assert cursor.fetchone() == (0,)
        acknowledged = [
            Acknowledged(id.hex, key[0], choice, number)
            for key, versions in self.model.stored.items()
            for number, (id, choice) in enumerate(versions, 1)
            if choice is not None
        ]
        assert invariants.compare(acknowledged, rows) == ([], [])
        assert len(rows) == sum(map(len, self.model.stored.values()))
        self.seen["steps"] += 1

    @invariant()
    def versions_have_no_gap_and_belong_to_who_gave_them(self) -> None:
        found: dict[Key, list[tuple[uuid.UUID, bool]]] = {}
        for ranking in Ranking.objects.order_by("version"):
            versions = found.setdefault((ranking.annotator_id, ranking.pair_id, ranking.presentation), [])
            assert ranking.version == len(versions) + 1
            versions.append((ranking.uuid, ranking.choice is None))
        assert found == {
            key: [(id, choice is None) for id, choice in versions]
            for key, versions in self.model.stored.items()
            if versions
        }

    @invariant()
    def a_seat_is_free_or_one_persons(self) -> None:
        holders = Counter[tuple[int | None, int, int]]()
        for slot in Slot.objects.all():
            assert (slot.annotator_id is None) == (slot.state == Slot.State.FREE)
            if slot.annotator_id is not None:
                holders[slot.comparison_id or 0, slot.presentation, slot.annotator_id] += 1
        assert set(holders.values()) <= {1}

    @invariant()
    def no_comparison_has_more_judges_than_asked_for(self) -> None:
        """Except where somebody has begun, and the lease was over before the end."""
        if self.has_expired:
            return
        with connection.cursor() as cursor:
            cursor.execute(invariants.OVER_OVERLAP)
            assert cursor.fetchone() == (0,)

    @invariant()
    def references_lead_somewhere(self) -> None:
        connection.check_constraints()
        for assignment in Assignment.objects.select_related("alignment"):
            assert assignment.alignment.comparison_id == assignment.comparison_id  # type: ignore[union-attr]  # of a comparison
        assert not Ranking.objects.exclude(annotator__in=[who.pk for who in self.people.values()]).exists()


@pytest.fixture(params=[1, 2], ids=["one judge", "two judges"])
def task(db: None, request: pytest.FixtureRequest) -> Task:
    return make_task(sentences=[MEETING, *TWO_MORE], overlap=request.param)


@pytest.fixture
def machine(
    task: Task, bob: Annotator, carol: Annotator, alice: User, settings: Any, tmp_path: Path
) -> type[Campaign]:
    settings.HOME = tmp_path  # a ledger of its own
    Campaign.task, Campaign.manager, Campaign.seen = task, alice, Counter()
    return Campaign


def run(machine: type[Campaign], *, examples: int = 25) -> None:
    """The same examples each time, without the slow search for the shortest failure."""
    limits = limit(
        max_examples=examples, stateful_step_count=25, derandomize=True, database=None,
        phases=[Phase.generate], report_multiple_bugs=False,
    )  # fmt: skip
    run_state_machine_as_test(machine, settings=limits)


def test_every_order_of_steps_keeps_every_answer(machine: type[Campaign]) -> None:
    run(machine)
    for kind in (
        "claimed",
        "answered",
        "conflict",
        "finished",
        "expired",
        "realigned",
        "closed",
        "open",
        "erased",
    ):
        assert machine.seen[kind] > 0, kind
    assert machine.seen["steps"] > 300


def delete_rankings(annotator: Annotator) -> None:
    Ranking.objects.filter(annotator=annotator).delete()


def overwrite(*arguments: Any, base: int | None, **more: Any) -> Any:
    return APPEND(*arguments, base=None, **more)


APPEND = answers.append_answer
BUGS = {
    "erasure deletes answers": (erasure, "_delete_free_text", delete_rankings),
    "an old page overwrites": (answers, "append_answer", overwrite),
    "a lease protects nobody": (SlotQuerySet, "expired", lambda slots, now=None: slots.filter(state="taken")),
    "sides are not turned back": (answers, "canonical", lambda choice, **_: choice),
}


@pytest.mark.parametrize("task", [1], indirect=True)
@pytest.mark.parametrize("bug", BUGS)
def test_a_seeded_bug_is_caught(machine: type[Campaign], bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*BUGS[bug])
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run(machine, examples=60)
