"""Which tasks a tagger has read, and what it says about the words of their sentences."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache

from evaluation.models import Candidate, Task
from evaluation.word_classes import Words, tagged_words, tagger_of, tags_mark

AT_ONCE = 2_000
LISTS = "word lists"


def told_by(tasks: Sequence[Task]) -> tuple[str, ...]:
    """The taggers by whose tags phenomena are told, or ``LISTS`` unless every sentence of all tasks was read.

    What is told by tags and what is told by lists must not be added up or compared.
    """
    if not read(tasks).issuperset(task.pk for task in tasks):
        return (LISTS,)
    return tuple(sorted({tagger_of(task.target_language) or "" for task in tasks}))


def taggable(tasks: Sequence[Task]) -> list[Task]:
    """Tasks that a tagger of this site could read and has not; nothing where it could not read them all."""
    if not all(tagger_of(task.target_language) for task in tasks):
        return []
    known = read(tasks)
    return [task for task in tasks if task.pk not in known]


def read(tasks: Sequence[Task]) -> frozenset[int]:
    """Tasks of which every sentence was read; one query, none on a site where nothing was read yet."""
    if not tags_mark():
        return frozenset()
    return _read(tuple((task.pk, task.campaign.key, task.target_language) for task in tasks), tags_mark())


@lru_cache(maxsize=512)
def _read(tasks: tuple[tuple[int, str, str], ...], mark: Hashable) -> frozenset[int]:
    """The campaign's key, because keys of tasks can be used again; ``mark`` says when to ask anew."""
    texts: dict[int, list[str]] = {pk: [] for pk, _, _ in tasks}
    for task, text in Candidate.objects.filter(item__task__in=texts).values_list("item__task_id", "text"):
        texts[task].append(text)
    return frozenset(pk for pk, _, language in tasks if _all_known(language, texts[pk]))


def _all_known(language: str, texts: Sequence[str]) -> bool:
    if tagger_of(language) is None:
        return False
    blocks = (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))
    return all(tagged_words(language, block) is not None for block in blocks)


def candidate_texts(tasks: Sequence[Task]) -> dict[int, str]:
    """One query."""
    found = Candidate.objects.filter(item__task__in=[task.pk for task in tasks])
    return dict(found.values_list("pk", "text"))


def words_of(language: str, texts: Mapping[int, str]) -> Mapping[int, Words]:
    """The words of some candidates of a tagged task."""
    found = tagged_words(language, list(texts.values())) or {}
    return {pk: found.get(text, {}) for pk, text in texts.items()}
