"""Verify a bundle: check its digests, and compute every table again from its own data."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from math import isclose
from pathlib import Path

from evaluation.agreement.judgements import Floats
from evaluation.agreement.rendering import Table, as_csv
from evaluation.exporters.questions import read_weights
from evaluation.exporters.unbundle import Bundle, read_study
from evaluation.problems import InputError, Problem
from evaluation.study import Meetings, Study, agreement_summary, study_results
from evaluation.study.tables import agreement_tables, result_tables
from evaluation.study.weighted import study_weighted, weighted_table

# Another processor may add in another order, so the last digits may differ.
RELATIVE, ABSOLUTE = 1e-9, 1e-12


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was checked, and every difference in words."""

    signature: str
    files: int
    tables: int
    rankings: int
    differences: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.differences


def study_tables(study: Study, meetings: Meetings, weights: Floats | None = None) -> dict[str, Table]:
    """Every table that a bundle holds, by name; ``weights`` of the pairs where questions were selected."""
    weighted = (
        {} if weights is None else {"weighted": weighted_table(study_weighted(study, meetings, weights))}
    )
    results = result_tables(study_results(study, meetings))
    agreement = agreement_tables(agreement_summary(study, meetings))
    return {
        **{f"agreement/{name}": table for name, table in agreement.items()},
        **{f"results/{name}": table for name, table in (results | weighted).items()},
    }


def verify(path: Path) -> Verdict:
    """Check sums, signature and tables; ``InputError`` where the file is no bundle at all."""
    bundle = Bundle.open(path)
    with bundle.archive:
        differences = [f"{name}: its content is not what the manifest says" for name in bundle.damaged()]
        if not bundle.signature_holds():
            differences.append("signature: does not belong to these files")
        try:
            study, meetings = read_study(bundle)
            weights, reweighed = read_weights(bundle, study) or (None, [])
        except InputError as error:  # the cause is told before what came of it
            damaged = [Problem("damaged", difference, file=bundle.name) for difference in differences]
            raise InputError([*damaged, *error.problems]) from error
        computed = study_tables(study, meetings, weights)
        differences += [*reweighed, *_compared(bundle, computed)]
        files = len(bundle.manifest["files"])
    return Verdict(str(bundle.manifest["signature"]), files, len(computed), len(study), tuple(differences))


def _compared(bundle: Bundle, computed: Mapping[str, Table]) -> list[str]:
    stored = {
        name.removeprefix("tables/").removesuffix(".csv")
        for name in bundle.manifest["files"]
        if name.startswith("tables/") and name.endswith(".csv")
    }
    differences = [f"tables/{name}.csv: only in the bundle" for name in sorted(stored - set(computed))]
    differences += [f"tables/{name}.csv: missing" for name in sorted(set(computed) - stored)]
    for name in sorted(stored & set(computed)):
        differences += [
            f"tables/{name}.csv: {difference}"
            for difference in cell_differences(bundle.text(f"tables/{name}.csv"), as_csv(computed[name]))
        ]
    return differences


def cell_differences(stored: str, computed: str) -> list[str]:
    """Where two tables differ, by line and column; numbers may differ in their last digits only.

    >>> cell_differences("a,b\\n1,0.5\\n", "a,b\\n1,0.50000000000001\\n")
    []
    >>> cell_differences("a\\n1\\n", "a\\n2\\n")
    ['line 2, column 1: 1 stored, 2 computed']
    """
    old, new = (list(csv.reader(StringIO(text))) for text in (stored, computed))
    if [len(row) for row in old] != [len(row) for row in new]:
        return [f"{len(old)} rows stored, {len(new)} computed, or of other lengths"]
    return [
        f"line {line}, column {column}: {was or 'nothing'} stored, {now or 'nothing'} computed"
        for line, (before, after) in enumerate(zip(old, new, strict=True), 1)
        for column, (was, now) in enumerate(zip(before, after, strict=True), 1)
        if not _same(was, now)
    ]


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return isclose(float(one), float(other), rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except ValueError:
        return False
