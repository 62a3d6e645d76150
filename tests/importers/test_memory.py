"""A large import is a long stream, not a large heap."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.importers.bad_inputs import many

ROOT = Path(__file__).parents[2]
PROGRAM = """
import resource, sys
from evaluation.importers import SourceFile, read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = read([SourceFile.from_path(sys.argv[1])])
assert sum(1 for _ in found.items) == len(found.items) == 200_000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
def test_two_hundred_thousand_items_take_less_than_300_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "many.tsv"
    with many(200_000)()[0].opener() as stream:
        path.write_bytes(stream.read())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 300
