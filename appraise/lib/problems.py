"""What is wrong with an input, where, and how to fix it.

Every file reader in this project reports problems the same way: it raises ``InputError`` with one or more
``Problem`` values. A page shows them as a list, a command prints them as ``file:line:column: code: what is
wrong; what to do``, the API returns them as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

MAX_PROBLEMS = 20  # enough to see the pattern


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem; line and column count from 1.

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
        position = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        text = f"{self.code}: {self.message}" + (f"; {self.remedy}" if self.remedy else "")
        return f"{position}: {text}" if position else text

    def as_dict(self) -> dict[str, str | int | None]:
        return asdict(self)


class InputError(Exception):
    """An input that is refused as a whole; carries every problem that was found."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        remedy: str = "",
        file: str = "",
        line: int | None = None,
        column: int | None = None,
    ) -> InputError:
        """Return the error of a single problem."""
        return cls(Problem(code, message, remedy, file, line, column))


class ProblemLog:
    """Collects the problems of one file, so that they are reported together; raises when there are many.

    ``problems`` may be a list that several files share.
    """

    def __init__(
        self, path: str | Path, *, problems: list[Problem] | None = None, most: int = MAX_PROBLEMS
    ) -> None:
        self.file = Path(path).name
        self.problems: list[Problem] = [] if problems is None else problems
        self.most = most

    def add(
        self,
        code: str,
        message: str,
        remedy: str,
        line: int | None = None,
        column: int | None = None,
        excerpt: str = "",
    ) -> None:
        problem = Problem(code, message, remedy, self.file, line, column, shorten(excerpt))
        self.problems.append(problem)
        if len(self.problems) >= self.most:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        if self.problems:
            raise InputError(self.problems)


def shorten(text: str, width: int = 80) -> str:
    r"""Return a piece of a file for a message: one line, no invisible characters, at most ``width`` long.

    >>> shorten("a\x00b\tc"), shorten("x" * 100, 5)
    ('a\\x00b\tc', 'xxxxx…')
    """
    short = text[:width] + ("…" if len(text) > width else "")
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in short)
