"""Giving out work and taking in answers: nothing is lost, doubled or given to two people."""

from __future__ import annotations

import json
import random
import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.annotate.services import answers, assignments
from evaluation.blinding import canonical
from evaluation.models import (
    Alignment,
    Annotator,
    Assignment,
    Membership,
    Occurrence,
    PhrasePair,
    Ranking,
    Slot,
    Task,
)
from evaluation.schemes import Choice
from evaluation.tasks.queries.progress import load_task_end
from tests.database.conftest import SENTENCES, annotator, make_task


def claimed(task: Task, who: Annotator) -> Assignment:
    assignment = assignments.next_assignment(task, who)
    assert assignment is not None
    return assignment


def first_phrase(assignment: Assignment) -> int:
    return Occurrence.objects.asked_by(assignment).order_by("index").values_list("index", flat=True)[0]


def answer(
    assignment: Assignment,
    choice: Choice | None,
    *,
    base: int = 0,
    phrase: int | None = None,
    id: uuid.UUID | None = None,
) -> answers.Receipt[answers.ReasonedChoice]:
    number = first_phrase(assignment) if phrase is None else phrase
    return answers.submit_ranking(assignment, answers.Submission(id or uuid.uuid4(), number, choice, base))


def answer_all(assignment: Assignment, choice: Choice = Choice.EQUAL) -> None:
    for index in Occurrence.objects.asked_by(assignment).values_list("index", flat=True):
        answer(assignment, choice, phrase=index)


def scatter(task: Task, people: list[Annotator], chance: random.Random) -> None:
    """Seats free, held, left or done, as they might be in the middle of the work; nobody has open work."""
    now = timezone.now()
    for comparison in {slot.comparison_id for slot in task.slots.all()}:
        alignment = Alignment.objects.filter(comparison=comparison).latest()
        seats = list(task.slots.filter(comparison=comparison).order_by("presentation", "k"))
        for presentation in {seat.presentation for seat in seats}:
            sitting = chance.sample(people, len(people))
            for seat in (seat for seat in seats if seat.presentation == presentation):
                if chance.random() < 0.4:
                    continue
                seat.annotator = sitting.pop()
                seat.state = chance.choice([Slot.State.TAKEN, Slot.State.DONE])
                if seat.state == Slot.State.TAKEN:
                    seat.lease_until = now + timedelta(minutes=chance.choice([-5, 5]))
                seat.save()
                Assignment.objects.create(
                    annotator=seat.annotator, task=task, comparison_id=comparison, presentation=presentation,
                    alignment=alignment, number=seat.pk, swapped=False, finished_at=now,
                )  # fmt: skip


def first_free_of_all(task: Task, who: Annotator) -> Slot | None:
    """What claiming promises, by looking at every seat."""
    seen = set(who.assignments.values_list("comparison", "presentation"))
    shown_at = dict(who.assignments.order_by("number").values_list("number", "comparison"))
    first = {comparison: number for number, comparison in reversed(shown_at.items())}
    newest = max(shown_at, default=0)
    again = [n for n, c in shown_at.items() if c == shown_at[newest] and n != newest]
    beside = {n + step for n in again for step in (-1, 1)}
    now = timezone.now()
    open_to = [
        seat
        for seat in task.slots.order_by("position", "k")
        if (
            seat.state == Slot.State.FREE
            or (seat.state == Slot.State.TAKEN and seat.lease_until and seat.lease_until < now)
        )
        and (seat.comparison_id, seat.presentation) not in seen
        and (
            seat.presentation == 0
            or (
                (seat.comparison_id, seat.presentation - 1) in seen
                and newest + 1 - first[seat.comparison_id or 0] >= assignments.repeat_distance(task.size)
                and first[seat.comparison_id or 0] not in beside
            )
        )
    ]
    last = max((seat.position for seat in who.slots.filter(task=task)), default=-1)
    ahead = [seat for seat in open_to if seat.position > last]
    return next(iter(ahead or open_to), None)


