"""What is wrong with an input, where, and how to fix it.

Every file reader in this project reports problems the same way: it raises ``InputError`` with one or more
``Problem`` values. A page shows them as a list, a command prints them as ``file:line:column: code: what is
wrong; what to do``, the API returns them as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault; line and column count from 1.

    >>> str(Problem("column_count", "expected 6 columns, found 5", "add the missing cell", "a.tsv", 12))
    'a.tsv:12: column_count: expected 6 columns, found 5; add the missing cell'
    """

    code: str
    message: str
    remedy: str = ""
    file: str = ""
    line: int | None = None
    column: int | None = None
    excerpt: str = ""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        text = f"{self.code}: {self.message}" + (f"; {self.remedy}" if self.remedy else "")
        return f"{place}: {text}" if place else text

    def as_dict(self) -> dict[str, str | int | None]:
        return asdict(self)


class InputError(Exception):
    """An input that is refused whole; carries every problem that was found."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))
