"""What the rules of questions know about the two sentences of an alignment: word classes and lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from evaluation.alignment.differences import Difference
from evaluation.alignment.values import PhraseAlignment, Span
from evaluation.alignment.word_classes import PAUSES, SENTENCE_ENDS, TokenClass, WordClasses

_STOPS = PAUSES | SENTENCE_ENDS


@dataclass(frozen=True, slots=True)
class Side:
    """One sentence with running totals, so that any span is measured in constant time."""

    tokens: Sequence[str]
    classes: Sequence[TokenClass]
    letters: Sequence[float]
    sizes: Sequence[float]

    @classmethod
    def describe(cls, tokens: Sequence[str], classes: WordClasses) -> Side:
        """Look up the words of a sentence."""
        traits = [classes.describe(token) for token in tokens]
        letters = list(accumulate([trait[1] for trait in traits], initial=0.0))
        sizes = list(accumulate([trait[2] for trait in traits], initial=0.0))
        return cls(tokens, [trait[0] for trait in traits], letters, sizes)

    def measure(self, span: Span) -> float:
        """The length of a span in words."""
        return self.sizes[span[1]] - self.sizes[span[0]]

    def count_letters(self, span: Span) -> float:
        return self.letters[span[1]] - self.letters[span[0]]

    def count(self, word_class: TokenClass, span: Span) -> int:
        return self.classes[span[0] : span[1]].count(word_class)

    def has(self, word_class: TokenClass, span: Span) -> bool:
        return word_class in self.classes[span[0] : span[1]]

    def has_content_word(self, span: Span) -> bool:
        """Whether a span has a content word; a character of a script without spaces may be half of one."""
        return self.has(TokenClass.CONTENT, span) and self.measure(span) >= span[1] - span[0]

    def has_end(self, span: Span) -> bool:
        """Whether a sentence ends inside a span."""
        return not SENTENCE_ENDS.isdisjoint(self.tokens[span[0] : span[1]])

    def has_stop(self, span: Span) -> bool:
        """Whether a span holds a pause or the end of a sentence."""
        return not _STOPS.isdisjoint(self.tokens[span[0] : span[1]])

    def ends_clause(self, place: int) -> bool:
        """Whether a clause, as far as punctuation shows it, ends before a token."""
        return place == len(self.tokens) or self.has_stop((max(0, place - 1), place + 1))


@dataclass(frozen=True, slots=True)
class DescribedAlignment:
    """An alignment with what the rules know about its words."""

    alignment: PhraseAlignment
    a: Side
    b: Side

    def measure(self, difference: Difference) -> float:
        """The length of the longer side in words."""
        return max(self.a.measure(difference.a), self.b.measure(difference.b))

    def find_content(self, difference: Difference) -> tuple[bool, bool]:
        """Whether each side has a content word."""
        return self.a.has(TokenClass.CONTENT, difference.a), self.b.has(TokenClass.CONTENT, difference.b)

    def count_content(self, difference: Difference) -> int:
        """How many content words more A has than B."""
        content = TokenClass.CONTENT
        return self.a.count(content, difference.a) - self.b.count(content, difference.b)
