"""Would a plan have held, and when would it have been decided?
``python -m benchmarks.studies.replay_judgements --set DIR/PREFIX``.

For each two systems of a campaign that was judged in full, sentence by sentence in the order of the file:

* planning: the two systems as a pilot, the planned number of sentences, and the power that the same test has
  there when sentences are drawn from the campaign itself;
* stopping: after how many sentences the better one would have been called, and how often somebody would have
  been called better had the sides of every sentence been exchanged at random (so that there is nothing to
  find), looking after every sentence.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.studies.base import write
from evaluation.power.design import Design, accuracy_from_agreement, find_required_sentences, find_significant
from evaluation.power.pilot import estimate_pilot
from evaluation.stopping.betting import evidence
from evaluation.stopping.decisions import decide
from metrics.metaeval.datasets import find_set, read_dataset, read_human

Floats = NDArray[np.float64]
FEWEST = 30  # sentences that two systems must share
MOST_PLANNED = 5000
STUDIES = 400


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", metavar="DIR/PREFIX", action="append", required=True, dest="sets")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    write(lambda: {prefix: _replay(prefix, options.seed) for prefix in options.sets})


def _replay(prefix: str, seed: int) -> dict[str, object]:
    random = np.random.default_rng(seed)
    contests = [votes for votes in _contests(prefix) if len(np.unique(votes[1])) >= FEWEST]
    values = [_by_sentence(*votes) for votes in contests]
    decisions = [decide(x) for x in values]
    decided = [d.decided_after for d in decisions if d.decided_after is not None]
    null = [evidence((x * random.choice([-1, 1], size=len(x)) + 1) / 2) for x in values for _ in range(20)]
    plans = [plan for votes in contests if (plan := _plan_sizes(*votes, random)) is not None]
    return {
        "pairs": len(contests),
        "sentences": median(len(x) for x in values) if values else None,
        "decided": len(decided),
        "decided_after": median(decided) if decided else None,
        "against_the_whole": sum(
            bool(d.better * np.sign(x.mean()) < 0) for d, x in zip(decisions, values, strict=True)
        ),
        "null_runs": len(null),
        "null_decided": sum(bool((capital >= 20).any()) for capital in null),
        "plans": len(plans),
        "planned": median(n for n, _ in plans) if plans else None,
        "power": float(np.mean([power for _, power in plans])) if plans else None,
    }


def _contests(prefix: str) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each two systems the votes (1, 0, −1) and the sentences that they are about."""
    files = find_set(prefix)
    dataset = read_dataset(files.segments, files.outputs)
    judged = read_human(files, dataset)
    names, segments = list(dataset.systems()), dataset.segment_codes()
    system = np.array([names.index(cell.system) for cell in dataset.cells], dtype=np.int64)
    first = np.concatenate([judged.better, judged.tied.reshape(-1, 2)[:, 0]])
    second = np.concatenate([judged.worse, judged.tied.reshape(-1, 2)[:, 1]])
    signs = np.repeat(np.array([1, 0]), [len(judged.better), len(judged.tied)])
    a, b = system[first], system[second]
    signs, contest = np.where(a > b, -signs, signs), np.minimum(a, b) * len(names) + np.maximum(a, b)
    return [(signs[contest == one], segments[first][contest == one]) for one in np.unique(contest)]


def _by_sentence(signs: NDArray[np.int64], sentences: NDArray[np.int64]) -> Floats:
    _, codes = np.unique(sentences, return_inverse=True)
    return np.asarray(np.bincount(codes, signs) / np.bincount(codes))


def _plan_sizes(
    signs: NDArray[np.int64], sentences: NDArray[np.int64], random: np.random.Generator
) -> tuple[int, float] | None:
    """Planned sentences and the power there, for the system that is ahead; ``None`` where no plan follows."""
    ahead = signs if signs.mean() >= 0 else -signs
    found = estimate_pilot(ahead, sentences, sentences)
    if found.win_rate is None or found.ties is None or found.agreement is None:
        return None
    # Sentences have unequal numbers of votes; the spread of their means goes by the harmonic mean of these.
    each = np.unique(sentences, return_counts=True)[1]
    votes = max(1, round(len(each) / float((1 / each).sum())))
    design = Design(
        found.win_rate, found.ties, accuracy_from_agreement(max(found.agreement, 1 / 3)), 1, votes, 0.0
    )
    needed = find_required_sentences(design)
    if needed is None or not 10 <= needed <= MOST_PLANNED:
        return None
    values = _by_sentence(ahead, sentences)
    return needed, float(find_significant(random.choice(values, size=(STUDIES, needed))).mean())


if __name__ == "__main__":
    main()
