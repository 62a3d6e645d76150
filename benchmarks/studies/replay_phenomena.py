"""What do the disagreements of a judged campaign turn on?
``python -m benchmarks.studies.replay_phenomena --set DIR/PREFIX``.

Pairs of outputs that differ in one place (``minimal_pairs``), classified by word lists, or by the site's
tagger (``--tagged``), which tags the outputs first and keeps its tags.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np

from appraise.lib.problems import InputError, Problem
from appraise.lib.tables import to_text
from benchmarks.studies.base import note, write
from benchmarks.studies.minimal_pairs import LONGEST, NUMBER_OF, Place, places, shown_at, words_win
from benchmarks.studies.published_campaigns import Reread, reread
from evaluation.phenomena.classification import Phenomenon
from evaluation.phenomena.profile import PhenomenonLine, PhenomenonMatrix, compute_profile
from evaluation.reports.phenomena import phenomenon_table, system_table
from evaluation.study import Study
from evaluation.study.values import CODE_OF
from evaluation.voters import Words, find_tagger_name, load_tagged_words
from metrics import taggers
from metrics.metaeval.datasets import find_set, read_texts
from metrics.ranking.data import RankedSet, read_ranked_set
from metrics.replicate.report import set_label
from metrics.tools.base import ToolAbsent


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", metavar="DIR/PREFIX", action="append", required=True, dest="sets")
    parser.add_argument("--language", default="en", help="of the outputs (default: %(default)s)")
    parser.add_argument("--tagged", action="store_true", help="by the site's tagger, not by word lists")
    parser.add_argument("--format", choices=["json", "text"], default="json")
    options = parser.parse_args(arguments)
    write(lambda: classify_rankings(options.sets, options.language, options.tagged, options.format == "text"))


def classify_rankings(sets: Sequence[str], language: str, tagged: bool, as_tables: bool) -> object:
    """Disagreements by phenomenon, where outputs differ in one place."""
    prefixes = {set_label(prefix): prefix for prefix in sets}
    found = reread({name: _rename_judges(read_ranked_set(prefix), name) for name, prefix in prefixes.items()})
    differing = places(found, language)
    if not differing:
        message = f"no two judged outputs differ in one place by at most {LONGEST} words"
        raise InputError(Problem("no_minimal_pair", message))
    words = _tags(language, found, differing) if tagged else None
    references = [_references(prefix) for prefix in prefixes.values()]
    shown = shown_at(found, differing, references, language, words)
    study = found.study.filter_rows(np.asarray(shown.any(axis=1))[found.study.pairs])
    told = compute_profile(study, found.meetings, shown)
    by = "word lists" if words is None else find_tagger_name(language) or ""
    if as_tables:
        return "\n".join(map(to_text, (phenomenon_table(told, (by,)), system_table(told))))
    one_sided = (Phenomenon.OMISSION, Phenomenon.INSERTION)
    return {
        "classified_by": by,
        **_sizes(found, study),
        "phenomena": [{**asdict(line), "ties": _ties(study, shown, line)} for line in told.lines],
        "all": asdict(told.everything),
        "with_and_without_won": {kind: words_win(found, differing, shown, kind) for kind in one_sided},
        "systems": [{**asdict(c), "verdict": c.outcome} for c in told.cells if c.outcome],
    }


def _tags(language: str, found: Reread, differing: Sequence[Place]) -> Mapping[str, Words]:
    texts = sorted({text for place in differing for text in found.pairs[place.code][2:]})
    note(f"{len(texts)} sentences are tagged …")
    try:
        failed = taggers.tag_sentences(language, texts, lambda done: None)
    except ToolAbsent as error:
        raise InputError(Problem("tool_absent", str(error))) from error
    words = load_tagged_words(language, texts)
    if words is None:
        raise InputError(Problem("not_tagged", f"{failed} of {len(texts)} sentences could not be tagged"))
    return words


def _rename_judges(ranked: RankedSet, campaign: str) -> RankedSet:
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


def _ties(study: Study, shown: PhenomenonMatrix, line: PhenomenonLine) -> float:
    here = shown[study.pairs, NUMBER_OF[line.phenomenon]]
    return float((study.labels[here] == CODE_OF["A=B"]).mean())


if __name__ == "__main__":
    main()
