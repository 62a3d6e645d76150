"""Attention checks and judgements from elsewhere: stored like the rest, told apart only where it matters."""

from __future__ import annotations

import gzip
import hashlib
import json
import uuid
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from evaluation.annotate.known_answers import MOST_PERCENT, count_damaged_words, damage_text, has_check
from evaluation.annotate.queries import build_pair_page
from evaluation.annotate.services import answers, assignments
from evaluation.blinding import canonical, pseudonym
from evaluation.importers import ImportedSet, SourceFile, read
from evaluation.models import (
    Annotator,
    Assignment,
    Campaign,
    Comparison,
    Occurrence,
    Output,
    PhrasePair,
    Ranking,
    SentenceAnswer,
    Slot,
    Task,
)
from evaluation.presentation import Stave
from evaluation.reports.study_query import find_tasks, load_study
from evaluation.schemes import Choice
from evaluation.study.annotators import compute_annotator_lines
from evaluation.tasks.queries.members import count_checks
from evaluation.tasks.services.importing import import_set
from evaluation.tasks.services.task_settings import TaskSettings, dry_run
from evaluation.tokens import split
from tests.database.conftest import SENTENCES, annotator, make_task

MANY: list[dict[str, Any]] = [
    {
        "id": f"m{n}",
        "source": f"Quelle {n}",
        "candidates": {
            "one": f"Number {n} of the red houses by the river is small and rather quiet today",
            "two": f"Number {n} of the crimson houses at the river is tiny and rather quiet now",
        },
    }
    for n in range(40)
]


def checks_of(task: Task) -> list[Comparison]:
    return list(Comparison.objects.filter(item__task=task, check_kind="degraded").select_related("first"))


@pytest.mark.django_db
@pytest.mark.parametrize("percent", [0, 5])
def test_damaged_copies_of_the_file_are_the_checks_of_their_sentences(percent: int) -> None:
    given = {"one": "Number 3 of the river houses is small and rather quiet today"}
    items = [item | ({"damaged": given} if item["id"] == "m3" else {}) for item in MANY]
    task = make_task(sentences=items, checks=percent)
    checks = [check for check in checks_of(task) if check.item.key == "m3"]
    assert [given["one"] in (check.first.text, check.second.text) for check in checks] == [True] * bool(
        percent
    )
    for check in checks:
        damaged_first = check.first.text == given["one"]
        assert check.expected == (Choice.B_BETTER if damaged_first else Choice.A_BETTER)


class TestDamage:
    @pytest.mark.parametrize("percent", range(MOST_PERCENT + 1))
    @pytest.mark.parametrize("count", [1, 7, 40, 333])
    def test_there_are_as_many_checks_as_asked_and_never_more(self, percent: int, count: int) -> None:
        assert sum(has_check(n, percent) for n in range(count)) == count * percent // 100

    def test_longer_sentences_lose_more_words_but_never_all(self) -> None:
        sizes = [count_damaged_words(n) for n in range(1, 100)]
        assert sizes == sorted(sizes)
        assert all(size <= n for n, size in enumerate(sizes, 1))

    def test_a_text_without_words_cannot_be_damaged(self) -> None:
        assert damage_text(Stave("...", split("...")), ["a"], "1") is None

    def test_the_damage_is_the_same_on_every_machine(self) -> None:
        text = "one two three four five six seven"
        results = {damage_text(Stave(text, split(text)), ["x", "y", "z", "w"], "7") for _ in range(3)}
        assert len(results) == 1
        assert results != {None}

    def test_unspaced_scripts_stay_unspaced(self) -> None:
        made = damage_text(Stave("猫が好き", ((0, 1), (1, 2), (2, 3), (3, 4))), ["犬", "木"], "1")
        assert made is not None
        assert " " not in made


