"""The vote of a metric on a phrase pair, by substitution: exchange its phrases and see how the scores change.

Where the pair occurs in sentences A and B, B's words are put into A and A's into B. The metric's vote is the
sign of the summed change,

    Δ = [s(A) − s(A with b)] + [s(B with a) − s(B)],

positive where A's phrase is better; the sign of s is changed where lower is better. Words that only one
sentence has are removed there and inserted at their place in the other. A phrase that both have in different
places is moved to the place of the other. Two wordings in different places are exchanged where they are: the
question is about their wording, and the same pair may occur unmoved elsewhere. The phrases of a question in
several runs are exchanged together: run by run where both sides have as many, else each run stands where the
other sentence has it. The place of words that a sentence lacks is right after their left neighbour, as on the
annotator's page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from evaluation.alignment.values import Span, join_spans
from evaluation.blinding import canonical, is_swapped
from evaluation.presentation import ShownPhrase, Stave
from evaluation.schemes import Choice
from metrics.base import Metric
from metrics.metaeval.scoring import score_layers
from metrics.scoring.task_texts import ItemText, find_scorable_items, score_variants

NOISE = 1e-9
"""Changes smaller than this, relative to the scores, are rounding and count as none."""


class PhraseExchange(NamedTuple):
    """The two sentences, and each with the other's phrase."""

    first: str
    first_changed: str
    second: str
    second_changed: str


def exchange_phrases(
    first: Stave, second: Stave, phrases: Sequence[ShownPhrase], group: Sequence[int]
) -> PhraseExchange:
    """Exchange the phrases of a question, given by number, between two aligned sentences.

    >>> a = Stave("a red house", [(0, 1), (2, 5), (6, 11)])
    >>> b = Stave("a crimson house", [(0, 1), (2, 9), (10, 15)])
    >>> phrases = [ShownPhrase((0, 1), (0, 1), True, False), ShownPhrase((1, 2), (1, 2), False, False)]
    >>> tuple(exchange_phrases(a, b, phrases, [1]))
    ('a red house', 'a crimson house', 'a crimson house', 'a red house')
    """
    mirrored = [phrase.mirrored for phrase in phrases]
    return PhraseExchange(
        first.text,
        _substitute(first, second, phrases, group),
        second.text,
        _substitute(second, first, mirrored, group),
    )


def compute_delta(scores: Sequence[float], *, higher_is_better: bool) -> float:
    """Δ from the scores of the four texts; positive where the first sentence's phrase is better.

    >>> compute_delta((0.75, 0.5, 0.5, 0.75), higher_is_better=True)  # 0.25 lost, 0.25 gained
    0.5
    >>> compute_delta((3.0, 4.0, 4.0, 3.0), higher_is_better=False)  # one error more, one error less
    2.0
    """
    first, first_changed, second, second_changed = scores
    difference = (first - first_changed) + (second_changed - second)
    if abs(difference) <= NOISE * max(1.0, *(abs(score) for score in scores)):
        return 0.0
    return difference if higher_is_better else -difference


def choose_from_delta(delta: float) -> Choice:
    """
    >>> choose_from_delta(0.2), choose_from_delta(0.0), choose_from_delta(-3.0)
    (<Choice.A_BETTER: 'A>B'>, <Choice.EQUAL: 'A=B'>, <Choice.B_BETTER: 'A<B'>)
    """
    if delta == 0:
        return Choice.EQUAL
    return Choice.A_BETTER if delta > 0 else Choice.B_BETTER


def _substitute(here: Stave, there: Stave, phrases: Sequence[ShownPhrase], group: Sequence[int]) -> str:
    """The text of ``here`` (the phrases' first side) with the phrases of ``group`` as ``there`` has them."""
    if len(group) > 1:
        return _substitute_runs(here, there, phrases, group)
    index = group[0]
    phrase = phrases[index]
    if phrase.shared and phrase.first and phrase.second:
        return _move(here, phrases, index)
    if phrase.first is None:
        return _insert(here, _place(phrases, index), *_cut(there, phrase.second))
    if phrase.second is None:
        return _remove(here, phrase.first)
    start, end = here.spans[phrase.first[0]][0], here.spans[phrase.first[1] - 1][1]
    return here.text[:start] + there.slice(phrase.second) + here.text[end:]


def _substitute_runs(here: Stave, there: Stave, phrases: Sequence[ShownPhrase], group: Sequence[int]) -> str:
    runs = join_spans([span for index in group if (span := phrases[index].first)])
    others = join_spans([span for index in group if (span := phrases[index].second)])
    if len(runs) == len(others) and list(map(here.slice, runs)) != list(map(there.slice, others)):
        text = here.text
        for run, other in zip(reversed(runs), reversed(others), strict=True):
            start, end = here.spans[run[0]][0], here.spans[run[1] - 1][1]
            text = text[:start] + there.slice(other) + text[end:]
        return text
    rest = [phrase for index, phrase in enumerate(phrases) if index not in group]
    places = [_place([*rest, ShownPhrase(None, other, False, False)], len(rest)) for other in others]
    for run in reversed(runs):
        words = [*here.words[: run[0]], *here.words[run[1] :]]
        here = _locate(_remove(here, run), words)
    for other, place in zip(reversed(others), reversed(places), strict=True):
        place -= sum(max(0, min(place, end) - start) for start, end in runs)
        words = [*here.words[:place], *there.words[slice(*other)], *here.words[place:]]
        here = _locate(_insert(here, place, *_cut(there, other)), words)
    return here.text


