"""The catalogue of translations: collect every marked text, keep the file in order, compile it.

``python -m scripts.catalogue`` writes new texts, still empty, into ``locale/*/LC_MESSAGES/django.po``,
removes those that nothing says any more, and compiles. A language of ``ANNOTATOR_LANGUAGES`` has only the
texts that annotators see. ``--check`` changes nothing and exits 1 where something is missing.
No GNU gettext is needed: templates go through Django's own ``templatize``, Python through ``ast``. Names in
pure modules, which know nothing of translation, are collected from the modules themselves.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import polib

from evaluation.tasks.problem_texts import CONTEXT, has_words

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "locale"
TEMPLATES = ROOT / "templates"
PACKAGES = ("appraise", "evaluation", "metrics")

# What annotators see: these templates with all that they include or extend, these modules, and single texts.
ANNOTATOR_TEMPLATES = (
    "registration/login.html",
    *("400.html", "403.html", "403_csrf.html", "404.html", "405.html", "413.html", "500.html", "503.html"),
    "languages.html",
    "evaluation/annotate.html",
    "evaluation/assess.html",
    "evaluation/campaign_finished.html",
    "evaluation/finished.html",
    "evaluation/home.html",
    "evaluation/invitation.html",
    "evaluation/personal_data.html",
    "evaluation/places.html",
    "evaluation/practice.html",
    "evaluation/practice_done.html",
    "evaluation/return.html",
    "evaluation/review.html",
)
ANNOTATOR_MODULES = (
    "evaluation/annotate/",
    "evaluation/people/",
    "the protocols",
    "evaluation/schemes.py",
    "evaluation/templatetags/appraise.py",
)
ANNOTATOR_TEXTS = {
    "You have joined, but the task is not open at the moment. Please come back later.",
    *("Draft", "Open", "Closed", "Archived"),
    *("Annotator", "Manager", "Researcher"),
}

# What pages show of problems: the modules that make them, and the calls of a code, a message and a remedy.
PROBLEM_MODULES = (
    *("appraise/lib/", "evaluation/agreement/", "evaluation/alignment/", "evaluation/assessments/"),
    *("evaluation/exporters/", "evaluation/importers/", "evaluation/tasks/"),
)
PROBLEM_CALLS = ("Problem", "InputError.of", ".add", ".refuse", ".report", ".warn", "_Refused")

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
            if where.startswith(PROBLEM_MODULES):
                for text in texts_of_problems(path.read_text()):
                    found.places.setdefault(text, []).append(where)
            found.unreadable += [f"{where}:{line}" for line in unreadable]
    for where, words in (
        ("evaluation/schemes.py", words_of_schemes()),
        ("the protocols", words_of_protocols()),
        ("the pure modules", words_of_pure_modules()),
    ):
        for msgid in words:
            found.places.setdefault(Text(msgid), []).append(where)
    return found


def texts_of_annotators(places: dict[Text, list[str]], root: Path = ROOT) -> dict[Text, list[str]]:
    """The texts that annotators see, with all places of each."""
    templates = {f"templates/{name}" for name in reach_templates(ANNOTATOR_TEMPLATES, root / "templates")}
    return {
        text: where
        for text, where in places.items()
        if text.msgid in ANNOTATOR_TEXTS
        or any(place in templates or place.startswith(ANNOTATOR_MODULES) for place in where)
    }


def reach_templates(names: Iterable[str], folder: Path = TEMPLATES) -> set[str]:
    """These templates, and those that they include or extend.

    >>> sorted(reach_templates(["404.html"]))
    ['404.html', '_mark.html', '_styles.html', 'error.html']
    """
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _NEXT_TEMPLATE.findall((folder / name).read_text())
    return reached


_NEXT_TEMPLATE = re.compile(r"""{%\s*(?:include|extends)\s+["']([^"']+)["']""")


def words_of_schemes() -> Iterator[str]:
    """Texts of the choices, which pages translate with the filter ``translate_text``."""
    from evaluation.schemes import CHOICE_REASONS, SCHEMES

    yield from (reason.words for reason in CHOICE_REASONS)
    for scheme in SCHEMES.values():
        yield from scheme.texts


def words_of_protocols() -> Iterator[str]:
    """Texts of the shipped protocols: titles, anchors, severities and guidelines."""
    from evaluation.assessments.protocols import PROTOCOLS

    for protocol in PROTOCOLS.values():
        yield protocol.title
        yield from (text for _, text in protocol.scale.anchors) if protocol.scale else ()
        yield from (severity.capitalize() for severity in protocol.severities)
        yield from filter(None, [protocol.guidelines])


def words_of_pure_modules() -> Iterator[str]:
    """What pages show of other pure modules through this filter: bands, coefficients, phenomena, changes,
    formats and metrics."""
    from evaluation.agreement import Judgements, compute_agreement, name_band
    from evaluation.campaign_diff.campaigns import DiffMeasure
    from evaluation.importers import FORMATS
    from evaluation.phenomena.classification import Phenomenon
    from evaluation.schemes import SCHEMES
    from metrics import registry

    yield from filter(None, map(name_band, (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9)))
    for scheme in SCHEMES.values():
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


def texts_of_problems(source: str) -> Iterator[Text]:
    """The messages and remedies of problems, with numbered gaps for what a message is made with.

    >>> source = 'def read(log, n):\\n  say = f"no line {n}"\\n  log.report("no_line", say, "add a line")'
    >>> [text.msgid for text in texts_of_problems(source)]
    ['no line {1}', 'add a line']
    """
    tree = ast.parse(source)
    constants = _assigned_values(tree.body)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        values = constants | _assigned_values(ast.walk(function))
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(PROBLEM_CALLS):
                texts = [*call.args[1:3], *(k.value for k in call.keywords if k.arg in ("message", "remedy"))]
                if _CODE.fullmatch(_literal(call.args[0]) or "" if call.args else ""):
                    for text in texts:
                        yield from (Text(one, context=CONTEXT) for one in _spell_out(text, values))


_CODE = re.compile(r"[a-z][a-z0-9_]+")


def _assigned_values(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """What is assigned to each name."""
    values: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=False))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        values.setdefault(name.id, []).append(value)
    return values


def _spell_out(node: ast.expr, values: dict[str, list[ast.expr]]) -> Iterator[str]:
    """The sentences that an expression may be."""
    if isinstance(node, ast.IfExp):
        yield from _spell_out(node.body, values)
        yield from _spell_out(node.orelse, values)
    elif isinstance(node, ast.Name):
        for value in values.get(node.id, ()):
            yield from _spell_out(value, {})
    elif isinstance(node, ast.JoinedStr):
        numbers = count(1)
        parts = [_literal(part) or f"{{{next(numbers)}}}" for part in node.values]
        if has_words(text := "".join(parts)):
            yield text
    elif has_words(_literal(node) or ""):
        yield _literal(node) or ""


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
        catalogue.append(_entry(text, count_forms(catalogue)))
    for entry in catalogue:
        entry.occurrences = [(place, "") for place in sorted(set(places[text_of(entry)]))]
    catalogue.sort(key=lambda entry: (entry.occurrences[0][0], entry.msgid, entry.msgctxt or ""))
    return new, gone


def text_of(entry: polib.POEntry) -> Text:
    return Text(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


def count_forms(catalogue: polib.POFile) -> int:
    """How many plural forms the language has."""
    match = re.search(r"nplurals=(\d)", catalogue.metadata.get("Plural-Forms", ""))
    return int(match[1]) if match else 2


def _entry(text: Text, forms: int) -> polib.POEntry:
    flags = ["python-format"] if re.search(r"%(\(\w+\))?[sd]|%%", text.msgid) else []
    plural = (
        {"msgid_plural": text.plural, "msgstr_plural": dict.fromkeys(range(forms), "")} if text.plural else {}
    )
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
        if not all(said) or (text.plural and len(said) != count_forms(catalogue)):
            lines.append(f"not translated: {text.msgid!r}")
        lines += [
            f"other placeholders: {text.msgid!r} → {one!r}"
            for form, one in enumerate(said, 1)
            if one and not _fits(text, one, is_last=form == len(said))
        ]
    return lines


_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}|</?\w+[^>]*>")


def _fits(text: Text, said: str, *, is_last: bool = True) -> bool:
    """The same placeholders and tags, and spaces at the same ends. A plural form may leave the number out,
    but not the last one."""
    wanted = sorted(_PLACEHOLDER.findall(text.msgid))
    given = sorted(_PLACEHOLDER.findall(said))
    alike = (
        said[:1].isspace() == text.msgid[:1].isspace() and said[-1:].isspace() == text.msgid[-1:].isspace()
    )
    fitting = [wanted]
    if text.plural:
        every = sorted(_PLACEHOLDER.findall(text.plural))
        fitting.append(every)
        if not is_last:
            fitting += [every[:k] + every[k + 1 :] for k in range(len(every))]
    return alike and given in fitting


# --- the command ---------------------------------------------------------------------------------------


def is_partial(locale: str) -> bool:
    """Whether only annotator pages are translated into the language of this folder."""
    from django.conf import settings
    from django.utils.translation import to_locale

    return locale in map(to_locale, settings.ANNOTATOR_LANGUAGES)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 where something is missing"
    )
    options = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
    found = texts_of_project()
    for_annotators = texts_of_annotators(found.places)
    lines: list[str] = []
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/django.po")):
        language = path.parent.parent.name
        places = for_annotators if is_partial(language) else found.places
        catalogue = polib.pofile(str(path), wrapwidth=110)
        if not options.check:
            new, gone = update(catalogue, places)
            catalogue.save(str(path))
            catalogue.save_as_mofile(str(path.with_suffix(".mo")))
            print(f"{language}: {len(catalogue)} texts, {len(new)} new, {len(gone)} removed")
        lines += [f"{language}: {line}" for line in faults(catalogue, places)]
    print("\n".join(lines), end="\n" if lines else "", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
