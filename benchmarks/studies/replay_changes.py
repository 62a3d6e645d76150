"""What changed between two published campaigns, as the page for two tasks shows it:
``python -m benchmarks.studies.replay_changes BEFORE AFTER``.

Sentences are the same where their sources are, pairs where their two outputs are. Whole sentences were
ranked, so nothing is said about phenomena.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from appraise.lib.problems import InputError, Problem
from benchmarks.studies.base import write
from benchmarks.studies.published_campaigns import Reread, reread
from evaluation.agreement.judgements import CodeAssigner
from evaluation.campaign_diff.campaigns import DiffLine, JoinedStudies, compare_campaigns, compare_rejudged
from evaluation.phenomena.classification import Phenomenon
from metrics.ranking.data import RankedSet, read_ranked_set

RESAMPLES = 2000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("before", "after"):
        parser.add_argument(name, metavar=name.upper(), help="rankings as JSON lines, or DIR/PREFIX")
    options = parser.parse_args(arguments)
    write(lambda: replay(options.before, options.after))


def replay(before: str, after: str) -> dict[str, object]:
    """Wins and agreement of two judged campaigns side by side, with significance."""
    campaigns = {"before": read_ranked_set(before), "after": read_ranked_set(after)}
    found = reread(campaigns)
    if len(np.unique(found.study.pair_tasks)) < 2:
        raise InputError(Problem("no_comparison", "nobody has compared anything in one of the two"))
    sides = _sides(found, list(campaigns.values()))
    told, again = compare_campaigns(sides, resamples=RESAMPLES), compare_rejudged(sides, _same(found, sides))
    return {
        "size": {name: _size(found, number) for number, name in enumerate(campaigns)},
        "agreement": [_line(line) for line in told.agreement],
        "wins": [_line(line) for line in told.wins],
        "rejudged": {"pairs": again.pairs, "kept": again.kept, "kappa": again.kappa},
    }


def _sides(found: Reread, campaigns: list[RankedSet]) -> JoinedStudies:
    sources, of = CodeAssigner(), found.study.pair_tasks
    return JoinedStudies(
        study=found.study,
        system_pairs=found.meetings,
        phenomena=np.zeros((len(found.pairs), len(Phenomenon)), dtype=bool),
        sentences=np.array(
            [sources[campaigns[pair.campaign].sources[pair.source]] for pair in found.pairs], dtype=np.int64
        ),
        before=of == 0,
        after=of == 1,
    )


def _same(found: Reread, sides: JoinedStudies) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    codes = CodeAssigner()
    named = zip(sides.sentences.tolist(), found.pairs, strict=True)
    return np.array([codes[source, pair.first, pair.second] for source, pair in named], dtype=np.int64)


def _size(found: Reread, campaign: int) -> dict[str, int]:
    study = found.study
    mine = study.pair_tasks[study.pairs] == campaign
    return {
        "pairs": int((study.pair_tasks == campaign).sum()),
        "answers": int(mine.sum()),
        "judges": len(np.unique(study.annotators[mine])),
    }


def _line(line: DiffLine) -> dict[str, object]:
    return {**asdict(line), "difference": line.change.difference}


if __name__ == "__main__":
    main()
