"""``python -m tests.database.old_database FIGURES``: the figures of a migrated database, as JSON.

Prints the numbers of every report in the file FIGURES, by the same names: ``agreement task town-news`` is a
report and its scope, and below it stands each number by its path in the JSON document of the report.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
django.setup()

from evaluation.reports.registry import load_reports  # noqa: E402 — Django must be set up first
from evaluation.reports.scope import load_scope  # noqa: E402

OPTIONS: dict[str, dict[str, object]] = {
    "panel": {"resamples": 200, "model": "dawid-skene"},
    "campaign-diff": {"before": "task:town-news", "old": "tundra", "new": "tundra-2"},
}


def numbers(document: object, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(document, dict):
        for key, value in document.items():
            yield from numbers(value, f"{path}/{key}")
    elif isinstance(document, list | tuple):
        for index, value in enumerate(document):
            yield from numbers(value, f"{path}/{index}")
    elif isinstance(document, int | float) and not isinstance(document, bool):
        yield path, document


def figures(name: str) -> dict[str, float]:
    report_name, kind, slug = name.split()
    report = load_reports()[report_name]
    options = report.options(**OPTIONS.get(report_name, {}))
    document = report.document(report.compute(load_scope(kind, slug), options))
    return dict(numbers(json.loads(json.dumps(document, default=str))))


if __name__ == "__main__":
    with gzip.open(sys.argv[1], "rt") as stream:
        names = list(json.load(stream))
    print(json.dumps({name: figures(name) for name in names}))
