"""Every race against its peer, in one table; fails where a demanded ratio is missed.

``python -m benchmarks agreement metrics`` runs only those; ``--markdown`` prints a table for a page.
"""

from __future__ import annotations

import sys
from importlib import import_module

from benchmarks.base import MARKDOWN_HEAD, Result, row

RACES = (
    *("agreement", "alignment", "collocation", "discourse", "first_use", "learned", "metrics", "ranking"),
    "reports",
)
HEAD = f"{'job':<58}{'peer':<26}{'ours':>12}{'theirs':>12} {'unit':<8}{'min':>8}{'median':>8}{'wanted':>8}"


def line(result: Result) -> str:
    wanted = "" if result.demanded is None else f"{result.demanded:.1f}×"
    verdict = "" if is_met(result) else "  MISSED"
    return (
        f"{result.job:<58}{result.peer:<26}{result.ours:>12.4g}{result.theirs:>12.4g} {result.unit:<8}"
        f"{result.ratio_min:>7.1f}×{result.ratio_median:>7.1f}×{wanted:>8}{verdict}"
    )


def is_met(result: Result) -> bool:
    return result.demanded is None or result.ratio_min >= result.demanded


def main(arguments: list[str]) -> int:
    names = [name for name in arguments if name != "--markdown"]
    head, shown = (MARKDOWN_HEAD, row) if "--markdown" in arguments else (HEAD, line)
    print(head)
    missed = 0
    for name in names or RACES:
        for result in import_module(f"benchmarks.{name}").run():
            print(shown(result), flush=True)
            missed += not is_met(result)
    verdict = f"{missed} demanded ratios missed" if missed else "every demanded ratio was met"
    print(verdict, file=sys.stderr if shown is row else sys.stdout)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