@pytest.mark.django_db
class TestChecks:
    def test_a_check_is_a_text_beside_a_damaged_copy_that_no_system_wrote(self) -> None:
        task = make_task(sentences=MANY, checks=10)
        found = checks_of(task)
        assert len(found) == 4
        for check in found:
            written = [Output.objects.filter(candidate=side).exists() for side in (check.first, check.second)]
            assert sorted(written) == [False, True]
            assert check.expected == ("A>B" if written[0] else "A<B")

    def test_checks_sit_like_everything_else_far_from_their_sentence(self) -> None:
        task = make_task(sentences=MANY, checks=10)
        assert task.size == 44
        places = dict(Slot.objects.filter(task=task, k=0).values_list("comparison", "position"))
        for check in checks_of(task):
            own = Comparison.objects.get(item=check.item_id, check_kind="")
            assert abs(places[check.pk] - places[own.pk]) >= 10
        assert Slot.objects.filter(task=task).count() == task.overlap * task.size

    def test_pairs_of_checks_are_merged_with_nothing(self) -> None:
        plain = make_task(name="plain", sentences=MANY, dedup="task")
        before = set(plain.pairs.values_list("first", "second", "key"))
        Task.objects.all().delete()
        task = make_task(sentences=MANY, dedup="task", checks=10)
        ordinary = task.pairs.filter(owner__check_kind="")
        assert set(ordinary.values_list("first", "second", "key")) == before
        assert not PhrasePair.objects.exclude(owner__check_kind="").filter(item__isnull=True).exists()

    def test_an_annotator_cannot_tell_a_check(self) -> None:
        task = make_task(sentences=MANY, checks=10)
        bob = annotator("bob", task)
        for _ in range(task.size):
            assignment = assignments.next_assignment(task, bob)
            assert assignment is not None
            shown = repr(build_pair_page(assignment))
            assert "degraded" not in shown
            assert "check" not in shown.replace("checked", "")
            answer_all(assignment, Choice.EQUAL)

    def test_checks_are_reported_and_kept_out_of_agreement(self) -> None:
        task = make_task(sentences=MANY, checks=10)
        bob, carol = annotator("bob", task), annotator("carol", task)
        for who, attentive in ((bob, True), (carol, False)):
            while (assignment := assignments.next_assignment(task, who)) is not None:
                expected = assignment.compared.expected
                said = Choice(expected) if expected and attentive else Choice.EQUAL
                answer_all(assignment, canonical(said, swapped=assignment.swapped, flipped=False))
        results = count_checks(task)
        assert (results[bob.pk].seen, results[bob.pk].passed) == (4, 4)
        assert (results[carol.pk].seen, results[carol.pk].passed) == (4, 0)
        assert results[carol.pk].share == 0
        study = load_study(find_tasks("slug", task.slug))
        lines = {line.annotator: (line.checks_passed, line.checks) for line in compute_annotator_lines(study)}
        for who in (bob, carol):  # the members page and the agreement page count alike
            counted = results[who.pk]
            assert lines[pseudonym(task.campaign.key, who.key)] == (counted.passed, counted.seen)
        table = study.judgements()
        ordinary = task.pairs.filter(owner__check_kind="").count()
        assert len(table.labels) == 2 * ordinary
        assert Ranking.objects.count() > 2 * ordinary

    def test_one_wrong_answer_fails_the_check_on_both_pages(self) -> None:
        """A check may ask about several phrases; it is one check."""
        longer = [
            {
                **one,
                "candidates": {
                    name: f"{text}, and {text.lower()}" for name, text in one["candidates"].items()
                },
            }
            for one in MANY
        ]
        task = make_task(sentences=longer, checks=10, question_size="phrase")
        bob = annotator("bob", task)
        while (assignment := assignments.next_assignment(task, bob)) is not None:
            said = Choice(assignment.compared.expected or Choice.EQUAL)
            shown = canonical(said, swapped=assignment.swapped, flipped=False)
            answer_all(assignment, shown)
        checks = Ranking.objects.exclude(pair__owner__check_kind="").values_list("pair__owner", flat=True)
        check, answered = Counter(checks).most_common(1)[0]
        assert answered > 1
        wrong = Ranking.objects.filter(pair__owner=check).order_by("pk")[0]
        Ranking.objects.filter(pk=wrong.pk).update(choice=Choice(str(wrong.choice)).mirrored.value)
        counted = count_checks(task)[bob.pk]
        line = compute_annotator_lines(load_study([task]))[0]
        assert (line.checks_passed, line.checks) == (counted.passed, counted.seen)
        assert counted.passed == counted.seen - 1

    def test_a_dry_run_counts_seats_of_checks_and_repeats(self) -> None:
        settings = TaskSettings(name="x", scheme="six-way", target_language="en", checks=10, repeats=20)
        imported = a_set(MANY)
        counted = dry_run(imported, settings)
        made = import_set(imported, settings, campaign=Campaign.objects.create(slug="c", name="C"))
        assert made.tasks
        made.tasks = []
        assert counted == made

    def test_without_checks_there_are_none(self, task: Task) -> None:
        assert checks_of(task) == []


def answer_all(assignment: Assignment, choice: Choice) -> None:
    for occurrence in Occurrence.objects.asked_by(assignment):
        # As shown: the service turns pair and sides back, here only the comparison's sides are known.
        answers.submit_ranking(assignment, answers.Submission(uuid.uuid4(), occurrence.index, choice, 0))
    answers.finish_pairs(assignment)


