"""Adapters to tools that may not be installed, tested with stand-ins that behave like them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evaluation.alignment import load_aligner
from evaluation.alignment.aligners import AlignerMissing

CORPUS = [(["the", "red", "house"], ["das", "rote", "haus"]), (["go"], ["geh", "nun"])]


def test_a_missing_tool_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("APPRAISE_TOOLS", "/nowhere")
    for name in ("eflomal", "systran"):
        with pytest.raises(AlignerMissing, match="not installed"):
            load_aligner(name, "", CORPUS)


def test_eflomal_runs_as_a_program_and_both_directions_are_combined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "eflomal-align"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nnames = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
        "assert open(names['-s']).read() == 'the red house\\ngo\\n'\n"
        "open(names['-f'], 'w').write('0-0 1-1 2-2\\n0-0\\n')\n"
        "open(names['-r'], 'w').write('0-0 1-1\\n0-0 0-1\\n')\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    made = load_aligner("eflomal", "", CORPUS)
    assert made.links(*CORPUS[0]) == ((0, 0), (1, 1), (2, 2))
    assert made.links(*CORPUS[1][::-1]) == ((0, 0), (1, 0))
    with pytest.raises(ValueError, match="not in the corpus"):
        made.links(["new"], ["neu"])


@pytest.mark.parametrize("place", ["here", "tools"])
def test_systran_align_is_found_here_and_among_the_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    packages = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "systran_align.py").write_text(
        "generate_alignment_probabilities = lambda *paths: print('noise')\n"
        "class Aligner:\n"
        "    def __init__(self, *paths): pass\n"
        "    def align(self, a, b): return {'alignments': [(0, 0)]}\n"
    )
    program = tmp_path / "env" / "bin" / "python"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("APPRAISE_TOOLS", str(tmp_path if place == "tools" else "/nowhere"))
    if place == "here":
        monkeypatch.setenv("PYTHONPATH", str(packages))
        monkeypatch.syspath_prepend(packages)
    made = load_aligner("systran", "", CORPUS)
    assert made.links(*CORPUS[1]) == ((0, 0),)
    assert made.version.startswith("systran-align")
