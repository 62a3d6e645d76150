"""Which tasks were tagged completely, and the tags of the words in their sentences."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.models import Candidate, Item, Task
from evaluation.voters import find_tagger_name, get_tags_version, load_tagged_words

AT_ONCE = 2_000
MAX_ENTRIES = 512

_tagged_tasks: OrderedDict[Hashable, frozenset[int]] = OrderedDict()


def find_taggers(tasks: Sequence[Task], sentences: SentenceTexts | None = None) -> tuple[str, ...]:
    """Return the taggers by which phenomena are recognised; none unless all is tagged, then by word lists.

    Results by tags and by lists must not be added up or compared.
    """
    if not find_tagged_tasks(tasks, sentences).issuperset(task.pk for task in tasks):
        return ()
    return tuple(sorted({find_tagger_name(task.target_language) or "" for task in tasks}))


def find_taggable_tasks(tasks: Sequence[Task]) -> list[Task]:
    """Return the untagged tasks if taggers of this site can tag all of them, else none."""
    if not all(find_tagger_name(task.target_language) for task in tasks):
        return []
    tagged = find_tagged_tasks(tasks)
    return [task for task in tasks if task.pk not in tagged]


def find_tagged_tasks(tasks: Sequence[Task], sentences: SentenceTexts | None = None) -> frozenset[int]:
    """Return the tasks of which every sentence is tagged.

    One query, or none if ``sentences`` are passed, the result is cached, or nothing was ever tagged.
    """
    if not get_tags_version():
        return frozenset()
    key = _cache_key(tasks)
    if (tagged := _tagged_tasks.get(key)) is None:
        texts = (sentences or load_sentences(tasks)).by_task
        tagged = frozenset(task.pk for task in tasks if _is_tagged(task.target_language, texts[task.pk]))
        while len(_tagged_tasks) >= MAX_ENTRIES:
            _tagged_tasks.popitem(last=False)
        _tagged_tasks[key] = tagged
    return tagged


def is_cached(tasks: Sequence[Task]) -> bool:
    """Whether ``find_tagged_tasks`` needs no query."""
    return not get_tags_version() or _cache_key(tasks) in _tagged_tasks


def _cache_key(tasks: Sequence[Task]) -> Hashable:
    # With the campaign's key, because ids of deleted tasks can be used again.
    return (get_tags_version(), *((task.pk, task.campaign.key, task.target_language) for task in tasks))


def clear_cache() -> None:
    """Empty the cache; for tests."""
    _tagged_tasks.clear()


@dataclass(frozen=True, slots=True)
class SentenceTexts:
    """Key, source and references of each item, and the texts of candidates where tags need them."""

    items: Mapping[int, tuple[str, str, list[str]]]
    texts: Mapping[int, str]  # by candidate
    by_task: Mapping[int, list[str]]

    @property
    def references(self) -> dict[int, list[str]]:
        return {item: references for item, (_, _, references) in self.items.items()}


def load_sentences(tasks: Sequence[Task]) -> SentenceTexts:
    """One query; candidates are left out on a site where nothing was ever tagged."""
    ids = [task.pk for task in tasks]
    columns = ("key", "source", "references")
    if not get_tags_version():
        rows = Item.objects.filter(task__in=ids).values_list("pk", *columns)
        return SentenceTexts({pk: (key, source, known) for pk, key, source, known in rows}, {}, {})
    items, texts = {}, {}
    by_task: dict[int, list[str]] = {task: [] for task in ids}
    item_columns = (f"item__{column}" for column in columns)
    candidates = Candidate.objects.filter(item__task__in=ids)
    for pk, task, text, item, *values in candidates.values_list(
        "pk", "item__task", "text", "item", *item_columns
    ):
        items[item], texts[pk] = tuple(values), text
        by_task[task].append(text)
    return SentenceTexts(items, texts, by_task)


def _is_tagged(language: str, texts: Sequence[str]) -> bool:
    if find_tagger_name(language) is None:
        return False
    blocks = (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))
    return all(load_tagged_words(language, block) is not None for block in blocks)
