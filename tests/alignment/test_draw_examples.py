"""The tools behind the twenty examples and the counts of docs/results/alignment.md, on the demo's texts."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from metrics.metaeval.datasets import read_dataset
from scripts import count_questions
from scripts.sampled_pairs import sample
from tests.alignment.drawing import DEMO
from tests.site import ROOT


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo file in the form of a judged set."""
    prefix = tmp_path_factory.mktemp("set") / "de-en"
    segments, outputs = ["seg\tsource\tref"], ["system\tseg\ttranslation"]
    for line in (DEMO / "town-news.jsonl").read_text(encoding="utf-8").splitlines()[1:]:
        item = json.loads(line)
        segments.append(f"{item['id']}\t{item['source']}\t{item['references'][0]}")
        outputs += [f"{system}\t{item['id']}\t{text}" for system, text in item["candidates"].items()]
    for name, lines in (("segments", segments), ("outputs", outputs)):
        prefix.with_suffix(f".{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return prefix


def test_a_sample_depends_on_its_seed_alone_and_has_no_pair_of_equal_texts(prefix: Path) -> None:
    dataset = read_dataset(f"{prefix}.segments.tsv", f"{prefix}.outputs.tsv")
    found = sample(dataset, 20, seed=3)
    assert sample(dataset, 10, seed=3) == found[:10]
    assert sample(dataset, 20, seed=4) != found
    assert len({(pair.segment, *pair.outputs) for pair in found}) == 20
    assert all(len(set(pair.outputs.values())) == 2 for pair in found)


def test_more_pairs_than_there_are_is_refused_with_their_number(prefix: Path) -> None:
    dataset = read_dataset(f"{prefix}.segments.tsv", f"{prefix}.outputs.tsv")
    with pytest.raises(ValueError, match=r"1000 pairs requested; the set has \d+ of different outputs"):
        sample(dataset, 1000, seed=1)


def test_questions_are_counted_without_showing_a_text(
    prefix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count_questions.main(["--set", str(prefix), "--count", "20", "--seed", "1"])
    printed = capsys.readouterr().out
    assert "20 pairs, " in printed
    assert "| punctuation against words | 0 |" in printed
    assert "union" not in printed


def test_without_the_environment_of_the_tests_it_says_how_to_make_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(SystemExit, match="make it with: make setup-dev"):
        runpy.run_module("scripts.draw_examples", run_name="__main__")


@pytest.mark.journey
@pytest.mark.slow
def test_pairs_are_photographed_on_the_annotation_page_unless_they_ask_nothing(tmp_path: Path) -> None:
    """In a process of its own: it sets Django up for a site in a temporary folder."""
    (tmp_path / "x.segments.tsv").write_text("seg\tsource\n1\tHallo Welt.\n2\tDas Haus.\n")
    outputs = ["a\t1\tHello world.", "b\t1\thello World.", "a\t2\tThe house.", "b\t2\tA house."]
    (tmp_path / "x.outputs.tsv").write_text("\n".join(["system\tseg\ttranslation", *outputs, ""]))
    out = tmp_path / "out"
    command = [sys.executable, "-m", "scripts.draw_examples", "--set", str(tmp_path / "x"), "--out", str(out)]
    environment = {k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"}
    subprocess.run([*command, "--count", "2"], cwd=ROOT, env=environment, check=True)
    page = (out / "index.html").read_text(encoding="utf-8")
    (shown,) = re.findall(r'<img src="(.*?)"', page)
    assert sorted(path.name for path in out.iterdir()) == [shown, "index.html"]
    assert (out / shown).read_bytes().startswith(b"\x89PNG")
    assert "segment 1, a and b, questions: 0" in page
    assert "segment 2, a and b, questions: 1</h2>\n<p>[A | The] house .</p>" in page
