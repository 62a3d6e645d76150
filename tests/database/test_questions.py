"""Questions as groups of phrases: stored, shown, answered, voted on, regrouped and recut."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from appraise.lib.problems import InputError
from evaluation import jobs
from evaluation.annotate.queries import build_pair_page, load_texts
from evaluation.annotate.services import answers, assignments
from evaluation.models import (
    Alignment,
    AlignmentReport,
    Annotator,
    Assignment,
    AuditEntry,
    Comparison,
    Job,
    Occurrence,
    Ranking,
    Task,
    User,
)
from evaluation.schemes import Choice
from evaluation.tasks.services import question_regrouping
from metrics.scoring.queries import load_asked_occurrences
from tests.database.conftest import annotator, make_task

SignIn = Callable[[User | Annotator | None], Client]

GARDEN = {
    "alpha": "they sold the small garden house near the river to their neighbours in spring",
    "beta": "they sold a little summer house near the river to their friends in spring",
}
TWICE = {
    "alpha": "he said (nay) and then again (nay) to all",
    "beta": "he said (as) and then again (as) to all",
}


def sentence(key: str = "s1", **candidates: str) -> dict[str, Any]:
    return {"id": key, "source": "Sie haben es verkauft.", "references": [], "candidates": candidates}


@pytest.fixture
def task(db: None) -> Task:
    return make_task("Garden", [sentence(**GARDEN)], question_size="medium")


def newest(task: Task) -> Alignment:
    return Alignment.objects.filter(comparison__item__task=task).order_by("pk").latest()


def texts(task: Task) -> list[set[str]]:
    """The two sides of every question of the newest alignment, in order."""
    rows = Occurrence.objects.filter(alignment=newest(task)).order_by("index").select_related("pair")
    return [{row.pair.first, row.pair.second} for row in rows]


def begin(task: Task, who: Annotator) -> Assignment:
    assignment = assignments.next_assignment(task, who)
    assert assignment is not None
    return load_texts(assignment)


def answer(assignment: Assignment, phrase: int, base: int = 0) -> None:
    given = answers.Submission(uuid=uuid.uuid4(), question=phrase, value=Choice.A_BETTER, base=base)
    answers.submit_ranking(assignment, given)


class TestStored:
    def test_neighbouring_differences_are_one_question_with_the_words_between(self, task: Task) -> None:
        assert texts(task) == [{"the small garden", "a little summer"}, {"neighbours", "friends"}]
        alignment = newest(task)
        first = Occurrence.objects.filter(alignment=alignment).order_by("index")[0]
        assert first.index in [group[0] for group in alignment.groups]
        assert "questions-4 closed-en" in alignment.aligner

    def test_each_differing_phrase_is_a_question_where_the_task_says_so(self, db: None) -> None:
        made = make_task("Phrases", [sentence(**GARDEN)], question_size="phrase")
        assert newest(made).groups == []
        assert len(texts(made)) >= 2

    def test_links_of_the_file_are_asked_as_they_are(self, db: None) -> None:
        linked = sentence(alpha="a red old house", beta="a blue new house")
        linked["links"] = [{"a": "alpha", "b": "beta", "links": "0-0 1-1 2-2 3-3"}]
        made = make_task("Links", [linked], question_size="large")
        assert newest(made).groups == []
        assert newest(made).aligner == "given links"

    def test_function_words_of_an_unlisted_language_are_stored_with_the_task(self, db: None) -> None:
        words = " ".join(f"ki talo{n} mu paloi{n}" for n in range(40))
        many = [sentence(f"s{n}", alpha=f"{words} eka{n}", beta=f"{words} toka{n}") for n in range(8)]
        made = make_task("Unlisted", many, question_size="medium", target_language="xx")
        assert made.function_words == ["ki", "mu"]
        assert "frequent-2" in newest(made).aligner


class TestShown:
    def test_a_card_shows_both_sides_and_the_sentence_marks_them_once(self, task: Task) -> None:
        page = build_pair_page(begin(task, annotator("bob", task)))
        cards = [{card.a, card.b} for card in page.sheet.questions]
        assert cards == [{"the small garden", "a little summer"}, {"neighbours", "friends"}]
        for side in (page.sheet.a, page.sheet.b):
            assert [fragment.number for fragment in side if fragment.asked] == [1, 2]

    def test_the_same_pair_twice_is_one_card_at_both_places_and_one_answer(self, db: None) -> None:
        made = make_task("Twice", [sentence(**TWICE)], question_size="phrase")
        assignment = begin(made, annotator("bob", made))
        page = build_pair_page(assignment)
        (card,) = page.sheet.questions
        assert [fragment.number for fragment in page.sheet.a if fragment.asked] == [1, 1]
        answer(assignment, card.index)
        assert answers.finish_pairs(assignment) == []
        assert Ranking.objects.filter(pair__task=made).count() == 1
        assert Occurrence.objects.filter(pair__task=made).count() == 2

    def test_the_same_texts_in_opposite_order_are_two_questions(self, db: None) -> None:
        swapped = {
            "alpha": "first red balls and then blue ones",
            "beta": "first blue balls and then red ones",
        }
        linked = sentence(**swapped)
        linked["links"] = [{"a": "alpha", "b": "beta", "links": " ".join(f"{n}-{n}" for n in range(7))}]
        made = make_task("Swapped", [linked])
        assert texts(made) == [{"red", "blue"}, {"red", "blue"}]
        assert made.pairs.count() == 2

    def test_a_rewritten_sentence_is_one_question_and_says_so(self, db: None) -> None:
        rewritten = {
            "alpha": "Parents demand quicker hiring of teachers everywhere",
            "beta": "More staff should be found soon, mothers and fathers say",
        }
        made = make_task("Rewritten", [sentence(**rewritten)], question_size="medium")
        page = build_pair_page(begin(made, annotator("bob", made)))
        (card,) = page.sheet.questions
        assert card.is_whole


def test_a_metric_exchanges_all_phrases_of_a_question(task: Task) -> None:
    from metrics.scoring.phrase_votes import exchange_phrases

    first = min(load_asked_occurrences(task), key=lambda one: one.group)
    changed = exchange_phrases(first.first, first.second, first.phrases, first.group)
    assert {changed.first_changed, changed.second_changed} == {
        GARDEN["alpha"].replace("the small garden", "a little summer"),
        GARDEN["beta"].replace("a little summer", "the small garden"),
    }


class TestRegrouping:
    @pytest.fixture
    def manager(self, alice: User, signed_in: SignIn) -> Client:
        return signed_in(alice)

    def regroup(self, client: Client, task: Task, value: str, **data: object) -> Any:
        comparison = newest(task).comparison_id
        address = reverse("alignment", args=[task.slug, comparison])
        page = client.get(address).context["form"].data
        return client.post(address, {**page, "regroup": value, **data})

    def test_questions_are_joined_and_split_in_the_editor(self, task: Task, manager: Client) -> None:
        first = newest(task).groups[0][0]
        joined = self.regroup(manager, task, f"next:{first}")
        (card,) = joined.context["preview"].sheet.questions
        assert {card.a, card.b} >= {GARDEN["alpha"].split(" sold ")[1].split(" in ")[0]}
        form = joined.context["form"]
        saved = manager.post(joined.request["PATH_INFO"], {**form.data, "save": "1"})
        assert saved.status_code == 302
        assert len(texts(task)) == 1
        assert newest(task).version == 2
        self.regroup(manager, task, f"apart:{first}", save="1")
        assert len(texts(task)) >= 2
        # Opened again, it is grouped as it was saved.
        again = manager.get(joined.request["PATH_INFO"])
        assert len(again.context["preview"].sheet.questions) == len(texts(task))

    def test_the_last_question_has_no_next_one(self, task: Task, manager: Client) -> None:
        response = self.regroup(manager, task, f"next:{newest(task).groups[-1][0]}")
        assert [message.level_tag for message in response.context["messages"]] == ["error"]

    def test_changed_links_are_grouped_by_the_rules_again(self, task: Task, manager: Client) -> None:
        joined = self.regroup(manager, task, f"next:{newest(task).groups[0][0]}")
        data = {**joined.context["form"].data, "links": "0-0 1-1"}
        preview = manager.post(
            reverse("alignment-preview", args=[task.slug, newest(task).comparison_id]), data
        )
        assert preview.status_code == 200
        assert preview.context["form"].correction().groups is None

    @pytest.mark.parametrize("groups", ["nonsense", "[[99]]", "[[0, 0]]", '[["a"]]', "{}", "[[]]", "3"])
    def test_groups_that_this_site_never_sends_do_no_harm(
        self, task: Task, manager: Client, groups: str
    ) -> None:
        comparison = newest(task).comparison_id
        address = reverse("alignment", args=[task.slug, comparison])
        data = {**manager.get(address).context["form"].data, "groups": groups}
        assert manager.post(address, {**data, "save": "1"}).status_code in (200, 302, 422)
        assert len(texts(task)) == 2

    def test_a_report_that_pairs_belong_together_is_applied_with_one_click(
        self, task: Task, manager: Client
    ) -> None:
        assignment = begin(task, annotator("bob", task))
        occurrence = Occurrence.objects.asked_by(assignment).order_by("index")[0]
        AlignmentReport.objects.create(
            annotator=assignment.annotator, pair_id=occurrence.pair_id,
            alignment_id=assignment.alignment_id or 0, reason="next",
        )  # fmt: skip
        queue = manager.get(reverse("alignments", args=[task.slug]))
        (reported,) = queue.context["reported_pairs"]
        response = manager.post(
            reverse("apply-report", args=[task.slug, reported.comparison]),
            {"regroup": reported.regrouping, "base": reported.version},
        )
        assert response["Location"] == reverse("alignments", args=[task.slug])
        assert len(texts(task)) == 1
        assert AlignmentReport.objects.get().resolved_at is not None
        # The second click finds a newer version.
        manager.post(
            reverse("apply-report", args=[task.slug, reported.comparison]),
            {"regroup": reported.regrouping, "base": reported.version},
        )
        assert newest(task).version == 2


SENTENCES = [
    sentence(
        f"s{n}",
        alpha=f"The director spoke of a gift to the entire city on day {n}",
        beta=f"The director spoke of a present to the whole town on day {n}",
    )
    for n in range(1, 4)
]


class TestRecutting:
    @pytest.fixture
    def task(self, db: None) -> Task:
        return make_task("Recut", SENTENCES, question_size="phrase", checks=10, dedup="task")

    def test_the_page_shows_before_and_after_and_begins_the_job(
        self, task: Task, alice: User, signed_in: SignIn
    ) -> None:
        client, address = signed_in(alice), reverse("questions", args=[task.slug])
        page = client.get(address, {"question_size": "medium"}).context["page"]
        assert page.after < page.before
        assert page.examples
        client.post(address, {"question_size": "medium"})
        assert jobs.run_job.call(str(Job.objects.get().pk)) == "done"
        task.refresh_from_db()
        assert task.question_size == "medium"
        assert newest(task).groups
        assert AuditEntry.objects.filter(action="recut questions").exists()

    def test_it_equals_a_fresh_import(self, task: Task, alice: User) -> None:
        task.question_size = "medium"
        question_regrouping.regroup_task(task, by=alice)
        task.refresh_from_db()
        recut = self.describe(task)
        task.delete()
        fresh = make_task("Fresh", SENTENCES, question_size="medium", checks=10, dedup="task")
        assert recut == self.describe(fresh)

    def describe(self, task: Task) -> tuple[object, ...]:
        columns = ("key", "first", "second", "kind", "owner__item__key", "owner__check_kind")
        return sorted(task.pairs.values_list(*columns)), task.slots.count(), task.size

    def test_an_open_assignment_moves_to_the_new_questions(self, alice: User) -> None:
        task = make_task("Open", SENTENCES[:1])
        assignment = begin(task, annotator("bob", task))
        task.question_size = "medium"
        question_regrouping.regroup_task(task, by=alice)
        moved = Assignment.objects.get(pk=assignment.pk)
        assert moved.token != assignment.token
        assert moved.alignment.version == 2  # type: ignore[union-attr]  # of a comparison
        assert Occurrence.objects.asked_by(moved).exists()
        with pytest.raises(answers.UnknownQuestion):
            answer(assignment, 0)

    def test_a_judged_task_keeps_its_questions(self, task: Task, alice: User, signed_in: SignIn) -> None:
        assignment = begin(task, annotator("bob", task))
        answer(assignment, Occurrence.objects.asked_by(assignment).order_by("index")[0].index)
        before = texts(task)
        task.question_size = "large"
        with pytest.raises(InputError, match="ranked"):
            question_regrouping.regroup_task(task, by=alice)
        assert texts(task) == before
        assert Task.objects.get(pk=task.pk).question_size == "phrase"
        refused = signed_in(alice).post(reverse("questions", args=[task.slug]), {"question_size": "large"})
        assert refused.status_code == 409

    def test_places_keep_their_own_cut(self, db: None, alice: User) -> None:
        three = {**GARDEN, "gamma": GARDEN["beta"].replace("summer", "winter")}
        made = make_task("Places", [sentence(**three)], judging="places")
        before = list(made.pairs.order_by("pk").values_list("pk", flat=True))
        made.question_size = "large"
        question_regrouping.regroup_task(made, by=alice)
        assert list(made.pairs.order_by("pk").values_list("pk", flat=True)) == before
        assert Comparison.objects.filter(item__task=made).count() == 3
