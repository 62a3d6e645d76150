"""The tables of paper 002 on judged sets: separation of humans and systems, and accuracy of system rankings.

    python -m metrics.collocation.study --set DIR/PREFIX … --table FILE.npz …

References stand for the humans. Every number is the mean over the sets; BLEU and NIST, which see a reference,
stand beside. With ``--parse`` the trees of the references are also compared with spaCy's dependency parses.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metrics import datasets, registry
from metrics.collocation import dependencies, table
from metrics.collocation.association import Measure
from metrics.collocation.comparing import separation_ratio, system_score
from metrics.collocation.reading import Reader, reader
from metrics.collocation.scoring import SentenceScores, branches, score
from metrics.collocation.trees import Method, choose
from metrics.collocation.words import ContentWords
from metrics.linguistics.tagger import spacy_tagger
from metrics.metaeval.scoring import score_dataset
from metrics.metaeval.systems import human_by_system, system_level

Key = tuple[Measure, Method]
HUMAN = ""  # the reference's place among the systems


@dataclass(frozen=True)
class JudgedSet:
    """One language pair: texts of the reference and of every system, and what people preferred."""

    name: str
    dataset: datasets.Dataset
    people: Mapping[str, float]

    def texts(self) -> dict[str, list[str]]:
        """Sentences by system, the reference first."""
        reference = [text.references[0] for text in self.dataset.texts.values()]
        cells = self.dataset.cells
        systems = self.dataset.systems().items()
        return {HUMAN: reference} | {name: [cells[i].translation for i in own] for name, own in systems}


@dataclass(frozen=True, slots=True)
class Result:
    """What one combination of measure and method is worth on one set."""

    separation: float | None
    accuracy: float | None
    coverage_separation: float | None
    coverage_accuracy: float | None
    undefined: float


def read_set(prefix: str) -> JudgedSet:
    files = datasets.find_set(prefix)
    dataset = datasets.read_dataset(files.segments, files.outputs)
    human = datasets.read_human(files, dataset)
    return JudgedSet(Path(prefix).name, dataset, human_by_system(human, dataset.systems()))


def study(
    judged: JudgedSet, background: table.Table, content: Mapping[str, ContentWords], *, cutoff: bool = True
) -> dict[Key, Result]:
    """All combinations of one set and one background corpus."""
    texts = judged.texts()
    sentences = [content[text] for lines in texts.values() for text in lines]
    ends = np.cumsum([len(lines) for lines in texts.values()])[:-1]
    words = np.array([len(sentence.words) for sentence in sentences], np.float64)
    found = score(background, sentences, cutoff=cutoff)
    return {
        key: _result(judged, list(texts), scores, _coverage(scores, words, key[1]), ends)
        for key, scores in found.items()
    }


def parse_agreement(
    sentences: Sequence[str], background: table.Table, words: Reader
) -> dict[tuple[Measure | None, Method | None], dependencies.Agreement]:
    """Induced trees against spaCy's parses; (None, None) is the guess that joins neighbours."""
    total: dict[tuple[Measure | None, Method | None], dependencies.Agreement] = {}
    for tagged in spacy_tagger(parse=True).tag(sentences):
        content = words.words_of(tagged)
        parsed = dependencies.contract(content, tagged.heads)
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


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Separation and ranking accuracy on judged sets.")
    parser.add_argument("--set", nargs="+", required=True, dest="sets", metavar="DIR/PREFIX")
    parser.add_argument("--table", nargs="+", required=True, metavar="FILE", type=Path)
    parser.add_argument("--parse", action="store_true", help="compare with dependency parses, too")
    parser.add_argument("--no-cutoff", dest="cutoff", action="store_false", help="let every known pair count")
    options = parser.parse_args(arguments)
    backgrounds = [table.load(path) for path in options.table]
    sets = [read_set(prefix) for prefix in options.sets]
    words = reader(backgrounds[0].corpus.reader)
    content = _read_once(sets, words)
    print(_peers(sets))
    for background in backgrounds:
        found = [study(judged, background, content, cutoff=options.cutoff) for judged in sets]
        print(_report(background, found))
        if options.parse:
            references = list(dict.fromkeys(text for judged in sets for text in judged.texts()[HUMAN]))
            print(_parse_report(parse_agreement(references, background, words)))
    return 0


