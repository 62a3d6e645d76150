"""A metric's votes on the phrase pairs of a test set, by substitution where each pair is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.presentation import Phrase, Stave
from evaluation.schemes import Choice
from metrics.base import Metric
from metrics.substitution import Exchange, change, exchange, vote
from metrics.testset import ItemText, scorable, score_variants
from metrics.uneven import score_layers


@dataclass(frozen=True, slots=True)
class Standing:
    """A phrase pair where it is asked: its number in the alignment of two candidates of an item.

    ``flipped``: the pair's first text belongs to the second candidate.
    """

    pair: int
    item: int
    first: Stave
    second: Stave
    phrases: tuple[Phrase, ...]
    index: int
    flipped: bool


@dataclass(frozen=True, slots=True)
class MachineVote:
    """Relative to the pair as stored; ``delta`` is positive where its first text is better."""

    pair: int
    choice: Choice
    delta: float


def phrase_votes(
    metric: Metric, standings: Sequence[Standing], items: Mapping[int, ItemText]
) -> list[MachineVote]:
    """A vote on every pair that the metric can score; where a score is undefined there is no vote."""
    usable = set(scorable(metric, items))
    asked = [standing for standing in standings if standing.item in usable]
    exchanges = [exchange(one.first, one.second, one.phrases, one.index) for one in asked]
    scores = (_of_texts if metric.needs.reference else _of_fours)(metric, asked, exchanges, items)
    votes = []
    for standing, four in zip(asked, scores, strict=True):
        if four is None:
            continue
        delta = change(four, higher_is_better=metric.higher_is_better)
        delta = -delta if standing.flipped and delta else delta
        votes.append(MachineVote(standing.pair, vote(delta), delta))
    return votes


Four = tuple[float, ...]


def _of_texts(
    metric: Metric,
    asked: Sequence[Standing],
    exchanges: Sequence[Exchange],
    items: Mapping[int, ItemText],
) -> list[Four | None]:
    """Every distinct text of an item is scored once."""
    variants: dict[int, list[str]] = {item: [] for item in items}
    for standing, texts in zip(asked, exchanges, strict=True):
        variants[standing.item] += texts.texts
    known = score_variants(metric, variants, items)
    found: list[Four | None] = []
    for standing, texts in zip(asked, exchanges, strict=True):
        four = [known.get((standing.item, text)) for text in texts.texts]
        scores = tuple(score for score in four if score is not None)
        found.append(scores if len(scores) == 4 else None)
    return found


def _of_fours(
    metric: Metric,
    asked: Sequence[Standing],
    exchanges: Sequence[Exchange],
    items: Mapping[int, ItemText],
) -> list[Four | None]:
    """A metric without reference may rank texts against each other: it sees the four of a pair together."""
    if not asked:
        return []
    columns = zip(*(texts.texts for texts in exchanges), strict=True)
    layers = {str(place): list(column) for place, column in enumerate(columns)}
    scored = score_layers(metric, layers, [items[one.item].beside for one in asked])
    rows = zip(*(scores.segments.tolist() for scores in scored.values()), strict=True)
    return [row if all(value == value for value in row) else None for row in rows]  # NaN is not itself
