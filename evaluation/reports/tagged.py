"""Which tasks a tagger has read, and what it says about the words of their sentences."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import lru_cache

from evaluation.models import Candidate, Task
from evaluation.word_classes import Words, tagged_words, tagger_of, tags_mark

AT_ONCE = 2_000
LISTS = "word lists"


def told_by(tasks: Sequence[Task]) -> tuple[str, ...]:
    """The taggers by whose tags phenomena are told, or ``LISTS`` unless every sentence of all tasks was read.

    What is told by tags and what is told by lists must not be added up or compared.
    """
    if not all(map(is_tagged, tasks)):
        return (LISTS,)
    return tuple(sorted({tagger_of(task.target_language) or "" for task in tasks}))


def taggable(tasks: Sequence[Task]) -> list[Task]:
    """Tasks that a tagger of this site could read and has not; nothing where it could not read them all."""
    if not all(tagger_of(task.target_language) for task in tasks):
        return []
    return [task for task in tasks if not is_tagged(task)]


def is_tagged(task: Task) -> bool:
    """Whether every sentence that a system wrote was read; no query where the site has no tagger."""
    if tagger_of(task.target_language) is None:
        return False
    return _is_tagged(task.pk, task.campaign.key, task.target_language, tags_mark())


@lru_cache(maxsize=512)
def _is_tagged(task: int, campaign: str, language: str, mark: Hashable) -> bool:
    """The campaign's key, because keys of tasks can be used again; ``mark`` says when to ask anew."""
    texts = list(Candidate.objects.filter(item__task=task).order_by("pk").values_list("text", flat=True))
    blocks = (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))
    return all(tagged_words(language, block) is not None for block in blocks)


def words_of(language: str, candidates: Collection[int]) -> Mapping[int, Words]:
    """The words of each candidate of a tagged task; one query."""
    texts = dict(Candidate.objects.filter(pk__in=candidates).values_list("pk", "text"))
    found = tagged_words(language, list(texts.values())) or {}
    return {pk: found.get(text, {}) for pk, text in texts.items()}
