"""The figures of every part, each with its own run, and the page ``docs/endurance.md`` made from them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from endurance.growth import MEASURED, Point, fit_exponent
from endurance.host_faults import HOST_FAULTS
from endurance.soak import SOAK
from faults.base import Fault
from faults.report import tabulate
from faults.runs import Result, Run

FIGURES = Path(__file__).with_name("figures.json")
Part = dict[str, Any]  # JSON
PARTS = ("hosts", "explorer", "soak", "growth")
INTRODUCTION = """# Endurance

What happens to a site on several hosts when networks and hosts fail, whether every order of steps
keeps every answer, whether hours of work leave traces, and how cost grows with the number of
rankings. This page is generated: `make endurance` runs the hosts and the interleavings, `make soak`
an hour of simulated work, and `make growth` the growth. [Fault injection](faults.md) has the faults
of a single host."""
HOSTS = """The hosts are network namespaces on one machine: a proxy, two web hosts, a worker, a PostgreSQL
primary and a standby, and a host of the annotators, configured with the files of
`deploy/several-hosts` as they are ([operators](operators.md#several-hosts)). A relay delays and
drops frames. The invariants are those of the [fault injection](faults.md): every acknowledged
answer is stored once with its value."""
LIMITS = """One kernel and one clock serve all hosts, and `APPRAISE_HOME` is a folder of that machine: the
tests say nothing about network file systems or clocks that differ."""
EXPLORER = """\
Two annotators and a manager each have a program. Short: the annotators claim a sentence and answer, the
manager corrects its alignment and erases one of them. Medium: two answers; the manager corrects and
closes. Full: two answers and finishing; the manager corrects, closes, reopens and erases. What a request
reads before its transaction is a step of its own. From every state every possible next step is taken,
and in every state all invariants hold: no acknowledged answer is lost or changed or stored for another
question than was shown, no seat is given twice, no sentence has too many annotators, nothing is finished
with a question open, every reference is valid. Deliberate bugs are sought with the short programs, until
the first violation."""
GROWTH = """One imported and answered sentence is copied inside PostgreSQL, with other keys and answers, in
tasks of 1,000 sentences. Page and save are the shortest times of 30 pages and their answers in a
task with free seats. The reports, the export (JSON Lines) and the backup are of the whole campaign,
in CPU seconds of the process and of PostgreSQL, without the start of the process; the memory is the
largest of the process. The exponent is the slope of the last tenfold step in logarithms: 1 is
linear."""
EXPLANATION = """\
Page and save hardly depend on the size of the campaign; the reports, the export and the backup read
every ranking. Their memory grows more slowly than the rankings, because they count in the database or in
arrays of small numbers, or stream. No report needs more memory than one machine has, so none is computed
on a Dask cluster; scoring, training and parsing can be, and `make cluster` shows equal values on two
workers."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """When and on what machine a part was run; ``load`` is the mean number of waiting processes."""

    date: str
    commit: str
    machine: str
    minutes: float
    load: float
    has_earlier_rows: bool = False  # taken over, because only some were run again


def load_figures(path: Path = FIGURES) -> dict[str, Part]:
    figures: dict[str, Part] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return figures


def store_part(name: str, occasion: Occasion, rows: list[dict[str, Any]], path: Path = FIGURES) -> None:
    figures = load_figures(path) | {name: {"occasion": asdict(occasion), "rows": rows}}
    path.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def is_good(name: str, part: Part) -> bool:
    """Whether everything of a part held, and every deliberate bug was caught."""
    if name in {"hosts", "soak"}:
        return all(result.good for result in read_results(part))
    if name == "explorer":
        return all(bool(row["violation"]) == bool(row["bug"]) for row in part["rows"])
    return not any(row["note"] for row in part["rows"])


def read_results(part: Part) -> list[Result]:
    return [Result(**{**row, "run": Run(**row["run"])}) for row in part["rows"]]


def as_page(figures: dict[str, Part]) -> str:
    lines = [INTRODUCTION, ""]
    for name, make in zip(PARTS, (_hosts, _explorer, _soak, _growth), strict=True):
        if name in figures:
            lines += [*make(figures[name]), ""]
    return "\n".join(lines).rstrip() + "\n"


def _occasion(part: Part) -> str:
    about = Occasion(**part["occasion"])
    loaded = f", shared with other work (load {about.load:.0f})" if about.load > 3 else ""
    earlier = " Some rows come from earlier runs." if about.has_earlier_rows else ""
    run = f"{about.date}, commit `{about.commit}`, {about.machine}, {about.minutes:.0f} minutes{loaded}."
    return run + earlier


def _hosts(part: Part) -> list[str]:
    run = {(result.run.fault, result.run.bug) for result in read_results(part)}
    planned = [(key, bug) for key, fault in HOST_FAULTS.items() for bug in ("", *fault.bugs.values())]
    missing = [
        f"{key} ({bug.replace('_', ' ')})" if bug else key for key, bug in planned if (key, bug) not in run
    ]
    note = [f"Not in this run: {', '.join(missing)}.", ""] if missing else []
    lines = ["## Several hosts", "", _occasion(part), "", *note, HOSTS, "", LIMITS, ""]
    return [*lines, *_faults(HOST_FAULTS, part)]


def _soak(part: Part) -> list[str]:
    return ["## Soak", "", _occasion(part), "", *_faults(SOAK, part, headed=False)]


def _faults(faults: dict[str, Fault], part: Part, *, headed: bool = True) -> Iterable[str]:
    results = read_results(part)
    for key, fault in faults.items():
        own = [result for result in results if result.run.fault == key]
        if own:
            heading = [f"### {key}: {fault.title}", ""] if headed else []
            yield from [*heading, fault.method, "", *tabulate(own), ""]


def _explorer(part: Part) -> list[str]:
    lines = ["## Every interleaving", "", _occasion(part), "", EXPLORER, ""]
    lines += ["| database | programs | overlap | deliberate bug | interleavings | states | steps | result |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    for row in part["rows"]:
        if row["bug"]:
            result = f"bug caught: yes ({row['violation']})" if row["violation"] else "**bug caught: no**"
        else:
            result = f"**broken: {row['violation']}**" if row["violation"] else "held"
        counts = " | ".join(f"{row[name]:,}" for name in ("interleavings", "states", "transitions"))
        bug = row["bug"].replace("_", " ") or "none"
        lines.append(
            f"| {row['database']} | {row['size']} | {row['overlap']} | {bug} | {counts} | {result} |"
        )
    return lines


def _growth(part: Part) -> list[str]:
    points = [Point(**row) for row in part["rows"]]
    sizes = sorted({point.rankings for point in points})
    lines = ["## Growth", "", _occasion(part), "", GROWTH, ""]
    heads = " | ".join(f"{size:,}" for size in sizes)
    lines += [f"| rankings | {heads} | exponent |", "|---" * (len(sizes) + 2) + "|"]
    for what in MEASURED:
        own = {point.rankings: point for point in points if point.what == what}
        cells = [_cell(own.get(size)) for size in sizes]
        last = [(size, own[size].seconds) for size in sizes if size in own and not own[size].note][-2:]
        lines.append(f"| {what} | {' | '.join(cells)} | {_exponent(last)} |")
    return [*lines, "", EXPLANATION]


def _cell(point: Point | None) -> str:
    """
    >>> _cell(Point("page", 10_000, 0.0237, 150))
    '24 ms, 150 MB'
    """
    if point is None:
        return ""
    if point.note:
        return point.note.replace("|", "/")
    time = f"{point.seconds:.1f} s" if point.seconds >= 1 else f"{1000 * point.seconds:.0f} ms"
    return f"{time}, {point.megabytes:,} MB"


def _exponent(points: list[tuple[int, float]]) -> str:
    slope = fit_exponent([(float(size), seconds) for size, seconds in points])
    return "" if math.isnan(slope) else f"{slope:.2f}"
