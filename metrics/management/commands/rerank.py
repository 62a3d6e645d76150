"""Rerank n-best lists: ``rerank --model RANKER --nbest FILE --source FILE``.

The list has Moses' form, ``id ||| text ||| …``, ids counting from 0 into the lines of the source; what
follows the text is kept. With ``--best`` only the first of every list is printed, as plain text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.problems import InputError, Problem
from metrics.tables import lines

SEPARATOR = " ||| "


class Command(AppraiseCommand):
    help = "Reorder n-best lists by a trained reference-free ranker."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", required=True, metavar="FILE", help="from `train ranker`")
        parser.add_argument("--nbest", required=True, metavar="FILE", help="id ||| text ||| …")
        parser.add_argument("--source", required=True, metavar="FILE", help="one sentence a line")
        parser.add_argument(
            "--lm", default="", metavar="FILE", help="instead of the one that the model names"
        )
        parser.add_argument("--lexicon", default="", metavar="FILE")
        parser.add_argument("--parser", choices=("auto", "stanford", "none"), default="auto")
        parser.add_argument("--best", action="store_true", help="print only the best text of every list")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        from metrics.ranking.metric import TrainedRanker
        from metrics.ranking.pairs import soft_wins

        if not Path(options["model"]).is_file():
            self.refuse(f"{options['model']}: there is no such file")
        ranker = TrainedRanker(options["model"], options["lm"], options["lexicon"], options["parser"])
        sources = [text for _, text in lines(options["source"])]
        for number, rows in read_nbest(Path(options["nbest"]), len(sources)):
            (matrix,) = ranker.preferences([sources[number]], [[row.split(SEPARATOR)[1]] for row in rows])
            order = np.argsort(-soft_wins(matrix), kind="stable")
            for place in order[:1] if options["best"] else order:
                row = rows[int(place)]
                self.stdout.write(row.split(SEPARATOR)[1] if options["best"] else row)


def read_nbest(path: Path, sources: int) -> Iterator[tuple[int, list[str]]]:
    """(source number, its lines) for every list; raises InputError with the line that is wrong."""

    def number_of(numbered: tuple[int, str]) -> int:
        line, row = numbered
        head = row.split(SEPARATOR)[0].strip()
        if SEPARATOR not in row or not (head.isascii() and head.isdigit()):
            raise InputError(
                Problem("bad_nbest", f"expected id ||| text, found {row[:40]!r}", "", path.name, line)
            )
        if int(head) >= sources:
            message = f"list {head} has no source; there are {sources} lines"
            raise InputError(Problem("unknown_segment", message, "ids count from 0", path.name, line))
        return int(head)

    for number, rows in groupby(lines(path), key=number_of):
        yield number, [row for _, row in rows]