def _place(phrases: Sequence[ShownPhrase], index: int) -> int:
    """The token of the first side before which the phrase stands, if it stands as on the second side.

    >>> common, new = ShownPhrase((0, 2), (0, 2), True, False), ShownPhrase(None, (2, 3), False, False)
    >>> _place([common, new], 1), _place([new], 0)
    (2, 0)
    """
    own = phrases[index].second or (0, 0)
    left = [
        (phrase.second, phrase.first)
        for number, phrase in enumerate(phrases)
        if number != index and phrase.first and phrase.second and phrase.second[1] <= own[0]
    ]
    return max(left)[1][1] if left else 0


def _move(here: Stave, phrases: Sequence[ShownPhrase], index: int) -> str:
    """The phrase taken out of its place and put where the other side has it."""
    span = phrases[index].first or (0, 0)
    place = _place(phrases, index)
    if span[0] <= place <= span[1]:
        return here.text
    order = [n for n in range(len(here.spans)) if not span[0] <= n < span[1]]
    at = sum(n < place for n in order)
    order[at:at] = range(*span)
    usual = " " if " " in here.text else ""
    # Each word keeps the space that it had before it; the first word had none.
    parts = [(_gap(here, n) if n else usual) + here.slice((n, n + 1)) for n in order]
    edges = here.text[: here.spans[0][0]], here.text[here.spans[-1][1] :]
    return edges[0] + "".join(parts).lstrip() + edges[1]


def _remove(stave: Stave, span: Span) -> str:
    """
    >>> stave = Stave("yes, we can", [(0, 3), (3, 4), (5, 7), (8, 11)])
    >>> _remove(stave, (1, 2)), _remove(stave, (2, 3)), _remove(stave, (3, 4)), _remove(stave, (0, 2))
    ('yes we can', 'yes, can', 'yes, we', 'we can')
    """
    before = stave.text[: stave.spans[span[0] - 1][1]] if span[0] else ""
    after = stave.text[stave.spans[span[1]][0] :] if span[1] < len(stave.spans) else ""
    # A comma takes no space with it: what is left of the two gaps is the wider one.
    gap = max(_gap(stave, span[0]), _gap(stave, span[1]), key=len) if before and after else ""
    return before + gap + after


def _cut(stave: Stave, span: Span | None) -> tuple[str, str | None, str | None]:
    """A phrase with the spaces around it; ``None`` at the edges of its sentence."""
    start, end = span or (0, 0)
    before = _gap(stave, start) if start else None
    after = _gap(stave, end) if end < len(stave.spans) else None
    return stave.slice(span), before, after


def _insert(stave: Stave, place: int, text: str, before: str | None, after: str | None) -> str:
    """Put a phrase before token ``place``, spaced as in its own sentence, at an edge as here."""
    left = stave.text[: stave.spans[place - 1][1]] if place else ""
    right = stave.text[stave.spans[place][0] :] if place < len(stave.spans) else ""
    usual = _gap(stave, place) if place and place < len(stave.spans) else " "
    lead = (usual if before is None else before) if left else ""
    trail = (usual if after is None else after) if right else ""
    return left + lead + text + trail + right


def _gap(stave: Stave, token: int) -> str:
    """The space before a token."""
    if not 0 < token < len(stave.spans):
        return ""
    return stave.text[stave.spans[token - 1][1] : stave.spans[token][0]]


def _locate(text: str, words: Sequence[str]) -> Stave:
    """The stave of a text whose words are known."""
    spans, end = [], 0
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return Stave(text, spans)


@dataclass(frozen=True, slots=True)
class AlignedOccurrence:
    """A phrase pair where it is asked: the phrases of its question in the alignment of two candidates.

    ``flipped``: the pair's first text belongs to the second candidate.
    """

    pair: int
    item: int
    first: Stave
    second: Stave
    phrases: tuple[ShownPhrase, ...]
    group: tuple[int, ...]
    flipped: bool


@dataclass(frozen=True, slots=True)
class MetricVote:
    """Relative to the pair as stored; ``delta`` is positive where its first text is better."""

    pair: int
    choice: Choice
    delta: float


