"""A registry for taggers, so that ``evaluation`` need not know ``metrics``.

Reports read words by lists, or by tags where a site has a tagger and it has read the sentences; ``metrics``
registers itself. Tagging is slow and done in the background, so a provider only returns what was tagged
before.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol


class WordClass(StrEnum):
    NAME = "name"
    NUMBER = "number"
    NEGATION = "negation"
    FUNCTION = "function"
    CONTENT = "content"
    OTHER = "other"


class Word(NamedTuple):
    """The class of a word in its sentence, and its base form in small letters."""

    kind: WordClass
    base: str


Words = Mapping[str, Word]
"""The words of a sentence by their forms in small letters."""


class WordProvider(Protocol):
    def tool(self, language: str) -> str | None:
        """The tagger of this site for a language, named with its version; None where there is none."""

    def mark(self) -> Hashable:
        """Changes whenever more sentences have been tagged; empty as long as none was."""

    def known(self, language: str, sentences: Sequence[str]) -> Mapping[str, Words]:
        """The words of those sentences that were tagged before."""


_provider: WordProvider | None = None


def register_words(provider: WordProvider | None) -> None:
    """Make the site's provider known; None takes it away."""
    global _provider
    _provider = provider


def tagger_of(language: str) -> str | None:
    return _provider.tool(language) if _provider else None


def tags_mark() -> Hashable:
    return _provider.mark() if _provider else None


def tagged_words(language: str, sentences: Sequence[str]) -> Mapping[str, Words] | None:
    """The words of every sentence; None where there is no tagger or a sentence was not tagged yet.

    All or nothing: a table made half by tags and half by word lists could not be compared with any other.
    """
    if _provider is None or _provider.tool(language) is None:
        return None
    found = _provider.known(language, sentences)
    return found if all(sentence in found for sentence in sentences) else None