def a_set(sentences: list[dict[str, Any]], *judged: dict[str, Any]) -> ImportedSet:
    document = {"items": sentences, "judgements": list(judged)}
    return read([SourceFile.from_bytes("x.json", json.dumps(document).encode())])


@pytest.mark.django_db
class TestJudgedElsewhere:
    def imported(self, *judged: dict[str, Any], sentences: Any = None, **settings: Any) -> list[str]:
        made = import_set(
            a_set(SENTENCES if sentences is None else sentences, *judged),
            TaskSettings(name="x", scheme=settings.pop("scheme", "six-way"), **settings),
            campaign=Campaign.objects.create(slug="c", name="C"),
        )
        return [str(warning) for warning in made.warnings]

    def label(self, **fields: Any) -> dict[str, Any]:
        return {"annotator": "zoe", "item": "s1", "a": "alpha", "b": "beta", "label": "A>B", **fields}

    def test_a_label_on_whole_sentences_is_a_verdict_in_stored_order(self) -> None:
        assert self.imported(self.label(), self.label(annotator="yan", a="beta", b="alpha")) == []
        answers = {a.annotator_id: a for a in SentenceAnswer.objects.select_related("comparison__first")}
        assert len(answers) == 2
        first = next(iter(answers.values())).comparison.first.text
        alpha_first = first == SENTENCES[0]["candidates"]["alpha"]
        values = sorted(answer.value for answer in answers.values())
        assert values == ["A<B", "A>B"]
        zoe = min(answers)
        assert answers[zoe].value == ("A>B" if alpha_first else "A<B")

    def test_each_name_is_one_annotator_without_account(self) -> None:
        self.imported(self.label(), self.label(item="s2"), self.label(annotator="yan"))
        assert Annotator.objects.filter(user__isnull=True, machine="").count() == 2

    def test_saying_it_twice_is_a_further_presentation(self) -> None:
        self.imported(self.label(), self.label(label="A<B"))
        assert set(SentenceAnswer.objects.values_list("presentation", flat=True)) == {0, 1}

    def test_ranks_become_a_verdict_on_every_two_systems(self) -> None:
        ranks = [
            {"annotator": "zoe", "item": "s1", "system": system, "rank": rank}
            for system, rank in (("alpha", 1), ("beta", 2), ("gamma", 2))
        ]
        assert self.imported(*ranks) == []
        verdicts = SentenceAnswer.objects.filter(question="verdict")
        assert verdicts.count() == 3
        assert verdicts.filter(value="A=B").count() == 1

    def test_two_rankings_of_one_judge_are_not_compared_with_each_other(self) -> None:
        """Four ranks make six preferences in one ranking, and two in two."""
        ranks = [
            {"annotator": "zoe", "item": "s1", "system": system, "rank": rank, "source_ranking": source}
            for source, ranking in (("r1", {"alpha": 1, "beta": 2}), ("r2", {"beta": 1, "gamma": 2}))
            for system, rank in ranking.items()
        ]
        assert self.imported(*ranks) == []
        assert sorted(SentenceAnswer.objects.values_list("source_ranking", flat=True)) == ["r1", "r2"]

    @pytest.mark.parametrize("source", [{}, {"source_ranking": "r1"}])
    def test_a_system_that_is_ranked_twice_is_reported(self, source: dict[str, str]) -> None:
        ranks = [
            {"annotator": "zoe", "item": "s1", "system": system, "rank": rank, **source}
            for system, rank in (("alpha", 1), ("beta", 2), ("alpha", 3))
        ]
        (warning,) = self.imported(*ranks)
        assert "ranks the same system of a sentence twice" in warning
        assert "source_ranking" in warning
        assert SentenceAnswer.objects.count() == 1

    @pytest.mark.realdata
    def test_real_rankings_of_wmt12_give_the_pairwise_rankings_of_their_authors(
        self, real_data: Path
    ) -> None:
        """German–English, the hundred segments that were ranked most often: 285 rankings."""
        folder = real_data / "rr_wmt12"
        with gzip.open(folder / "de-en.rankings.jsonl.gz", "rt", encoding="utf-8") as lines:
            rankings = [json.loads(line) for line in lines]
        often = Counter(ranking["seg"] for ranking in rankings).most_common(100)
        chosen = [ranking for ranking in rankings if ranking["seg"] in dict(often)]
        assert len(chosen) == 285
        ranked = [
            (ranking, system, rank)
            for ranking in chosen
            for systems, rank in ranking["items"]
            for system in systems
            if rank is not None
        ]
        with gzip.open(folder / "de-en.outputs.tsv.gz", "rt", encoding="utf-8") as lines:
            outputs = {
                (seg, name): text for name, seg, text in (line.rstrip("\n").split("\t") for line in lines)
            }
        candidates: dict[int, dict[str, str]] = defaultdict(dict)
        for ranking, system, _rank in ranked:
            # The words are of no interest here, only which outputs are the same: one word each is fast.
            text = outputs[str(ranking["seg"]), system]
            candidates[ranking["seg"]][system] = hashlib.md5(text.encode()).hexdigest()
        sentences = [
            {"id": str(seg), "source": "x", "candidates": texts} for seg, texts in candidates.items()
        ]
        judged = [
            {"annotator": ranking["judge"], "item": str(ranking["seg"]), "system": system, "rank": rank,
             "source_ranking": ranking["id"]}
            for ranking, system, rank in ranked
        ]  # fmt: skip
        document = {"incomplete": True, "items": sentences, "judgements": judged}
        imported = read([SourceFile.from_bytes("x.json", json.dumps(document).encode())])
        import_set(
            imported,
            TaskSettings(name="x", scheme="four-way"),
            campaign=Campaign.objects.create(slug="c", name="C"),
        )
        assert SentenceAnswer.objects.count() == 2_749

    def test_a_rating_stays_with_its_candidate(self) -> None:
        rating = {"annotator": "zoe", "item": "s1", "system": "beta", "rating": 73.5}
        assert self.imported(rating) == []
        answer = SentenceAnswer.objects.select_related("comparison__first", "comparison__second").get()
        side = answer.comparison.first if answer.question == "rating_first" else answer.comparison.second
        assert (side.text, answer.value) == (SENTENCES[0]["candidates"]["beta"], "73.5")

    def test_a_label_on_a_given_phrase_is_a_ranking(self) -> None:
        sentence = {
            "id": "p",
            "source": "x",
            "candidates": {"one": "a red house", "two": "a blue home"},
            "phrases": [
                {"a": "one", "b": "two", "phrases": [{"a": [n, n + 1], "b": [n, n + 1]} for n in range(3)]}
            ],
        }
        judged = self.label(item="p", a="one", b="two", phrase=2, label="A>>B")
        other = self.label(item="p", a="two", b="one", phrase=3, label="A>>B")
        shared = self.label(item="p", a="one", b="two", phrase=1)
        warnings = self.imported(judged, other, shared, sentences=[sentence])
        assert len(warnings) == 1
        assert "1 judgements were left out" in warnings[0]
        said = {(r.pair.first, r.pair.second): r.choice for r in Ranking.objects.select_related("pair")}
        # red ≫ blue, stored as (blue, red); home ≫ house, stored as (home, house).
        assert said == {("blue", "red"): "A<<B", ("home", "house"): "A>>B"}

    def item_with_phrases(self, name: str) -> dict[str, Any]:
        phrases = [{"a": [n, n + 1], "b": [n, n + 1]} for n in range(2)]
        return {
            "id": name, "source": "x", "candidates": {"one": "red house", "two": "blue house"},
            "phrases": [{"a": "one", "b": "two", "phrases": phrases}],
        }  # fmt: skip

    def test_one_pair_in_two_sentences_is_judged_twice_by_the_same_person(self) -> None:
        """Merged over the task, it is one pair: the second label is a further presentation."""
        judged = [self.label(item=item, a="one", b="two", phrase=1) for item in ("p", "q")]
        sentences = [self.item_with_phrases("p"), self.item_with_phrases("q")]
        assert self.imported(*judged, sentences=sentences, dedup="task") == []
        assert sorted(Ranking.objects.values_list("pair__task__slug", "presentation")) == [("x", 0), ("x", 1)]

    def test_nobody_says_the_same_thing_more_often_than_reports_can_tell(self) -> None:
        judged = [self.label(item="p", a="one", b="two", phrase=1, label="A=B")] * 32
        judged.append(self.label(item="p", a="one", b="two", phrase=1))
        (warning,) = self.imported(*judged, sentences=[self.item_with_phrases("p")])
        assert "1 judgements were left out" in warning
        found = load_study(find_tasks("slug", "x")).judgements()
        assert [found.label_names[label] for label in found.labels] == ["A=B"]

    def test_what_does_not_fit_is_a_warning(self) -> None:
        fine = self.label(label="A>>B")
        unasked = self.label(phrase=1)
        warnings = self.imported(fine, unasked, scheme="four-way")
        assert len(warnings) == 2
        assert all(warning.startswith("x.json") and "judgement_left_out" in warning for warning in warnings)
        assert (Ranking.objects.count(), SentenceAnswer.objects.count()) == (0, 0)

    def test_identical_outputs_have_no_verdict(self) -> None:
        same = {**SENTENCES[0], "candidates": {"alpha": "same", "beta": "same", "gamma": "other"}}
        assert len(self.imported(self.label(), sentences=[same])) == 1
