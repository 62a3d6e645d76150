"""The published discourse corpus, where it is present."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def rst_corpus() -> dict[str, str]:
    """Name and text of every n-ary ``.dis`` document of the RST data."""
    folder = Path(os.environ.get("APPRAISE_DATA", ROOT.parent / "shared/data/dev"))
    archive = folder / "rst" / "gum_rst_const.tar.gz"
    if not archive.exists():
        pytest.skip(f"no RST data at {archive}; set APPRAISE_DATA")
    with tarfile.open(archive) as files:
        members = [m for m in files.getmembers() if m.name.startswith("rst/lisp_nary/")]
        found = {m.name: files.extractfile(m) for m in sorted(members, key=lambda m: m.name)}
        return {name: file.read().decode() for name, file in found.items() if file is not None}
