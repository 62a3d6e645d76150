"""Rules from linguistics: which differences are one question, and which are worth asking.

The rules know word classes (``word_classes``), lengths and punctuation, and treat the two sentences alike.

1. Differences that touch are one question. So are two with a short shared *island* between them: the fewer
   letters it has, and the shorter the differences are, the stronger the tie. A pause weakens it as much as
   twenty letters, a conjunction as much as sixteen, and a sentence end is never bridged.
2. A difference of function words belongs to the content word that it governs, so it reaches further; a
   function word that one sentence has alone belongs to one neighbour.
3. Two differences that both have content words in both sentences can be asked apart, so they reach less far,
   except over an island of function words with at most six letters.
4. What one sentence has here and the other there is one question with two runs a side (``complements``).
5. A question has at most ``limit`` words a side, except where nothing inside allows a cut, and except for a
   sentence that was rewritten almost entirely: it is one question.
6. The place of a phrase that both sentences have is asked once for all moves that depend on each other.
7. Not asked by default: a function word or two that one sentence has alone, words that are elsewhere in the
   other (``complements``), a move of at most one content word, and differences of punctuation, Unicode
   normalisation or character references.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import unescape

from evaluation.alignment.differences import Difference, DifferenceChain
from evaluation.alignment.sides import DescribedAlignment, Side
from evaluation.alignment.values import Kind, Phrase, PhraseAlignment
from evaluation.alignment.word_classes import TokenClass, WordClasses, find_classes
from evaluation.tokens import strip_punctuation


class QuestionSize(StrEnum):
    """How much is asked at once: each differing phrase, or small, medium or large groups of phrases."""

    PHRASE = "phrase"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


COARSENESS = {QuestionSize.SMALL: 8.0, QuestionSize.MEDIUM: 13.0, QuestionSize.LARGE: 20.0}
"""Letters of shared text that may stand between two differences of one question."""
LIMIT = 10
"""Words on a side that a person can judge at once."""

_TOUCHING = 100.0  # more than any island takes away
_SIZE = 0.5  # letters that each word of the two differences takes away
_LONGEST = 30  # words of two differences that count
_GOVERNING, _GOVERNED = 20.0, 10.0  # letters a function word reaches further, to its content word and away
_INDEPENDENT = 8.0  # letters less far if both have content words in both sentences, so that each can be asked
_SWALLOWED = 6  # letters of an island that is swallowed all the same
_REACH = 20  # words between the two runs of a question
_EXCHANGE = 10  # words on a side over which an exchange is one question about their order
_NEAR = 5  # words between its two places that may be included even so
_TRIVIAL = 2  # function words that one sentence may have alone without a question
_REWRITTEN = 0.2  # share of content words in place below which a sentence counts as rewritten
_REWRITTEN_LEAST = 4  # content words on a side that such a sentence has at least


@dataclass(frozen=True, slots=True)
class QuestionRules:
    """The rules with their settings; ``version`` names everything that the questions depend on."""

    classes: WordClasses = field(default_factory=find_classes)
    coarseness: float = COARSENESS[QuestionSize.MEDIUM]
    limit: int = LIMIT
    ask_all: bool = False

    @property
    def version(self) -> str:
        everything = " all" if self.ask_all else ""
        return f"questions-4 {self.classes.version} {self.coarseness:g}/{self.limit}{everything}"

    def describe(self, alignment: PhraseAlignment) -> DescribedAlignment:
        """Look up the words of an alignment."""
        a, b = (Side.describe(tokens, self.classes) for tokens in (alignment.a, alignment.b))
        return DescribedAlignment(alignment, a, b)

    def is_rewritten(self, text: DescribedAlignment) -> bool:
        """Whether two sentences have hardly any content word in common (rule 5)."""
        shared = [phrase for phrase in text.alignment.phrases if phrase.kind is Kind.SHARED]
        for side, spans in ((text.a, [p.a for p in shared]), (text.b, [p.b for p in shared])):
            content = side.classes.count(TokenClass.CONTENT)
            common = sum(side.count(TokenClass.CONTENT, span) for span in spans if span)
            if content < _REWRITTEN_LEAST or common > _REWRITTEN * content:
                return False
        return True

    def score_ties(self, text: DescribedAlignment, chain: DifferenceChain) -> list[float]:
        """How strongly each difference is tied to the next (rules 1 to 3); tied if above 0."""
        contents = [text.find_content(difference) for difference in chain.differences]
        lengths = [text.a.measure(d.a) + text.b.measure(d.b) for d in chain.differences]
        ties = [
            self.coarseness - _SIZE * min(_LONGEST, lengths[n] + lengths[n + 1])
            for n in range(len(chain.islands))
        ]
        for n, island in enumerate(chain.islands):
            if not island:
                ties[n] += _TOUCHING
                continue
            left, right = chain.differences[n], chain.differences[n + 1]
            letters, has_content = self._measure_island(text, left, right)
            ties[n] -= letters
            if all(contents[n] + contents[n + 1]) and (has_content or letters > _SWALLOWED):
                ties[n] -= _INDEPENDENT
        return self._add_government(chain, contents, ties)

    def _add_government(
        self, chain: DifferenceChain, contents: Sequence[tuple[bool, bool]], ties: Sequence[float]
    ) -> list[float]:
        """Tie function words more strongly; what one sentence has alone, to one neighbour only."""
        before, after = (_GOVERNED, _GOVERNING) if self.classes.governs_left else (_GOVERNING, _GOVERNED)
        lefts = [0.0 if any(contents[n]) or not island else before for n, island in enumerate(chain.islands)]
        rights = [
            0.0 if any(contents[n + 1]) or not island else after for n, island in enumerate(chain.islands)
        ]
        sums = [sum(parts) for parts in zip(ties, lefts, rights, strict=True)]
        for n, difference in enumerate(chain.differences[1:-1], 1):
            if not any(contents[n]) and difference.is_one_sided:
                if sums[n - 1] > sums[n]:
                    lefts[n] = 0.0
                else:
                    rights[n - 1] = 0.0
        return [sum(parts) for parts in zip(ties, lefts, rights, strict=True)]

    def _measure_island(
        self, text: DescribedAlignment, left: Difference, right: Difference
    ) -> tuple[float, bool]:
        """Letters between two differences, more at a sentence end than any rule bridges; and any content."""
        span_a, span_b = (left.a[1], right.a[0]), (left.b[1], right.b[0])
        has_content = text.a.has_content_word(span_a) or text.b.has_content_word(span_b)
        if text.a.has_end(span_a) or text.b.has_end(span_b):
            return 2 * _TOUCHING, has_content
        return max(text.a.count_letters(span_a), text.b.count_letters(span_b)), has_content

    def is_short(self, text: DescribedAlignment, *parts: Difference) -> bool:
        """Whether parts are short enough, taken together, for one question."""
        return (
            sum([text.a.measure(part.a) for part in parts]) <= self.limit
            and sum([text.b.measure(part.b) for part in parts]) <= self.limit
        )

    def can_link(self, text: DescribedAlignment, first: Difference, last: Difference) -> bool:
        """Whether two places are near and short enough to be read as one question."""
        between = Difference((first.a[1], last.a[0]), (first.b[1], last.b[0]), [])
        return text.measure(between) <= _REACH and self.is_short(text, first, last)

    def joins_exchange(self, text: DescribedAlignment, first: Difference, last: Difference) -> bool:
        """Whether everything from one place of a moved phrase to the other is one question."""
        hull = Difference((first.a[0], last.a[1]), (first.b[0], last.b[1]), [])
        between = Difference((first.a[1], last.a[0]), (first.b[1], last.b[0]), [])
        is_near = text.measure(between) <= _NEAR and self.is_short(text, hull)
        return is_near or text.measure(hull) <= _EXCHANGE

    def select_moves(self, text: DescribedAlignment, moves: Mapping[int, tuple[int, int]]) -> list[int]:
        """The moves that are asked (rule 6), from the two places of each moved phrase.

        Moves depend on each other if their ways overlap; the longest of them is asked.
        """
        phrases = text.alignment.phrases
        asked = [number for number in moves if phrases[number].kind is not Kind.SHARED or self.ask_all]
        rest = sorted([number for number in moves if number not in set(asked)], key=lambda n: moves[n])
        cluster: list[int] = []
        reach = -1
        for number in rest:
            first, last = moves[number]
            if cluster and first > reach:
                asked.append(self._longest_move(text, cluster))
                cluster = []
            cluster.append(number)
            reach = max(reach, last)
        return [*asked, self._longest_move(text, cluster)] if cluster else asked

    def _longest_move(self, text: DescribedAlignment, numbers: Iterable[int]) -> int:
        def key(number: int) -> tuple[object, ...]:
            phrase = text.alignment.phrases[number]
            spans = sorted([phrase.a or (0, 0), phrase.b or (0, 0)])
            return text.a.count_letters(phrase.a or (0, 0)) + text.b.count_letters(phrase.b or (0, 0)), spans

        return max(numbers, key=key)

    def is_asked(self, text: DescribedAlignment, group: Collection[int], *, is_move: bool) -> bool:
        """Whether a group is worth a question (rule 7)."""
        phrases = [text.alignment.phrases[number] for number in group]
        if self.ask_all:
            return True
        if _read(text.a, phrases, "a") == _read(text.b, phrases, "b") and not any(p.moved for p in phrases):
            return False
        classes_a = [c for p in phrases if p.a for c in text.a.classes[slice(*p.a)]]
        classes_b = [c for p in phrases if p.b for c in text.b.classes[slice(*p.b)]]
        content = max(classes_a.count(TokenClass.CONTENT), classes_b.count(TokenClass.CONTENT))
        if content or is_move:
            return not is_move or content > 1
        function_a, function_b = classes_a.count(TokenClass.FUNCTION), classes_b.count(TokenClass.FUNCTION)
        return bool(function_a and function_b) or function_a + function_b > _TRIVIAL


def _read(side: Side, phrases: Iterable[Phrase], name: str) -> list[str]:
    """The words of phrases as a reader sees them: normalised, without punctuation."""
    spans = sorted([span for phrase in phrases if (span := getattr(phrase, name))])
    tokens = [token for span in spans for token in side.tokens[slice(*span)]]
    if not any(not token.isascii() or "&" in token for token in tokens):
        return [part for token in tokens for part in strip_punctuation(token)]
    return [
        part for token in tokens for part in strip_punctuation(unicodedata.normalize("NFKC", unescape(token)))
    ]
