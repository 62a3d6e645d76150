"""Plan how an item of a file becomes candidates, comparisons, phrases and questions of a task.

Pure, so that the preview on the upload page, a dry run and the import itself give the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass, field, replace
from itertools import islice

from appraise.lib.digests import text_digest
from evaluation import tokens
from evaluation.alignment import Corpus, Kind, Phrase, PhraseAlignment, WordAligner, align, load_aligner
from evaluation.alignment.pairs import PhraseQuestion, ask_phrases, make_questions
from evaluation.alignment.question_rules import COARSENESS, QuestionRules, QuestionSize
from evaluation.alignment.questions import PhraseGroup, QuestionKind, group_questions
from evaluation.alignment.segmenters import WordSegmenter
from evaluation.alignment.word_classes import WordClasses, has_word_list
from evaluation.annotate import known_answers, places as place_ranking
from evaluation.annotate.places import CandidateGroup
from evaluation.importers import ImportedItem
from evaluation.presentation import ShownPhrase, Stave
from evaluation.schemes import Choice

PhraseRow = list[int | str | bool | None]
UNPUNCTUATED = ", punctuation aside"
"""Part of the aligner name: differences in punctuation only are not asked."""
LEARNING_ALIGNERS = ("statistical",)
"""Aligners that are trained on the sentences."""
TRAINING_PAIRS = 2_000
"""Enough sentence pairs for training; more would cost time and memory."""
LEARNING_ITEMS = 2_000
"""Enough items for training, and for finding the function words of a language without a list."""

ComparedItem = tuple[ImportedItem, Iterable[tuple[str, str]]]
"""An item and the pairs of systems to compare."""


@dataclass(frozen=True, slots=True)
class PlannedComparison:
    """Two distinct texts of an item, the lexically smaller first, aligned."""

    first: Stave
    second: Stave
    alignment: PhraseAlignment
    aligner: str
    questions: tuple[PhraseQuestion, ...]
    groups: tuple[tuple[int, ...], ...] = ()
    """The phrases of each question; empty if each question is a single phrase."""

    @classmethod
    def of(
        cls,
        item: str,
        first: Stave,
        second: Stave,
        alignment: PhraseAlignment,
        aligner: str,
        groups: Sequence[PhraseGroup],
        *,
        is_grouped: bool,
    ) -> PlannedComparison:
        """Return two texts of an item with their questions; not ``is_grouped``: each is a single phrase."""
        key = comparison_key(first.text, second.text)
        questions = make_questions(item, key, alignment, groups, text_a=first.slice, text_b=second.slice)
        phrases = tuple([group.phrases for group in groups]) if is_grouped else ()
        return cls(first, second, alignment, aligner, questions, phrases)

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

    @property
    def shown_phrases(self) -> list[ShownPhrase]:
        """The phrases as pages show them."""
        return [ShownPhrase(p.a, p.b, p.kind is Kind.SHARED, p.moved) for p in self.alignment.phrases]


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A text and its damaged copy; ``expected`` is the choice of an attentive annotator."""

    damaged: Stave
    comparison: PlannedComparison
    expected: Choice


@dataclass(frozen=True, slots=True)
class PlannedItem:
    item: ImportedItem
    staves: dict[str, Stave]
    comparisons: list[PlannedComparison]
    checks: tuple[PlannedCheck, ...] = ()
    places: tuple[place_ranking.Place, ...] = ()
    """Set if all candidates are judged together; spans in the order of the texts."""


def comparison_key(first: str, second: str) -> str:
    """A digest of two texts, independent of systems, ids and the order of upload."""
    return text_digest(*sorted((first, second)))


