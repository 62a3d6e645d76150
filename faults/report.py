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
    "Every fault keeps a journal outside the application of what the server acknowledged to the client.",
    "Afterwards the database is read with plain SQL: each acknowledged answer must be stored once, with the",
    "value that was sent, no sentence may have more annotators than requested, and every reference must be",
    "valid. Then the same fault is repeated on a site with a deliberate bug; a check that does not detect",
    "its bug fails the run. Counts of 0 are omitted, except for lost answers.",
)
NOT_PROMISED = (
    "A disk, controller or virtual machine that reports unwritten data as written. The tests"
    " count flush calls and cannot see below them.",
    "SQLite on a network file system: its locks do not work there. Use PostgreSQL.",
    "A malicious administrator, or anyone with the files or the key of the site.",
    "Unsent answers in a browser whose profile is deleted, or in a private window that is closed offline.",
    "A worker that is suspended for longer than its lease: it loses its job, and another worker"
    " repeats the work.",
    "A disk that stays full under PostgreSQL: when its log cannot grow, the server stops until"
    " someone frees space and restarts it.",
    "Hardware faults such as flipped bits in memory, or clocks that run backwards within a second.",
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
        (f"{NAMES[result.run.kind]}: {SAID[key].format_map(_Figures(result.counts))}", _is_fulfilled(result))
        for key in SAID
        for result in results
        if result.run.fault == key and not result.run.bug
    ]
    tried = [one for one in fuzzed if one.engine]
    if tried:
        text = (
            f"{len(tried)} readers of files fuzzed for {FUZZ_SECONDS} s each:"
            f" {sum(one.runs for one in tried):,} executions, each with a checked result or an error code"
        )
        made.append((text, all(one.good for one in tried)))
    seeded = [one.good for one in results if one.run.bug] + [one.good for one in fuzzed if not one.engine]
    made.append((f"{sum(seeded)} of {len(seeded)} deliberate bugs were detected", all(seeded)))
    return made


SAID = {
    "F1": "{kills:,} kill −9 cycles, {acknowledged:,} acknowledged rankings, {lost} lost, {doubled} doubled",
    "F7": "{people} annotators at once, {slots_filled} slots filled, {over_assigned} sentences over-assigned,"
    " {server_errors} errors",
    "F9": "{bad_inputs} kinds of bad input in {tests} trials, {failed} with a server error, a partial import"
    " or a wrong response",
    "F15": "{people} annotators with a request every 8 s beside {idle_connections:,} idle and {slow_clients}"
    " slow connections, the longest wait {slowest_seconds} s, {errors} errors, {lost} lost",
}
LEAST = {
    "F1": {"kills": 200, "acknowledged": 20_000},
    "F7": {"people": 64},
    "F9": {"bad_inputs": 57},
    "F15": {"people": 300, "idle_connections": 1000, "slow_clients": 100},
}


class _Figures(dict[str, Any]):
    """A run that broke has not all of its figures."""

    def __missing__(self, key: str) -> float:
        return float("nan")


def _is_fulfilled(result: Result) -> bool:
    least = LEAST[result.run.fault]
    return result.good and all(result.counts.get(name, 0) >= figure for name, figure in least.items())


def as_page(about: About, results: list[Result], fuzzed: list[Fuzzed]) -> str:
    """The page; everything on it comes from the run."""
    lines = [
        "# Fault injection",
        "",
        "`make faults` injects faults into a running site. This page is generated by the run:",
        f"{about.date}, commit `{about.commit}`, {about.machine}, {about.seconds / 60:.0f} minutes"
        + (", the long form." if about.full else "."),
        *([f"Some results come from earlier runs: {about.earlier}."] if about.earlier else []),
        "",
        *METHOD,
        "",
        "## Guarantees",
        "",
        *(f"- {'kept' if kept else '**broken**'}: {text}" for text, kept in promises(results, fuzzed)),
        "",
        "## Not covered",
        "",
        *(f"- {text}" for text in NOT_PROMISED),
        "",
        "## The faults",
        "",
    ]
    for key, fault in FAULTS.items():
        own = [result for result in results if result.run.fault == key]
        if own:
            lines += [f"### {key}: {fault.title}", "", fault.method, "", *tabulate(own), ""]
    lines += _fuzzing(fuzzed)
    return "\n".join(lines) + "\n"


def tabulate(results: list[Result]) -> list[str]:
    lines = ["| database | deliberate bug | counts | result | seconds |", "|---|---|---|---|---|"]
    for result in results:
        counts = ", ".join(
            f"{name.replace('_', ' ')} {value:,}"
            for name, value in result.counts.items()
            if value or name == "lost"
        )
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
    lines = ["### Fuzzing", "", "Coverage-guided fuzzing of every reader with damaged files.", ""]
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
