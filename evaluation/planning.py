"""How an item of a file becomes part of a task: candidates, comparisons, phrases and questions.

Pure, so that the preview on the upload page, a dry run and the import itself cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass, field, replace
from itertools import islice

from evaluation import checks, tokens
from evaluation import places as together
from evaluation.alignment import Alignment, Corpus, Kind, Phrase, WordAligner, align, aligner
from evaluation.alignment.pairs import Place, places_of
from evaluation.digests import text_digest
from evaluation.importers import ImportedItem
from evaluation.presentation import Stave
from evaluation.schemes import Choice

PhraseRow = list[int | str | bool | None]
UNPUNCTUATED = ", punctuation aside"
"""In the name of an alignment: mere differences of punctuation are not asked about."""
LEARNS = ("statistical",)
"""Aligners that learn from the sentences themselves."""
LEARNT_FROM = 2_000
"""Sentence pairs that are enough to learn from; more would keep people waiting, and fill the memory."""

Compared = tuple[ImportedItem, Iterable[tuple[str, str]]]
"""An item and the systems that meet there."""


@dataclass(frozen=True, slots=True)
class PlannedComparison:
    """Two distinct texts of an item, the lexically smaller first, aligned."""

    first: Stave
    second: Stave
    alignment: Alignment
    aligner: str
    places: tuple[Place, ...]

    @classmethod
    def of(
        cls, item: str, first: Stave, second: Stave, alignment: Alignment, aligner: str, *, ask_moved: bool
    ) -> PlannedComparison:
        """Two texts of an item with what is asked about them."""
        key = comparison_key(first.text, second.text)
        places = places_of(item, key, alignment, text_a=first.slice, text_b=second.slice, ask_moved=ask_moved)
        return cls(first, second, alignment, aligner, places)

    @property
    def key(self) -> str:
        return comparison_key(self.first.text, self.second.text)

    @property
    def rows(self) -> list[PhraseRow]:
        """The phrases as they are stored: ``[a_start, a_end, b_start, b_end, kind, moved]``."""
        return [
            [*(p.a or (None, None)), *(p.b or (None, None)), p.kind.value, p.moved]
            for p in self.alignment.phrases
        ]


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A text beside its damaged copy; ``expected`` is what an attentive person says about the two."""

    damaged: Stave
    comparison: PlannedComparison
    expected: Choice


@dataclass(frozen=True, slots=True)
class PlannedItem:
    item: ImportedItem
    staves: dict[str, Stave]
    comparisons: list[PlannedComparison]
    checks: tuple[PlannedCheck, ...] = ()
    places: tuple[together.Place, ...] = ()
    """Set where all candidates are judged together, in the order of their texts."""


def comparison_key(first: str, second: str) -> str:
    """A digest of two texts, independent of systems, ids and the order of upload."""
    return text_digest(*sorted((first, second)))