@dataclass(slots=True)
class Planner:
    """Plans items by the settings of a task."""

    language: str = ""
    aligner: str = "lexical"
    segmenter: WordSegmenter | None = None
    """Finds the words of a language without spaces; otherwise its tokens are characters."""
    moved: bool = True
    size: QuestionSize = QuestionSize.MEDIUM
    ask_all: bool = False
    checks: int = 0
    seed: int = 1
    ranks_places: bool = False
    """Rank the variants of a place together if an item has three or more candidates."""
    sentences: InitVar[Iterable[ComparedItem]] = ()
    """What an aligner is trained on, and where the function words of a language without a list are found."""
    _word_aligner: WordAligner = field(init=False)
    _rules: QuestionRules | None = field(init=False)

    def __post_init__(self, sentences: Iterable[ComparedItem]) -> None:
        has_list = has_word_list(self.language) or self.size is QuestionSize.PHRASE
        is_learning = self.aligner in LEARNING_ALIGNERS
        sample = list(islice(sentences, LEARNING_ITEMS)) if is_learning or not has_list else []
        self._word_aligner = load_aligner(
            self.aligner, self.language, self._corpus(sample) if is_learning else None
        )
        texts = (
            self._stave(item, candidate.text).words for item, _ in sample for candidate in item.candidates
        )
        self._rules = make_rules(self.size, WordClasses.learn(texts, self.language), ask_all=self.ask_all)

    @property
    def function_words(self) -> list[str]:
        """The function words that were found by frequency; empty for a language with a list."""
        if self._rules is None or has_word_list(self.language):
            return []
        return sorted(self._rules.classes.function_words)

    def plan(self, item: ImportedItem, pairs: Iterable[tuple[str, str]]) -> PlannedItem:
        """Plan one item: identical outputs become one candidate, and the texts of each pair are compared."""
        outputs = _texts_by_system(item)
        staves = {text: self._stave(item, text) for text in outputs.values()}
        compared = _pair_texts(outputs, pairs)
        if self.ranks_places and not (item.links or item.phrases) and _all_compared(compared):
            texts = sorted({text for pair in compared for text in pair})
            group = CandidateGroup.of([staves[text] for text in texts], aligner=self._word_aligner)
            if group.field_count <= place_ranking.MOST_FIELDS:
                return self._plan_places(item, staves, compared, texts, group)
        given = _GivenAlignments(item, outputs) if item.links or item.phrases else None
        return PlannedItem(
            item,
            staves,
            [self._compare(item.id, staves[first], staves[second], given) for first, second in compared],
        )

    def _plan_places(
        self,
        item: ImportedItem,
        staves: dict[str, Stave],
        compared: Sequence[tuple[str, str]],
        texts: Sequence[str],
        group: CandidateGroup,
    ) -> PlannedItem:
        """Plan an item whose candidates are judged together: every two are aligned by the common places."""
        aligner_name = f"{self._signature}, places"
        comparisons = []
        for first, second in compared:
            one, other = texts.index(first), texts.index(second)
            phrases = group.phrases(one, other)
            alignment = PhraseAlignment(
                group.tokens[one], group.tokens[other], (), (), tuple([phrase for _, phrase in phrases])
            )
            questions = tuple(
                [
                    PhraseQuestion(
                        item.id,
                        comparison_key(first, second),
                        index,
                        *group.wordings(place, one, other),
                        place=place,
                    )
                    for index, (place, phrase) in enumerate(phrases)
                    if phrase.kind is not Kind.SHARED
                ]
            )
            comparisons.append(
                PlannedComparison(staves[first], staves[second], alignment, aligner_name, questions)
            )
        return PlannedItem(item, staves, comparisons, places=group.places)

    def add_checks(self, planned: Sequence[PlannedItem], before: int) -> list[PlannedItem]:
        """Add attention checks; ``before`` is the number of comparisons planned before these."""
        result = []
        for number, plan in enumerate(planned):
            donor = planned[(number + 1) % len(planned)]
            made: dict[str, PlannedCheck] = {}  # by the damaged text: an item has each text once
            for comparison in plan.comparisons:
                if known_answers.has_check(before, self.checks):
                    check = self._check(plan, donor, comparison)
                    made |= {check.damaged.text: check} if check else {}
                before += 1
            result.append(replace(plan, checks=tuple(made.values())))
        return result

    def _check(
        self, plan: PlannedItem, donor: PlannedItem, comparison: PlannedComparison
    ) -> PlannedCheck | None:
        seed = f"{self.seed} {comparison.key}"
        original = (comparison.first, comparison.second)[known_answers.pick_number(2, "side", seed)]
        words = () if donor is plan else next(iter(donor.staves.values())).words
        text = known_answers.damage_text(original, words, seed)
        if text is None or text in plan.staves:
            return None
        damaged = self._stave(plan.item, text)
        first, second = sorted((original, damaged), key=lambda stave: stave.text)
        compared = self._compare(plan.item.id, first, second, None)
        if not compared.questions:
            return None
        return PlannedCheck(damaged, compared, known_answers.expected_choice(original.text, text))

    def _stave(self, item: ImportedItem, text: str) -> Stave:
        """Tokenize a text; on white space if the file has links or phrases, which refer to such tokens."""
        if item.links or item.phrases:
            return Stave(text, tokens.split(text))
        if self.segmenter:
            return Stave(text, self.segmenter.offsets(text))
        return Stave(text, tokens.offsets(text, self.language))

    @property
    def _signature(self) -> str:
        """What the links depend on: the aligner and, if there is one, the segmenter."""
        words = f", {self.segmenter.version}" if self.segmenter else ""
        return f"{self._word_aligner.version}{words}"

    def _corpus(self, sentences: Iterable[ComparedItem]) -> Corpus:
        texts = (
            (self._stave(item, first).words, self._stave(item, second).words)
            for item, pairs in sentences
            for first, second in _pair_texts(_texts_by_system(item), pairs)
        )
        return list(islice(texts, TRAINING_PAIRS))

    def _compare(
        self, item: str, first: Stave, second: Stave, given: _GivenAlignments | None
    ) -> PlannedComparison:
        alignment, aligner_name = given.of(first, second) if given else (None, "")
        rules = None if alignment else self._rules
        if alignment is None:
            alignment = align(
                first.words, second.words, aligner=self._word_aligner, ignore_case=True,
                ignore_punctuation=True, join=rules is None,
            )  # fmt: skip
            aligner_name = self._signature + UNPUNCTUATED + (f", {rules.version}" if rules else "")
        groups = find_groups(alignment, rules, ask_moved=self.moved)
        return PlannedComparison.of(
            item, first, second, alignment, aligner_name, groups, is_grouped=rules is not None
        )


