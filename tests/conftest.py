"""What every test may use: people, a small task, real data, and a site to click on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# Deadlines measure the machine, not the code.
settings.register_profile("appraise", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("appraise")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Published human judgements, where they are at hand; never part of the project."""
    folder = Path(os.environ.get("APPRAISE_DATA") or ROOT.parent / "shared" / "data" / "dev")
    if not folder.is_dir():
        pytest.skip(f"no measuring data (APPRAISE_DATA={folder})")
    return folder
