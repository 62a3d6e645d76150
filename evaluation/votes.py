"""Machines that vote on phrase pairs, without people knowing of machines.

``evaluation`` shows what registered providers say beside the annotators' votes; ``metrics`` registers itself.
A provider is asked for some pairs of a task and answers with what each of its voters says about them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from evaluation.schemes import Choice

Vote = tuple[str, Choice]


class VoteProvider(Protocol):
    """Gives, for a task and some of its pairs, {pair id: [(name of the voter, its choice)]}."""

    def __call__(self, task_id: int, pair_ids: Sequence[int]) -> Mapping[int, Sequence[Vote]]: ...


_PROVIDERS: dict[str, VoteProvider] = {}


def register_provider(name: str, provider: VoteProvider) -> None:
    """Make a provider known; the same name again replaces it."""
    _PROVIDERS[name] = provider


def unregister_provider(name: str) -> None:
    _PROVIDERS.pop(name, None)


def providers() -> tuple[VoteProvider, ...]:
    return tuple(_PROVIDERS.values())


def machine_votes(task_id: int, pair_ids: Sequence[int]) -> dict[int, list[Vote]]:
    """What all providers say, in the order in which they were registered."""
    found: dict[int, list[Vote]] = {}
    for provider in providers():
        for pair, votes in provider(task_id, pair_ids).items():
            found.setdefault(pair, []).extend(votes)
    return found
