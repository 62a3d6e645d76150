"""How a metric for whole sentences votes on two phrases: exchange them and see how the scores change.

Where the pair stands in sentences A and B, B's phrase is put into A and A's into B. The metric's vote is the
sign of the summed change,

    Δ = [s(A) − s(A with b)] + [s(B with a) − s(B)],

positive where A's phrase is better; s is turned so that higher is better. Words that only one sentence has
are removed there and inserted at their place in the other. A phrase that both have in different places is
moved to the place of the other. Two wordings that stand in different places too are exchanged where they
stand: the question is about their wording, and the same pair may stand unmoved elsewhere. The place of words
that a sentence lacks is right after their left neighbour, as on the annotator's page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.presentation import Phrase, Span, Stave
from evaluation.schemes import Choice

NOISE = 1e-9
"""Changes smaller than this, relative to the scores, are rounding and count as none."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The two sentences, and each with the other's phrase."""

    first: str
    first_changed: str
    second: str
    second_changed: str

    @property
    def texts(self) -> tuple[str, str, str, str]:
        return self.first, self.first_changed, self.second, self.second_changed


def exchange(first: Stave, second: Stave, phrases: Sequence[Phrase], index: int) -> Exchange:
    """Exchange phrase number ``index`` between two aligned sentences.

    >>> a, b = _stave("a red house"), _stave("a crimson house")
    >>> exchange(a, b, [Phrase((0, 1), (0, 1), True, False), Phrase((1, 2), (1, 2), False, False)], 1).texts
    ('a red house', 'a crimson house', 'a crimson house', 'a red house')
    """
    mirrored = [phrase.mirrored for phrase in phrases]
    return Exchange(
        first.text,
        _with_other(first, second, phrases, index),
        second.text,
        _with_other(second, first, mirrored, index),
    )


def change(scores: Sequence[float], *, higher_is_better: bool) -> float:
    """Δ from the scores of ``Exchange.texts``; positive where the first sentence's phrase is better.

    >>> change((0.75, 0.5, 0.5, 0.75), higher_is_better=True)  # 0.25 lost, 0.25 gained
    0.5
    >>> change((3.0, 4.0, 4.0, 3.0), higher_is_better=False)  # one error more, one error less
    2.0
    """
    first, first_changed, second, second_changed = scores
    difference = (first - first_changed) + (second_changed - second)
    if abs(difference) <= NOISE * max(1.0, *(abs(score) for score in scores)):
        return 0.0
    return difference if higher_is_better else -difference


def vote(delta: float) -> Choice:
    """
    >>> vote(0.2), vote(0.0), vote(-3.0)
    (<Choice.A_BETTER: 'A>B'>, <Choice.EQUAL: 'A=B'>, <Choice.B_BETTER: 'A<B'>)
    """
    if delta == 0:
        return Choice.EQUAL
    return Choice.A_BETTER if delta > 0 else Choice.B_BETTER


def _with_other(here: Stave, there: Stave, phrases: Sequence[Phrase], index: int) -> str:
    """The text of ``here`` (the phrases' first side) with the phrase as ``there`` has it."""
    phrase = phrases[index]
    if phrase.shared and phrase.first and phrase.second:
        return _moved(here, phrases, index)
    if phrase.first is None:
        return _inserted(here, _place(phrases, index), *_cut(there, phrase.second))
    if phrase.second is None:
        return _without(here, phrase.first)
    start, end = here.spans[phrase.first[0]][0], here.spans[phrase.first[1] - 1][1]
    return here.text[:start] + there.slice(phrase.second) + here.text[end:]


def _place(phrases: Sequence[Phrase], index: int) -> int:
    """The token of the first side before which the phrase stands, if it stands as on the second side.

    >>> kept, new = Phrase((0, 2), (0, 2), True, False), Phrase(None, (2, 3), False, False)
    >>> _place([kept, new], 1), _place([new], 0)
    (2, 0)
    """
    own = phrases[index].second or (0, 0)
    left = [
        (phrase.second, phrase.first)
        for number, phrase in enumerate(phrases)
        if number != index and phrase.first and phrase.second and phrase.second[1] <= own[0]
    ]
    return max(left)[1][1] if left else 0


def _moved(here: Stave, phrases: Sequence[Phrase], index: int) -> str:
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


def _without(stave: Stave, span: Span) -> str:
    """
    >>> stave = Stave("yes, we can", [(0, 3), (3, 4), (5, 7), (8, 11)])
    >>> _without(stave, (1, 2)), _without(stave, (2, 3)), _without(stave, (3, 4)), _without(stave, (0, 2))
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


def _inserted(stave: Stave, place: int, text: str, before: str | None, after: str | None) -> str:
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


def _stave(text: str) -> Stave:
    """A stave of words at white space; for examples."""
    spans, end = [], 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return Stave(text, spans)