def make_rules(size: QuestionSize, classes: WordClasses, *, ask_all: bool) -> QuestionRules | None:
    """Return the rules that group phrases into questions; None if each differing phrase is a question."""
    if size is QuestionSize.PHRASE:
        return None
    return QuestionRules(classes, coarseness=COARSENESS[size], ask_all=ask_all)


def find_groups(
    alignment: PhraseAlignment, rules: QuestionRules | None, *, ask_moved: bool
) -> tuple[PhraseGroup, ...]:
    """Return the questions of an alignment."""
    if rules is None:
        return ask_phrases(alignment, ask_moved=ask_moved)
    groups = group_questions(alignment, rules)
    return tuple(group for group in groups if ask_moved or group.kind is not QuestionKind.MOVED)


def _texts_by_system(item: ImportedItem) -> dict[str, str]:
    return {candidate.system: candidate.text for candidate in item.candidates}


def _pair_texts(outputs: dict[str, str], pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of different texts, sorted independently of the systems."""
    texts = {(min(outputs[a], outputs[b]), max(outputs[a], outputs[b])) for a, b in pairs}
    return sorted((first, second) for first, second in texts if first != second)


def _all_compared(compared: Sequence[tuple[str, str]]) -> bool:
    """Return whether there are three or more texts and every two are compared."""
    texts = {text for pair in compared for text in pair}
    return len(texts) > 2 and len(compared) == len(texts) * (len(texts) - 1) // 2


@dataclass(slots=True)
class _GivenAlignments:
    """The word links or phrases of the file for two systems, looked up by their texts."""

    item: ImportedItem
    outputs: dict[str, str]

    def of(self, first: Stave, second: Stave) -> tuple[PhraseAlignment | None, str]:
        forth, back = (first.text, second.text), (second.text, first.text)
        a, b = first.words, second.words
        for given in self.item.phrases:
            texts = (self.outputs[given.a], self.outputs[given.b])
            if texts in (forth, back):
                spans = [(p.a, p.b) if texts == forth else (p.b, p.a) for p in given.phrases]
                return PhraseAlignment(a, b, (), (), _make_phrases(spans, a, b)), "given phrases"
        for links in self.item.links:
            texts = (self.outputs[links.a], self.outputs[links.b])
            if texts == forth:
                return align(a, b, links=links.links), "given links"
            if texts == back:
                return align(a, b, links=[(j, i) for i, j in links.links]), "given links"
        return None, ""


def _make_phrases(
    spans: Sequence[tuple[tuple[int, int] | None, tuple[int, int] | None]],
    a: Sequence[str],
    b: Sequence[str],
) -> tuple[Phrase, ...]:
    """Convert the spans of a file to phrases; files do not mark moved phrases."""
    found = []
    for left, right in sorted(spans, key=lambda span: span[0] or span[1] or (0, 0)):
        if left is None or right is None:
            kind = Kind.B_ONLY if left is None else Kind.A_ONLY
        else:
            same = list(a[slice(*left)]) == list(b[slice(*right)])
            kind = Kind.SHARED if same else Kind.DIFFERENT
        found.append(Phrase(left, right, kind))
    return tuple(found)
