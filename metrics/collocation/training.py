"""``train collocations``: from text to a table, in steps that survive an interruption.

The text is tagged in shards of a few thousand lines. A finished shard is a file of content words beside the
output; a run that was killed finds them again and goes on where it stopped, provided the text and the tools
are still the same; otherwise it starts over. The table itself appears whole or not at all.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from evaluation.problems import InputError, Problem
from evaluation.streams import GZIP, readable
from metrics.collocation import corpus, table
from metrics.collocation.counting import PairCounter
from metrics.collocation.reading import READERS, Reader, reader
from metrics.collocation.storage import written_whole
from metrics.linguistics.base import ToolAbsent

SHARD = 20_000  # lines

Note = Callable[[str], None]
Kinds = Any  # argparse calls the type of add_subparsers' result private


def add_trainers(kinds: Kinds) -> None:
    """Teach the command ``train`` the kind ``collocations``."""
    parser: argparse.ArgumentParser = kinds.add_parser("collocations", help="count collocations in text")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", nargs="+", metavar="FILE", help="one sentence a line, plain or gzipped")
    source.add_argument("--debian-docs", action="store_true", help=f"fetch {corpus.DESCRIPTION}, from Debian")
    parser.add_argument("--out", required=True, metavar="FILE", help="the table to write (.npz)")
    parser.add_argument("--name", help="what reports call the corpus (default: the files' names)")
    parser.add_argument("--description", help="what kind of text it is, in a few words, for every report")
    parser.add_argument("--reader", default="en", choices=tuple(READERS), help="language and tools (en)")
    parser.set_defaults(train=train_collocations)


def train_collocations(
    options: dict[str, Any], note: Note
) -> dict[str, Any]:  # Any: argparse's and JSON's values
    """Run the command; returns the summary that it prints."""
    out = Path(options["out"])
    try:
        chosen = reader(options["reader"])
    except ToolAbsent as error:
        raise InputError(Problem("tool_absent", str(error), "or use --reader en-rules")) from error
    if options["debian_docs"]:
        with tempfile.TemporaryDirectory() as scratch:
            text = Path(scratch) / f"{corpus.NAME}.txt"
            _write_lines(text, corpus.build())
            made = train([text], out, chosen, corpus.NAME, corpus.DESCRIPTION, note)
    else:
        files = [Path(name) for name in options["text"]]
        name = options["name"] or ", ".join(path.name for path in files)
        made = train(files, out, chosen, name, options["description"] or "not described", note)
    return summary(made, out)


def train(
    files: Sequence[Path], out: Path, reader: Reader, name: str, description: str, note: Note
) -> table.Table:
    """Tag, count and save; returns the table as it lies on disk."""
    digest = text_digest(files)
    out.parent.mkdir(parents=True, exist_ok=True)
    work = open_work(out, {"digest": digest, "reader": reader.name, "tools": reader.tools, "shard": SHARD})
    counter = PairCounter()
    lines = read_lines(files)
    for number in itertools.count():
        shard = list(itertools.islice(lines, SHARD))
        if not shard:
            break
        for words in shard_words(work / f"{number:06d}.txt", shard, reader):
            counter.add(words)
        note(f"{counter.sentences:,} sentences")
    if not counter.sentences:
        raise InputError(Problem("no_text", "there is no sentence in the text", file=str(files[0])))
    about = table.Corpus(name, description, digest, 0, reader.language, reader.name, reader.tools)
    table.save(counter.table(about), out)
    shutil.rmtree(work)
    return table.load(out)


def summary(made: table.Table, out: Path) -> dict[str, Any]:  # Any: JSON
    """What the command prints."""
    about = made.corpus
    return {
        "out": str(out),
        "corpus": about.name,
        "description": about.description,
        "text_digest": about.digest,
        "sentences": about.sentences,
        "words": len(made.words),
        "collocations": made.pairs,
        "reader": about.reader,
        "tools": about.tools,
        "digest": made.digest,
    }


def open_work(out: Path, state: dict[str, Any]) -> Path:  # Any: JSON
    """The folder of finished shards; emptied when it belongs to another text or other tools."""
    work = out.with_name(f".{out.name}.work")
    stamp = work / "state.json"
    wanted = json.dumps(state, sort_keys=True)
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        with written_whole(stamp) as partial:
            partial.write_text(wanted, encoding="utf-8")
    return work


def shard_words(path: Path, sentences: Sequence[str], reader: Reader) -> Iterator[list[str]]:
    """The content words of a shard's sentences, from its file where it is finished."""
    if not path.is_file():
        with written_whole(path) as partial:
            _write_lines(partial, (" ".join(found.words) for found in reader.read(sentences)))
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.split()


def read_lines(files: Iterable[Path]) -> Iterator[str]:
    """The lines of text files that hold anything, plain or gzipped."""
    for path in files:
        with _opened(path) as file:
            for number, raw in enumerate(file, 1):
                try:
                    line = raw.decode("utf-8").strip()
                except UnicodeDecodeError as error:
                    problem = Problem("not_utf8", str(error), "convert it to UTF-8", str(path), number)
                    raise InputError(problem) from error
                if line:
                    yield line


def text_digest(files: Iterable[Path]) -> str:
    """A digest of what the files hold, in order; compression does not matter."""
    state = hashlib.sha256()
    for path in files:
        with _opened(path) as file:
            while chunk := file.read(1 << 20):
                state.update(chunk)
    return state.hexdigest()[:16]


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with readable(path):
        with path.open("rb") as file:
            zipped = file.read(2) == GZIP
        with cast(IO[bytes], gzip.open(path, "rb")) if zipped else path.open("rb") as file:
            yield file


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
