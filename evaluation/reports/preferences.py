"""Exports of preferred translations: for tuning models on preferences, and as composites."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
from django.db.models import Max

from evaluation.alignment.composites import SpacedText, compose_preferred
from evaluation.models import Alignment, Candidate, Comparison
from evaluation.reports.scope import Scope, choose_kind, get_study, load_occurrences
from evaluation.reports.span_votes import restore_alignment
from evaluation.study import AnswerKind
from evaluation.study.preferences import CandidatePreference, measure_preferences
from evaluation.study.systems import NO_VOTE, SIGNS

AT_ONCE = 1_000
CONTENT_TYPE = "application/jsonl; charset=utf-8"


def dump_preferences(scope: Scope, answers: AnswerKind | None) -> Iterator[str]:
    """Yield a line for every two candidates of which people preferred one.

    ``prompt`` is the source, or the first reference where there is none. Attention checks and repeats are
    left out.
    """
    kind = choose_kind(scope, answers)
    study, occurrences = get_study(scope, kind), load_occurrences(scope, kind)
    keys = np.asarray(study.pair_keys)
    codes = np.searchsorted(keys, occurrences.pairs)
    is_known = np.isin(occurrences.pairs, keys)
    columns = (codes, occurrences.first, occurrences.second)
    preferences = measure_preferences(study, *(column[is_known] for column in columns))
    while some := list(islice(preferences, AT_ONCE)):
        yield from _dump(some)


def _dump(preferences: Sequence[CandidatePreference]) -> Iterator[str]:
    ids = {pk for preference in preferences for pk in (preference.chosen, preference.rejected)}
    related = Candidate.objects.filter(pk__in=ids).select_related("item__task")
    candidates = {candidate.pk: candidate for candidate in related.prefetch_related("systems")}
    for preference in preferences:
        chosen, rejected = candidates[preference.chosen], candidates[preference.rejected]
        line = {
            "prompt": _find_prompt(chosen),
            "chosen": chosen.text,
            "rejected": rejected.text,
            "margin": preference.margin,
            "votes": preference.votes,
            "annotators": preference.annotators,
            "agreement": preference.agreement,
            **_describe_item(chosen),
            "systems_chosen": _list_systems(chosen),
            "systems_rejected": _list_systems(rejected),
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"


def dump_composites(scope: Scope, _answers: AnswerKind | None = None) -> Iterator[str]:
    """Yield for every comparison with votes the sentence that has the preferred variant at every question.

    ``better`` has more votes in all; the composite differs from it at ``taken`` questions. Attention checks
    and repeats are left out.
    """
    study = get_study(scope)
    leads: defaultdict[int, int] = defaultdict(int)
    rows = np.flatnonzero(study.is_counted & (SIGNS[study.labels] != NO_VOTE))
    keys = np.asarray(study.pair_keys)[study.pairs[rows]]
    for key, sign in zip(keys.tolist(), SIGNS[study.labels[rows]].tolist(), strict=True):
        leads[key] += sign
    comparisons = Comparison.objects.filter(item__task__in=scope.task_ids, check_kind="")
    newest = comparisons.annotate(newest=Max("alignments__pk")).values("newest")
    alignments = Alignment.objects.filter(pk__in=newest).order_by("comparison__item__task", "comparison")
    related = alignments.select_related("comparison__first__item__task", "comparison__second__item__task")
    related = related.prefetch_related(
        "occurrences", "comparison__first__systems", "comparison__second__systems"
    )
    for alignment in related.iterator(AT_ONCE):
        votes = {
            place.index: -leads[place.pair_id] if place.flipped else leads[place.pair_id]
            for place in alignment.occurrences.all()
            if place.pair_id in leads
        }
        if votes:
            yield _dump_composite(alignment, votes)


def _dump_composite(alignment: Alignment, votes: dict[int, int]) -> str:
    sides = alignment.comparison.first, alignment.comparison.second
    groups = {group[0]: tuple(group) for group in alignment.groups}
    first, second = (SpacedText(side.text, tuple(side.spans)) for side in sides)
    leads = {groups.get(index, (index,)): lead for index, lead in votes.items()}
    composite = compose_preferred(restore_alignment(alignment.phrases), first, second, leads)
    better, other = sides[::-1] if composite.is_b else sides
    line = {
        "prompt": _find_prompt(better),
        "composite": composite.text,
        "better": better.text,
        "other": other.text,
        "questions": len(votes),
        "taken": composite.taken,
        **_describe_item(better),
        "systems_better": _list_systems(better),
        "systems_other": _list_systems(other),
    }
    return json.dumps(line, ensure_ascii=False) + "\n"


def _find_prompt(candidate: Candidate) -> str:
    return candidate.item.source or next(iter(candidate.item.references), "")


def _describe_item(candidate: Candidate) -> dict[str, str]:
    item = candidate.item
    return {
        "task": item.task.slug,
        "item": item.key,
        "document": item.document,
        "source_language": item.task.source_language,
        "target_language": item.task.target_language,
    }


def _list_systems(candidate: Candidate) -> list[str]:
    return sorted(system.name for system in candidate.systems.all())


PREFERENCE_EXPORTS: dict[str, Callable[[Scope, AnswerKind | None], Iterator[str]]] = {
    "preferences": dump_preferences,
    "composites": dump_composites,
}
