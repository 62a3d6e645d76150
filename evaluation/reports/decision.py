"""The page for whoever decides: which system is better, by how much and how sure, in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from appraise.lib.tables import Cell, Table
from evaluation.agreement import name_band
from evaluation.annotate.queries import read_phrases
from evaluation.models import Candidate, Occurrence
from evaluation.presentation import Fragment, Stave, sheet
from evaluation.reports.agreement import get_agreement
from evaluation.reports.decision_plot import draw_decision
from evaluation.reports.registry import FilterOptions, Report, report
from evaluation.reports.results import compute_results, filter_study
from evaluation.reports.scope import Scope, get_study, get_system_outputs, get_system_pairs
from evaluation.results import SystemResults
from evaluation.results.systems import SystemPairTest
from evaluation.schemes import SIX_WAY, Choice
from evaluation.study.leads import (
    PairAnswers,
    SystemLead,
    collect_pair_answers,
    find_typical_pairs,
    measure_lead,
)
from evaluation.web import numeral

FOR, AGAINST = 2, 1  # examples on the page
VERY_SURE = 0.99
LONG = 160  # characters of a sentence; shorter examples come first
FEW_SENTENCES = 30


@dataclass(frozen=True, slots=True)
class TypicalCase:
    """A pair with both sentences, in which its words are marked, and the answers of people.

    ``first`` is the sentence of the leading system.
    """

    source: str
    source_language: str
    language: str
    first: list[Fragment]
    second: list[Fragment]
    votes: list[tuple[Choice, int]]
    words: str


@dataclass(frozen=True, slots=True)
class DecisionPage:
    """``lead`` is None where no two systems have been compared.

    κ is about which is better: it is κ′ where the scheme has degrees.
    """

    scope: Scope
    results: SystemResults
    lead: SystemLead | None
    test: SystemPairTest | None
    others: tuple[SystemLead, ...]
    cases: list[TypicalCase]
    kappa: float | None
    kappa_interval: tuple[float, float] | None

    @property
    def is_decided(self) -> bool:
        """Whether the better system is significantly better, on sentences and by most annotators."""
        if self.lead is None or self.test is None or not self.lead.lead:
            return False
        ahead = self.test.sentences_for - self.test.sentences_against
        is_same_side = ahead > 0 if self.test.a == self.lead.first else ahead < 0
        return self.test.significant and is_same_side

    @property
    def is_very_sure(self) -> bool:
        return self.is_decided and (self.lead is not None and (self.lead.stability or 0) >= VERY_SURE)

    @property
    def dissenting(self) -> int:
        """How many people prefer the other system in most of their answers."""
        if self.test is None or self.lead is None:
            return 0
        is_first = self.test.a == self.lead.first
        return self.test.annotators_against if is_first else self.test.annotators_for

    @property
    def band(self) -> str | None:
        return name_band(self.kappa)

    @property
    def wins(self) -> str:
        return self._of_100(0, 1)

    @property
    def losses(self) -> str:
        return self._of_100(3, 4)

    @property
    def ties(self) -> str:
        return self._of_100(2)

    def _of_100(self, *labels: int) -> str:
        """Return how many of 100 answers have one of these labels."""
        if self.lead is None or not self.lead.answers:
            return ""
        return f"{100 * sum(self.lead.counts[label] for label in labels) / self.lead.answers:.0f}"

    @property
    def lead_of_100(self) -> str:
        return _hundredths(self.lead.lead if self.lead else None)

    @property
    def low(self) -> str:
        return _hundredths(self.lead.interval[0] if self.lead and self.lead.interval else None)

    @property
    def high(self) -> str:
        return _hundredths(self.lead.interval[1] if self.lead and self.lead.interval else None)

    @property
    def answers_per_place(self) -> float | None:
        return self.lead.answers / self.lead.pairs if self.lead and self.lead.pairs else None

    @property
    def ranking(self) -> Table:
        """The systems in order, and how far the first is ahead of each; for the page."""
        by_name = {lead.second: lead for lead in _all_leads(self)}
        rows = []
        for line in self.results.systems:
            lead = by_name.get(line.system)
            ahead = _hundredths(lead.lead) if lead else ""
            span = (
                f"{_hundredths(lead.interval[0])} – {_hundredths(lead.interval[1])}"
                if lead and lead.interval
                else ""
            )
            rows.append((line.system, line.rank, ahead, span))
        columns = (_("System"), _("Rank"), _("Lead of the first, of 100 answers"), _("95% CI"))
        return Table(_("All systems"), columns, tuple(rows))

    @property
    def is_small(self) -> bool:
        return self.lead is not None and self.lead.sentences < FEW_SENTENCES

    @property
    def languages(self) -> list[tuple[str, str]]:
        return sorted({(task.source_language, task.target_language) for task in self.scope.tasks})


@report("decision", title=gettext_lazy("For the decision"), section="results")
class Decision(Report[FilterOptions, DecisionPage]):
    """Which system is better, by how much and how sure, with typical cases, in plain words."""

    options = FilterOptions
    microseconds_per_ranking = 12  # results and agreement, where neither is cached
    tables = {"answers": lambda page: _answer_table(page), "leads": lambda page: _lead_table(page)}
    plots = {"answers": lambda page: draw_decision(page.lead) if page.lead else None}

    def compute(self, scope: Scope, options: FilterOptions) -> DecisionPage:
        filters = tuple(sorted(options.without))
        results = compute_results(scope, filters)
        kappa = get_agreement(scope, filters).report.kappa
        has_prime = kappa.prime is not None
        leads, answers = scope.cached("leads", lambda: _measure_leads(scope, filters, results), filters)
        lead = leads[0] if leads else None
        return DecisionPage(
            scope=scope,
            results=results,
            lead=lead,
            test=_find_test(results, lead) if lead else None,
            others=leads[1:],
            cases=_load_cases(scope, answers, lead) if lead and answers else [],
            kappa=kappa.prime if has_prime else kappa.value,
            kappa_interval=kappa.prime_interval if has_prime else kappa.interval,
        )

    def document(self, page: DecisionPage) -> dict[str, Any]:  # Any: JSON
        return {
            "better": page.lead.first if page.lead and page.is_decided else None,
            "is_decided": page.is_decided,
            "leads": [asdict(lead) | {"answers": lead.answers} for lead in _all_leads(page)],
            "kappa": page.kappa,
            "kappa_ci": page.kappa_interval,
            "cases": [
                {
                    "source": case.source,
                    "first": "".join(part.space + part.text for part in case.first),
                    "second": "".join(part.space + part.text for part in case.second),
                    "votes": {choice.value: n for choice, n in case.votes},
                }
                for case in page.cases
            ],
        }


def _measure_leads(
    scope: Scope, without: Sequence[Any], results: SystemResults
) -> tuple[tuple[SystemLead, ...], PairAnswers | None]:
    """Return the leads of the best system over those that it was compared with, the runner-up first."""
    if not results.votes:
        return (), None
    study, system_pairs = filter_study(get_study(scope), tuple(without)), get_system_pairs(scope)
    compared = {frozenset((test.a, test.b)) for test in results.comparisons}
    best = next(line.system for line in results.systems if line.wins + line.losses + line.ties)
    opponents = [line.system for line in results.systems if frozenset((best, line.system)) in compared]
    answers = [collect_pair_answers(study, system_pairs, best, other) for other in opponents]
    leads = [measure_lead(own, best, other) for own, other in zip(answers, opponents, strict=True)]
    return tuple(leads), answers[0]


def _find_test(results: SystemResults, lead: SystemLead) -> SystemPairTest:
    return next(test for test in results.comparisons if {test.a, test.b} == {lead.first, lead.second})


def _hundredths(value: float | None) -> str:
    """
    >>> _hundredths(0.214), _hundredths(-0.05)
    ('21', '−5')
    """
    return "" if value is None else numeral(f"{100 * value:.0f}")


# --- typical cases ------------------------------------------------------------------------------------


def _load_cases(scope: Scope, answers: PairAnswers, lead: SystemLead) -> list[TypicalCase]:
    """Return cases for and against, preferring short sentences; one query."""
    ids = np.asarray(get_study(scope).pair_keys)
    wanted = {sign: find_typical_pairs(answers, sign, most=8) for sign in (1, -1)}
    codes = [code for pairs in wanted.values() for code in pairs]
    places = Occurrence.objects.filter(pair__in=[int(ids[code]) for code in codes])
    places = places.select_related(
        "pair__task", "alignment__comparison__item", "alignment__comparison__first",
        "alignment__comparison__second",
    ).order_by("-alignment__version", "alignment", "index")  # fmt: skip
    outputs = get_system_outputs(scope)
    produced = set(zip(*outputs.outputs.tolist(), strict=True))
    by_pair: dict[int, TypicalCase] = {}
    first, second = outputs.names.index(lead.first), outputs.names.index(lead.second)
    for place in places:
        compared = place.alignment.comparison
        is_straight = {(compared.first_id, first), (compared.second_id, second)} <= produced
        if is_straight or {(compared.first_id, second), (compared.second_id, first)} <= produced:
            case = _make_case(place, answers, lead, is_turned=not is_straight, code=_code(ids, place.pair_id))
            by_pair.setdefault(place.pair_id, case)

    def pick(sign: int, most: int) -> list[TypicalCase]:
        cases = [by_pair[key] for code in wanted[sign] if (key := int(ids[code])) in by_pair]
        return sorted(cases, key=lambda case: _length(case) > LONG)[:most]  # stable

    against = pick(-1, AGAINST)
    return [*pick(1, FOR + AGAINST - len(against)), *against]


def _code(ids: Any, pair: int) -> int:  # Any: keys of pairs, which are integers here
    return int(np.searchsorted(ids, pair))


def _length(case: TypicalCase) -> int:
    return max(sum(len(part.text) for part in side) for side in (case.first, case.second))


def _make_case(
    place: Occurrence, answers: PairAnswers, lead: SystemLead, *, is_turned: bool, code: int
) -> TypicalCase:
    alignment, compared = place.alignment, place.alignment.comparison
    layout = sheet(
        _stave(compared.first), _stave(compared.second), read_phrases(alignment.phrases),
        {place.index: place.index}, groups=alignment.groups, swapped=is_turned,
    )  # fmt: skip
    counts = Counter(answers.labels[answers.pairs == code].tolist())
    votes = [(choice, counts[n]) for n, choice in enumerate(SIX_WAY.choices) if counts[n]]
    return TypicalCase(
        source=compared.item.source,
        source_language=place.pair.task.source_language,
        language=place.pair.task.target_language,
        first=layout.a,
        second=layout.b,
        votes=votes,
        words=", ".join(f"{describe_choice(choice, lead)} ({n})" for choice, n in votes),
    )


def _stave(candidate: Candidate) -> Stave:
    offsets = iter(candidate.offsets)
    return Stave(candidate.text, list(zip(offsets, offsets, strict=True)))


# --- tables -------------------------------------------------------------------------------------------


def _all_leads(page: DecisionPage) -> tuple[SystemLead, ...]:
    return (page.lead, *page.others) if page.lead else ()


def _answer_table(page: DecisionPage) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (lead.first, lead.second, *lead.counts, lead.answers) for lead in _all_leads(page)
    )
    return Table("Answers", ("system", "compared with", *SIX_WAY.labels, "answers"), rows)


def _lead_table(page: DecisionPage) -> Table:
    columns = ("system", "compared with", "lead", "low", "high", "same winner", "sentences", "annotators")
    return Table("Lead", columns, tuple(_lead_row(lead) for lead in _all_leads(page)))


def _lead_row(lead: SystemLead) -> tuple[Cell, ...]:
    low, high = lead.interval or (None, None)
    return (lead.first, lead.second, lead.lead, low, high, lead.stability, lead.sentences, lead.annotators)


def describe_choice(choice: Choice, lead: SystemLead) -> str:
    """Return an answer in words, with the names of the systems."""
    texts = {
        2: _("%(first)s much better"), 1: _("%(first)s better"), 0: _("about equal"),
        -1: _("%(second)s better"), -2: _("%(second)s much better"), None: _("cannot be compared"),
    }  # fmt: skip
    degree = {Choice.A_MUCH_BETTER: 2, Choice.B_MUCH_BETTER: -2}.get(choice, choice.sign)
    return texts[degree] % {"first": lead.first, "second": lead.second}
