"""What a fault is: something done to a site on one database, and what was found afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SQLITE, POSTGRESQL = "sqlite", "postgresql"
BOTH = (SQLITE, POSTGRESQL)


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a fault happens: a stage to copy, a folder of its own, a database, perhaps a seeded bug."""

    stage: Path
    folder: Path
    kind: str
    bug: str = ""
    full: bool = False

    def size(self, usual: int, full: int, seeded: int) -> int:
        """How much to do: a seeded bug needs less to be noticed."""
        if self.bug:
            return seeded
        return full if self.full else usual


@dataclass(slots=True)
class Outcome:
    """``violations`` are broken promises; none of them means that the fault did no harm."""

    counts: dict[str, int | float] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)

    def expect(self, holds: bool, broken: str) -> None:
        if not holds:
            self.violations.append(broken)


@dataclass(frozen=True, slots=True)
class Fault:
    """``bugs`` maps a database to the seeded bug that must turn this fault red there."""

    key: str
    title: str
    method: str
    run: Callable[[Ground], Outcome]
    bugs: dict[str, str]
    databases: tuple[str, ...] = BOTH
    seconds: float = 900.0  # after which a run counts as hung: far more than it needs on a busy machine
