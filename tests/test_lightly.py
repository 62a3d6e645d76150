"""Importing a part of a large library alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from evaluation.lightly import _Absent, import_lightly


def test_the_aligner_and_the_list_of_metrics_load_no_learners() -> None:
    program = (
        "import sys\n"
        "from evaluation.alignment import align, aligner\n"
        "align(['two', 'houses'], ['a', 'house'], aligner=aligner('lexical', 'en'))\n"
        "from metrics import registry\n"
        "registry.available()\n"
        "registry.get('meteor').score([])\n"
        "print(*sorted({'sklearn', 'pandas', 'matplotlib', 'scipy.stats', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("loaded", "absent"),
    [("", "scipy"), ("from django.urls import get_resolver; get_resolver().url_patterns", "scipy.stats")],
    ids=["a command", "every page"],
)
def test_a_process_starts_without_what_it_may_never_need(tmp_path: Path, loaded: str, absent: str) -> None:
    program = f"import sys, django; django.setup(); {loaded or 'pass'}; print({absent!r} in sys.modules)"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "appraise.settings",
        "APPRAISE_HOME": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split() == ["False"]


def test_what_is_left_out_can_be_imported_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with pytest.raises(ModuleNotFoundError, match="colorsys is left out"):
        import_lightly("colorsys", frozenset({"colorsys"}))
    assert import_lightly("colorsys").rgb_to_hsv(0, 0, 0) == (0, 0, 0)


def test_only_the_importing_thread_does_without() -> None:
    here = _Absent(frozenset({"colorsys"}), thread=-1)
    found: list[object] = []
    thread = Thread(target=lambda: found.append(here.find_spec("colorsys", None)))
    thread.start()
    thread.join()
    assert found == [None]  # nothing to say: the other finders answer