def phrase_votes(
    metric: Metric, occurrences: Sequence[AlignedOccurrence], items: Mapping[int, ItemText]
) -> list[MetricVote]:
    """Return a vote on every pair that the metric can score; an undefined score gives no vote."""
    usable = set(find_scorable_items(metric, items))
    asked = [occurrence for occurrence in occurrences if occurrence.item in usable]
    exchanges = [exchange_phrases(pair.first, pair.second, pair.phrases, pair.group) for pair in asked]
    score = _score_distinct_texts if metric.needs.reference else _score_together
    scores = score(metric, asked, exchanges, items)
    votes = []
    for occurrence, four in zip(asked, scores, strict=True):
        if four is None:
            continue
        delta = compute_delta(four, higher_is_better=metric.higher_is_better)
        delta = -delta if occurrence.flipped and delta else delta
        votes.append(MetricVote(occurrence.pair, choose_from_delta(delta), delta))
    return votes


Question = Mapping[str, Any]
"""What an annotator sees, as JSON: ``source``, the texts ``a`` and ``b``, the ``places`` of the question in
each (ranges of characters), and the ``choices`` of the scheme."""


@runtime_checkable
class QuestionMetric(Protocol):
    """A metric that chooses between phrases itself, instead of by substitution."""

    @property
    def name(self) -> str: ...

    def answer_questions(self, questions: Sequence[Question]) -> list[Choice]: ...


def direct_votes(
    judge: QuestionMetric,
    occurrences: Sequence[AlignedOccurrence],
    items: Mapping[int, ItemText],
    choices: Sequence[Choice],
) -> list[MetricVote]:
    """Return the vote of a judge on every pair; which text it sees as A depends on the texts alone."""
    swapped = [is_swapped(b"", judge.name, each.first.text, each.second.text) for each in occurrences]
    questions = [
        ask_question(each, items[each.item].source, choices, swapped=is_reversed)
        for each, is_reversed in zip(occurrences, swapped, strict=True)
    ]
    votes = []
    for each, is_reversed, shown in zip(occurrences, swapped, judge.answer_questions(questions), strict=True):
        choice = canonical(shown, swapped=is_reversed, flipped=each.flipped)
        strength = 1 if choice.collapsed is choice else 2
        votes.append(MetricVote(each.pair, choice, float(strength * (choice.sign or 0))))
    return votes


def ask_question(
    occurrence: AlignedOccurrence, source: str, choices: Sequence[Choice], *, swapped: bool
) -> Question:
    """Return a question as an annotator gets it; ``swapped`` shows the second text as A.

    >>> a = Stave("a red house", [(0, 1), (2, 5), (6, 11)])
    >>> b = Stave("a crimson house", [(0, 1), (2, 9), (10, 15)])
    >>> phrases = (ShownPhrase((0, 1), (0, 1), True, False), ShownPhrase((1, 2), (1, 2), False, False))
    >>> question = ask_question(AlignedOccurrence(1, 1, a, b, phrases, (1,), False), "", (), swapped=True)
    >>> question["a"], question["places"]
    ('a crimson house', {'a': [(2, 9)], 'b': [(2, 5)]})
    """
    phrases = [occurrence.phrases[index] for index in occurrence.group]
    first = _find_places(occurrence.first, [phrase.first for phrase in phrases if phrase.first])
    second = _find_places(occurrence.second, [phrase.second for phrase in phrases if phrase.second])
    texts = [(occurrence.first.text, first), (occurrence.second.text, second)]
    (a, places_a), (b, places_b) = texts[::-1] if swapped else texts
    return {
        "source": source,
        "a": a,
        "b": b,
        "places": {"a": places_a, "b": places_b},
        "choices": [choice.value for choice in choices],
    }


def _find_places(stave: Stave, spans: list[Span]) -> list[Span]:
    """The runs of words as ranges of characters."""
    return [(stave.spans[start][0], stave.spans[end - 1][1]) for start, end in join_spans(spans)]


ExchangeScores = tuple[float, ...]


def _score_distinct_texts(
    metric: Metric,
    asked: Sequence[AlignedOccurrence],
    exchanges: Sequence[PhraseExchange],
    items: Mapping[int, ItemText],
) -> list[ExchangeScores | None]:
    """Score every distinct text of an item once."""
    variants: dict[int, list[str]] = {item: [] for item in items}
    for occurrence, texts in zip(asked, exchanges, strict=True):
        variants[occurrence.item] += texts
    known = score_variants(metric, variants, items)
    fours: list[ExchangeScores | None] = []
    for occurrence, texts in zip(asked, exchanges, strict=True):
        four = [known.get((occurrence.item, text)) for text in texts]
        scores = tuple(score for score in four if score is not None)
        fours.append(scores if len(scores) == 4 else None)
    return fours


def _score_together(
    metric: Metric,
    asked: Sequence[AlignedOccurrence],
    exchanges: Sequence[PhraseExchange],
    items: Mapping[int, ItemText],
) -> list[ExchangeScores | None]:
    """Score the four texts of a pair together: a metric without reference may rank them."""
    if not asked:
        return []
    columns = zip(*exchanges, strict=True)
    layers = {str(place): list(column) for place, column in enumerate(columns)}
    scored = score_layers(metric, layers, [items[pair.item].context for pair in asked])
    rows = zip(*(scores.segments.tolist() for scores in scored.values()), strict=True)
    return [row if all(value == value for value in row) else None for row in rows]  # NaN is not itself
