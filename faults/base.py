"""The definition of a fault: what is done to a site on one database, and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SQLITE, POSTGRESQL = "sqlite", "postgresql"
BOTH = (SQLITE, POSTGRESQL)


@dataclass(frozen=True, slots=True)
class Ground:
    """The environment of a run: a prepared site to copy, a folder, a database, and possibly a seeded bug."""

    stage: Path
    folder: Path
    kind: str
    bug: str = ""
    full: bool = False

    def size(self, usual: int, full: int, seeded: int) -> int:
        """The amount of work; a seeded bug is detected with less."""
        if self.bug:
            return seeded
        return full if self.full else usual


@dataclass(slots=True)
class Outcome:
    """Figures of a run, and ``violations``: the expectations that did not hold."""

    counts: dict[str, int | float] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)

    def expect(self, holds: bool, broken: str) -> None:
        if not holds:
            self.violations.append(broken)


@dataclass(frozen=True, slots=True)
class Fault:
    """``bugs`` maps a database to the seeded bug that this fault must detect there.

    ``alone``: it bounds how long people wait, so nothing else of ours runs beside it.
    """

    key: str
    title: str
    method: str
    run: Callable[[Ground], Outcome]
    bugs: dict[str, str]
    databases: tuple[str, ...] = BOTH
    seconds: float = 900.0  # time limit, far above the usual duration on a busy machine
    alone: bool = False
