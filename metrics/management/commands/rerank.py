"""``manage.py rerank``: rerank n-best lists, ``rerank --model RANKER --nbest FILE --source FILE``.

The format is that of Moses, ``id ||| text ||| …``; ids are line numbers of the source, from 0. Further fields
are kept. With ``--best`` only the best text of every list is printed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from appraise.lib.streams import read_lines
from evaluation.management.base import AppraiseCommand
from metrics.metaeval.text_files import SEPARATOR, read_nbest


class Command(AppraiseCommand):
    help = "Rerank n-best lists with a trained reference-free ranker."
    examples = ("rerank --model ranker.json --nbest nbest.txt --source source.de.txt --best",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", required=True, metavar="FILE", help="model written by `train ranker`")
        parser.add_argument("--nbest", required=True, metavar="FILE", help="n-best lists: id ||| text ||| …")
        parser.add_argument("--source", required=True, metavar="FILE", help="source sentences, one per line")
        parser.add_argument(
            "--lm",
            default="",
            metavar="FILE",
            help="language model to use instead of the one named in the model",
        )
        parser.add_argument("--lexicon", default="", metavar="FILE")
        parser.add_argument("--parser", choices=("auto", "stanford", "none"), default="auto")
        parser.add_argument("--best", action="store_true", help="print only the best text of every list")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        from metrics.ranking.metric import RankerMetric
        from metrics.ranking.pairs import soft_wins
        from metrics.ranking.toolbox import open_tools

        if not Path(options["model"]).is_file():
            self.refuse(f"{options['model']}: there is no such file")
        ranker = RankerMetric(options["model"], options["lm"], options["lexicon"], options["parser"])
        sources = [text for _, text in read_lines(options["source"], blank=True)]
        with open_tools(ranker.resources(), self.note) as extractor:  # tools start once
            for number, rows in read_nbest(Path(options["nbest"]), len(sources)):
                outputs = [[row.split(SEPARATOR)[1]] for row in rows]
                (matrix,) = ranker.preferences_by(extractor, [sources[number]], outputs)
                order = np.argsort(-soft_wins(matrix), kind="stable")
                for place in order[:1] if options["best"] else order:
                    row = rows[int(place)]
                    self.stdout.write(row.split(SEPARATOR)[1] if options["best"] else row)
