"""Every interleaving of two annotators and a manager, at the level of transactions.

Each actor has a program of steps. A step is what a request does in one transaction, or reads before it:
between reading an assignment and storing an answer, the alignment may be corrected, the task closed, the
person erased. From every state each actor's next step is taken, depth first; a state that was reached before
is not continued. In every state the invariants hold, with the SQL of the fault injection and against a model
of what was acknowledged.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction

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
from evaluation.people import erasure
from evaluation.schemes import Choice
from evaluation.tasks.edited_links import Realignment
from evaluation.tasks.services import management, realignments
from faults import invariants
from faults.journal import Acknowledged

Step = tuple[str, ...]  # its name, and what it is about
ANNOTATOR: list[Step] = [
    ("claim",),
    ("load",), ("store", "0", "A>B"),
    ("load",), ("store", "1", "A=B"),
    ("load",), ("finish",),
]  # fmt: skip
MANAGER: list[Step] = [("look",), ("realign",), ("close",), ("open",), ("erase", "carol")]
SHORT_ANNOTATOR = ANNOTATOR[:3]
SHORT_MANAGER: list[Step] = [("look",), ("realign",), ("erase", "carol")]
PROGRAMS = {
    "short": (SHORT_ANNOTATOR, SHORT_MANAGER),
    "medium": (ANNOTATOR[:5], MANAGER[:3]),
    "full": (ANNOTATOR, MANAGER),
}
LINKS = ((0, 0), (1, 2), (2, 1))
SENTENCE: dict[str, Any] = {
    "id": "meeting",
    "source": "Wir trafen ihn.",
    "candidates": {"alpha": "we met him on Monday", "beta": "we saw him this Monday"},
}


@dataclass
class Page:
    """What a browser shows: the pair of each question, and the version that the annotator saw."""

    token: str
    alignment: int
    questions: list[tuple[int, int]]
    versions: dict[int, int]


@dataclass
class Actor:
    """Where somebody is in the program, and what the browser and the request hold."""

    done: int = 0
    page: Page | None = None
    loaded: Assignment | None = None
    base: int = 0


@dataclass
class Memory:
    """All that is not in the database."""

    actors: dict[str, Actor]
    # By annotator and pair: what was acknowledged, oldest first.
    acknowledged: dict[tuple[str, int], list[tuple[uuid.UUID, str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explored:
    states: int
    transitions: int
    ends: int  # states in which every program is over
    interleavings: int  # all ways through, counted without taking each
    seen: dict[str, int]  # what happened, how often
    violation: str = ""  # the first, which ends the exploration


class Explorer:
    """``people`` are two annotators of the task by name."""

    def __init__(
        self, task: Task, people: dict[str, Annotator], manager: User, programs: dict[str, Sequence[Step]]
    ) -> None:
        self.task, self.people, self.manager, self.programs = task, people, manager, programs
        self.memory = Memory({name: Actor() for name in programs})
        self.ways: dict[object, int] = {}
        self.transitions = self.ends = 0
        self.seen: dict[str, int] = {}
        self.steps: dict[str, Callable[..., str]] = {
            "claim": self.claim, "load": self.load, "store": self.store, "finish": self.finish,
            "look": self.look, "realign": self.realign, "close": self.close, "open": self.open,
            "erase": self.erase,
        }  # fmt: skip

    def explore(self) -> Explored:
        ways, violation = 0, ""
        with discarded():
            try:
                ways = self.visit()
            except AssertionError as broken:
                violation = str(broken)
        return Explored(len(self.ways), self.transitions, self.ends, ways, self.seen, violation)

    def visit(self) -> int:
        """Go on from here; the number of ways to the end."""
        state = self.fingerprint()
        if state in self.ways:
            return self.ways[state]
        self.check()
        ways, is_end = 0, True
        for name, program in self.programs.items():
            if self.memory.actors[name].done < len(program):
                is_end = False
                ways += self.follow(name, program)
        self.ends += is_end
        self.ways[state] = ways or 1
        return self.ways[state]

    def follow(self, name: str, program: Sequence[Step]) -> int:
        before = deepcopy(self.memory)
        with discarded():
            actor = self.memory.actors[name]
            step, *about = program[actor.done]
            actor.done += 1
            happened = self.steps[step](name, *about)
            self.transitions += 1
            self.seen[happened] = self.seen.get(happened, 0) + 1
            ways = self.visit()
        self.memory = before
        return ways

    # --- annotators

    def claim(self, name: str) -> str:
        if not self.is_here(name):
            return "nobody"
        try:
            assignment = assignments.next_assignment(Task.objects.get(pk=self.task.pk), self.people[name])
        except assignments.TaskClosed:
            return "closed to claim"
        if assignment is None:
            return "nothing to claim"
        asked = answers.load_questions(assignment)
        self.memory.actors[name].page = Page(
            assignment.token,
            assignment.alignment_id or 0,
            [(index, asked[index].pair) for index in sorted(asked)],
            {asked[index].pair: asked[index].version for index in asked},
        )
        return "claimed"

    def load(self, name: str) -> str:
        """What a request reads before its transaction."""
        actor = self.memory.actors[name]
        actor.loaded = None
        if actor.page is None or not self.is_here(name):
            return "nobody"
        actor.loaded = Assignment.objects.for_answering().filter(token=actor.page.token).first()
        return "read" if actor.loaded else "page of an old alignment"

    def store(self, name: str, number: str, value: str) -> str:
        actor = self.memory.actors[name]
        page, assignment, actor.loaded = actor.page, actor.loaded, None
        if page is None or assignment is None or int(number) >= len(page.questions):
            return "nothing to store"
        index, pair = page.questions[int(number)]
        sent = answers.Submission(uuid.uuid4(), index, Choice(value), page.versions[pair])
        try:
            receipt = answers.submit_ranking(assignment, sent)
        except answers.UnknownQuestion:
            return "question of an old alignment"
        except answers.StaleAnswer:
            return "conflict"
        self.memory.acknowledged.setdefault((name, pair), []).append((sent.uuid, value))
        page.versions[pair] = receipt.version
        return "answered"

    def finish(self, name: str) -> str:
        assignment, self.memory.actors[name].loaded = self.memory.actors[name].loaded, None
        if assignment is None:
            return "nothing to finish"
        return "questions are left" if answers.finish_pairs(assignment) else "finished"

    def is_here(self, name: str) -> bool:
        return Annotator.objects.filter(pk=self.people[name].pk, user__isnull=False).exists()

    # --- the manager

    def look(self, name: str) -> str:
        self.memory.actors[name].base = self.newest().version
        return "looked"

    def realign(self, name: str) -> str:
        comparison = Comparison.objects.get(item__task=self.task)
        base = self.memory.actors[name].base
        realignments.realign_comparison(
            comparison, Realignment(LINKS, True), base=base, by=self.manager, ask_again=True
        )
        return "realigned"

    def newest(self) -> Alignment:
        return Alignment.objects.filter(comparison__item__task=self.task).latest()

    def close(self, name: str) -> str:
        management.change_state(Task.objects.get(pk=self.task.pk), Task.State.CLOSED, by=self.manager)
        return "closed"

    def open(self, name: str) -> str:
        management.change_state(Task.objects.get(pk=self.task.pk), Task.State.OPEN, by=self.manager)
        return "opened"

    def erase(self, name: str, whom: str) -> str:
        erasure.erase(User.objects.get(username=whom))
        return "erased"

    # --- states

    def fingerprint(self) -> object:
        """The state without times, random ids and tokens: two with the same future are equal."""
        newest = dict(Alignment.objects.filter(comparison__item__task=self.task).values_list("pk", "version"))
        slots = Slot.objects.order_by("comparison", "presentation", "k").values_list("state", "annotator")
        given = Assignment.objects.order_by("annotator", "comparison").values_list(
            "token", "annotator", "alignment", "finished_at", "skip_reason"
        )
        given_rows = list(given)
        tokens = {row[0]: number for number, row in enumerate(given_rows)}
        rankings = Ranking.objects.order_by("annotator", "pair", "version").values_list(
            "annotator", "pair__key", "version", "choice", "alignment", "slot__k"
        )
        return (
            Task.objects.values_list("state", flat=True).get(pk=self.task.pk),
            tuple(slots),
            tuple((who, newest[made], end is not None, why) for _, who, made, end, why in given_rows),
            tuple((*row[:4], newest.get(row[4]), row[5]) for row in rankings),
            tuple(self.is_here(name) for name in self.people),
            tuple(
                (
                    actor.done,
                    actor.base,
                    actor.page and (newest[actor.page.alignment], tokens.get(actor.page.token)),
                    actor.page and tuple(sorted(actor.page.versions.values())),
                    actor.loaded and newest[actor.loaded.alignment_id or 0],
                    actor.loaded and (actor.loaded.task.state, actor.loaded.finished_at is not None),
                )
                for actor in self.memory.actors.values()
            ),
        )

    def check(self) -> None:
        """Every invariant, with SQL of its own and against the model; raises ``AssertionError``."""
        rows = fetch(invariants.STORED)
        for sql in (*invariants.DOUBLED, invariants.OVER_OVERLAP, invariants.OVER_SEATED):
            assert fetch(sql) == [(0,)], sql
        entries = [
            Acknowledged(answer.hex, 0, value, number)
            for versions in self.memory.acknowledged.values()
            for number, (answer, value) in enumerate(versions, 1)
        ]
        assert invariants.compare(entries, rows) == ([], []), "acknowledged answers are lost or changed"
        assert len(rows) == len(entries), "answers are stored that nobody was told of"
        stored = {
            (who, pair, version): answer
            for who, pair, version, answer in Ranking.objects.values_list(
                "annotator", "pair", "version", "uuid"
            )
        }
        asked = {
            (self.people[name].pk, pair, number): answer
            for (name, pair), versions in self.memory.acknowledged.items()
            for number, (answer, _) in enumerate(versions, 1)
        }
        assert stored == asked, "an answer is stored for another question than was shown"
        for state, annotator in Slot.objects.values_list("state", "annotator"):
            assert (annotator is None) == (state == Slot.State.FREE), "a seat is taken by nobody"
        connection.check_constraints()
        for assignment in Assignment.objects.select_related("alignment"):
            assert assignment.alignment
            assert assignment.alignment.comparison_id == assignment.comparison_id
            if assignment.finished_at is not None and not assignment.skip_reason:
                self.check_finished(assignment)

    def check_finished(self, assignment: Assignment) -> None:
        pairs = set(Occurrence.objects.asked_by(assignment).values_list("pair", flat=True))
        given = set(
            Ranking.objects.given_by(assignment).filter(choice__isnull=False).values_list("pair", flat=True)
        )
        assert pairs <= given, "a finished sentence has a question without an answer"


def fetch(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


@contextmanager
def discarded() -> Iterator[None]:
    """Whatever happens inside did not happen."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def run_explorer(size: str, *, overlap: int = 1) -> Explored:
    """On the database of this process, of which nothing is left afterwards."""
    from tests.database.conftest import annotator, make_task, person

    annotating, managing = PROGRAMS[size]
    with discarded():
        task = make_task(sentences=[SENTENCE], overlap=overlap)
        people = {name: annotator(name, task) for name in ("bob", "carol")}
        explorer = Explorer(
            task, people, person("alice", may_create=True),
            {"bob": annotating, "carol": annotating, "manager": managing},
        )  # fmt: skip
        return explorer.explore()
