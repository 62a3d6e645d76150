"""Runs the recipe of a paper by name.

An option that the recipe does not read is refused, so that nobody believes that it had an effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path

from appraise.lib.problems import InputError
from metrics.replicate.report import Note, Replication, ReplicationOptions

RECIPES: Mapping[str, frozenset[str]] = {
    "paper-000": frozenset({"train", "examples"}),
    "paper-001": frozenset({"test", "lm", "lexicon", "parser", "source_language", "tested", "resamples"}),
    "paper-002": frozenset({"table"}),
    "paper-003": frozenset({"scheme", "resamples"}),
    "paper-004": frozenset({"test", "discourse_parser", "syntax", "whole", "resamples"}),
}
"""The options of each recipe besides ``sets`` and ``seed``."""
COMMON = frozenset({"sets", "seed"})
FILES = frozenset({"table", "lm", "lexicon"})


def run_recipe(name: str, options: ReplicationOptions, note: Note = lambda message: None) -> Replication:
    """Run a recipe; raises ``InputError`` for an unknown name, a foreign option, or unsuitable data."""
    if name not in RECIPES:
        known = ", ".join(RECIPES)
        raise InputError.of("unknown_recipe", f"there is no recipe {name!r}", f"known: {known}")
    refuse_foreign_options(name, options)
    for file in filter(None, (getattr(options, field) for field in sorted(FILES))):
        if not Path(file).is_file():  # checked first, not after an hour of work
            raise InputError.of("unreadable_file", "there is no such file", "check the path", file)
    if not options.sets:
        raise InputError.of("no_data", f"{name} was given no data", "use --set DIR/PREFIX")
    module = import_module(f"metrics.replicate.{name.replace('-', '')}")  # only what this paper needs
    replication: Replication = module.run(options, note)
    return replication


def refuse_foreign_options(name: str, options: ReplicationOptions) -> None:
    """Raise ``InputError`` for an option of another recipe."""
    known = COMMON | RECIPES[name]
    for field in fields(options):
        if field.name not in known and getattr(options, field.name) != field.default:
            message = f"{name} does not know the option {field.name.replace('_', '-')}"
            raise InputError.of("foreign_option", message, f"its options: {', '.join(sorted(known))}")
