"""``manage.py replay_changes``: what changed between two published campaigns, as the page for two tasks shows
it.

Sentences are the same where their sources are, pairs where their two outputs are. Whole sentences were
ranked, so nothing is said about phenomena.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement.judgements import Coder
from evaluation.changes import Changed, Sides, changes, rejudged
from evaluation.phenomena import Phenomenon
from metrics.ranking.data import RankedSet, read
from metrics.rereading import Reread, reread

RESAMPLES = 2000


class Command(AppraiseCommand):
    help = "Wins and agreement of two judged campaigns side by side, with significance."
    examples = ("replay_changes wmt12/de-en wmt13/de-en",)

    def add_arguments(self, parser: CommandParser) -> None:
        for name in ("before", "after"):
            parser.add_argument(name, metavar=name.upper(), help="rankings as JSON lines, or DIR/PREFIX")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        campaigns = {name: read(options[name]) for name in ("before", "after")}
        found = reread(campaigns)
        if len(np.unique(found.study.pair_tasks)) < 2:
            self.refuse("nobody has compared anything in one of the two")
        sides = _sides(found, list(campaigns.values()))
        told, again = changes(sides, resamples=RESAMPLES), rejudged(sides, _same(found, sides))
        self.write_json(
            {
                "size": {name: _size(found, number) for number, name in enumerate(campaigns)},
                "agreement": [_line(line) for line in told.agreement],
                "wins": [_line(line) for line in told.wins],
                "rejudged": {"pairs": again.pairs, "kept": again.kept, "kappa": again.kappa},
            }
        )


def _sides(found: Reread, campaigns: list[RankedSet]) -> Sides:
    sources, of = Coder(), found.study.pair_tasks
    return Sides(
        study=found.study,
        meetings=found.meetings,
        shown=np.zeros((len(found.pairs), len(Phenomenon)), dtype=bool),
        sentences=np.array(
            [sources[campaigns[pair.campaign].sources[pair.source]] for pair in found.pairs], dtype=np.int64
        ),
        before=of == 0,
        after=of == 1,
    )


def _same(found: Reread, sides: Sides) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    codes = Coder()
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


def _line(line: Changed) -> dict[str, object]:
    return {**asdict(line), "difference": line.change.difference}
