"""``train collocations``: any text, never half a table."""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from appraise.lib.problems import InputError
from metrics.collocation import content_words, table
from metrics.collocation.training import add_trainers, read_sentences, train_table
from metrics.metaeval.datasets import digest
from metrics.tools.base import ToolAbsent
from metrics.tools.tagger import Tagged

from .toys import SpaceTagger, co_occurrences, toy_reader

TEXT = "hong kong stock\nhong kong\n\nstock fall\n日本 stock\nfall again\n"


def quiet(message: str) -> None:
    """A terminal that nobody reads."""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def files_beside(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir())


class FailingTagger(SpaceTagger):
    """Is interrupted when it comes to a certain word."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        if any(self.word in sentence for sentence in sentences):
            raise KeyboardInterrupt
        return super().tag(sentences)


def test_the_table_holds_the_counts_and_names_its_corpus(text: Path, tmp_path: Path) -> None:
    made = train_table([text], tmp_path / "out.npz", toy_reader(), "toy", "invented", quiet)
    assert co_occurrences(made, "hong", "kong") == (2, 2, 2)
    assert made.corpus.sentences == 5
    assert str(made.corpus) == "toy (invented), 5 sentences"
    assert made.corpus.digest == digest([text])[:16]
    assert files_beside(tmp_path / "out.npz") == ["out.npz", "text.txt"]


def test_gzipped_text_gives_the_same_table(text: Path, tmp_path: Path) -> None:
    zipped = tmp_path / "text.gz"
    zipped.write_bytes(gzip.compress(text.read_bytes()))
    tables = [
        train_table([path], tmp_path / "out.npz", toy_reader(), "n", "d", quiet) for path in (text, zipped)
    ]
    assert tables[0].digest == tables[1].digest


def test_an_interrupted_run_leaves_the_old_table_in_use(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    before = train_table([text], out, toy_reader(), "n", "d", quiet).digest
    text.write_text(TEXT + "one more\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        train_table([text], out, toy_reader(FailingTagger("more")), "n", "d", quiet)
    assert table.load_table(out).digest == before


def test_damaged_packed_text_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b"a sentence of some words\n" * 500)
    (tmp_path / "short.gz").write_bytes(whole[:-20])
    (tmp_path / "bad.gz").write_bytes(whole[:15] + bytes(10) + whole[25:])
    for name in ("short.gz", "bad.gz"):
        with pytest.raises(InputError, match=f"{name}: bad_gzip"):
            list(read_sentences([tmp_path / name]))


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"fine\n\xff\xfe\n")
    with pytest.raises(InputError, match=r"bad.txt:2:1: bad_utf8: .*; save the file as UTF-8"):
        list(read_sentences([bad]))


@pytest.mark.parametrize("content", ["", "\n  \n"])
def test_a_text_without_sentences_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "empty.txt").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="no_text"):
        train_table([tmp_path / "empty.txt"], tmp_path / "out.npz", toy_reader(), "n", "d", quiet)


def test_a_missing_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.txt: unreadable_file"):
        train_table([tmp_path / "none.txt"], tmp_path / "out.npz", toy_reader(), "n", "d", quiet)


def run(arguments: list[str]) -> dict[str, Any]:
    """The command's own parser and function, without Django around them."""
    parser = argparse.ArgumentParser()
    add_trainers(parser.add_subparsers(dest="kind"))
    options = vars(parser.parse_args(arguments))
    found = options.pop("train")(options, quiet)
    assert isinstance(found, dict)
    return found


def test_the_command_prints_what_it_made(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(content_words.READERS, "en", toy_reader)
    out = tmp_path / "new" / "out.npz"
    told = run(["collocations", "--text", str(text), "--out", str(out)])
    assert (told["corpus"], told["description"]) == ("text.txt", "not described")
    assert (told["sentences"], told["words"], told["collocations"]) == (5, 6, 6)
    assert json.loads(json.dumps(told)) == told


def test_absent_tools_are_said_in_a_sentence(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent() -> content_words.ContentWordReader:
        raise ToolAbsent("The English tagger (spaCy)")

    monkeypatch.setitem(content_words.READERS, "en", absent)
    with pytest.raises(InputError, match=r"tool_absent: The English tagger \(spaCy\) is not installed; run"):
        run(["collocations", "--text", str(text), "--out", str(tmp_path / "out.npz")])
    assert files_beside(tmp_path / "out.npz") == ["text.txt"]