class TestClaiming:
    def test_unfinished_work_comes_back_before_new_work(self, task: Task, bob: Annotator) -> None:
        assert claimed(task, bob).pk == claimed(task, bob).pk

    def test_two_people_may_judge_the_same_comparison_but_not_from_one_seat(
        self, task: Task, bob: Annotator, carol: Annotator
    ) -> None:
        mine, hers = claimed(task, bob), claimed(task, carol)
        assert mine.comparison_id == hers.comparison_id
        assert Slot.objects.filter(comparison=mine.comparison, state=Slot.State.TAKEN).count() == 2

    def test_a_third_person_finds_no_seat_where_two_are_wanted(
        self, task: Task, bob: Annotator, carol: Annotator
    ) -> None:
        mine = claimed(task, bob)
        claimed(task, carol)
        assert claimed(task, annotator("erin", task)).comparison_id != mine.comparison_id

    def test_everything_is_given_out_once_and_then_nothing(self, task: Task, bob: Annotator) -> None:
        seen = []
        while (assignment := assignments.next_assignment(task, bob)) is not None:
            answer_all(assignment)
            assert answers.finish_pairs(assignment) == []
            seen.append(assignment.comparison_id)
        assert len(seen) == len(set(seen)) == task.size
        assert [a.number for a in bob.assignments.order_by("number")] == list(range(1, task.size + 1))

    def test_a_quota_ends_the_work_early(self, task: Task, bob: Annotator) -> None:
        Membership.objects.filter(user=bob.user).update(quota=1)
        assignment = claimed(task, bob)
        answer_all(assignment)
        answers.finish_pairs(assignment)
        assert assignments.next_assignment(task, bob) is None

    def test_a_closed_task_gives_out_nothing(self, task: Task, bob: Annotator) -> None:
        task.state = Task.State.CLOSED
        with pytest.raises(assignments.TaskClosed):
            assignments.next_assignment(task, bob)

    def test_abandoned_work_returns_when_the_lease_runs_out(
        self, task: Task, bob: Annotator, carol: Annotator
    ) -> None:
        Task.objects.filter(pk=task.pk).update(overlap=1)
        mine = claimed(task, bob)
        Slot.objects.filter(comparison=mine.comparison).exclude(annotator=bob).delete()
        Slot.objects.filter(annotator=bob).update(lease_until=timezone.now() - timedelta(minutes=1))
        assert claimed(task, carol).comparison_id == mine.comparison_id

    @pytest.mark.parametrize("seed", range(8))
    def test_a_seat_is_found_as_if_all_were_looked_at(self, db: None, seed: int) -> None:
        task = make_task(repeats=50, overlap=2)
        cast = [annotator(name, task) for name in ("bob", "carol", "erin")]
        scatter(task, cast, random.Random(seed))
        bob = cast[0]
        wanted = first_free_of_all(task, bob)
        found = assignments.next_assignment(task, bob)
        assert (
            found and bob.slots.get(comparison=found.comparison, presentation=found.presentation)
        ) == wanted

    def test_an_index_leads_to_the_seat(self, task: Task, bob: Annotator) -> None:
        """A search through all seats of a task makes Next slower with every sentence of it."""
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL reads a table of a few rows as a whole, rightly")
        assignments.skip_assignment(claimed(task, bob), "so that the search begins after a position")
        with CaptureQueriesContext(connection) as queries:
            claimed(task, bob)
        searches = [
            query["sql"] for query in queries if "ORDER BY" in query["sql"] and "lease_until" in query["sql"]
        ]
        assert searches
        for sql in searches:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
                steps = [step for *_, step in cursor.fetchall()]
            assert any("slot_in_order (task_id=? AND state=? AND position>?)" in step for step in steps)
            assert not any("TEMP B-TREE" in step for step in steps)

    def test_the_database_refuses_a_seat_for_two(self, task: Task, bob: Annotator) -> None:
        mine = claimed(task, bob)
        other = Slot.objects.filter(comparison=mine.comparison, annotator__isnull=True).get()
        with pytest.raises(IntegrityError), transaction.atomic():
            Slot.objects.filter(pk=other.pk).update(annotator=bob, state=Slot.State.TAKEN)


class TestRepeats:
    def test_a_repeat_goes_to_the_same_person_with_the_sides_turned(self, db: None) -> None:
        task = make_task(repeats=100, overlap=1)
        bob = annotator("bob", task)
        sides: dict[int, list[bool]] = {}
        while (assignment := assignments.next_assignment(task, bob)) is not None:
            sides.setdefault(assignment.compared_id, []).append(assignment.swapped)
            answer_all(assignment)
            answers.finish_pairs(assignment)
        assert len(sides) == task.size == task.repeated
        assert all(first != second for first, second in sides.values())

    @pytest.mark.parametrize(
        ("sentences", "percent"), [(2, 100), (3, 100), (4, 50), (12, 20), (40, 10), (40, 100)]
    )
    def test_a_repeat_keeps_its_distance_and_its_neighbours_are_new(
        self, db: None, sentences: int, percent: int
    ) -> None:
        texts = [{**SENTENCES[0], "id": f"s{n}", "source": f"Satz {n}"} for n in range(sentences)]
        task = make_task(sentences=json.loads(json.dumps(texts)), repeats=percent, overlap=1, dedup="none")
        bob = annotator("bob", task)
        while (assignment := assignments.next_assignment(task, bob)) is not None:
            assignments.skip_assignment(assignment, "only the order matters")
        assert Slot.objects.filter(state=Slot.State.FREE).count() == 0, "a repeat that nobody gets"
        check_distances(task, bob)

    def test_a_repeat_keeps_its_distance_where_others_have_taken_what_was_between(self, db: None) -> None:
        texts = [{**SENTENCES[0], "id": f"s{n}", "source": f"Satz {n}"} for n in range(20)]
        task = make_task(sentences=texts, repeats=50, overlap=1, dedup="none")
        people = [annotator(name, task) for name in ("bob", "carol", "erin")]
        busy = random.Random(3)
        while people:
            who = busy.choice(people)
            assignment = assignments.next_assignment(task, who)
            if assignment is None:
                people.remove(who)
                assert who.user is not None
                assert load_task_end(who.user, task).is_end
            else:
                assignments.skip_assignment(assignment, "only the order matters")
        for who in Annotator.objects.all():
            check_distances(task, who)


