"""Sixteen people annotate while a test set is imported: nobody notices."""

from __future__ import annotations

import pytest

from benchmarks.importing import meanwhile

pytestmark = pytest.mark.slow


def test_no_answer_fails_while_an_import_runs(monkeypatch: pytest.MonkeyPatch, site_database: str) -> None:
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)  # a site of its own, as operators start it
    monkeypatch.setenv("DATABASE_URL", site_database)
    seen = meanwhile(people=16, sentences=60, alone_seconds=2)
    assert seen["errors"] == 0
    assert seen["answers_during"] >= 16
