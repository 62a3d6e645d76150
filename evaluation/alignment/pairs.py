"""From questions to the pairs that annotators judge, each asked once (paper 003, section 4).

"Phrase pairs that occur multiple times in our evaluation tasks are only ranked once": a *pair* is two texts,
the lexically smaller first; an *occurrence* is a position at which it stands. The dedup scope decides how far
equal texts count as one pair: within an item (the default), within the task (as in the paper) or not at all.
A ranking of a one-sided question, of a move, or of a question in several runs is about its position. Such
pairs are never merged across items, and within an item only if the neighbouring words are the same. A
comparison that has the same two texts in both orders asks about each order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from evaluation.alignment.questions import PhraseGroup, QuestionKind, list_runs
from evaluation.alignment.values import Kind, Phrase, PhraseAlignment, Span

Neighbours = tuple[str, ...]
"""The words before and after each run of a question; empty at the edges of a sentence."""
DedupKey = tuple[object, ...]
RUN_SEPARATOR = " … "
"""Joins the runs of a side for display."""


class DedupScope(StrEnum):
    """How far equal pairs are merged."""

    ITEM = "item"
    TASK = "task"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class PhraseQuestion:
    """One question of a comparison with its texts; a missing side is empty.

    ``phrase`` is the number of its first phrase; ``runs_a`` and ``runs_b`` are set if there are several.
    """

    item: str
    comparison: str
    phrase: int
    a: str
    b: str
    around_a: Neighbours = ("", "")
    around_b: Neighbours = ("", "")
    moved: bool = False
    runs_a: tuple[str, ...] = ()
    runs_b: tuple[str, ...] = ()
    place: int | None = None
    """The number of the place within its item, if all candidates of the item are ranked together."""

    @property
    def is_bound(self) -> bool:
        """Whether it is about this position only: a side is empty or in several runs, or the words moved."""
        return self.moved or not self.a or not self.b or bool(self.runs_a or self.runs_b)


@dataclass(frozen=True, slots=True)
class PairOccurrence:
    """A position of a pair; ``flipped`` if the comparison's A has the pair's second text."""

    item: str
    comparison: str
    phrase: int
    flipped: bool


@dataclass(frozen=True, slots=True)
class MergedPair:
    """Two texts that are ranked once, in the comparison of ``owner``.

    ``moved``: the texts have the same words, though case or punctuation may differ; only the order is ranked.
    ``is_bound``: the pair belongs to one item.
    """

    key: DedupKey
    first: str
    second: str
    occurrences: tuple[PairOccurrence, ...]
    owner: PairOccurrence
    moved: bool = False
    is_bound: bool = False

    def map_phrases(self, item: str, comparison: str) -> dict[int, int]:
        """Return where the pair occurs in a comparison: each phrase index with the smallest of them."""
        numbers = [one.phrase for one in self.occurrences if (one.item, one.comparison) == (item, comparison)]
        return dict.fromkeys(numbers, min(numbers, default=0))


def merge_questions(
    questions: Iterable[PhraseQuestion], *, scope: DedupScope = DedupScope.ITEM, seed: int = 1
) -> tuple[MergedPair, ...]:
    """Return unique pairs in order of first occurrence; owners depend on the seed, not on the order.

    >>> red, blue = PhraseQuestion("1", "x-y", 0, "red", "blue"), PhraseQuestion("1", "y-z", 3, "blue", "red")
    >>> (pair,) = merge_questions([red, blue])
    >>> pair.first, pair.second, [occurrence.flipped for occurrence in pair.occurrences]
    ('blue', 'red', [True, False])
    """
    questions = list(questions)
    keys = [_dedup_key(question, scope) for question in questions]
    both_orders = _find_both_orders(questions, keys)
    groups: dict[DedupKey, list[PhraseQuestion]] = {}
    bound: set[DedupKey] = set()
    for question, key in zip(questions, keys, strict=True):
        if (question.item, question.comparison, key) in both_orders:
            key = (*key, question.comparison, _is_flipped(question))
            bound.add(key)
        groups.setdefault(key, []).append(question)
    return tuple(
        [
            _merge(key, group, seed, is_bound=group[0].is_bound or key in bound)
            for key, group in groups.items()
        ]
    )


def _find_both_orders(
    questions: Iterable[PhraseQuestion], keys: Iterable[DedupKey]
) -> set[tuple[str, str, DedupKey]]:
    """Return the comparisons and keys for which A has the first text here and the second text there."""
    orders: dict[tuple[str, str, DedupKey], set[bool]] = {}
    for question, key in zip(questions, keys, strict=True):
        orders.setdefault((question.item, question.comparison, key), set()).add(_is_flipped(question))
    return {where for where, flipped in orders.items() if len(flipped) > 1}


def select_asked(alignment: PhraseAlignment, *, ask_moved: bool = True) -> tuple[int, ...]:
    """Return the numbers of the phrases that are asked about.

    These are all different and one-sided phrases. A shared phrase is asked about if it moved, unless another
    question covers the move: a different phrase moved along with it, or it swapped with a smaller phrase.

    >>> from evaluation.alignment import align
    >>> select_asked(align("Anna said yes".split(), "said Anna yes".split(), links=[(0, 1), (1, 0), (2, 2)]))
    (0,)
    """
    phrases = alignment.phrases
    moved = [phrase for phrase in phrases if phrase.moved]
    return tuple(
        number
        for number, phrase in enumerate(phrases)
        if phrase.kind is not Kind.SHARED
        or (ask_moved and phrase.moved and not any(_covers(alignment, other, phrase) for other in moved))
    )


def ask_phrases(alignment: PhraseAlignment, *, ask_moved: bool = True) -> tuple[PhraseGroup, ...]:
    """Return a question for each phrase that is asked about, as the paper has it."""
    kinds = {Kind.SHARED: QuestionKind.MOVED, Kind.DIFFERENT: QuestionKind.DIFFERENT}
    return tuple(
        PhraseGroup((number,), kinds.get(alignment.phrases[number].kind, QuestionKind.ONE_SIDED))
        for number in select_asked(alignment, ask_moved=ask_moved)
    )


def make_questions(
    item: str,
    comparison: str,
    alignment: PhraseAlignment,
    groups: Iterable[PhraseGroup],
    *,
    text_a: Callable[[Span], str] | None = None,
    text_b: Callable[[Span], str] | None = None,
) -> tuple[PhraseQuestion, ...]:
    """Return the questions of one comparison.

    ``text_a`` and ``text_b`` return the original text of a token span; by default tokens are joined by
    spaces.
    """
    text_a = text_a or _join_words(alignment.a)
    text_b = text_b or _join_words(alignment.b)
    questions = []
    for group in groups:
        spans_a, spans_b = (list_runs(alignment, group.phrases, side) for side in "ab")
        runs_a, runs_b = tuple(map(text_a, spans_a)), tuple(map(text_b, spans_b))
        questions.append(
            PhraseQuestion(
                item,
                comparison,
                group.phrases[0],
                RUN_SEPARATOR.join(runs_a),
                RUN_SEPARATOR.join(runs_b),
                _neighbours(alignment.a, spans_a),
                _neighbours(alignment.b, spans_b),
                moved=group.kind is QuestionKind.MOVED,
                runs_a=runs_a if len(runs_a) > 1 else (),
                runs_b=runs_b if len(runs_b) > 1 else (),
            )
        )
    return tuple(questions)


def place_key(item: str, place: int, one: str, other: str) -> DedupKey:
    """Return the key of two variants of a place; it is the same in every comparison of the item."""
    return item, place, tuple(sorted((one, other)))


def owner_key(seed: int, first: str, second: str, occurrence: PairOccurrence) -> bytes:
    """Return a pseudo-random sort key; the occurrence with the smallest one owns the pair.

    It is the same on every machine and does not depend on the order of the items.
    """
    parts = (seed, first, second, occurrence.item, occurrence.comparison, occurrence.phrase)
    return blake2b("\0".join(map(str, parts)).encode(errors="surrogatepass"), digest_size=16).digest()


def _covers(alignment: PhraseAlignment, other: Phrase, phrase: Phrase) -> bool:
    """Whether a question about ``other`` already asks about the move of ``phrase``."""
    if other.a is None or other.b is None or phrase.a is None or phrase.b is None:
        return False
    if other.kind is Kind.DIFFERENT:
        return (other.a[1], other.b[1]) == (phrase.a[0], phrase.b[0]) or (
            (phrase.a[1], phrase.b[1]) == (other.a[0], other.b[0])
        )
    swapped = (other.a[1], phrase.b[1]) == (phrase.a[0], other.b[0]) or (
        (phrase.a[1], other.b[1]) == (other.a[0], phrase.b[0])
    )
    return swapped and _size(alignment, other.a) < _size(alignment, phrase.a)


def _size(alignment: PhraseAlignment, span: Span) -> tuple[int, tuple[str, ...]]:
    return span[1] - span[0], alignment.a[slice(*span)]


def _join_words(tokens: tuple[str, ...]) -> Callable[[Span], str]:
    return lambda span: " ".join(tokens[slice(*span)])


def _neighbours(tokens: tuple[str, ...], spans: Sequence[Span]) -> Neighbours:
    around = [
        (tokens[start - 1] if start else "", tokens[end] if end < len(tokens) else "") for start, end in spans
    ]
    return tuple(word for words in around for word in words) or ("", "")


def _sides(question: PhraseQuestion) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what identifies each side: its text, its runs and, if its position matters, their neighbours."""
    if question.is_bound and question.place is None:
        return (
            (question.a, *question.runs_a, *question.around_a),
            (question.b, *question.runs_b, *question.around_b),
        )
    return (question.a,), (question.b,)


def _dedup_key(question: PhraseQuestion, scope: DedupScope) -> DedupKey:
    """Questions with the same key are one pair; variants of one place always are, whatever the scope."""
    if question.place is not None:
        return place_key(question.item, question.place, question.a, question.b)
    if scope is DedupScope.NONE:
        return question.item, question.comparison, question.phrase
    sides = tuple(sorted(_sides(question)))
    return sides if scope is DedupScope.TASK and not question.is_bound else (question.item, sides)


def _merge(key: DedupKey, group: list[PhraseQuestion], seed: int, *, is_bound: bool) -> MergedPair:
    occurrences = tuple([_occurrence(question) for question in group])
    first, second = sorted((group[0].a, group[0].b))
    owner = min(occurrences, key=lambda occurrence: owner_key(seed, first, second, occurrence))
    return MergedPair(key, first, second, occurrences, owner, group[0].moved, is_bound)


def _is_flipped(question: PhraseQuestion) -> bool:
    of_a, of_b = _sides(question)
    return of_b < of_a


def _occurrence(question: PhraseQuestion) -> PairOccurrence:
    return PairOccurrence(question.item, question.comparison, question.phrase, _is_flipped(question))
