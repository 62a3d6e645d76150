"""Which tasks were tagged, and the tags of the words of their sentences."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.models import Candidate, Item, Task
from evaluation.word_classes import Words, tagged_words, tagger_of, tags_mark

AT_ONCE = 2_000
LISTS = "word lists"
MOST = 512


def told_by(tasks: Sequence[Task], sentences: Sentences | None = None) -> tuple[str, ...]:
    """The taggers by which phenomena are recognised, or ``LISTS`` unless every sentence was tagged.

    Results by tags and by lists must not be added up or compared.
    """
    if not read(tasks, sentences).issuperset(task.pk for task in tasks):
        return (LISTS,)
    return tuple(sorted({tagger_of(task.target_language) or "" for task in tasks}))


def taggable(tasks: Sequence[Task]) -> list[Task]:
    """Untagged tasks, if a tagger of this site could tag all of them; else none."""
    if not all(tagger_of(task.target_language) for task in tasks):
        return []
    known = read(tasks)
    return [task for task in tasks if task.pk not in known]


def read(tasks: Sequence[Task], sentences: Sentences | None = None) -> frozenset[int]:
    """Tasks of which every sentence was tagged; one query, or none where ``sentences`` are given, the answer
    is cached, or nothing was ever tagged."""
    if not tags_mark():
        return frozenset()
    key = _key(tasks)
    if (known := _known.get(key)) is None:
        texts = (sentences or sentences_of(tasks)).by_task
        known = frozenset(task.pk for task in tasks if _all_known(task.target_language, texts[task.pk]))
        while len(_known) >= MOST:
            _known.popitem(last=False)
        _known[key] = known
    return known


_known: OrderedDict[Hashable, frozenset[int]] = OrderedDict()


def is_known(tasks: Sequence[Task]) -> bool:
    """Whether ``read`` needs no query."""
    return not tags_mark() or _key(tasks) in _known


def _key(tasks: Sequence[Task]) -> Hashable:
    """The campaign's key is part of it, because keys of tasks can be used again."""
    return (tags_mark(), *((task.pk, task.campaign.key, task.target_language) for task in tasks))


def forget() -> None:
    """Empty the cache; for tests."""
    _known.clear()


@dataclass(frozen=True, slots=True)
class Sentences:
    """What belongs to each item of some tasks, and the texts of its candidates where tags need them."""

    items: Mapping[int, tuple[str, str, list[str]]]  # key, source, references
    texts: Mapping[int, str]  # by candidate
    by_task: Mapping[int, list[str]]

    @property
    def references(self) -> dict[int, list[str]]:
        return {item: references for item, (_, _, references) in self.items.items()}


def sentences_of(tasks: Sequence[Task]) -> Sentences:
    """One query; candidates are left out on a site where nothing was ever tagged."""
    wanted = [task.pk for task in tasks]
    columns = ("key", "source", "references")
    if not tags_mark():
        rows = Item.objects.filter(task__in=wanted).values_list("pk", *columns)
        return Sentences({pk: (key, source, known) for pk, key, source, known in rows}, {}, {})
    items, texts = {}, {}
    by_task: dict[int, list[str]] = {task: [] for task in wanted}
    of_item = (f"item__{column}" for column in columns)
    candidates = Candidate.objects.filter(item__task__in=wanted)
    for pk, task, text, item, *said in candidates.values_list("pk", "item__task", "text", "item", *of_item):
        items[item], texts[pk] = tuple(said), text
        by_task[task].append(text)
    return Sentences(items, texts, by_task)


def _all_known(language: str, texts: Sequence[str]) -> bool:
    if tagger_of(language) is None:
        return False
    blocks = (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))
    return all(tagged_words(language, block) is not None for block in blocks)


def words_of(language: str, texts: Mapping[int, str]) -> Mapping[int, Words]:
    """The words of some candidates of a tagged task."""
    found = tagged_words(language, list(texts.values())) or {}
    return {pk: found.get(text, {}) for pk, text in texts.items()}