def _read_once(sets: Iterable[JudgedSet], words: Reader) -> dict[str, ContentWords]:
    texts = list({text: None for judged in sets for lines in judged.texts().values() for text in lines})
    print(f"tagging {len(texts):,} sentences", file=sys.stderr)
    return dict(zip(texts, words.read(texts), strict=True))


def _coverage(scores: SentenceScores, words: np.ndarray, method: Method) -> np.ndarray:
    possible = words * (words - 1) / 2 if method is Method.SIMPLE else words - 1
    return np.where(possible > 0, scores.kept / np.maximum(possible, 1), np.nan)


def _result(
    judged: JudgedSet, names: Sequence[str], scores: SentenceScores, coverage: np.ndarray, ends: np.ndarray
) -> Result:
    strength = _separate(judged, names, np.split(scores.averages, ends))
    covered = _separate(judged, names, np.split(coverage, ends))
    return Result(*strength, *covered, float(np.isnan(scores.averages).mean()))


def _separate(
    judged: JudgedSet, names: Sequence[str], values: Sequence[np.ndarray]
) -> tuple[float | None, float | None]:
    averages = {name: system_score(own).average for name, own in zip(names, values, strict=True)}
    known = {name: value for name, value in averages.items() if value is not None and name != HUMAN}
    machine = float(np.mean(list(known.values()))) if known else None
    return separation_ratio(averages[HUMAN], machine), system_level(known, judged.people).accuracy


def _trees(
    background: table.Table, content: ContentWords
) -> dict[tuple[Measure | None, Method | None], dependencies.Pairs]:
    found: dict[tuple[Measure | None, Method | None], dependencies.Pairs] = {}
    for measure in Measure:
        pairs = branches(background, content, measure)
        for method in Method:
            kept = choose(method, pairs, len(content.words), content.first_verb)
            found[measure, method] = frozenset((branch.left, branch.right) for branch in kept)
    return found


def _report(background: table.Table, results: Sequence[Mapping[Key, Result]]) -> str:
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
            for measure in Measure
        }
        parts.append(f"\n**{title}**\n\n{markdown(rows, ['', *(m.value for m in Method)])}")
    return "\n".join(parts)


def _parse_report(found: Mapping[tuple[Measure | None, Method | None], dependencies.Agreement]) -> str:
    rows = {}
    for (measure, method), seen in found.items():
        cells = [_mean([value], "{:.1%}") for value in (seen.precision, seen.recall, seen.f1)]
        rows[f"{measure} {method}" if measure else "neighbours"] = [*cells, f"{seen.induced:,}"]
    return "\n**Against dependency parses**\n\n" + markdown(
        rows, ["", "precision", "recall", "F1", "branches"]
    )


def _peers(sets: Sequence[JudgedSet]) -> str:
    rows = {}
    for name in ("bleu", "nist"):
        found = [system_level(_corpus_scores(name, judged), judged.people).accuracy for judged in sets]
        rows[name] = [*(_mean([value], "{:.3f}") for value in found), _mean(found, "{:.3f}")]
    return "**Ranking accuracy, with the reference**\n\n" + markdown(
        rows, ["", *(judged.name for judged in sets), "mean"]
    )


def _corpus_scores(name: str, judged: JudgedSet) -> dict[str, float]:
    scores = score_dataset(registry.get(name), judged.dataset).systems
    return {system: value for system, value in scores.items() if value is not None}


def _mean(values: Sequence[float | None], form: str) -> str:
    known = [value for value in values if value is not None]
    return form.format(float(np.mean(known))) if known else "–"


if __name__ == "__main__":
    sys.exit(main())