def check_distances(task: Task, who: Annotator) -> None:
    shown = list(who.assignments.order_by("number").values_list("comparison", flat=True))
    least = min(20, task.size / 2)
    for number, comparison in enumerate(shown):
        first = shown.index(comparison)
        if first < number:
            assert number - first >= least
            before = shown[first - 1] if first else None
            assert before not in shown[number - 1 : number + 2 : 2]


class TestAnswering:
    def test_a_swapped_choice_is_stored_in_canonical_order(self, task: Task, bob: Annotator) -> None:
        assignment = claimed(task, bob)
        answer(assignment, Choice.A_BETTER)
        occurrence = Occurrence.objects.asked_by(assignment).order_by("index")[0]
        ranking = Ranking.objects.get()
        expected = canonical(Choice.A_BETTER, swapped=assignment.swapped, flipped=occurrence.flipped)
        assert ranking.choice == expected
        left = ranking.pair.second if ranking.swapped else ranking.pair.first
        chosen = ranking.pair.first if ranking.choice == Choice.A_BETTER else ranking.pair.second
        assert left == chosen  # the annotator said that the left one is better

    def test_a_repeated_request_is_one_answer(self, task: Task, bob: Annotator) -> None:
        assignment, id = claimed(task, bob), uuid.uuid4()
        first = answer(assignment, Choice.A_BETTER, id=id)
        assert answer(assignment, Choice.A_BETTER, id=id) == first
        answer(assignment, Choice.EQUAL, base=1)
        assert answer(assignment, Choice.A_BETTER, id=id) == first
        assert Ranking.objects.count() == 2

    def test_a_form_that_is_sent_again_with_another_choice_is_a_conflict_not_a_receipt(
        self, task: Task, bob: Annotator
    ) -> None:
        """As the back button shows it from the memory of the browser: old id, old version, new choice."""
        assignment, id = claimed(task, bob), uuid.uuid4()
        first = answer(assignment, Choice.A_BETTER, id=id)
        with pytest.raises(answers.StaleAnswer) as refused:
            answer(assignment, Choice.EQUAL, id=id)
        assert refused.value.stored == first

    def test_a_correction_is_appended(self, task: Task, bob: Annotator) -> None:
        assignment = claimed(task, bob)
        answer(assignment, Choice.A_BETTER)
        answer(assignment, Choice.EQUAL, base=1)
        assert list(Ranking.objects.order_by("version").values_list("version", flat=True)) == [1, 2]
        said = [
            (asked.version, asked.choice)
            for asked in answers.load_questions(assignment).values()
            if asked.version
        ]
        assert said == [(2, Choice.EQUAL)]

    def test_an_answer_from_an_older_page_is_shown_not_overwritten(self, task: Task, bob: Annotator) -> None:
        assignment = claimed(task, bob)
        answer(assignment, Choice.A_BETTER)
        with pytest.raises(answers.StaleAnswer) as refused:
            answer(assignment, Choice.EQUAL, base=0)
        assert refused.value.stored == answers.Receipt(1, answers.ReasonedChoice(Choice.A_BETTER))
        assert Ranking.objects.count() == 1

    def test_the_same_answer_from_an_older_page_is_no_conflict(self, task: Task, bob: Annotator) -> None:
        assignment = claimed(task, bob)
        answer(assignment, Choice.A_BETTER)
        assert answer(assignment, Choice.A_BETTER, base=0) == answers.Receipt(
            1, answers.ReasonedChoice(Choice.A_BETTER)
        )
        assert Ranking.objects.count() == 1

    def test_a_withdrawn_answer_is_no_label(self, task: Task, bob: Annotator) -> None:
        assignment = claimed(task, bob)
        answer_all(assignment)
        assert answers.finish_pairs(assignment) == []
        answer(assignment, None, base=1)
        assert answers.list_unanswered(assignment) == [first_phrase(assignment)]
        assert Assignment.objects.get(pk=assignment.pk).finished_at is None

    def test_finishing_names_what_is_missing(self, task: Task, bob: Annotator) -> None:
        assignment = claimed(task, bob)
        asked = list(
            Occurrence.objects.asked_by(assignment).order_by("index").values_list("index", flat=True)
        )
        answer(assignment, Choice.EQUAL, phrase=asked[0])
        assert sorted(answers.finish_pairs(assignment)) == asked[1:]

    def test_a_choice_outside_the_scheme_is_refused(self, db: None) -> None:
        task = make_task(scheme="four-way")
        with pytest.raises(answers.ChoiceNotInScheme):
            answer(claimed(task, annotator("bob", task)), Choice.A_MUCH_BETTER)

    def test_a_phrase_that_is_not_asked_is_refused(self, task: Task, bob: Annotator) -> None:
        with pytest.raises(answers.UnknownQuestion):
            answer(claimed(task, bob), Choice.EQUAL, phrase=999)

    def test_an_id_that_belongs_to_another_answer_is_refused(self, task: Task, bob: Annotator) -> None:
        assignment, id = claimed(task, bob), uuid.uuid4()
        first, second, *_ = (
            Occurrence.objects.asked_by(assignment).order_by("index").values_list("index", flat=True)
        )
        answer(assignment, Choice.EQUAL, phrase=first, id=id)
        with pytest.raises(answers.ReusedId):
            answer(assignment, Choice.EQUAL, phrase=second, id=id)

    def test_skipping_stores_no_judgement(self, task: Task, bob: Annotator) -> None:
        assignment = claimed(task, bob)
        assignments.skip_assignment(assignment, "cannot read it")
        assert Ranking.objects.count() == 0
        assert claimed(task, bob).comparison_id != assignment.comparison_id

    def test_a_sentence_that_was_put_aside_and_answered_after_all_is_finished(
        self, task: Task, bob: Annotator
    ) -> None:
        assignment = claimed(task, bob)
        assignments.skip_assignment(assignment, "cannot read it")
        for index in Occurrence.objects.asked_by(assignment).values_list("index", flat=True):
            said = answers.Submission(uuid.uuid4(), index, Choice.EQUAL, 0, active_ms=1000)
            answers.submit_ranking(assignment, said)
        assert answers.finish_pairs(assignment) == []
        stored = Assignment.objects.get(pk=assignment.pk)
        assert (stored.skip_reason, stored.active_ms) == (
            "",
            1000 * Occurrence.objects.asked_by(assignment).count(),
        )
        assert bob.user is not None
        assert load_task_end(bob.user, task).answered == 1


