"""``manage.py simulate_selection``: how many judgements selection would have saved in a judged campaign."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.selection.simulation import SHARES, Pool, saving, votes_needed
from metrics.datasets import find_set, read_dataset, read_human


class Command(AppraiseCommand):
    help = "Replay a judged campaign in random and in selected order; compare the votes that clusters need."
    examples = ("simulate_selection --set wmt15/fr-en --orders 20 --batch 200",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", metavar="DIR/PREFIX", action="append", required=True, dest="sets")
        parser.add_argument("--orders", type=int, default=20, help="orders of each kind")
        parser.add_argument("--batch", type=int, default=100, help="votes between two looks")
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        if options["orders"] < 1 or options["batch"] < 1:
            self.refuse("--orders and --batch must be at least 1")
        found = {}
        for prefix in options["sets"]:
            self.note(f"{prefix} …")
            found[prefix] = self._simulated(_pool(prefix), options)
        self.write_json(found)

    def _simulated(self, pool: Pool, options: dict[str, Any]) -> dict[str, object]:
        needed = {
            selected: [
                votes_needed(pool, selected=selected, seed=options["seed"] + n, batch=options["batch"]).votes
                for n in range(options["orders"])
            ]
            for selected in (False, True)
        }
        shares = {
            str(share): saving(*([row[n] or pool.votes for row in needed[kind]] for kind in (False, True)))
            for n, share in enumerate(SHARES)
        }
        return {
            "systems": pool.systems,
            "votes": pool.votes,
            "needed": {share: one._asdict() for share, one in shares.items()},
        }


def _pool(prefix: str) -> Pool:
    files = find_set(prefix)
    dataset = read_dataset(files.segments, files.outputs)
    judged = read_human(files, dataset)
    names = list(dataset.systems())
    system = np.array([names.index(cell.system) for cell in dataset.cells], dtype=np.int64)
    first = np.concatenate([judged.better, judged.tied.reshape(-1, 2)[:, 0]])
    second = np.concatenate([judged.worse, judged.tied.reshape(-1, 2)[:, 1]])
    signs = np.repeat(np.array([1, 0]), [len(judged.better), len(judged.tied)])
    _, codes = np.unique(system[np.concatenate([first, second])], return_inverse=True)
    one, other = np.split(codes.reshape(-1).astype(np.int64), 2)  # systems without votes have no code
    return Pool.of(one, other, signs)
