"""``train collocations``: counts the collocations of a text. The table is written all or nothing."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from appraise.lib.problems import InputError
from appraise.lib.streams import read_lines
from metrics.collocation.content_words import READERS, ContentWordReader, get_reader
from metrics.collocation.counting import PairCounter
from metrics.collocation.table import CollocationTable, Corpus, load_table, save_table
from metrics.metaeval.datasets import digest
from metrics.tools.base import ToolAbsent

BATCH = 20_000  # sentences tagged at once, between two notes

Note = Callable[[str], None]


def add_trainers(kinds: Any) -> None:  # Any: argparse's private type
    """Register ``train collocations``."""
    parser: argparse.ArgumentParser = kinds.add_parser("collocations", help="count collocations in text")
    parser.add_argument(
        "--text", nargs="+", required=True, metavar="FILE", help="one sentence per line, plain or gzipped"
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="the table to write (.npz)")
    parser.add_argument("--name", help="name of the corpus in reports (default: the file names)")
    parser.add_argument("--description", help="short description of the text, for reports")
    parser.add_argument("--reader", default="en", choices=tuple(READERS), help="language and tools (en)")
    parser.set_defaults(train=train_collocations)


def train_collocations(
    options: dict[str, Any], note: Note
) -> dict[str, Any]:  # Any: argparse's and JSON's values
    """Run the command; returns the summary that it prints."""
    out = Path(options["out"])
    try:
        reader = get_reader(options["reader"])
    except ToolAbsent as error:
        raise InputError.of("tool_absent", str(error)) from error
    files = [Path(name) for name in options["text"]]
    name = options["name"] or ", ".join(path.name for path in files)
    table = train_table(files, out, reader, name, options["description"] or "not described", note)
    return summarize(table, out)


def train_table(
    files: Sequence[Path], out: Path, reader: ContentWordReader, name: str, description: str, note: Note
) -> CollocationTable:
    """Tag, count and save; returns the table as loaded from its file."""
    out.parent.mkdir(parents=True, exist_ok=True)
    counter = PairCounter()
    sentences = read_sentences(files)
    while batch := list(itertools.islice(sentences, BATCH)):
        for content in reader.read(batch):
            counter.add(content.words)
        note(f"{counter.sentences:,} sentences")
    if not counter.sentences:
        raise InputError.of("no_text", "the text contains no sentences", file=str(files[0]))
    corpus = Corpus(name, description, digest(files)[:16], 0, reader.language, reader.name, reader.tools)
    save_table(counter.table(corpus), out)
    return load_table(out)


def summarize(table: CollocationTable, out: Path) -> dict[str, Any]:  # Any: JSON
    """The output of the command."""
    about = table.corpus
    return {
        "out": str(out),
        "corpus": about.name,
        "description": about.description,
        "text_digest": about.digest,
        "sentences": about.sentences,
        "words": len(table.words),
        "collocations": table.pairs,
        "reader": about.reader,
        "tools": about.tools,
        "digest": table.digest,
    }


def read_sentences(files: Iterable[Path]) -> Iterator[str]:
    """The lines of text files, plain or gzipped, without blank ones."""
    for path in files:
        for _, line in read_lines(path, file=str(path)):
            if sentence := line.strip():
                yield sentence
