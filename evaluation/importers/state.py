"""The state of one pass over a set of files: options, limits, problems so far, declared languages.

Problems are collected so that a person can fix them all at once; reading stops at ``limits.max_problems``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import NoReturn

from appraise.lib.problems import InputError, Problem, ProblemLog, shorten
from evaluation.importers import languages
from evaluation.importers.model import BROWSER, FileRole, Limits, SourceFile, SourcePosition


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The options of an import.

    ``empty``: an item with an empty side is refused, kept (with a warning) or skipped. ``incomplete``: not
    every system needs to have translated every item. ``link_base``: 0 or 1, never guessed. ``controls``:
    control characters are refused, or replaced by spaces (with a warning). ``one_system``: nothing is
    compared, so the translations of one system are enough.
    """

    source_language: str = ""
    target_language: str = ""
    link_base: int = 0
    empty: str = "refuse"
    incomplete: bool = False
    controls: str = "refuse"
    one_system: bool = False

    def __post_init__(self) -> None:
        if self.link_base not in (0, 1):
            raise ValueError(f"link_base must be 0 or 1, not {self.link_base!r}")
        if self.empty not in ("refuse", "keep", "skip"):
            raise ValueError(f"empty must be refuse, keep or skip, not {self.empty!r}")
        if self.controls not in ("refuse", "replace"):
            raise ValueError(f"controls must be refuse or replace, not {self.controls!r}")


@dataclass(slots=True)
class ImportState:
    """The mutable part of an import; every pass over the files has its own."""

    files: list[SourceFile]
    limits: Limits = BROWSER
    options: ImportOptions = field(default_factory=ImportOptions)
    problems: list[Problem] = field(default_factory=list)
    source_language: str = ""
    target_language: str = ""
    name: str = ""
    incomplete: bool = False
    _warnings: dict[tuple[str, str], Problem] = field(default_factory=dict)
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.incomplete = self.options.incomplete
        self.set_languages(self.options.source_language, self.options.target_language, SourcePosition(""))

    def restart(self) -> ImportState:
        """Return the state for another pass over the same files."""
        return ImportState(self.files, self.limits, self.options)

    def select_files(self, *roles: FileRole) -> list[SourceFile]:
        return [file for file in self.files if file.role in roles]

    def log_for(self, file: SourceFile) -> ProblemLog:
        """Return a log that adds the problems of one file to those of the import."""
        return ProblemLog(file.name, problems=self.problems, most=self.limits.max_problems)

    def report(
        self, code: str, message: str, remedy: str, position: SourcePosition, excerpt: str = ""
    ) -> None:
        """Add a problem and continue; raise when there are too many to read."""
        self.problems.append(Problem(code, message, remedy, *position, excerpt=shorten(excerpt)))
        if len(self.problems) >= self.limits.max_problems:
            self.raise_problems()

    def refuse(
        self, code: str, message: str, remedy: str, position: SourcePosition, excerpt: str = ""
    ) -> NoReturn:
        """Raise a problem after which reading cannot continue, with all others so far."""
        problem = Problem(code, message, remedy, *position, excerpt=shorten(excerpt))
        raise InputError([*self.problems, problem])

    def refuse_excess(self, what: str, most: int, position: SourcePosition) -> NoReturn:
        message = f"there are more than {most:,} {what}"
        self.refuse("too_many_items", message, "split the import", position)

    def add_problems(self, error: InputError, below: int = 0) -> None:
        """Add the problems of another reader, in a piece that begins after ``below`` lines."""
        for problem in error.problems:
            line = None if problem.line is None else problem.line + below
            position = SourcePosition(problem.file, line, problem.column)
            self.report(problem.code, problem.message, problem.remedy, position, problem.excerpt)

    def raise_problems(self) -> None:
        if self.problems:
            raise InputError(self.problems)

    def warn(self, code: str, message: str, remedy: str, position: SourcePosition, about: str = "") -> None:
        """Add a warning; warnings with the same code about the same thing are counted, not repeated."""
        key = (code, about)
        self._counts[key] += 1
        self._warnings.setdefault(key, Problem(code, message, remedy, *position))

    def list_warnings(self) -> tuple[Problem, ...]:
        """Return the warnings in order of first occurrence, each with its number of occurrences."""
        return tuple(
            replace(problem, message=f"{problem.message} ({self._counts[key]:,} places, this is the first)")
            if self._counts[key] > 1
            else problem
            for key, problem in self._warnings.items()
        )

    def set_languages(self, source: str, target: str, position: SourcePosition) -> None:
        """Take over the languages that a file declares; options take precedence."""
        source, target = self._normalise(source, position), self._normalise(target, position)
        for known, declared, side in (
            (self.source_language, source, "source"),
            (self.target_language, target, "target"),
        ):
            if known and declared and languages.primary(known) != languages.primary(declared):
                message = f"the {side} language is {declared} here and {known} elsewhere"
                self.report("bad_language", message, "import one language pair at a time", position)
        self.source_language = self.source_language or source
        self.target_language = self.target_language or target

    def _normalise(self, code: str, position: SourcePosition) -> str:
        known = languages.normalise(code) if code else ""
        if known is None:
            message, remedy = "is not a language code", "use an ISO 639 code such as de, eng or zh-Hans"
            self.report("bad_language", f"{shorten(code)!r} {message}", remedy, position)
        elif known and not languages.is_known(known):
            message = f"the language {known} is accepted, but nothing is known about it here"
            remedy = "check the code (ISO 639-3); words are separated by spaces and signs"
            self.warn("unknown_language", message, remedy, position, known)
        return known or ""


def make_unique_id(identity: str, used: dict[str, int]) -> str:
    """Return an id that was not used before: the second of its kind gets -2, the third -3.

    ``used`` counts each id, so that a file in which all ids are equal is not slower.

    >>> used = {}
    >>> [make_unique_id(identity, used) for identity in ("7", "7-2", "7", "7", "7-2")]
    ['7', '7-2', '7-3', '7-4', '7-2-2']
    """
    unique, times = identity, used.get(identity, 0)
    while unique in used:
        times += 1
        unique = f"{identity}-{times}"
    used[identity] = max(times, 1)
    used.setdefault(unique, 1)
    return unique
