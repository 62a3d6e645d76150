"""Rerank n-best lists: ``rerank --model RANKER --nbest FILE --source FILE``.

The list has Moses' form, ``id ||| text ||| …``, ids counting from 0 into the lines of the source; what
follows the text is kept. With ``--best`` only the first of every list is printed, as plain text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from metrics.nbest import SEPARATOR, read_nbest
from metrics.tables import lines


class Command(AppraiseCommand):
    help = "Reorder n-best lists by a trained reference-free ranker."
    examples = ("rerank --model ranker.json --nbest nbest.txt --source source.de.txt --best",)

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
        from metrics.ranking.toolbox import Toolbox

        if not Path(options["model"]).is_file():
            self.refuse(f"{options['model']}: there is no such file")
        ranker = TrainedRanker(options["model"], options["lm"], options["lexicon"], options["parser"])
        sources = [text for _, text in lines(options["source"], blank=True)]
        with Toolbox(ranker.wanted(), self.note) as extractor:  # models and parsers start once for all lists
            for number, rows in read_nbest(Path(options["nbest"]), len(sources)):
                outputs = [[row.split(SEPARATOR)[1]] for row in rows]
                (matrix,) = ranker.preferences_by(extractor, [sources[number]], outputs)
                order = np.argsort(-soft_wins(matrix), kind="stable")
                for place in order[:1] if options["best"] else order:
                    row = rows[int(place)]
                    self.stdout.write(row.split(SEPARATOR)[1] if options["best"] else row)
