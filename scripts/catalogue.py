"""The catalogue of translations: collect every marked text, keep the file in order, compile it.

``python -m scripts.catalogue`` writes new texts, still empty, into ``locale/*/LC_MESSAGES/django.po``,
removes those that nothing says any more, and compiles. ``--check`` changes nothing and exits 1 where
something is missing. No GNU gettext is needed: templates go through Django's own ``templatize``, Python
through ``ast``. Names in pure modules, which know nothing of translation, are collected from the modules
themselves.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polib

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "locale"
TEMPLATES = ROOT / "templates"
PACKAGES = ("appraise", "evaluation", "metrics")

# What Django calls them, and how many texts each takes: context, singular, plural.
FUNCTIONS = {
    "gettext": ("msgid",),
    "gettext_noop": ("msgid",),
    "ngettext": ("msgid", "plural"),
    "pgettext": ("context", "msgid"),
    "npgettext": ("context", "msgid", "plural"),
}


@dataclass(frozen=True, slots=True, order=True)
class Text:
    """What a catalogue is asked for; two places that say the same share one entry."""

    msgid: str
    plural: str = ""
    context: str = ""


@dataclass(slots=True)
class Found:
    """Texts with the places that say them, and calls whose text cannot be read from the source."""

    places: dict[Text, list[str]] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)


def texts_of_project(root: Path = ROOT) -> Found:
    """Every marked text of templates and code."""
    found = Found()
    for path in sorted((root / "templates").rglob("*.html")):
        for text in texts_of_template(path.read_text(), str(path)):
            found.places.setdefault(text, []).append(path.relative_to(root).as_posix())
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            texts, unreadable = texts_of_module(path.read_text())
            where = path.relative_to(root).as_posix()
            for text in texts:
                found.places.setdefault(text, []).append(where)
            found.unreadable += [f"{where}:{line}" for line in unreadable]
    for msgid in words_of_pure_modules():
        found.places.setdefault(Text(msgid), []).append("the pure modules")
    return found


def words_of_pure_modules() -> Iterator[str]:
    """What pages show of pure modules through the filter ``translate_text``: texts of schemes, bands,
    coefficients, phenomena, changes, formats and metrics."""
    from evaluation.agreement import Judgements, compute_agreement, name_band
    from evaluation.campaign_diff.campaigns import DiffMeasure
    from evaluation.importers import FORMATS
    from evaluation.phenomena.classification import Phenomenon
    from evaluation.schemes import CHOICE_REASONS, SCHEMES
    from metrics import registry

    yield from filter(None, map(name_band, (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9)))
    yield from (reason.words for reason in CHOICE_REASONS)
    for scheme in SCHEMES.values():
        yield from scheme.texts
        judged = [("ann", "item", scheme.labels[0]), ("bea", "item", scheme.labels[0])]
        for line in compute_agreement(
            Judgements.from_rows(judged, scheme.labels), scheme, resamples=0
        ).coefficients:
            yield from (line.title, line.chance)
    yield from (form.title for form in FORMATS.values())
    yield from (word.value for words in (Phenomenon, DiffMeasure) for word in words)
    yield from (entry.title for entry in registry.list_metrics())


# --- templates -----------------------------------------------------------------------------------------

_STRING = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL = re.compile(rf"\b(\w*gettext|_)\(\s*{_STRING}(?:\s*,\s*{_STRING})?(?:\s*,\s*{_STRING})?", re.DOTALL)


def texts_of_template(source: str, name: str = "template") -> Iterator[Text]:
    """
    >>> [text.msgid for text in texts_of_template('{% translate "Name" %}: {{ name|default:_("none") }}')]
    ['Name', 'none']
    """
    from django.utils.translation.template import templatize

    for call in _CALL.finditer(templatize(source, origin=name)):
        function = "gettext" if call[1] == "_" else call[1]
        strings = [ast.literal_eval(literal) for literal in call.groups()[1:] if literal]
        yield _text(function, strings)


# --- Python --------------------------------------------------------------------------------------------


def texts_of_module(source: str) -> tuple[list[Text], list[int]]:
    """The texts that a module marks, and the lines of calls whose text is no literal.

    >>> texts_of_module('from django.utils.translation import gettext as _\\n_("Saved")\\n_(word)')
    ([Text(msgid='Saved', plural='', context='')], [3])
    """
    if "django.utils.translation" not in source:
        return [], []
    tree = ast.parse(source)
    names = dict(_imported_names(tree))
    texts, unreadable = [], []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in names:
            continue
        function = names[node.func.id]
        strings = [_literal(argument) for argument in node.args[: len(FUNCTIONS[function])]]
        if None in strings:
            unreadable.append(node.lineno)
        else:
            texts.append(_text(function, [string for string in strings if string is not None]))
    return texts, unreadable


def _imported_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Name in this module → function of Django; lazy ones ask for the same texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
            for alias in node.names:
                plain = alias.name.removesuffix("_lazy")
                if plain in FUNCTIONS:
                    yield alias.asname or alias.name, plain


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _text(function: str, strings: list[str]) -> Text:
    return Text(**dict(zip(FUNCTIONS[function], strings, strict=False)))


# --- the file ------------------------------------------------------------------------------------------


def update(catalogue: polib.POFile, places: dict[Text, list[str]]) -> tuple[list[Text], list[Text]]:
    """Bring a catalogue up to what the sources say; returns what came and what went."""
    known = {text_of(entry): entry for entry in catalogue}
    gone = sorted(known.keys() - places.keys())
    new = sorted(places.keys() - known.keys())
    for text in gone:
        catalogue.remove(known[text])
    for text in new:
        catalogue.append(_entry(text))
    for entry in catalogue:
        entry.occurrences = [(place, "") for place in sorted(set(places[text_of(entry)]))]
    catalogue.sort(key=lambda entry: (entry.occurrences[0][0], entry.msgid, entry.msgctxt or ""))
    return new, gone


def text_of(entry: polib.POEntry) -> Text:
    return Text(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


def _entry(text: Text) -> polib.POEntry:
    flags = ["python-format"] if re.search(r"%(\(\w+\))?[sd]|%%", text.msgid) else []
    plural = {"msgid_plural": text.plural, "msgstr_plural": {0: "", 1: ""}} if text.plural else {}
    return polib.POEntry(msgid=text.msgid, msgctxt=text.context or None, flags=flags, **plural)


def faults(catalogue: polib.POFile, places: Iterable[Text]) -> list[str]:
    """What would make a page half English or break it: one line for each fault."""
    known = {text_of(entry): entry for entry in catalogue}
    lines = [f"not in the catalogue: {text.msgid!r}" for text in places if text not in known]
    lines += [f"said nowhere: {text.msgid!r}" for text in known if text not in places]
    for text, entry in known.items():
        said = list(entry.msgstr_plural.values()) if text.plural else [entry.msgstr]
        if "fuzzy" in entry.flags:
            lines.append(f"fuzzy: {text.msgid!r}")
        if not all(said):
            lines.append(f"not translated: {text.msgid!r}")
        lines += [
            f"other placeholders: {text.msgid!r} → {one!r}" for one in said if one and not _fits(text, one)
        ]
    return lines


_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}|</?\w+[^>]*>")


def _fits(text: Text, said: str) -> bool:
    """The same placeholders and tags; a singular may leave the number out, and starts and ends alike."""
    wanted = sorted(_PLACEHOLDER.findall(text.msgid))
    given = sorted(_PLACEHOLDER.findall(said))
    alike = (
        said[:1].isspace() == text.msgid[:1].isspace() and said[-1:].isspace() == text.msgid[-1:].isspace()
    )
    if text.plural:
        return alike and given in (wanted, sorted(_PLACEHOLDER.findall(text.plural)))
    return alike and given == wanted


# --- the command ---------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 where something is missing"
    )
    options = parser.parse_args(arguments)
    found = texts_of_project()
    lines: list[str] = []
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/django.po")):
        catalogue = polib.pofile(str(path), wrapwidth=110)
        if not options.check:
            new, gone = update(catalogue, found.places)
            catalogue.save(str(path))
            catalogue.save_as_mofile(str(path.with_suffix(".mo")))
            print(f"{path.parent.parent.name}: {len(catalogue)} texts, {len(new)} new, {len(gone)} removed")
        lines += [f"{path.parent.parent.name}: {line}" for line in faults(catalogue, found.places)]
    print("\n".join(lines), end="\n" if lines else "", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
