"""Adapters to tools that may not be installed, tested with stand-ins that behave like them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from evaluation.alignment import load_aligner
from evaluation.alignment.aligners import AlignerMissing

CORPUS = [(["the", "red", "house"], ["das", "rote", "haus"]), (["go"], ["geh", "nun"])]


def test_a_missing_tool_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "systran_align", None)
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


def test_systran_align_is_used_as_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    class Aligner:
        def __init__(self, forward: str, backward: str) -> None:
            pass

        def align(self, a: list[str], b: list[str]) -> dict[str, list[tuple[int, int]]]:
            return {"alignments": [(0, 0)]}

    module = ModuleType("systran_align")
    vars(module).update(Aligner=Aligner, generate_alignment_probabilities=lambda *paths: None)
    monkeypatch.setitem(sys.modules, "systran_align", module)
    made = load_aligner("systran", "", CORPUS)
    assert made.links(*CORPUS[1]) == ((0, 0),)
    assert made.version.startswith("systran-align")
