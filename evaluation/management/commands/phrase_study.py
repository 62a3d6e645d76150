"""``manage.py phrase_study``: do two sources of error spans agree on phrases, and on sentences?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.assessments.phrase_study import SpanEvidence, study_phrases
from evaluation.assessments.study_counts import PhraseStudy
from evaluation.importers.evidence import MtmeFiles, read_parallel_texts
from evaluation.importers.evidence.study_files import load_evidence
from evaluation.management.base import RENDERERS, AppraiseCommand, whole_number
from evaluation.reports.plots import Plot, named_values


class Command(AppraiseCommand):
    help = "Measure the agreement of error spans on phrases, larger units and sentences, from files."
    examples = (
        "phrase_study --mtme wmt23 --lp en-de --evidence mqm=en-de.mqm.merged.seg.rating"
        " --evidence esa=scores.csv:batches.json --format text",
    )
    option_help = {
        "--mtme": "a directory in the layout of mt-metrics-eval, for the texts",
        "--lp": "its language pair, for instance en-de",
        "--evidence": "a *.seg.rating file, or an Appraise CSV with its batches; twice or more",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--mtme", metavar="DIR", required=True)
        parser.add_argument("--lp", metavar="LP", required=True)
        parser.add_argument(
            "--evidence", metavar="NAME=FILE[:BATCHES]", nargs="+", action="extend", required=True
        )
        parser.add_argument("--resamples", type=whole_number(0), default=1000)
        parser.add_argument("--seed", type=whole_number(0), default=1)
        parser.add_argument("--format", choices=["json", "csv", "latex", "text", "svg"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        files = self._parse(options["evidence"])
        directory = MtmeFiles.from_folder(options["mtme"], options["lp"])
        texts = read_parallel_texts(directory)
        evidence: list[SpanEvidence] = [
            load_evidence(name, path, batches, texts) for name, (path, batches) in files.items()
        ]
        try:
            study = study_phrases(
                texts,
                evidence,
                resamples=options["resamples"],
                seed=options["seed"],
                progress=show_progress if sys.stderr.isatty() else lambda done, total: None,
            )
        except ValueError as error:  # an error without a weight
            self.refuse(str(error))
        if options["format"] == "json":
            return self.write_json(study.to_document())
        if options["format"] == "svg":
            return self.stdout.write(plot_same_side(study).standalone, ending="")
        self.stdout.write(RENDERERS[options["format"]](study.to_table()), ending="")

    def _parse(self, arguments: list[str]) -> dict[str, tuple[Path, Path | None]]:
        """The file of each name, and its batches if there are any."""
        files: dict[str, tuple[Path, Path | None]] = {}
        for argument in arguments:
            name, equals, path = argument.partition("=")
            if not (name and equals and path):
                self.refuse(f"--evidence needs NAME=FILE, found {argument!r}")
            if name in files:
                self.refuse(f"--evidence: two files are called {name!r}")
            answers, colon, batches = path.rpartition(":")
            is_plain = Path(path).exists() or not colon
            files[name] = (Path(path), None) if is_plain else (Path(answers), Path(batches))
        if len(files) < 2:
            self.refuse("--evidence is needed twice: agreement has two sides")
        return files


def plot_same_side(study: PhraseStudy) -> Plot:
    """Plot the agreement on the side at every level."""
    pairs = {row.evidence for row in study.rows}
    rows = [
        (row.coarseness if len(pairs) == 1 else f"{' / '.join(row.evidence)} {row.coarseness}",
         row.same_side, row.same_side_ci)
        for row in study.rows
    ]  # fmt: skip
    return named_values("Share of the same side, with 95 % intervals", "same side", "level", rows)


def show_progress(done: int, total: int) -> None:
    """Draw a bar on the terminal."""
    filled = 40 * done // total
    end = "\n" if done == total else ""
    print(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{total}", end=end, file=sys.stderr, flush=True)
