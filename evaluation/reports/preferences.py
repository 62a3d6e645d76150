"""Export of preferred translations, as programs that tune models on preferences read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from evaluation.models import Candidate
from evaluation.reports.scope import Scope, choose_kind, get_study, load_occurrences
from evaluation.study import AnswerKind
from evaluation.study.preferences import CandidatePreference, measure_preferences

AT_ONCE = 1_000
EXTENSION, CONTENT_TYPE = "preferences.jsonl", "application/jsonl; charset=utf-8"


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
        item = chosen.item
        line = {
            "prompt": item.source or next(iter(item.references), ""),
            "chosen": chosen.text,
            "rejected": rejected.text,
            "margin": preference.margin,
            "votes": preference.votes,
            "annotators": preference.annotators,
            "agreement": preference.agreement,
            "task": item.task.slug,
            "item": item.key,
            "document": item.document,
            "source_language": item.task.source_language,
            "target_language": item.task.target_language,
            "systems_chosen": sorted(system.name for system in chosen.systems.all()),
            "systems_rejected": sorted(system.name for system in rejected.systems.all()),
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"
