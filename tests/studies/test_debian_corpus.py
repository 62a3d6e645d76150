"""The default corpus: prose out of documentation pages, and plain words when it cannot be had."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from appraise.lib.problems import InputError
from benchmarks.studies import debian_corpus as corpus
from benchmarks.studies.debian_corpus import Source, fetch, is_prose, main, prose, read
from benchmarks.studies.sentences import plain_sentences

PAGE = """<html><head><title>The title of a page is no prose.</title><style>p { color: red; }</style></head>
<body><nav>You are here and not there, says the menu.</nav>
<h2>A heading</h2><p>Files belong to
users &amp; groups. Most of them are small.</p>
<ul><li>Every user may read some files.</li><li>rwx</li></ul>
<pre>The code of a program is not prose either.</pre></body></html>"""


def test_only_running_text_is_read() -> None:
    assert prose(PAGE) == [
        "Files belong to users & groups.",
        "Most of them are small.",
        "Every user may read some files.",
    ]


def test_an_unclosed_page_is_read_as_far_as_it_goes() -> None:
    assert prose("<p>This page was cut in two.<pre>and here") == ["This page was cut in two."]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("He met Mr. Smith at 5 p.m. It rained.", ["He met Mr. Smith at 5 p.m.", "It rained."]),
        ("See fig. 4 for J. R. R. Tolkien. Yes!", ["See fig. 4 for J. R. R. Tolkien.", "Yes!"]),
        ("Version 2.0 is out. “Really?” Yes.", ["Version 2.0 is out.", "“Really?”", "Yes."]),
        ("no capital after. this stop", ["no capital after. this stop"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, parts: list[str]) -> None:
    assert plain_sentences(text) == parts


@pytest.mark.parametrize(
    "text", ["Too short.", "This one has no end mark", "1 2 3 4 5 6 7.", "word " * 90 + "."]
)
def test_what_is_not_a_sentence_is_left_out(text: str) -> None:
    assert not is_prose(text)


def test_pages_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, word in (("b", "second"), ("a", "first")):
        (tmp_path / f"{name}.html").write_text(f"<p>This is the {word} page here.</p>", encoding="utf-8")
    assert list(read(tmp_path, "*.html")) == ["This is the first page here.", "This is the second page here."]


def test_without_debian_the_remedy_is_ones_own_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(InputError, match=r"apt-get and dpkg-deb are needed; give your own --text"):
        fetch("anarchism", tmp_path / "x")


def test_a_package_that_cannot_be_fetched_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name)
    failed = subprocess.CompletedProcess([], 100, "", "E: Unable to locate package nothing\n")
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: failed)
    with pytest.raises(InputError, match="nothing: E: Unable to locate package"):
        fetch("nothing", tmp_path / "x")


def test_each_different_sentence_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unpack(package: str, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "a.html").write_text(PAGE, encoding="utf-8")

    monkeypatch.setattr(corpus, "fetch", unpack)
    monkeypatch.setattr(corpus, "SOURCES", (Source("one", "*.html", ""), Source("two", "*.html", "")))
    assert len(list(corpus.build(corpus.SOURCES))) == 3
    out = tmp_path / "english.txt.gz"
    monkeypatch.setattr(corpus, "build", lambda: iter(["One sentence.", "Another one."]))
    assert main(["--out", str(out)]) == 0
    assert gzip.decompress(out.read_bytes()) == b"One sentence.\nAnother one.\n"


def test_the_summary_says_what_kind_of_text_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(corpus, "build", lambda: iter(["One sentence."]))
    main(["--out", str(tmp_path / "english.txt.gz")])
    assert json.loads(capsys.readouterr().out)["description"] == "technical and political prose, not news"
