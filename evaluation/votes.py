"""Machines that vote on phrase pairs, without people knowing of machines.

``evaluation`` shows what registered providers say beside the annotators' votes; ``metrics`` registers itself.
A provider is asked for some pairs of some tasks, or for all of them, and answers with what each of its voters
says about them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from evaluation.schemes import Choice


class Vote(NamedTuple):
    """What one machine says about a pair, and how sure it is of that.

    ``confidence`` is the share of the voter's other votes on the task that are less decided: nought for its
    weakest votes, near one for its strongest. None where nobody worked it out.
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

    Its votes can stand among those of annotators only where ``voters`` tells whom there is to choose from.
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
    """What all providers say, in the order in which they were registered."""
    found: dict[int, list[Vote]] = {}
    for provider in providers():
        for pair, votes in provider(task_ids, pair_ids).items():
            found.setdefault(pair, []).extend(votes)
    return found


def machine_voters(task_ids: Sequence[int]) -> list[str]:
    """Who could take part in agreement, each once."""
    return list(dict.fromkeys(name for voters in _VOTERS.values() for name in voters(task_ids)))


def chosen_votes(task_ids: Sequence[int], voters: Sequence[str]) -> dict[str, dict[int, Choice]]:
    """What the named machines say, each by pair; of two votes of one machine the later one."""
    found: dict[str, dict[int, Choice]] = {voter: {} for voter in voters}
    for pair, votes in machine_votes(task_ids).items():
        for vote in votes:
            if vote.voter in found:
                found[vote.voter][pair] = vote.choice
    return found
