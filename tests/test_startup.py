"""What a process does not import before it needs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETUP = "import django; django.setup()"
PAGES = f"{SETUP}; from django.urls import get_resolver; get_resolver().url_patterns"
METRICS = "from metrics import registry; registry.list_metrics()"


@pytest.mark.parametrize(
    ("loaded", "absent"),
    [
        (SETUP, {"scipy", "nltk"}),
        (PAGES, {"scipy.stats", "nltk", "sklearn", "pandas"}),
        (METRICS, {"scipy.stats", "nltk", "sklearn", "pandas", "numba"}),
    ],
    ids=["a command", "every page", "the list of metrics"],
)
def test_a_process_starts_without_what_it_may_never_need(
    tmp_path: Path, loaded: str, absent: set[str]
) -> None:
    program = f"import sys; {loaded}; print(*sorted({absent!r} & set(sys.modules)))"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "appraise.settings",
        "APPRAISE_HOME": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split() == []