@dataclass(slots=True)
class Planner:
    """The settings of a task that decide what is asked."""

    language: str = ""
    aligner: str = "lexical"
    moved: bool = True
    checks: int = 0
    seed: int = 1
    together: bool = False
    """Judge the variants of a place at once where an item has three or more candidates."""
    sentences: InitVar[Iterable[Compared]] = ()
    """What an aligner that learns may learn from; others do not look at it."""
    _word_aligner: WordAligner = field(init=False)

    def __post_init__(self, sentences: Iterable[Compared]) -> None:
        corpus = self._corpus(sentences) if self.aligner in LEARNS else None
        self._word_aligner = aligner(self.aligner, self.language, corpus)

    def plan(self, item: ImportedItem, meetings: Iterable[tuple[str, str]]) -> PlannedItem:
        """Identical outputs become one candidate; different texts of systems that meet are compared."""
        outputs = _outputs(item)
        staves = {text: self._stave(item, text) for text in outputs.values()}
        compared = _compared(outputs, meetings)
        if self.together and not (item.links or item.phrases) and _meet_all(compared):
            return self._together(item, staves, compared)
        given = _GivenAlignments(item, outputs) if item.links or item.phrases else None
        return PlannedItem(
            item,
            staves,
            [self._compare(item.id, staves[first], staves[second], given) for first, second in compared],
        )

    def _together(
        self, item: ImportedItem, staves: dict[str, Stave], compared: Sequence[tuple[str, str]]
    ) -> PlannedItem:
        """One cut of all candidates; every two of them align as it says."""
        texts = sorted({text for pair in compared for text in pair})
        group = together.Group.of([staves[text] for text in texts], aligner=self._word_aligner)
        made_by = f"{self._word_aligner.version}, places"
        comparisons = []
        for first, second in compared:
            one, other = texts.index(first), texts.index(second)
            phrases = group.phrases(one, other)
            alignment = Alignment(
                group.tokens[one], group.tokens[other], (), (), tuple([phrase for _, phrase in phrases])
            )
            places = tuple(
                [
                    Place(
                        item.id,
                        comparison_key(first, second),
                        index,
                        *group.wordings(spot, one, other),
                        spot=spot,
                    )
                    for index, (spot, phrase) in enumerate(phrases)
                    if phrase.kind is not Kind.SHARED
                ]
            )
            comparisons.append(PlannedComparison(staves[first], staves[second], alignment, made_by, places))
        return PlannedItem(item, staves, comparisons, places=group.places)

    def with_checks(self, planned: Sequence[PlannedItem], before: int) -> list[PlannedItem]:
        """The same items, some with a check; ``before`` comparisons were planned before these."""
        result = []
        for number, plan in enumerate(planned):
            donor = planned[(number + 1) % len(planned)]
            made: dict[str, PlannedCheck] = {}  # by the damaged text: an item has each text once
            for comparison in plan.comparisons:
                if checks.brings_check(before, self.checks):
                    check = self._check(plan, donor, comparison)
                    made |= {check.damaged.text: check} if check else {}
                before += 1
            result.append(replace(plan, checks=tuple(made.values())))
        return result

    def _check(
        self, plan: PlannedItem, donor: PlannedItem, comparison: PlannedComparison
    ) -> PlannedCheck | None:
        seed = f"{self.seed} {comparison.key}"
        whole = (comparison.first, comparison.second)[checks.draw(2, "side", seed)]
        words = () if donor is plan else next(iter(donor.staves.values())).words
        text = checks.damaged(whole, words, seed)
        if text is None or text in plan.staves:
            return None
        damaged = self._stave(plan.item, text)
        first, second = sorted((whole, damaged), key=lambda stave: stave.text)
        compared = self._compare(plan.item.id, first, second, None)
        if not compared.places:
            return None
        return PlannedCheck(damaged, compared, checks.expected(whole.text, text))

    def _stave(self, item: ImportedItem, text: str) -> Stave:
        """Links and phrases that a file brings count words at white space, so the texts are cut there too."""
        given = item.links or item.phrases
        return Stave(text, tokens.split(text) if given else tokens.offsets(text, self.language))

    def _corpus(self, sentences: Iterable[Compared]) -> Corpus:
        pairs = (
            (self._stave(item, first).words, self._stave(item, second).words)
            for item, meetings in sentences
            for first, second in _compared(_outputs(item), meetings)
        )
        return list(islice(pairs, LEARNT_FROM))

    def _compare(
        self, item: str, first: Stave, second: Stave, given: _GivenAlignments | None
    ) -> PlannedComparison:
        alignment, made_by = given.of(first, second) if given else (None, "")
        if alignment is None:
            alignment = align(
                first.words, second.words, aligner=self._word_aligner, ignore_case=True,
                ignore_punctuation=True, join=True,
            )  # fmt: skip
            made_by = self._word_aligner.version + UNPUNCTUATED
        return PlannedComparison.of(item, first, second, alignment, made_by, ask_moved=self.moved)


def _outputs(item: ImportedItem) -> dict[str, str]:
    return {candidate.system: candidate.text for candidate in item.candidates}


def _compared(outputs: dict[str, str], meetings: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The different texts of systems that meet, in an order that does not depend on the systems."""
    texts = {(min(outputs[a], outputs[b]), max(outputs[a], outputs[b])) for a, b in meetings}
    return sorted((first, second) for first, second in texts if first != second)


def _meet_all(compared: Sequence[tuple[str, str]]) -> bool:
    """Whether three or more texts meet, each of them every other."""
    texts = {text for pair in compared for text in pair}
    return len(texts) > 2 and len(compared) == len(texts) * (len(texts) - 1) // 2


@dataclass(slots=True)
class _GivenAlignments:
    """Word links or finished phrases that the file brings for two systems, found by their texts."""

    item: ImportedItem
    outputs: dict[str, str]

    def of(self, first: Stave, second: Stave) -> tuple[Alignment | None, str]:
        forth, back = (first.text, second.text), (second.text, first.text)
        a, b = first.words, second.words
        for given in self.item.phrases:
            texts = (self.outputs[given.a], self.outputs[given.b])
            if texts in (forth, back):
                spans = [(p.a, p.b) if texts == forth else (p.b, p.a) for p in given.phrases]
                return Alignment(a, b, (), (), _phrases(spans, a, b)), "given phrases"
        for links in self.item.links:
            texts = (self.outputs[links.a], self.outputs[links.b])
            if texts == forth:
                return align(a, b, links=links.links), "given links"
            if texts == back:
                return align(a, b, links=[(j, i) for i, j in links.links]), "given links"
        return None, ""


def _phrases(
    spans: Sequence[tuple[tuple[int, int] | None, tuple[int, int] | None]],
    a: Sequence[str],
    b: Sequence[str],
) -> tuple[Phrase, ...]:
    """Phrases from the spans of a file; files do not say which phrases have moved, so none is marked."""
    found = []
    for left, right in sorted(spans, key=lambda span: span[0] or span[1] or (0, 0)):
        if left is None or right is None:
            kind = Kind.B_ONLY if left is None else Kind.A_ONLY
        else:
            same = list(a[slice(*left)]) == list(b[slice(*right)])
            kind = Kind.SHARED if same else Kind.DIFFERENT
        found.append(Phrase(left, right, kind))
    return tuple(found)
