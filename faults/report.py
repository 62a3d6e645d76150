"""The report of a whole run: as data, and as the page ``docs/faults.md``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from faults.base import POSTGRESQL, SQLITE
from faults.catalogue import FAULTS
from faults.runs import FUZZ_SECONDS, Fuzzed, Result, Run

NAMES = {SQLITE: "SQLite", POSTGRESQL: "PostgreSQL", "none": "–"}
METHOD = (
    "Every fault keeps a journal of its own outside the application: what the server acknowledged, as the",
    "client read it. Afterwards the database is read with plain SQL. Each acknowledged answer must be stored",
    "with the value that was sent, none twice; no sentence judged by more people than asked for; the",
    "database whole and every reference valid. Then the same fault is done to a site with a bug that was",
    "put in on purpose. A check that does not notice its bug fails the run.",
)
NOT_PROMISED = (
    "A disk, a controller or a virtual machine that says “written” and has not written. We count the calls"
    " that force data to the disk; what happens below them is not ours.",
    "SQLite on a network file system: its locks do not work there. Use PostgreSQL.",
    "An administrator who means harm, or whoever has the files or the key of the site.",
    "Answers that a browser still keeps when its profile is deleted or a private window is closed offline.",
    "A worker that is stopped for longer than its lease and then goes on loses its turn; the work of that"
    " turn is done again by another.",
    "A disk that stays full under PostgreSQL: once its own log cannot grow it stops, and somebody has to"
    " make room and start it again.",
    "Machines that fail in parts: memory that changes bits, clocks that run backwards within a second.",
)


@dataclass(frozen=True, slots=True)
class About:
    """When, what and where."""

    date: str
    commit: str
    machine: str
    seconds: float
    full: bool
    earlier: str = ""  # from which runs good results were taken over


def good(results: Iterable[Result], fuzzed: Iterable[Fuzzed]) -> bool:
    return all(result.good for result in results) and all(one.good for one in fuzzed)


def as_data(about: About, results: list[Result], fuzzed: list[Fuzzed]) -> dict[str, Any]:
    """Everything, for machines."""
    return {
        "about": asdict(about),
        "good": good(results, fuzzed),
        "promises": [{"promise": text, "kept": kept} for text, kept in promises(results, fuzzed)],
        "runs": [{**asdict(result), "good": result.good} for result in results],
        "fuzzing": [asdict(one) for one in fuzzed],
        "not_promised": NOT_PROMISED,
    }


def from_data(data: dict[str, Any]) -> tuple[About, list[Result], list[Fuzzed]]:
    """The way back from ``as_data``."""
    names = ("counts", "violations", "error", "seconds")
    results = [Result(Run(**one["run"]), **{name: one[name] for name in names}) for one in data["runs"]]
    return About(**data["about"]), results, [Fuzzed(**one) for one in data["fuzzing"]]


def promises(results: list[Result], fuzzed: list[Fuzzed]) -> list[tuple[str, bool]]:
    """What we say in public, with the figures of this run, and whether it is true."""
    made = [
        (f"{NAMES[result.run.kind]}: {SAID[key].format_map(_Figures(result.counts))}", _kept(result))
        for key in SAID
        for result in results
        if result.run.fault == key and not result.run.bug
    ]
    tried = [one for one in fuzzed if one.engine]
    if tried:
        text = (
            f"{len(tried)} readers of files fuzzed for {FUZZ_SECONDS} s each:"
            f" {sum(one.runs for one in tried):,} executions, no answer but a checked set or a coded error"
        )
        made.append((text, all(one.good for one in tried)))
    seeded = [one.good for one in results if one.run.bug] + [one.good for one in fuzzed if not one.engine]
    made.append((f"{sum(seeded)} of {len(seeded)} bugs put in on purpose were noticed", all(seeded)))
    return made


SAID = {
    "F1": "{kills:,} kill −9 cycles, {acknowledged:,} acknowledged rankings, {lost} lost, {doubled} doubled",
    "F7": "{people} annotators at once, {seats_filled} seats filled, {over_assigned} sentences over-assigned,"
    " {server_errors} errors",
    "F9": "{bad_inputs} kinds of bad input in {tests} trials, {failed} answered with a server error, with a"
    " partial import or wrongly",
}
LEAST = {"F1": {"kills": 200, "acknowledged": 20_000}, "F7": {"people": 64}, "F9": {"bad_inputs": 57}}


class _Figures(dict[str, Any]):
    """A run that broke has not all of its figures."""

    def __missing__(self, key: str) -> float:
        return float("nan")


def _kept(result: Result) -> bool:
    least = LEAST[result.run.fault]
    return result.good and all(result.counts.get(name, 0) >= figure for name, figure in least.items())


def as_page(about: About, results: list[Result], fuzzed: list[Fuzzed]) -> str:
    """The page; everything on it comes from the run."""
    lines = [
        "# Faults",
        "",
        "What `make faults` did to Appraise, and what came of it. The page is written by the run itself:",
        f"{about.date}, commit `{about.commit}`, {about.machine}, {about.seconds / 60:.0f} minutes"
        + (", the long form." if about.full else "."),
        *([f"Some results were taken over: {about.earlier}."] if about.earlier else []),
        "",
        *METHOD,
        "",
        "## What we promise",
        "",
        *(f"- {'kept' if kept else '**broken**'}: {text}" for text, kept in promises(results, fuzzed)),
        "",
        "## What we do not promise",
        "",
        *(f"- {text}" for text in NOT_PROMISED),
        "",
        "## The faults",
        "",
    ]
    for key, fault in FAULTS.items():
        own = [result for result in results if result.run.fault == key]
        if own:
            lines += [f"### {key}: {fault.title}", "", fault.method, "", *_table(own), ""]
    lines += _fuzzing(fuzzed)
    return "\n".join(lines) + "\n"


def _table(results: list[Result]) -> list[str]:
    lines = ["| database | seeded bug | found | result | seconds |", "|---|---|---|---|---|"]
    for result in results:
        counts = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in result.counts.items())
        if result.run.bug:
            state = "bug caught: yes" if result.good else "**bug caught: no**"
        else:
            state = "held" if result.good else "**broken**"
        bug = result.run.bug.replace("_", " ") or "none"
        said = result.error.strip().splitlines()[-1:] or ([] if result.run.bug else result.violations[:3])
        found = "; ".join([counts, *(text.replace("|", "/")[:300] for text in said)]).strip("; ")
        lines.append(f"| {NAMES[result.run.kind]} | {bug} | {found} | {state} | {result.seconds:.0f} |")
    return lines


def _fuzzing(fuzzed: list[Fuzzed]) -> list[str]:
    if not fuzzed:
        return []
    lines = ["### Fuzzing", "", "Damaged files for every reader, guided by the coverage of its code.", ""]
    lines += ["| reader | engine | executions | result | seconds |", "|---|---|---|---|---|"]
    for one in fuzzed:
        if one.engine:
            state = "held" if one.good else "**broken**"
        else:
            state = "bug caught: yes" if one.good else "**bug caught: no**"
        lines.append(
            f"| {one.form.replace('_', ' ')} | {one.engine} | {one.runs:,} | {state} | {one.seconds:.0f} |"
        )
    return lines