class TestLateAnswers:
    @pytest.fixture
    def late(self, db: None) -> Assignment:
        """Bob's lease ran out and carol took the only seat."""
        task = make_task(overlap=1)
        bob, carol = annotator("bob", task), annotator("carol", task)
        assignment = claimed(task, bob)
        Slot.objects.filter(annotator=bob).update(lease_until=timezone.now() - timedelta(minutes=1))
        assert claimed(task, carol).comparison_id == assignment.comparison_id
        return assignment

    def test_a_late_answer_is_stored_as_surplus(self, late: Assignment) -> None:
        assert answer(late, Choice.EQUAL).version == 1
        assert Ranking.objects.get().slot is None

    def test_a_late_answer_never_moves_the_new_holder(self, late: Assignment) -> None:
        answer(late, Choice.EQUAL)
        assert Slot.objects.filter(comparison=late.comparison).get().annotator != late.annotator

    def test_whoever_lost_the_seat_goes_on_elsewhere(self, late: Assignment) -> None:
        assert claimed(late.task, late.annotator).comparison_id != late.comparison_id

    def test_an_answer_to_a_closed_task_is_kept_as_surplus(self, task: Task, bob: Annotator) -> None:
        assignment = claimed(task, bob)
        assignment.task.state = Task.State.CLOSED
        answer(assignment, Choice.EQUAL)
        assert Ranking.objects.get().slot is None


class TestWhatTheDatabaseRefuses:
    def test_two_rankings_of_one_version(self, task: Task, bob: Annotator) -> None:
        pair = PhrasePair.objects.all()[0]
        Ranking.objects.create(uuid=uuid.uuid4(), annotator=bob, pair=pair, version=1, choice="A=B")
        with pytest.raises(IntegrityError), transaction.atomic():
            Ranking.objects.create(uuid=uuid.uuid4(), annotator=bob, pair=pair, version=1, choice="A>B")

    def test_an_unknown_label(self, task: Task, bob: Annotator) -> None:
        pair = PhrasePair.objects.all()[0]
        with pytest.raises(IntegrityError), transaction.atomic():
            Ranking.objects.create(uuid=uuid.uuid4(), annotator=bob, pair=pair, version=1, choice="A~B")
