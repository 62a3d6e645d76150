"""``manage.py replay_phenomena``: what do the disagreements of a judged campaign turn on?

Pairs of outputs that differ in one place (``metrics.one_place``), classified by word lists, or by the site's
tagger (``--tagged``), which tags the outputs first and keeps its tags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement.rendering import as_text
from evaluation.phenomena import Line, Phenomenon, profile
from evaluation.phenomena.profile import Shown
from evaluation.reports.phenomena import profile_tables
from evaluation.reports.tagged import LISTS
from evaluation.study import Study
from evaluation.study.values import CODE_OF
from evaluation.word_classes import Words, tagged_words, tagger_of
from metrics import word_classes
from metrics.datasets import find_set, read_texts
from metrics.linguistics.base import ToolAbsent
from metrics.one_place import LONGEST, NUMBER_OF, Place, places, shown_at, words_win
from metrics.ranking.data import RankedSet, read
from metrics.replicate.values import label_of
from metrics.rereading import Reread, reread


class Command(AppraiseCommand):
    help = "Classify disagreements of a judged campaign by phenomenon, where outputs differ in one place."
    examples = ("replay_phenomena --set wmt15/de-en --format text",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", metavar="DIR/PREFIX", action="append", required=True, dest="sets")
        parser.add_argument("--language", default="en", help="of the outputs (default: %(default)s)")
        parser.add_argument("--tagged", action="store_true", help="by the site's tagger, not by word lists")
        parser.add_argument("--format", choices=["json", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        language = options["language"]
        prefixes = {label_of(prefix): prefix for prefix in options["sets"]}
        found = reread({name: _named(read(prefix), name) for name, prefix in prefixes.items()})
        differing = places(found, language)
        if not differing:
            self.refuse(f"no two judged outputs differ in one place by at most {LONGEST} words")
        words = self._tags(language, found, differing) if options["tagged"] else None
        references = [_references(prefix) for prefix in prefixes.values()]
        shown = shown_at(found, differing, references, language, words)
        study = found.study.where(np.asarray(shown.any(axis=1))[found.study.pairs])
        told, by = (
            profile(study, found.meetings, shown),
            LISTS if words is None else tagger_of(language) or "",
        )
        if options["format"] == "text":
            tables = profile_tables(told, (by,)).values()
            self.stdout.write("\n".join(map(as_text, tables)), ending="")
            return
        one_sided = (Phenomenon.OMISSION, Phenomenon.INSERTION)
        self.write_json(
            {
                "told_by": by,
                **_sizes(found, study),
                "phenomena": [{**asdict(line), "ties": _ties(study, shown, line)} for line in told.lines],
                "all": asdict(told.everything),
                "with_and_without_won": {
                    kind: words_win(found, differing, shown, kind) for kind in one_sided
                },
                "systems": [{**asdict(c), "verdict": c.verdict} for c in told.cells if c.verdict],
            }
        )

    def _tags(self, language: str, found: Reread, differing: Sequence[Place]) -> Mapping[str, Words]:
        texts = sorted({text for place in differing for text in found.pairs[place.code][2:]})
        self.note(f"{len(texts)} sentences are tagged …")
        try:
            failed = word_classes.read(language, texts, lambda done: None)
        except ToolAbsent as error:
            self.refuse(str(error))
        words = tagged_words(language, texts)
        if words is None:
            self.refuse(f"{failed} of {len(texts)} sentences could not be tagged")
        return words


def _named(ranked: RankedSet, campaign: str) -> RankedSet:
    """Systems of two campaigns are two, whatever their names."""
    return replace(ranked, systems=tuple(f"{campaign}/{system}" for system in ranked.systems))


def _references(prefix: str) -> list[Sequence[str]]:
    return [text.references for text in read_texts(find_set(prefix).segments)[0].values()]


def _sizes(found: Reread, study: Study) -> dict[str, int]:
    return {
        "judged_pairs": len(found.pairs),
        "phrase_pairs": len(np.unique(study.pairs)),
        "sentences": len(np.unique(study.pair_sentences[study.pairs])),
        "answers": len(study),
        "judges": len(np.unique(study.annotators)),
    }


def _ties(study: Study, shown: Shown, line: Line) -> float:
    here = shown[study.pairs, NUMBER_OF[line.phenomenon]]
    return float((study.labels[here] == CODE_OF["A=B"]).mean())
