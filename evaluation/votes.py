"""A registry for machines that vote on phrase pairs, so that ``evaluation`` need not know ``metrics``.

``evaluation`` shows the votes of registered providers beside those of annotators; ``metrics`` registers
itself. A provider is asked for some pairs of some tasks, or for all of them, and returns the votes of each of
its voters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from evaluation.schemes import Choice


class Vote(NamedTuple):
    """One machine's vote on a pair, and its confidence.

    ``confidence`` is the share of the voter's other votes on the task that are less decided: 0 for its
    weakest votes, near 1 for its strongest. None where it was not computed.
    """

    voter: str
    choice: Choice
    confidence: float | None = None


class VoteProvider(Protocol):
    """Gives, for tasks and some of their pairs (None: all), the votes on each pair.

    Where all are asked for, votes come with their confidence.
    """

    def __call__(
        self, task_ids: Sequence[int], pair_ids: Sequence[int] | None
    ) -> Mapping[int, Sequence[Vote]]: ...


Voters = Callable[[Sequence[int]], Sequence[str]]
"""The names of those who voted in some tasks, without their votes."""

_PROVIDERS: dict[str, VoteProvider] = {}
_VOTERS: dict[str, Voters] = {}


def register_provider(name: str, provider: VoteProvider, voters: Voters | None = None) -> None:
    """Make a provider known; the same name again replaces it.

    Its votes can be included among those of annotators only if ``voters`` lists its voters.
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


def machine_votes(task_ids: Sequence[int], pair_ids: Sequence[int] | None = None) -> dict[int, list[Vote]]:
    """The votes of all providers, in the order of registration."""
    found: dict[int, list[Vote]] = {}
    for provider in providers():
        for pair, votes in provider(task_ids, pair_ids).items():
            found.setdefault(pair, []).extend(votes)
    return found


def machine_voters(task_ids: Sequence[int]) -> list[str]:
    """Who could take part in agreement, each once."""
    return list(dict.fromkeys(name for voters in _VOTERS.values() for name in voters(task_ids)))


def chosen_votes(task_ids: Sequence[int], voters: Sequence[str]) -> dict[str, dict[int, Choice]]:
    """The votes of the named machines by pair; if a machine has two votes on a pair, the later one."""
    found: dict[str, dict[int, Choice]] = {voter: {} for voter in voters}
    for pair, votes in machine_votes(task_ids).items():
        for vote in votes:
            if vote.voter in found:
                found[vote.voter][pair] = vote.choice
    return found
