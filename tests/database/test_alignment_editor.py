"""Correcting alignments: a new version, sensible questions, and nothing that was answered is touched."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.annotate.services import answers, assignments
from evaluation.annotate.services.assignments import REASONS
from evaluation.models import (
    Alignment,
    AlignmentReport,
    Annotator,
    Assignment,
    AuditEntry,
    Comparison,
    Membership,
    Occurrence,
    Ranking,
    Role,
    Slot,
    Task,
    User,
)
from evaluation.schemes import Choice
from evaluation.tasks.edited_links import Realignment
from evaluation.tasks.queries.alignments import build_editor_page, compute_impact
from evaluation.tasks.services import realignments
from tests.database.conftest import annotator, make_task, person

SignIn = Callable[[User | Annotator | None], Client]

# The lexical matcher links nothing of the middle; a person knows better.
TEXTS = {"alpha": "we met him on Monday in town", "beta": "we saw him in town this Monday"}


def sentence(key: str = "s1", **candidates: str) -> dict[str, Any]:
    return {"id": key, "source": "Wir trafen ihn.", "references": [], "candidates": candidates or TEXTS}


@pytest.fixture
def task(db: None) -> Task:
    """One sentence, two systems."""
    return make_task("Meeting", [sentence()])


@pytest.fixture
def manager(alice: User, signed_in: SignIn) -> Client:
    return signed_in(alice)


def the_comparison(task: Task) -> Comparison:
    found = Comparison.objects.filter(item__task=task).select_related("item__task", "first", "second")
    return found.order_by("pk")[0]


def newest(comparison: Comparison) -> Alignment:
    return Alignment.objects.filter(comparison=comparison).latest()


def links(text: str, *, join: bool = True) -> Realignment:
    pairs = [link.split("-") for link in text.split()]
    return Realignment(tuple((int(i), int(j)) for i, j in pairs), join)


def correct(task: Task, text: str, by: User, *, join: bool = True) -> Alignment:
    comparison = the_comparison(task)
    base = newest(comparison).version
    return realignments.realign_comparison(comparison, links(text, join=join), base=base, by=by)


def questions(alignment: Alignment) -> set[tuple[str, str]]:
    rows = alignment.occurrences.select_related("pair")
    return {
        (row.pair.second, row.pair.first) if row.flipped else (row.pair.first, row.pair.second)
        for row in rows
    }


def begin(task: Task, who: Annotator) -> Assignment:
    assignment = assignments.next_assignment(task, who)
    assert assignment is not None
    return assignment


def answer(assignment: Assignment, phrase: int) -> None:
    given = answers.Submission(uuid=uuid.uuid4(), question=phrase, value=Choice.A_BETTER, base=0)
    answers.submit_ranking(assignment, given)


def list_questions(assignment: Assignment) -> list[int]:
    return list(Occurrence.objects.asked_by(assignment).order_by("index").values_list("index", flat=True))


def report(assignment: Assignment, reason: str = "cut", note: str = "") -> AlignmentReport:
    occurrence = Occurrence.objects.asked_by(assignment).order_by("index")[0]
    return AlignmentReport.objects.create(
        annotator=assignment.annotator, pair_id=occurrence.pair_id, alignment_id=assignment.alignment_id or 0,
        reason=reason, note=note,
    )  # fmt: skip


DIAGONAL = "0-0 1-1 2-2 3-3 4-4 5-5 6-6"
CROSSED = "0-0 1-2 2-1"  # the second and third words become one question


class TestCorrecting:
    def test_a_correction_is_a_new_version_with_its_maker_and_its_questions(
        self, task: Task, alice: User
    ) -> None:
        before = newest(the_comparison(task))
        made = correct(task, "0-0 1-1 2-2 4-6 5-3 6-4", alice)
        assert (made.version, made.made_by) == (2, alice)
        assert made.aligner.endswith(", corrected, differences together")
        before.refresh_from_db()
        assert before.version == 1
        assert before.occurrences.count() > 0
        words = made.comparison.first.tokens
        covered = sorted(i for a0, a1, *_ in made.phrases if a0 is not None for i in range(a0, a1))
        assert covered == list(range(len(words)))
        assert ("met", "saw") in questions(made)

    def test_the_same_options_as_at_import_give_the_same_phrases(self, task: Task, alice: User) -> None:
        comparison = the_comparison(task)
        first = newest(comparison)
        plan = realignments.plan_correction(comparison, first, links(first.links))
        assert plan.rows == first.phrases
        with pytest.raises(realignments.NothingChanged):
            correct(task, first.links, alice)
        assert Alignment.objects.filter(comparison=comparison).count() == 1

    def test_neighbouring_differences_can_be_asked_apart(self, alice: User) -> None:
        task = make_task("Near", [sentence(alpha="a cold winter came", beta="a warm summer came")])
        assert questions(newest(the_comparison(task))) == {("cold winter", "warm summer")}
        apart = correct(task, "0-0 1-1 2-2 3-3", alice, join=False)
        assert apart.aligner.endswith("differences apart")
        assert questions(apart) == {("cold", "warm"), ("winter", "summer")}

    def test_an_equal_pair_of_the_sentence_is_reused_and_asked_where_it_was(self, alice: User) -> None:
        """alpha–gamma owns red/blue; a correction of alpha–beta that meets it again must not ask twice."""
        task = make_task(
            "Colours", [sentence(alpha="the red car", beta="the blue car", gamma="the blue car stopped")]
        )
        pairs = set(task.pairs.values_list("first", "second"))
        assert ("blue", "red") in pairs
        before = task.pairs.count()
        compared = Comparison.objects.select_related("item__task", "first", "second")
        comparison = compared.get(first__text="the blue car", second__text="the red car")
        made = realignments.realign_comparison(comparison, links("0-0 1-1 2-2"), base=1, by=alice)
        assert questions(made) == {("blue", "red")}
        assert task.pairs.count() == before

    def test_new_pairs_belong_to_the_corrected_comparison(self, task: Task, alice: User) -> None:
        before = set(task.pairs.values_list("pk", flat=True))
        made = correct(task, DIAGONAL, alice)
        new = task.pairs.exclude(pk__in=before)
        assert new.exists()
        assert set(new.values_list("owner_id", flat=True)) == {made.comparison_id}

    def test_a_pair_that_its_owner_lost_is_asked_where_it_still_stands(self, alice: User) -> None:
        task = make_task(
            "Colours",
            [sentence(alpha="the red car", beta="the blue car", gamma="the blue car stopped here")],
        )
        pair = task.pairs.get(first="blue", second="red")
        owner = Comparison.objects.select_related("item__task", "first", "second").get(pk=pair.owner_id)
        made = realignments.realign_comparison(owner, links(CROSSED), base=1, by=alice)
        assert ("blue", "red") not in questions(made)
        pair.refresh_from_db()
        assert pair.owner_id != owner.pk
        assert Slot.objects.filter(comparison=pair.owner_id).count() == task.overlap
        task.refresh_from_db()
        assert task.size == task.slots.values("comparison").distinct().count()

    def test_a_pair_that_somebody_has_answered_stays_with_its_owner(self, alice: User) -> None:
        task = make_task(
            "Colours",
            [sentence(alpha="the red car", beta="the blue car", gamma="the blue car stopped here")],
        )
        pair = task.pairs.get(first="blue", second="red")
        bob = annotator("bob", task)
        while (work := assignments.next_assignment(task, bob)) is not None:
            for index in list_questions(work):
                answer(work, index)
            answers.finish_pairs(work)
        owner = Comparison.objects.select_related("item__task", "first", "second").get(pk=pair.owner_id)
        realignments.realign_comparison(owner, links(CROSSED), base=1, by=alice)
        pair.refresh_from_db()
        assert pair.owner_id == owner.pk

    def test_seats_come_with_the_first_question_and_go_with_the_last(self, alice: User) -> None:
        candidates = {
            "alpha": "the red car",
            "beta": "the blue car",
            "gamma": "The red car",
            "delta": "The blue car",
        }
        task = make_task("Colours", [sentence(**candidates)])
        compared = Comparison.objects.filter(item__task=task).select_related("item__task", "first", "second")
        silent = compared.filter(owned_pairs__isnull=True, alignments__occurrences__isnull=False)[0]
        stored, before = newest(silent).links, task.size
        assert silent.slots.count() == 0
        realignments.realign_comparison(silent, links(CROSSED), base=1, by=alice)
        task.refresh_from_db()
        assert (silent.slots.count(), task.size) == (task.overlap, before + 1)
        realignments.realign_comparison(silent, links(stored), base=2, by=alice)
        task.refresh_from_db()
        assert (silent.slots.count(), task.size) == (0, before)

    def test_pairs_are_reused_over_the_whole_task_where_the_task_says_so(self, alice: User) -> None:
        task = make_task(
            "Wide",
            [sentence("s1", alpha="big dogs", beta="large dogs"),
             sentence("s2", alpha="big cats sleep", beta="large cats slept")],
            dedup="task",
        )  # fmt: skip
        comparison = Comparison.objects.select_related("item__task", "first", "second").get(item__key="s2")
        before = task.pairs.filter(first="big", second="large").get()
        made = realignments.realign_comparison(comparison, links("0-0 1-1"), base=1, by=alice)
        assert made.occurrences.filter(pair=before).exists()
        assert before.item_id is None
        new = task.pairs.get(second="slept")
        assert new.item_id is None

    def test_where_nothing_is_merged_untouched_phrases_stay_the_same_question(self, alice: User) -> None:
        task = make_task(
            "None", [sentence(alpha="red cars went by us", beta="blue cars came past us")], dedup="none"
        )
        comparison = the_comparison(task)
        first = newest(comparison)
        kept = {tuple(first.phrases[o.index][:4]): o.pair_id for o in first.occurrences.all()}
        made = correct(task, "0-0 1-1 4-4", alice, join=False)
        again = correct(task, "1-1 3-3 4-4", alice, join=False)
        for version in (made, again):
            for occurrence in version.occurrences.all():
                spans = tuple(version.phrases[occurrence.index][:4])
                if spans in kept:
                    assert occurrence.pair_id == kept[spans]
                kept[spans] = occurrence.pair_id
        assert len({row.pair_id for row in Occurrence.objects.all()}) < Occurrence.objects.count()
        for occurrence in Occurrence.objects.select_related("pair", "alignment__comparison__first"):
            alignment, pair = occurrence.alignment, occurrence.pair
            a0, a1, *_ = alignment.phrases[occurrence.index]
            words = alignment.comparison.first.tokens[a0:a1] if a0 is not None else ()
            assert " ".join(words) == (pair.second if occurrence.flipped else pair.first)

    def test_given_links_are_read_as_they_were_at_import(self, alice: User) -> None:
        item = sentence(alpha="The big house", beta="the large house")
        item["links"] = [{"a": "alpha", "b": "beta", "links": "0-0 1-1 2-2"}]
        task = make_task("Given", [item])
        first = newest(the_comparison(task))
        assert first.aligner == "given links"
        made = correct(task, "0-0 2-2", alice, join=False)
        assert made.aligner == "given links, corrected, differences apart"
        # Case counts where links were given: The and the differ.
        assert questions(made) == {("The", "the"), ("big", "large")}

    def test_what_was_stored_is_what_the_editor_opens_with(self, task: Task, alice: User) -> None:
        """Also where links were dropped: without them, other phrases might follow."""
        made = correct(task, "0-0 0-3 2-2 3-1 4-4 6-4", alice)
        page = build_editor_page(the_comparison(task))
        plan = realignments.plan_correction(the_comparison(task), made, page.start)
        assert plan.alignment.dropped
        assert plan.rows == made.phrases

    @pytest.mark.django_db(transaction=True)
    def test_of_two_corrections_at_the_same_moment_one_is_stored(self, task: Task, alice: User) -> None:
        comparison = the_comparison(task)
        begun, outcomes = Barrier(2), list[str]()

        def save(text: str) -> None:
            begun.wait()
            try:
                realignments.realign_comparison(comparison, links(text), base=1, by=alice)
                outcomes.append("stored")
            except realignments.StaleAlignment:
                outcomes.append("stale")
            finally:
                connection.close()

        threads = [Thread(target=save, args=[text]) for text in (DIAGONAL, "0-0 6-6")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["stale", "stored"]
        assert newest(comparison).version == 2


class TestWorkThatIsUnderWay:
    def test_open_work_without_an_answer_moves_to_the_new_version(
        self, task: Task, alice: User, bob: Annotator
    ) -> None:
        work = begin(task, bob)
        made = correct(task, DIAGONAL, alice)
        again = begin(task, bob)
        assert again.pk == work.pk
        assert again.alignment_id == made.pk
        assert again.token == f"{work.token}.2"

    def test_work_with_an_answer_keeps_its_version_and_so_does_the_ranking(
        self, task: Task, alice: User, bob: Annotator, carol: Annotator
    ) -> None:
        work = begin(task, bob)
        before = work.alignment_id
        answer(work, list_questions(work)[0])
        made = correct(task, DIAGONAL, alice)
        work.refresh_from_db()
        assert work.alignment_id == before
        assert Ranking.objects.get().alignment_id == before
        for index in list_questions(work):
            if index in answers.list_unanswered(work):
                answer(work, index)
        assert answers.finish_pairs(work) == []
        assert begin(task, carol).alignment_id == made.pk

    def test_finished_work_is_not_touched(self, task: Task, alice: User, bob: Annotator) -> None:
        work = begin(task, bob)
        assignments.skip_assignment(work, "too long")
        token = work.token
        correct(task, DIAGONAL, alice)
        work.refresh_from_db()
        assert (work.alignment.version, work.token) == (1, token)  # type: ignore[union-attr]  # of a comparison

    def test_an_answer_from_a_page_of_the_old_version_is_refused(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        """Its phrase numbers are those of the old version: it would judge another phrase."""
        work = begin(task, bob)
        body = {"uuid": str(uuid.uuid4()), "phrase": list_questions(work)[0], "choice": "A>B", "base": 0}
        correct(task, DIAGONAL, alice)
        client = signed_in(bob)
        old = reverse("answer", args=[work.token])
        response = client.post(old, json.dumps(body), content_type="application/json")
        assert (response.status_code, response.json()["error"]) == (409, "corrected")
        assert Ranking.objects.count() == 0
        page = client.get(reverse("annotate", args=[work.token]))
        moved = Assignment.objects.get()
        assert page.headers["Location"] == moved.get_absolute_url()
        assert len(client.get(moved.get_absolute_url()).context["messages"]) == 1
        form = client.post(reverse("annotate", args=[work.token]), {"phrase": "0"})
        assert form.headers["Location"] == moved.get_absolute_url()

    def test_a_first_answer_that_waited_for_a_correction_is_not_stored_on_the_old_version(
        self, task: Task, alice: User, bob: Annotator
    ) -> None:
        """The request had read its assignment before the correction, and got the lock after it."""
        work = begin(task, bob)
        phrase = list_questions(work)[0]
        correct(task, DIAGONAL, alice)
        with pytest.raises(answers.UnknownQuestion):
            answer(work, phrase)

    def test_an_answer_that_races_a_correction_gets_the_conflict_that_the_page_handles(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        work = begin(task, bob)
        body = {"uuid": str(uuid.uuid4()), "phrase": list_questions(work)[0], "choice": "A>B", "base": 0}
        submit = answers.submit_ranking

        def correct_first(assignment: Assignment, submission: answers.Submission[Choice]) -> object:
            correct(task, DIAGONAL, alice)  # after the view has read the assignment
            return submit(assignment, submission)

        monkeypatch.setattr(answers, "submit_ranking", correct_first)
        url, client = reverse("answer", args=[work.token]), signed_in(bob)
        response = client.post(url, json.dumps(body), content_type="application/json")
        assert (response.status_code, response.json()["error"]) == (409, "corrected")
        assert Ranking.objects.count() == 0
        page = client.get(reverse("annotate", args=[work.token]))  # the script reloads its page
        assert page.headers["Location"] == Assignment.objects.get().get_absolute_url()

    def test_a_form_that_races_a_correction_leads_to_the_new_questions(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        work = begin(task, bob)
        phrase = list_questions(work)[0]
        finish = answers.finish_pairs

        def correct_first(assignment: Assignment) -> list[int]:
            correct(task, DIAGONAL, alice)
            return finish(assignment)

        monkeypatch.setattr(answers, "finish_pairs", correct_first)
        form = {"phrase": phrase}
        response = signed_in(bob).post(work.get_absolute_url(), form)
        moved = Assignment.objects.get()
        assert response.headers["Location"] == moved.get_absolute_url()

    def test_a_sentence_whose_questions_went_elsewhere_meanwhile_is_not_finished(
        self, task: Task, alice: User, bob: Annotator
    ) -> None:
        work = begin(task, bob)
        made = correct(task, DIAGONAL, alice)
        Occurrence.objects.filter(alignment=work.alignment_id).delete()  # as if others owned the pairs
        answers.finish_pairs(work)
        work.refresh_from_db()
        assert (work.alignment_id, work.finished_at) == (made.pk, None)
        assert Ranking.objects.count() == 0

    def test_a_foreign_or_invented_token_stays_unknown(
        self, task: Task, alice: User, bob: Annotator, carol: Annotator, signed_in: SignIn
    ) -> None:
        work = begin(task, bob)
        correct(task, DIAGONAL, alice)
        for client, token in ((signed_in(carol), work.token), (signed_in(bob), "invented")):
            assert client.get(reverse("annotate", args=[token])).status_code == 404
            response = client.post(reverse("answer", args=[token]), "{}", content_type="application/json")
            assert response.status_code == 404
        answer_url = reverse("answer", args=[work.token])
        assert signed_in(None).post(answer_url, "{}", content_type="application/json").status_code == 401

    def test_a_page_that_is_gone_for_another_reason_stays_gone(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        work = begin(task, bob)
        correct(task, DIAGONAL, alice)
        Task.objects.update(state=Task.State.ARCHIVED)
        client = signed_in(bob)
        assert client.get(reverse("annotate", args=[work.token]), follow=True).status_code == 404
        assert client.get(reverse("annotate", args=[f"{work.token}.2"])).status_code == 404

    def test_two_corrections_in_a_row_lead_to_the_newest(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignIn
    ) -> None:
        work = begin(task, bob)
        correct(task, DIAGONAL, alice)
        correct(task, "0-0 6-6", alice)
        page = signed_in(bob).get(reverse("annotate", args=[work.token]))
        assert page.headers["Location"] == reverse("annotate", args=[f"{work.token}.3"])


class TestReports:
    def test_reports_wait_in_the_queue_with_reason_and_note(
        self, task: Task, manager: Client, bob: Annotator, carol: Annotator
    ) -> None:
        report(begin(task, bob), "cut", "the verb is <split>")
        report(begin(task, carol), "unrelated")
        response = manager.get(reverse("alignments", args=[task.slug]))
        page = response.content.decode()
        assert "2 reports" in page
        assert "the verb is &lt;split&gt;" in page
        reasons = AlignmentReport.Reason
        assert all(str(REASONS[reason]) in page for reason in (reasons.CUT, reasons.UNRELATED))
        assert response.context["total"] == 1
        assert "2 reports" in manager.get(task.get_absolute_url()).content.decode()

    def test_dismissing_closes_them_and_leaves_a_trace(
        self, task: Task, manager: Client, alice: User, bob: Annotator
    ) -> None:
        said = report(begin(task, bob))
        address = reverse("dismiss-report", args=[task.slug, said.pair_id])
        assert manager.post(address).status_code == 302
        said.refresh_from_db()
        assert said.resolved_at is not None
        assert said.resolved_by == alice
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.user, entry.detail["reports"]) == ("dismiss alignment report", alice, 1)
        assert manager.post(address, follow=True).context["messages"]
        assert AuditEntry.objects.count() == 1

    def test_correcting_closes_the_reports_of_the_comparison(
        self, task: Task, alice: User, bob: Annotator
    ) -> None:
        said = report(begin(task, bob))
        correct(task, DIAGONAL, alice)
        said.refresh_from_db()
        assert said.resolved_by == alice
        entry = AuditEntry.objects.get()
        assert entry.action == "correct alignment"
        assert (entry.detail["version"], entry.detail["reports"], entry.detail["assignments_moved"]) == (
            2,
            1,
            1,
        )

    def test_a_pair_of_another_task_cannot_be_dismissed_from_here(
        self, task: Task, manager: Client, bob: Annotator
    ) -> None:
        other = make_task("Other", [sentence("s9", alpha="one two", beta="one three")])
        pair = other.pairs.all()[0]
        assert manager.post(reverse("dismiss-report", args=[task.slug, pair.pk])).status_code == 404


class TestEditor:
    def address(self, task: Task) -> str:
        return reverse("alignment", args=[task.slug, the_comparison(task).pk])

    def test_the_page_shows_the_words_the_links_and_the_phrases(self, task: Task, manager: Client) -> None:
        page = manager.get(self.address(task)).content.decode()
        assert f'value="{newest(the_comparison(task)).links}"' in page
        assert "As annotators will see it" in page
        assert 'class="ph p1"' in page
        assert "Save as version 2" in page
        assert "style=" not in page

    def test_a_plain_form_previews_without_storing(self, task: Task, manager: Client) -> None:
        response = manager.post(
            self.address(task), {"links": DIAGONAL, "join": "on", "base": "1", "preview": "1"}
        )
        assert response.status_code == 200
        assert f'value="{DIAGONAL}"' in response.content.decode()
        assert Alignment.objects.count() == 1

    def test_a_plain_form_saves(self, task: Task, manager: Client, bob: Annotator) -> None:
        begin(task, bob)
        response = manager.post(
            self.address(task), {"links": DIAGONAL, "join": "on", "base": "1", "save": "1"}, follow=True
        )
        (message,) = map(str, response.context["messages"])
        assert "2" in message
        assert "1" in message
        assert newest(the_comparison(task)).version == 2

    def test_saving_what_is_stored_makes_no_version(self, task: Task, manager: Client) -> None:
        stored = newest(the_comparison(task)).links
        data = {"links": stored, "join": "on", "base": "1", "save": "1"}
        assert len(manager.post(self.address(task), data).context["messages"]) == 1
        assert Alignment.objects.count() == 1

    def test_of_two_managers_the_second_is_refused_and_keeps_the_work(
        self, task: Task, manager: Client, alice: User
    ) -> None:
        correct(task, DIAGONAL, alice)
        data = {"links": "0-0 6-6", "join": "on", "base": "1", "save": "1"}
        response = manager.post(self.address(task), data)
        page = response.content.decode()
        assert response.status_code == 409
        assert (response.context["stale"].version, response.context["stale"].made_by) == (2, alice)
        assert 'value="0-0 6-6"' in page
        assert newest(the_comparison(task)).version == 2
        manager.post(self.address(task), data | {"base": "2"})
        assert newest(the_comparison(task)).version == 3

    @pytest.mark.parametrize(
        ("typed", "code"),
        [("0-0 x", "alignment_syntax"), ("0-7", "alignment_range"), ("7-0", "alignment_range"),
         ("0:0", "alignment_syntax"), ("-1-0", "alignment_syntax"), ("<b>", "alignment_syntax")],
    )  # fmt: skip
    def test_bad_links_are_explained_and_nothing_is_stored(
        self, task: Task, manager: Client, typed: str, code: str
    ) -> None:
        for extra in ({"save": "1"}, {"preview": "1"}):
            response = manager.post(self.address(task), {"links": typed, "base": "1", **extra})
            page = response.content.decode()
            assert response.status_code == 422
            assert f"<code>{code}</code>" in page
            assert "<b>&lt;b&gt;" not in page.replace("<bdi>", "")
            assert "--link-base" not in page
        assert Alignment.objects.count() == 1

    @pytest.mark.parametrize("base", ["", "0", "x", "99"])
    def test_a_form_without_a_sensible_version_stores_nothing(
        self, task: Task, manager: Client, base: str
    ) -> None:
        response = manager.post(self.address(task), {"links": DIAGONAL, "base": base, "save": "1"})
        assert response.status_code in (409, 422)
        assert Alignment.objects.count() == 1

    def test_the_preview_is_a_fragment(self, task: Task, manager: Client) -> None:
        address = reverse("alignment-preview", args=[task.slug, the_comparison(task).pk])
        page = manager.post(address, {"links": "0-0 1-1", "join": "on", "base": "1"}).content.decode()
        assert "<html" not in page
        assert 'id="pair-1"' in page
        crossed = manager.post(address, {"links": "0-0 0-6 6-0 3-3", "base": "1"}).content.decode()
        assert "data-dropped=" in crossed
        bad = manager.post(address, {"links": "9-9", "base": "1"})
        assert bad.status_code == 200
        assert "alignment_range" in bad.content.decode()
        assert "The form is incomplete" in manager.post(address, {"links": ""}).content.decode()

    def test_the_preview_is_what_annotators_then_see(
        self, task: Task, manager: Client, alice: User, bob: Annotator
    ) -> None:
        address = reverse("alignment-preview", args=[task.slug, the_comparison(task).pk])
        text = "0-0 1-1 2-2 4-6 5-3 6-4"
        shown = manager.post(address, {"links": text, "join": "on", "base": "1"}).content.decode()
        correct(task, text, alice)
        work = begin(task, bob)
        assert shown.count('<li class="p') == len(list_questions(work))

    def test_hostile_words_are_only_text(self, alice: User, signed_in: SignIn) -> None:
        task = make_task("Hostile", [sentence(alpha="<script>alert(1)</script> x", beta='"><img src=x> y')])
        page = signed_in(alice).get(self.address(task)).content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page

    def test_phrases_that_came_with_the_file_begin_with_links_of_their_own(
        self, alice: User, signed_in: SignIn
    ) -> None:
        task = make_task("Phrases", [sentence(alpha="a b c", beta="a x c")])
        Alignment.objects.filter(comparison__item__task=task).update(links="", aligner="given phrases")
        page = signed_in(alice).get(self.address(task)).content.decode()
        assert 'value="0-0 1-1 2-2"' in page

    def test_a_sentence_is_found_by_its_id(self, task: Task, manager: Client) -> None:
        queue = reverse("alignments", args=[task.slug])
        assert self.address(task) in manager.get(queue, {"item": "s1"}).content.decode()
        assert "No comparison belongs" in manager.get(queue, {"item": "s<2"}).content.decode()

    def test_only_managers_of_the_task_enter(
        self, task: Task, bob: Annotator, dora: User, signed_in: SignIn, manager: Client
    ) -> None:
        researcher = person("rita")
        Membership.objects.create(user=researcher, campaign=task.campaign, role=Role.RESEARCHER)
        comparison = the_comparison(task)
        pair = task.pairs.all()[0]
        data = {"links": DIAGONAL, "base": "1", "save": "1"}
        for who in (bob, dora, researcher):
            client = signed_in(who)
            assert client.get(reverse("alignments", args=[task.slug])).status_code == 404
            assert client.get(self.address(task)).status_code == 404
            assert client.post(self.address(task), data).status_code == 404
            assert client.post(f"{self.address(task)}preview", data).status_code == 404
            assert client.post(reverse("dismiss-report", args=[task.slug, pair.pk])).status_code == 404
        queue = reverse("alignments", args=[task.slug])
        assert queue not in signed_in(researcher).get(task.get_absolute_url()).content.decode()
        assert signed_in(None).get(self.address(task)).status_code == 302
        other = make_task("Other", [sentence("s9", alpha="one two", beta="one three")])
        assert manager.get(reverse("alignment", args=[other.slug, comparison.pk])).status_code == 404
        assert Alignment.objects.filter(comparison=comparison).count() == 1

    def test_pages_cost_a_constant_number_of_queries(
        self, task: Task, manager: Client, alice: User, bob: Annotator, carol: Annotator
    ) -> None:
        def cost(address: str) -> int:
            with CaptureQueriesContext(connection) as queries:
                assert manager.get(address).status_code == 200
            return len(queries)

        places = (reverse("alignments", args=[task.slug]), self.address(task), task.get_absolute_url())
        report(begin(task, bob), "cut")
        before = [cost(place) for place in places]
        report(begin(task, carol), "unrelated")
        correct(task, DIAGONAL, alice)
        report(begin(task, bob))
        assert [cost(place) for place in places] == before
        assert max(before[:2]) <= 10


class TestAfterAnswers:
    """Somebody has ranked phrases that the correction does away with."""

    @pytest.fixture
    def answered(self, task: Task, bob: Annotator, carol: Annotator) -> Task:
        for who in (bob, carol):
            assignment = begin(task, who)
            for phrase in list_questions(assignment):
                answer(assignment, phrase)
            answers.finish_pairs(assignment)
        return task

    def post(self, manager: Client, task: Task, text: str, **fields: str) -> Any:  # Any: a response
        url = reverse("alignment", args=[task.slug, the_comparison(task).pk])
        form = {"links": text, "join": "on", "base": "1", "save": "1", **fields}
        return manager.post(url, form, follow=True)

    def test_the_page_says_how_many_rankings_are_affected(self, answered: Task, manager: Client) -> None:
        comparison = the_comparison(answered)
        impact = compute_impact(comparison, newest(comparison), links(DIAGONAL))
        kept = questions(newest(comparison)) & planned_questions(comparison, DIAGONAL)
        assert impact.rankings == 2 * (len(questions(newest(comparison))) - len(kept)) > 0
        assert (impact.people, impact.slots, impact.elsewhere) == (2, 2, 0)
        url = reverse("alignment-preview", args=[answered.slug, comparison.pk])
        page = manager.post(url, {"links": DIAGONAL, "join": "on", "base": "1"}).content.decode()
        assert f"{impact.rankings} rankings are affected" in page
        assert "Ask again (2 slots)" in page

    def test_asking_again_opens_the_slots_for_those_who_answered(
        self, answered: Task, manager: Client, bob: Annotator, carol: Annotator
    ) -> None:
        """The answers that still fit are there; the new questions wait, and can be answered."""
        page = self.post(manager, answered, DIAGONAL, ask_again="1").content.decode()
        assert "2 slots are open again" in page
        alignment = newest(the_comparison(answered))
        assert answered.slots.filter(state=Slot.State.TAKEN).count() == 2
        for who in (bob, carol):
            assignment = begin(answered, who)
            assert assignment.alignment == alignment
            for phrase in list_questions(assignment):
                if not Ranking.objects.filter(
                    annotator=who, pair__occurrences__alignment=alignment, pair__occurrences__index=phrase
                ).exists():
                    answer(assignment, phrase)
            answers.finish_pairs(assignment)
            assert assignments.next_assignment(answered, who) is None
        asked = alignment.occurrences.values("pair").distinct().count()
        assert Ranking.objects.filter(pair__occurrences__alignment=alignment).count() == 2 * asked
        assert answered.slots.filter(state=Slot.State.DONE).count() == 2

    def test_without_asking_again_finished_work_stays_finished(
        self, answered: Task, manager: Client, bob: Annotator
    ) -> None:
        self.post(manager, answered, DIAGONAL)
        assert newest(the_comparison(answered)).version == 2
        assert assignments.next_assignment(answered, bob) is None

    def test_no_links_at_all_need_a_confirmation(self, answered: Task, manager: Client) -> None:
        page = self.post(manager, answered, "").content.decode()
        assert "there are no links" in page
        assert "Save without any link" in page
        assert newest(the_comparison(answered)).version == 1
        self.post(manager, answered, "", confirm_empty="1")
        assert newest(the_comparison(answered)).links == ""

    def test_links_that_change_no_phrase_leave_the_report_open(
        self, manager: Client, alice: User, bob: Annotator
    ) -> None:
        """A second link inside a phrase that is a question anyway."""
        task = make_task("Same", [sentence(alpha="the red house stands", beta="the blue barn stands")])
        comparison = the_comparison(task)
        report(begin(task, bob))
        before = newest(comparison)
        correction = next(
            text
            for text in ("0-0 1-1 2-2 3-3", "0-0 1-2 2-1 3-3", "0-0 1-1 1-2 2-2 3-3", "0-0 3-3")
            if text != before.links
            and realignments.is_unchanged(
                realignments.plan_correction(comparison, before, links(text)), before
            )
        )
        page = self.post(manager, task, correction).content.decode()
        assert newest(comparison).version == 2
        assert "No phrase has changed, so reports stay open." in page
        assert AlignmentReport.objects.filter(resolved_at__isnull=True).count() == 1

    def test_a_report_is_not_applied_with_one_click_where_answers_are_affected(
        self, manager: Client, bob: Annotator
    ) -> None:
        texts = {name: f"{text} again" for name, text in TEXTS.items()}
        task = make_task("Apart", [sentence(**texts)], question_size="phrase")
        assignment = begin(task, bob)
        first = list_questions(assignment)[0]
        answer(assignment, first)
        comparison = the_comparison(task)
        url = reverse("apply-report", args=[task.slug, comparison.pk])
        manager.post(url, {"regroup": f"next:{first}", "base": "1"})
        assert newest(comparison).version == 1


def planned_questions(comparison: Comparison, text: str) -> set[tuple[str, str]]:
    """The questions that a correction would ask, as in ``questions``."""
    plan = realignments.plan_correction(comparison, newest(comparison), links(text))
    return {
        (one.pair.second, one.pair.first) if where.flipped else (one.pair.first, one.pair.second)
        for one in realignments.match_pairs(comparison, plan, 2)
        for where in one.pair.occurrences
    }
