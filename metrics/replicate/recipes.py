"""The five recipes by name, behind one set of options, for the command and for background jobs.

A recipe reads the options that it knows; an option that it does not know is refused, so that nobody believes
it had an effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.problems import InputError, Problem
from evaluation.schemes import SCHEMES
from metrics.replicate.printed import PAPERS
from metrics.replicate.values import Note, Report, needs_sets

if TYPE_CHECKING:
    from metrics.ranking.toolbox import Wanted

TESTED_BY_DEFAULT = 184


@dataclass(frozen=True, slots=True)
class Options:
    """What can be asked for; the defaults mean: do without."""

    sets: tuple[str, ...] = ()
    train: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    scheme: str = ""
    table: str = ""
    lm: str = ""
    lexicon: str = ""
    parser: str = "none"
    source_language: str = ""
    source_parses: str = ""
    discourse_model: str = ""
    syntax: bool = False
    whole: bool = False
    examples: int = 2000
    tested: int = TESTED_BY_DEFAULT
    resamples: int = 1000
    seed: int = 1

    def __post_init__(self) -> None:
        if self.resamples < 0 or self.seed < 0:
            raise _bad(f"resamples and seed count from 0: {self.resamples}, {self.seed}")
        if self.examples < 4 or self.tested < 1:
            raise _bad(f"at least 4 examples and 1 tested source are needed: {self.examples}, {self.tested}")


Recipe = Callable[[Options, Note], Report]
ALWAYS = frozenset({"sets", "seed"})
FILES = frozenset({"table", "lm", "lexicon", "source_parses", "discourse_model"})


def run(name: str, options: Options, note: Note = lambda message: None) -> Report:
    """Run a recipe; raises ``InputError`` for an unknown one, a foreign option, or data that do not fit."""
    if name not in RECIPES:
        known = ", ".join(RECIPES)
        raise InputError(Problem("unknown_recipe", f"there is no recipe {name!r}", f"known are: {known}"))
    refuse_foreign(name, options)
    for file in filter(None, (getattr(options, name) for name in sorted(FILES))):
        if not Path(file).is_file():  # noticed now, not after an hour of work
            raise InputError(Problem("unreadable_file", "there is no such file", "check the path", file))
    recipe, _ = RECIPES[name]
    return recipe(options, note)


def refuse_foreign(name: str, options: Options) -> None:
    """Raises ``InputError`` for an option of another recipe."""
    known = ALWAYS | RECIPES[name][1]
    for field in fields(options):
        if field.name not in known and getattr(options, field.name) != field.default:
            message = f"{name} does not know the option {field.name.replace('_', '-')}"
            raise InputError(Problem("foreign_option", message, f"it knows: {', '.join(sorted(known))}"))


def title(name: str) -> str:
    return PAPERS[name].title


def _kulesza(options: Options, note: Note) -> Report:
    from metrics.replicate import paper000

    asked = paper000.Asked(options.sets, options.train, options.examples, options.seed)
    return paper000.replicate(asked, note)


def _avramidis(options: Options, note: Note) -> Report:
    from metrics.replicate import paper001

    if len(options.test) > 1:
        raise _bad(f"one set to test on, not {len(options.test)}")
    test = options.test[0] if options.test else ""
    wanted = _wanted(options)
    asked = paper001.Asked(options.sets, test, wanted, options.tested, options.resamples, options.seed)
    return paper001.replicate(asked, note)


def _han(options: Options, note: Note) -> Report:
    from metrics.replicate import paper002

    return paper002.replicate(paper002.Asked(options.sets, options.table), note)


def _federmann(options: Options, note: Note) -> Report:
    from metrics.replicate import paper003

    needs_sets("paper-003", options.sets)
    scheme = SCHEMES.get(options.scheme or "six-way")
    if scheme is None:
        known = ", ".join(SCHEMES)
        raise InputError(
            Problem("unknown_scheme", f"there is no scheme {options.scheme!r}", f"known: {known}")
        )
    studies, data = paper003.read(options.sets, scheme)
    note(f"{sum(map(len, studies.values())):,} judgements of {len(studies)} tasks")
    return paper003.replicate(studies, data=data, resamples=options.resamples, seed=options.seed)


def _guzman(options: Options, note: Note) -> Report:
    from metrics.replicate import paper004

    asked = paper004.Asked(
        options.sets,
        options.test,
        options.discourse_model,
        options.syntax,
        options.whole,
        options.resamples,
        options.seed,
    )
    return paper004.replicate(asked, note)


RECIPES: Mapping[str, tuple[Recipe, frozenset[str]]] = {
    "paper-000": (_kulesza, frozenset({"train", "examples"})),
    "paper-001": (
        _avramidis,
        frozenset(
            {"test", "lm", "lexicon", "parser", "source_language", "source_parses", "tested", "resamples"}
        ),
    ),
    "paper-002": (_han, frozenset({"table"})),
    "paper-003": (_federmann, frozenset({"scheme", "resamples"})),
    "paper-004": (_guzman, frozenset({"test", "discourse_model", "syntax", "whole", "resamples"})),
}


def _wanted(options: Options) -> Wanted:
    from metrics.linguistics.cache import default_path
    from metrics.ranking.toolbox import Wanted

    return Wanted(
        source_language=options.source_language,
        lm=options.lm,
        lexicon=options.lexicon,
        parser=options.parser,
        source_parses=options.source_parses,
        cache=default_path(),
    )


def _bad(message: str) -> InputError:
    return InputError(Problem("bad_value", message))
