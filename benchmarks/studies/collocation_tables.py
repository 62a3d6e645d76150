"""The tables of paper 002 on judged sets: separation of humans and systems, and accuracy of system rankings.

    python -m benchmarks.studies.collocation_tables --set DIR/PREFIX … --table FILE.npz …

References stand for the humans. Every number is the mean over the sets; BLEU and NIST, which see a reference,
stand beside. With ``--parse`` the trees of the references are also compared with spaCy's dependency parses.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.studies import dependencies
from benchmarks.studies.base import note
from benchmarks.studies.collocation_branches import find_branches, select_branches
from metrics import registry
from metrics.collocation.association import AssociationMeasure
from metrics.collocation.content_words import ContentWordReader, ContentWords, get_reader
from metrics.collocation.scoring import Method
from metrics.collocation.table import CollocationTable, load_table
from metrics.metaeval.scoring import score_dataset
from metrics.metaeval.systems import system_level
from metrics.replicate.paper002 import HUMAN, CollocationResult, CollocationSet, Key, read_set, study_set
from metrics.syntax.metric import shared_parser
from metrics.tools.tagger import Tagged


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Separation and ranking accuracy on judged sets.")
    parser.add_argument("--set", nargs="+", required=True, dest="sets", metavar="DIR/PREFIX")
    parser.add_argument("--table", nargs="+", required=True, metavar="FILE", type=Path)
    parser.add_argument("--parse", action="store_true", help="compare with dependency parses, too")
    parser.add_argument("--no-cutoff", dest="cutoff", action="store_false", help="let every known pair count")
    options = parser.parse_args(arguments)
    backgrounds = [load_table(path) for path in options.table]
    sets = [read_set(prefix) for prefix in options.sets]
    words = get_reader(backgrounds[0].corpus.reader)
    content = _read_once(sets, words)
    print(_peers(sets))
    for background in backgrounds:
        found = [study_set(judged, background, content, cutoff=options.cutoff) for judged in sets]
        print(_report(background, found))
        if options.parse:
            references = list(dict.fromkeys(text for judged in sets for text in judged.texts()[HUMAN]))
            print(_parse_report(parse_agreement(references, background, words)))
    return 0


def parse_agreement(
    sentences: Sequence[str], background: CollocationTable, words: ContentWordReader
) -> dict[tuple[AssociationMeasure | None, Method | None], dependencies.Agreement]:
    """Induced trees against spaCy's parses; (None, None) is the guess that joins neighbours."""
    total: dict[tuple[AssociationMeasure | None, Method | None], dependencies.Agreement] = {}
    for sentence in shared_parser().parse(sentences):
        content = words.words_of(Tagged(sentence.words, sentence.tags))
        parsed = dependencies.contract(content, sentence.heads)
        guesses = {(None, None): dependencies.neighbours(content)} | _trees(background, content)
        for key, induced in guesses.items():
            seen = dependencies.agreement(induced, parsed)
            total[key] = total.get(key, dependencies.Agreement()) + seen
    return total


def markdown(rows: Mapping[str, Sequence[str]], head: Sequence[str]) -> str:
    """A Markdown table.

    >>> print(markdown({"t": ["1", "2"]}, ["", "a", "b"]))
    |  | a | b |
    |---|---|---|
    | t | 1 | 2 |
    """
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())])


def _read_once(sets: Iterable[CollocationSet], words: ContentWordReader) -> dict[str, ContentWords]:
    texts = list({text: None for judged in sets for lines in judged.texts().values() for text in lines})
    note(f"tagging {len(texts):,} sentences")
    return dict(zip(texts, words.read(texts), strict=True))


def _trees(
    background: CollocationTable, content: ContentWords
) -> dict[tuple[AssociationMeasure | None, Method | None], dependencies.Pairs]:
    found: dict[tuple[AssociationMeasure | None, Method | None], dependencies.Pairs] = {}
    for measure in AssociationMeasure:
        pairs = find_branches(background, content, measure)
        for method in Method:
            kept = select_branches(method, pairs, len(content.words), content.first_verb)
            found[measure, method] = frozenset((branch.left, branch.right) for branch in kept)
    return found


def _report(background: CollocationTable, results: Sequence[Mapping[Key, CollocationResult]]) -> str:
    about = background.corpus
    parts = [f"\n### {about}, {len(background.words):,} words, {background.pairs:,} collocations"]
    columns = (
        ("Separation ratio, strength", "separation", "{:.2%}"),
        ("Ranking accuracy, strength", "accuracy", "{:.3f}"),
        ("Separation ratio, coverage", "coverage_separation", "{:.2%}"),
        ("Ranking accuracy, coverage", "coverage_accuracy", "{:.3f}"),
        ("Sentences without a score", "undefined", "{:.2%}"),
    )
    for title, field, form in columns:
        rows = {
            measure.value: [_mean([getattr(r[measure, m], field) for r in results], form) for m in Method]
            for measure in AssociationMeasure
        }
        parts.append(f"\n**{title}**\n\n{markdown(rows, ['', *(m.value for m in Method)])}")
    return "\n".join(parts)


def _parse_report(
    found: Mapping[tuple[AssociationMeasure | None, Method | None], dependencies.Agreement],
) -> str:
    rows = {}
    for (measure, method), seen in found.items():
        cells = [_mean([value], "{:.1%}") for value in (seen.precision, seen.recall, seen.f1)]
        rows[f"{measure} {method}" if measure else "neighbours"] = [*cells, f"{seen.induced:,}"]
    return "\n**Against dependency parses**\n\n" + markdown(
        rows, ["", "precision", "recall", "F1", "branches"]
    )


def _peers(sets: Sequence[CollocationSet]) -> str:
    rows = {}
    for name in ("bleu", "nist"):
        found = [system_level(_corpus_scores(name, judged), judged.people).accuracy for judged in sets]
        rows[name] = [*(_mean([value], "{:.3f}") for value in found), _mean(found, "{:.3f}")]
    return "**Ranking accuracy, with the reference**\n\n" + markdown(
        rows, ["", *(judged.name for judged in sets), "mean"]
    )


def _corpus_scores(name: str, judged: CollocationSet) -> dict[str, float]:
    scores = score_dataset(registry.get(name), judged.dataset).systems
    return {system: value for system, value in scores.items() if value is not None}


def _mean(values: Sequence[float | None], form: str) -> str:
    known = [value for value in values if value is not None]
    return form.format(float(np.mean(known))) if known else "–"


if __name__ == "__main__":
    sys.exit(main())
