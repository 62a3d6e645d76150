"""Random questions as cards to read: ``python -m benchmarks.studies.question_samples --seed 1 --out FOLDER``.

A card shows what an annotator sees: source, reference, and two translations with the words of one question in
brackets. Sets are WMT12 German–English and WMT23 English–German (``APPRAISE_DATA``) and the demonstration
campaign. Questions of an import and of the old cut, each differing phrase, are shuffled and unlabelled;
``key.json`` tells which card is which. The texts belong to somebody else: keep FOLDER to yourself.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.studies.base import note
from evaluation.alignment.question_rules import QuestionSize
from evaluation.alignment.questions import list_runs
from evaluation.alignment.values import Span
from evaluation.importers import ImportedCandidate, ImportedItem, SourcePosition
from evaluation.presentation import Stave
from evaluation.tasks.planning import Planner
from metrics.metaeval.datasets import find_set, read_dataset

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("APPRAISE_DATA") or ROOT.parent / "shared" / "data" / "dev")
NOTHING = "(nothing here)"
POOL = 8  # comparisons that are cut for each question that is drawn


class Card(NamedTuple):
    """One question as text, and what it is; the answer key of the readers."""

    text: str
    kind: str
    origin: str


class Triple(NamedTuple):
    """Two translations of a source."""

    origin: str
    source: str
    reference: str
    a: str
    b: str


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--new", default="100,100,50", help="cards of WMT12, WMT23 and the demo")
    parser.add_argument("--old", default="50,50,25", help="the same, of the old cut")
    parser.add_argument("--parts", type=int, default=4, help="files to write (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    random = Random(options.seed)
    cards: list[Card] = []
    for size, counts in ((QuestionSize.MEDIUM, options.new), (QuestionSize.PHRASE, options.old)):
        for (language, triples), count in zip(_read_sets(), map(int, counts.split(",")), strict=True):
            cards += _draw(random, Planner(language, size=size), triples, count) if count else []
            note(f"{size}: {len(cards)} cards")
    random.shuffle(cards)
    options.out.mkdir(parents=True, exist_ok=True)
    key = {}
    for part in range(options.parts):
        texts = []
        for number in range(part, len(cards), options.parts):
            key[number + 1] = {"kind": cards[number].kind, "origin": cards[number].origin, "part": part + 1}
            texts.append(f"CARD {number + 1}\n{cards[number].text}\n")
        (options.out / f"part{part + 1}.txt").write_text("\n".join(texts), encoding="utf-8")
    (options.out / "key.json").write_text(json.dumps(key, indent=1) + "\n", encoding="utf-8")


def _read_sets() -> Iterator[tuple[str, list[Triple]]]:
    """The language of each set and every two different translations of its segments."""
    files = find_set(str(DATA / "rr_wmt12" / "de-en"))
    dataset = read_dataset(files.segments, files.outputs)
    of: dict[str, dict[str, str]] = {segment: {} for segment in dataset.texts}
    for cell in dataset.cells:
        of[cell.segment][cell.system] = cell.translation
    yield (
        "en",
        [
            triple
            for segment, text in dataset.texts.items()
            for triple in _pair(f"wmt12 {segment}", text.source, text.references[0], of[segment])
        ],
    )
    folder = DATA / "mtme_wmt23"
    sources, references = (
        _lines(folder / name) for name in ("sources/en-de.txt", "references/en-de.refA.txt")
    )
    outputs = {
        file.stem: _lines(file)
        for file in sorted((folder / "system-outputs" / "en-de").glob("*.txt"))
        if "ref" not in file.stem
    }
    yield (
        "de",
        [
            triple
            for number, (source, reference) in enumerate(zip(sources, references, strict=True))
            for triple in _pair(
                f"wmt23 {number + 1}", source, reference, {name: of[number] for name, of in outputs.items()}
            )
        ],
    )
    yield (
        "en",
        [
            triple
            for path in sorted((ROOT / "fixtures" / "demo").glob("*.jsonl"))
            for record in map(json.loads, _lines(path)[1:])
            for triple in _pair(
                f"{path.stem} {record['id']}",
                record["source"],
                record.get("references", [""])[0],
                record["candidates"],
            )
        ],
    )


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def _pair(origin: str, source: str, reference: str, outputs: dict[str, str]) -> Iterator[Triple]:
    for one, other in itertools.combinations(sorted(outputs), 2):
        if outputs[one] != outputs[other]:
            yield Triple(f"{origin} {one} {other}", source, reference, outputs[one], outputs[other])


def _draw(random: Random, planner: Planner, triples: list[Triple], count: int) -> list[Card]:
    """Questions with equal chances, from a sample of the comparisons."""
    drawn = random.sample(triples, min(len(triples), POOL * count))
    return random.sample([card for triple in drawn for card in _list_cards(planner, triple)], count)


def _list_cards(planner: Planner, triple: Triple) -> Iterator[Card]:
    item = ImportedItem(
        "1",
        triple.source,
        (ImportedCandidate("a", triple.a), ImportedCandidate("b", triple.b)),
        SourcePosition(triple.origin),
    )
    (comparison,) = planner.plan(item, [("a", "b")]).comparisons
    first, second, alignment = comparison.first, comparison.second, comparison.alignment
    above = f"SOURCE    {triple.source}\nREFERENCE {triple.reference}\n"
    groups = comparison.groups or [(question.phrase,) for question in comparison.questions]
    for group, question in zip(groups, comparison.questions, strict=True):
        a, b = (
            _mark(stave, list_runs(alignment, group, side)) for stave, side in ((first, "a"), (second, "b"))
        )
        pair = f"{question.a or NOTHING}  |  {question.b or NOTHING}"
        kind = " (only the order differs)" if question.moved else ""
        yield Card(
            f"{above}A         {a}\nB         {b}\nQUESTION  {pair}{kind}", planner.size, triple.origin
        )


def _mark(stave: Stave, runs: Sequence[Span]) -> str:
    """The sentence with the runs of a question in brackets."""
    text = stave.text
    for start, end in reversed(runs):
        first, last = stave.spans[start][0], stave.spans[end - 1][1]
        text = f"{text[:first]}[{text[first:last]}]{text[last:]}"
    return text


if __name__ == "__main__":
    main()
