"""Store judgements that were made elsewhere, with the items of the file that contains them.

A label on a phrase pair becomes a ranking; a label on two whole sentences, or the ranks of both in one
ranking, a sentence answer about the comparison; a rating is stored with the candidate, on the scale of its
file. Each name in the file is an annotator without an account. What cannot be stored (a system that is not
compared, identical outputs, a label that the scheme does not offer) is left out with a warning.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from appraise.lib.digests import text_digest
from appraise.lib.problems import Problem
from evaluation.blinding import canonical
from evaluation.importers import ImportedItem, ImportedJudgement, JudgementMeasure
from evaluation.models import Annotator, Ranking, SentenceAnswer, Task
from evaluation.models.judging import MOST_PRESENTATIONS
from evaluation.schemes import Choice
from evaluation.tasks.services.storage import StoredComparison

Question = SentenceAnswer.Question


class ImportedRankings:
    """The judgements on the items of a task; ``save`` writes them in the transaction of the caller."""

    def __init__(self, task: Task, judgements: Iterable[ImportedJudgement]) -> None:
        self.task = task
        self.by_item: dict[str, list[ImportedJudgement]] = defaultdict(list)
        for judgement in judgements:
            self.by_item[judgement.item].append(judgement)
        self.left_out: dict[str, Problem] = {}
        self.counts: Counter[str] = Counter()
        self._people: dict[str, Annotator] = {}
        # Counted per pair over the task, because pairs may be merged; a resumed import includes stored ones.
        pairs = Ranking.objects.filter(pair__task=task).values_list("annotator_id", "pair_id")
        self.presentations: Counter[tuple[object, ...]] = Counter(pairs)

    def save(self, items: Sequence[ImportedItem], stored: Sequence[Sequence[StoredComparison]]) -> None:
        rankings: list[Ranking] = []
        answers: list[SentenceAnswer] = []
        for item, comparisons in zip(items, stored, strict=True):
            if given := self.by_item.get(item.id):
                of_item = _ItemRankings(self, item, comparisons)
                of_item.take(given)
                rankings += of_item.rankings
                answers += of_item.answers
        Ranking.objects.bulk_create(rankings)
        SentenceAnswer.objects.bulk_create(answers)

    def person(self, name: str) -> Annotator:
        """Return the annotator with this name, the same in every task of the campaign."""
        if name not in self._people:
            key = text_digest("imported", self.task.campaign.key, name)
            self._people[name] = Annotator.objects.get_or_create(key=key)[0]
        return self._people[name]

    def leave_out(self, judgement: ImportedJudgement, why: str, remedy: str) -> None:
        self.counts[why] += 1
        self.left_out.setdefault(why, Problem("judgement_left_out", why, remedy, *judgement.position))

    @property
    def warnings(self) -> list[Problem]:
        return [
            replace(problem, message=f"{self.counts[why]:,} judgements were left out: {why}")
            for why, problem in self.left_out.items()
        ]


class _ItemRankings:
    """The judgements on one item, and its stored comparisons."""

    def __init__(
        self, task_rankings: ImportedRankings, item: ImportedItem, stored: Sequence[StoredComparison]
    ) -> None:
        self.task_rankings = task_rankings
        self.item = item
        self.outputs = {candidate.system: candidate.text for candidate in item.candidates}
        self.comparison_by_texts = {(one.plan.first.text, one.plan.second.text): one for one in stored}
        self.rankings: list[Ranking] = []
        self.answers: list[SentenceAnswer] = []

    def take(self, given: Sequence[ImportedJudgement]) -> None:
        ranks: dict[tuple[str, str], list[ImportedJudgement]] = defaultdict(list)
        for judgement in given:
            if judgement.measure is JudgementMeasure.RANK:
                ranks[judgement.annotator, judgement.source_ranking].append(judgement)
            elif judgement.measure is JudgementMeasure.RATING:
                self._rating(judgement)
            elif judgement.phrase is None:
                self._preference(judgement, judgement.systems, judgement.label)
            else:
                self._ranking(judgement)
        for ranked in ranks.values():
            self._ranks(ranked)

    def _rating(self, judgement: ImportedJudgement) -> None:
        """Store a rating with the first comparison that shows the candidate."""
        text = self.outputs.get(judgement.systems[0])
        places = sorted(key for key in self.comparison_by_texts if text in key)
        if judgement.phrase is not None or not places:
            self._leave_out_unmatched(judgement)
            return
        first = places[0][0] == text
        question = Question.RATING_FIRST if first else Question.RATING_SECOND
        self._answer(judgement, self.comparison_by_texts[places[0]], question, f"{judgement.value:.15g}")

    def _ranks(self, ranked: Sequence[ImportedJudgement]) -> None:
        """Store a ranking of n systems as a preference between every two of them."""
        ranked = self._drop_repeated(ranked)
        used = set()
        for one, other in combinations(ranked, 2):
            if self._find_comparison(one.systems[0], other.systems[0]) is None:
                continue
            value, beside = one.value or 0, other.value or 0
            label = (
                Choice.EQUAL if value == beside else Choice.A_BETTER if value < beside else Choice.B_BETTER
            )
            self._preference(one, (one.systems[0], other.systems[0]), label)
            used |= {id(one), id(other)}
        for judgement in ranked:
            if id(judgement) not in used:
                self._leave_out_unmatched(judgement)

    def _drop_repeated(self, ranked: Sequence[ImportedJudgement]) -> list[ImportedJudgement]:
        """Return the first rank of each system; it is unknown which other ranks a second one belongs to."""
        by_system: dict[str, ImportedJudgement] = {}
        for judgement in ranked:
            if by_system.setdefault(judgement.systems[0], judgement) is not judgement:
                self.task_rankings.leave_out(
                    judgement,
                    "the same annotator ranks the same system of a sentence twice in one ranking",
                    "name the ranking of each row in the column source_ranking",
                )
        return list(by_system.values())

    def _preference(
        self, judgement: ImportedJudgement, systems: tuple[str, ...], label: Choice | None
    ) -> None:
        stored = self._find_comparison(*systems)
        if stored is None or label is None:
            self._leave_out_unmatched(judgement)
        elif self._is_offered(judgement, label):
            value = canonical(label, swapped=self._is_swapped(stored, systems[0]), flipped=False)
            self._answer(judgement, stored, Question.VERDICT, value.value)

    def _ranking(self, judgement: ImportedJudgement) -> None:
        stored = self._find_comparison(*judgement.systems)
        found = self._phrase(judgement, stored) if stored else None
        if stored is None or found is None or judgement.label is None:
            self._leave_out_unmatched(judgement)
            return
        if not self._is_offered(judgement, judgement.label):
            return
        pair, flipped = found
        swapped = self._is_swapped(stored, judgement.systems[0])
        person = self.task_rankings.person(judgement.annotator)
        time = self._next_presentation(person.pk, pair)
        if time >= MOST_PRESENTATIONS:
            why = f"one annotator judged the same phrases more than {MOST_PRESENTATIONS} times"
            self.task_rankings.leave_out(judgement, why, "give each person a name of their own")
            return
        self.rankings.append(
            Ranking(
                uuid=uuid.uuid4(),
                annotator=person,
                pair_id=pair,
                presentation=time,
                version=1,
                choice=canonical(judgement.label, swapped=swapped, flipped=flipped).value,
                alignment=stored.alignment,
                swapped=swapped != flipped,
            )
        )

    def _answer(
        self,
        judgement: ImportedJudgement,
        stored: StoredComparison,
        question: SentenceAnswer.Question,
        value: str,
    ) -> None:
        person = self.task_rankings.person(judgement.annotator)
        self.answers.append(
            SentenceAnswer(
                uuid=uuid.uuid4(),
                annotator=person,
                comparison=stored.comparison,
                presentation=self._next_presentation(person.pk, stored.comparison.pk, question),
                question=question,
                version=1,
                value=value,
                source_ranking=judgement.source_ranking,
            )
        )

    def _find_comparison(self, a: str, b: str) -> StoredComparison | None:
        if not {a, b} <= self.outputs.keys():  # a system without output is not one with an empty output
            return None
        first, second = sorted((self.outputs[a], self.outputs[b]))
        return self.comparison_by_texts.get((first, second))

    def _is_swapped(self, stored: StoredComparison, system: str) -> bool:
        return self.outputs[system] != stored.plan.first.text

    def _phrase(self, judgement: ImportedJudgement, stored: StoredComparison) -> tuple[int, bool] | None:
        """Return pair and flip of the n-th phrase that the file has for these two systems."""
        for given in self.item.phrases:
            if {given.a, given.b} != set(judgement.systems) or judgement.phrase is None:
                continue
            if judgement.phrase > len(given.phrases):
                return None
            phrase = given.phrases[judgement.phrase - 1]
            spans = (phrase.b, phrase.a) if self._is_swapped(stored, given.a) else (phrase.a, phrase.b)
            for index, aligned in enumerate(stored.plan.alignment.phrases):
                if (aligned.a, aligned.b) == spans:
                    return stored.asked.get(index)
        return None

    def _is_offered(self, judgement: ImportedJudgement, label: Choice) -> bool:
        scheme = self.task_rankings.task.scheme
        if label in scheme.choices:
            return True
        self.task_rankings.leave_out(
            judgement, f"{scheme.title} do not offer {label.value}", "import with the scheme of the labels"
        )
        return False

    def _leave_out_unmatched(self, judgement: ImportedJudgement) -> None:
        self.task_rankings.leave_out(
            judgement,
            "the task does not ask about these systems or phrases",
            "compare these systems, and give the phrases that were judged",
        )

    def _next_presentation(self, *what: object) -> int:
        """Return the presentation: a repeated judgement is a further presentation, not a correction."""
        self.task_rankings.presentations[what] += 1
        return self.task_rankings.presentations[what] - 1
