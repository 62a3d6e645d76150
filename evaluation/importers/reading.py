"""The state of one pass over a set of files: options, limits, faults found so far, languages declared.

Faults are collected so that a person can fix them all at once; reading stops at the cap.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NoReturn

from evaluation.importers import languages
from evaluation.importers.model import Place
from evaluation.importers.source import BROWSER, Limits, Role, SourceFile
from evaluation.problems import InputError, Problem


@dataclass(frozen=True, slots=True)
class Options:
    """What the person who imports may decide.

    ``empty``: an item with an empty side is refused, kept (with a warning) or left out. ``incomplete``: not
    every system needs to have translated every item. ``link_base``: 0 or 1, never guessed.
    """

    source_language: str = ""
    target_language: str = ""
    link_base: int = 0
    empty: str = "refuse"
    incomplete: bool = False

    def __post_init__(self) -> None:
        if self.link_base not in (0, 1):
            raise ValueError(f"link_base must be 0 or 1, not {self.link_base!r}")
        if self.empty not in ("refuse", "keep", "skip"):
            raise ValueError(f"empty must be refuse, keep or skip, not {self.empty!r}")


@dataclass(slots=True)
class Reading:
    """The mutable part of an import; a new one for every pass over the files."""

    files: list[SourceFile]
    limits: Limits = BROWSER
    options: Options = field(default_factory=Options)
    problems: list[Problem] = field(default_factory=list)
    warnings: dict[tuple[str, str], Problem] = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    source_language: str = ""
    target_language: str = ""
    name: str = ""
    incomplete: bool = False

    def __post_init__(self) -> None:
        self.incomplete = self.options.incomplete
        here = Place("")
        self.source_language = self._language(self.options.source_language, here)
        self.target_language = self._language(self.options.target_language, here)

    def again(self) -> Reading:
        """A fresh reading of the same files."""
        return Reading(self.files, self.limits, self.options)

    def of(self, *roles: Role) -> list[SourceFile]:
        return [file for file in self.files if file.role in roles]

    def fault(self, code: str, message: str, remedy: str, place: Place, excerpt: str = "") -> None:
        """Note a fault and go on; stop when there are as many as anyone wants to read."""
        self.problems.append(Problem(code, message, remedy, *place, excerpt=shown(excerpt)))
        if len(self.problems) >= self.limits.max_problems:
            self.stop_if_faulty()

    def refuse(self, code: str, message: str, remedy: str, place: Place, excerpt: str = "") -> NoReturn:
        """A fault after which nothing sensible can be read."""
        raise InputError([*self.problems, Problem(code, message, remedy, *place, excerpt=shown(excerpt))])

    def take(self, error: InputError, below: int = 0) -> None:
        """Note the faults that another reader found, in a piece that begins after ``below`` lines."""
        for problem in error.problems:
            line = None if problem.line is None else problem.line + below
            place = Place(problem.file, line, problem.column)
            self.fault(problem.code, problem.message, problem.remedy, place, problem.excerpt)

    def stop_if_faulty(self) -> None:
        if self.problems:
            raise InputError(self.problems)

    def warn(self, code: str, message: str, remedy: str, place: Place, about: str = "") -> None:
        """Note something odd; the same code about the same thing is counted, not repeated."""
        key = (code, about)
        self.counts[key] = self.counts.get(key, 0) + 1
        self.warnings.setdefault(key, Problem(code, message, remedy, *place))

    def warned(self) -> tuple[Problem, ...]:
        """The warnings in the order of their first place, each with its number of places."""
        return tuple(
            replace(problem, message=f"{problem.message} ({self.counts[key]:,} places, this is the first)")
            if self.counts[key] > 1
            else problem
            for key, problem in self.warnings.items()
        )

    def learn_languages(self, source: str, target: str, place: Place) -> None:
        """What a file says about its languages; an option given by the person takes precedence."""
        source, target = self._language(source, place), self._language(target, place)
        for mine, said, side in (
            (self.source_language, source, "source"),
            (self.target_language, target, "target"),
        ):
            if mine and said and languages.primary(mine) != languages.primary(said):
                self.fault(
                    "bad_language",
                    f"the {side} language is {said} here and {mine} elsewhere",
                    "import one language pair at a time",
                    place,
                )
        self.source_language = self.source_language or source
        self.target_language = self.target_language or target

    def _language(self, code: str, place: Place) -> str:
        if not code:
            return ""
        known = languages.normalise(code)
        if known is None:
            self.fault(
                "bad_language",
                f"{shown(code)!r} is not a language code",
                "use an ISO 639 code such as de, eng or zh-Hans",
                place,
            )
        return known or ""


def numbered(identity: str, used: dict[str, int]) -> str:
    """An id that was not used before: the second of its kind gets -2, the third -3.

    ``used`` counts how often each id has come, so that a file in which all ids are the same is no slower.

    >>> used = {}
    >>> [numbered(identity, used) for identity in ("7", "7-2", "7", "7", "7-2")]
    ['7', '7-2', '7-3', '7-4', '7-2-2']
    """
    made, times = identity, used.get(identity, 0)
    while made in used:
        times += 1
        made = f"{identity}-{times}"
    used[identity] = max(times, 1)
    used.setdefault(made, 1)
    return made


def shown(text: str, width: int = 80) -> str:
    r"""A piece of the file made fit for a message: one line, no invisible characters, not too long.

    >>> shown("a\x00b\tc"), shown("x" * 100, 5)
    ('a\\x00b\tc', 'xxxxx…')
    """
    short = text[:width] + ("…" if len(text) > width else "")
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in short)
