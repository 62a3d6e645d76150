"""Registries through which metrics and taggers reach ``evaluation`` without being imported by it.

``evaluation`` shows the votes of registered providers next to the rankings of annotators; ``metrics``
registers its provider. A provider returns the votes of its voters on some or all pairs of some tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

import numpy as np

from evaluation.schemes import Choice


class VoterKind(StrEnum):
    """What a vote is derived from."""

    METRIC = "metric"
    SPANS = "spans"


class Vote(NamedTuple):
    """One voter's vote on a pair.

    ``confidence`` is the share of the voter's other votes on the task that are weaker: 0 for its weakest
    votes, near 1 for its strongest. None if it was not computed.
    """

    voter: str
    choice: Choice
    confidence: float | None = None


class VoteProvider(Protocol):
    """Returns the votes on each of some pairs of some tasks (None: all pairs).

    If all pairs are requested, votes have a confidence.
    """

    def __call__(
        self, task_ids: Sequence[int], pair_ids: Sequence[int] | None
    ) -> Mapping[int, Sequence[Vote]]: ...


Voters = Callable[[Sequence[int]], Sequence[str]]
"""Returns the names of the voters in some tasks, without their votes."""

_PROVIDERS: dict[str, VoteProvider] = {}
_VOTERS: dict[str, Voters] = {}


def register_provider(name: str, provider: VoteProvider, voters: Voters | None = None) -> None:
    """Register a provider; one with the same name is replaced.

    Its voters can take part in agreement only if ``voters`` lists them.
    """
    unregister_provider(name)
    _PROVIDERS[name] = provider
    if voters is not None:
        _VOTERS[name] = voters


def unregister_provider(name: str) -> None:
    _PROVIDERS.pop(name, None)
    _VOTERS.pop(name, None)


def providers() -> tuple[VoteProvider, ...]:
    return tuple(_PROVIDERS.values())


def collect_votes(task_ids: Sequence[int], pair_ids: Sequence[int] | None = None) -> dict[int, list[Vote]]:
    """Return the votes of all providers on each pair, in the order of registration."""
    votes_on: dict[int, list[Vote]] = {}
    for provider in providers():
        for pair, votes in provider(task_ids, pair_ids).items():
            votes_on.setdefault(pair, []).extend(votes)
    return votes_on


def list_voters(task_ids: Sequence[int]) -> list[str]:
    """Return the names of all voters that can take part in agreement, without duplicates."""
    return list(dict.fromkeys(name for voters in _VOTERS.values() for name in voters(task_ids)))


def select_choices(
    votes: Mapping[int, Sequence[Vote]], voters: Sequence[str]
) -> dict[str, dict[int, Choice]]:
    """Return the choices of these voters by pair; of two votes on a pair the later one."""
    choices: dict[str, dict[int, Choice]] = {voter: {} for voter in voters}
    for pair, cast in votes.items():
        for vote in cast:
            if vote.voter in choices:
                choices[vote.voter][pair] = vote.choice
    return choices


def rank_confidences(sizes: Sequence[float]) -> list[float]:
    """Return for each vote of one voter the share of its votes that are weaker.

    >>> rank_confidences([0.5, 2.0, 0.0, 0.5])
    [0.25, 0.75, 0.0, 0.25]
    """
    values = np.asarray(sizes, dtype=np.float64)
    weaker = np.searchsorted(np.sort(values), values, side="left")
    shares: list[float] = (weaker / max(len(values), 1)).tolist()
    return shares


# --- taggers: only stored tags are read, because tagging is slow and runs in the background --------------


class WordClass(StrEnum):
    NAME = "name"
    NUMBER = "number"
    NEGATION = "negation"
    FUNCTION = "function"
    CONTENT = "content"
    OTHER = "other"


class TaggedWord(NamedTuple):
    """The class of a word in its sentence, and its base form in lower case."""

    kind: WordClass
    base: str


Words = Mapping[str, TaggedWord]
"""The words of a sentence by their lower-case forms."""


class TagProvider(Protocol):
    def find_tool_name(self, language: str) -> str | None:
        """Return the name and version of the tagger for a language; None if there is none."""

    def get_version(self) -> Hashable:
        """Return a value that changes when more sentences are tagged; empty while none is."""

    def load_words(self, language: str, sentences: Sequence[str]) -> Mapping[str, Words]:
        """Return the words of those sentences that are tagged."""


_tag_provider: TagProvider | None = None


def register_tag_provider(provider: TagProvider | None) -> None:
    """Register the provider of the site; None removes it."""
    global _tag_provider
    _tag_provider = provider


def find_tagger_name(language: str) -> str | None:
    return _tag_provider.find_tool_name(language) if _tag_provider else None


def get_tags_version() -> Hashable:
    return _tag_provider.get_version() if _tag_provider else None


def load_tagged_words(language: str, sentences: Sequence[str]) -> Mapping[str, Words] | None:
    """Return the words of every sentence; None without a tagger or if a sentence is not tagged yet.

    All or nothing, because a table half from tags and half from word lists is not comparable with others.
    """
    if _tag_provider is None or _tag_provider.find_tool_name(language) is None:
        return None
    words = _tag_provider.load_words(language, sentences)
    return words if all(sentence in words for sentence in sentences) else None
