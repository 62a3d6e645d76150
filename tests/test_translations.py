"""Every text is translated into German, and those of annotators into the other languages."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.urls import URLPattern
from django.utils.translation import to_locale

from appraise.middleware import ANNOTATOR_ROUTES
from evaluation.urls import urlpatterns
from scripts import catalogue

PATHS = sorted(catalogue.LOCALES.glob("*/LC_MESSAGES/django.po"))
FOUND = catalogue.texts_of_project()
FOR_ANNOTATORS = catalogue.texts_of_annotators(FOUND.places)

# Names, formats and file types are the same in every language.
SAME_EVERYWHERE = {
    "Appraise", "· Appraise", "CSV", "JSONL", "TSV", "XML", "LaTeX", "SVG", "Pearson r",
    'class="shell"',  # an attribute that a block adds to the body
}  # fmt: skip
SAME_EVERYWHERE |= {"Holm", ", Holm)", "McNemar"}

# Here the text comes from a pure module or from Django's own list of languages.
TEXT_FROM_ELSEWHERE = {
    "evaluation/annotate/assess_page.py",
    "evaluation/annotate/forms.py",
    "evaluation/jobs.py",
    "evaluation/tasks/problem_texts.py",
    "evaluation/tasks/forms/passages.py",
    "evaluation/tasks/forms/upload.py",
    "evaluation/reports/phenomena.py",
    "evaluation/reports/plots.py",
    "evaluation/templatetags/appraise.py",
    "evaluation/templatetags/figures.py",
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.parent.name)
def test_the_catalogue_has_every_text_translated_with_the_same_placeholders(path: Path) -> None:
    places = FOR_ANNOTATORS if catalogue.is_partial(path.parent.parent.name) else FOUND.places
    assert catalogue.faults(polib.pofile(str(path)), places) == [], "run: make catalogue"


def test_every_language_of_the_site_has_a_catalogue_with_plural_forms() -> None:
    locales = {to_locale(code): code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE}
    assert locales.keys() == {path.parent.parent.name for path in PATHS}
    assert set(settings.UNCHECKED_LANGUAGES) <= set(locales.values())
    for path in PATHS:
        assert "nplurals=" in polib.pofile(str(path)).metadata["Plural-Forms"], path


def test_what_an_annotator_sees_includes_parts_of_pages_single_texts_and_no_reports() -> None:
    msgids = {text.msgid for text in FOR_ANNOTATORS}
    assert {
        "Your tasks",
        "A much better",
        "Saving…",
        "Skip this sentence?",
    } | catalogue.ANNOTATOR_TEXTS <= msgids
    assert not {"Stopping rule", "Coefficients", "Import"} & msgids
    assert len(msgids) < len(FOUND.places) / 3


def test_every_page_of_an_annotator_is_one_for_the_catalogue_and_the_middleware() -> None:
    """A page that is missing there would be in English for readers of most languages."""
    folder = catalogue.ROOT / "evaluation" / "annotate" / "views"
    shown = {
        name for path in folder.glob("*.py") for name in re.findall(r'"([\w/]+\.html)"', path.read_text())
    }
    assert shown - {"evaluation/practice_settings.html"} <= set(catalogue.ANNOTATOR_TEMPLATES)
    modules = {
        route.name: route.callback.__module__ for route in urlpatterns if isinstance(route, URLPattern)
    }
    routes = {name for name, module in modules.items() if module.startswith("evaluation.annotate.views")}
    assert len(routes) >= 10
    assert routes - {"practice-settings", "remove-practice-question"} <= ANNOTATOR_ROUTES


def test_only_a_last_plural_form_needs_the_number() -> None:
    text = catalogue.Text("%(n)s task", "%(n)s tasks")
    file = polib.POFile()
    file.metadata = {"Plural-Forms": "nplurals=3; plural=n"}
    forms = {0: "eine", 1: "zwei", 2: "%(n)s"}
    file.append(polib.POEntry(msgid=text.msgid, msgid_plural=text.plural, msgstr_plural=forms))
    assert catalogue.faults(file, [text]) == []
    file[0].msgstr_plural = {0: "eine", 1: "zwei", 2: "viele"}
    assert catalogue.faults(file, [text]) == [f"other placeholders: {text.msgid!r} → 'viele'"]
    file[0].msgstr_plural = {0: "eine", 1: "%(n)s"}
    assert catalogue.faults(file, [text]) == [f"not translated: {text.msgid!r}"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.parent.name)
def test_the_compiled_catalogue_says_what_the_readable_one_says(path: Path) -> None:
    compiled = polib.mofile(str(path.with_suffix(".mo")))

    def texts_of(file: polib.POFile | polib.MOFile) -> dict[catalogue.Text, list[str]]:
        return {
            catalogue.text_of(e): list(e.msgstr_plural.values()) if e.msgid_plural else [e.msgstr]
            for e in file
        }

    assert texts_of(compiled) == texts_of(polib.pofile(str(path))), "run: make catalogue"


def test_a_marked_text_is_written_out_where_it_is_marked() -> None:
    elsewhere = {place.split(":")[0] for place in FOUND.unreadable}
    assert elsewhere <= TEXT_FROM_ELSEWHERE


@pytest.mark.parametrize("path", sorted(catalogue.TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_a_template_has_no_words_outside_a_translate_tag(path: Path) -> None:
    assert set(bare_words(path.read_text())) <= SAME_EVERYWHERE


def bare_words(source: str) -> list[str]:
    """Text between tags, and attributes that people hear or read, without what the template fills in.

    >>> bare_words('<p title="Hint">Text {% translate "said" %}<code>x = 1</code></p>')
    ['Hint', 'Text']
    """
    source = re.sub(r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}", "\0", source, flags=re.S)
    source = re.sub(r"{#.*?#}|{%\s*comment\s*%}.*?{%\s*endcomment\s*%}", "\0", source, flags=re.S)
    source = re.sub(r"{%.*?%}|{{.*?}}", "\0", source, flags=re.S)
    found = re.findall(r'\b(?:aria-label|aria-description|title|placeholder|alt)="([^"]*)"', source)
    text = re.sub(r"<(style|script|code|kbd|pre)\b.*?</\1>", "\0", source, flags=re.S)
    found += re.split(r"<[^>]*>|\0", text)
    parts = [part.strip() for one in found for part in one.split("\0")]
    return [part for part in parts if re.search(r"[A-Za-z]{2}", re.sub(r"&\w+;", "", part))]


# --- the tool itself -------------------------------------------------------------------------------------


def test_plurals_contexts_and_arguments_of_filters_are_found_in_templates() -> None:
    source = (
        "{% load i18n %}"
        "{% blocktranslate count n=n %}{{ n }} task{% plural %}{{ n }} tasks{% endblocktranslate %}"
        '{% translate "Open" context "verb" %}'
        '{% include "x.html" with title=_("All") %}{{ x|default:_("none") }}'
    )
    assert set(catalogue.texts_of_template(source)) == {
        catalogue.Text("%(n)s task", "%(n)s tasks"),
        catalogue.Text("Open", context="verb"),
        catalogue.Text("All"),
        catalogue.Text("none"),
    }


def test_new_texts_come_and_old_ones_go_and_the_rest_keeps_its_translation() -> None:
    file = polib.POFile()
    file.append(polib.POEntry(msgid="kept", msgstr="behalten"))
    file.append(polib.POEntry(msgid="old", msgstr="alt"))
    places = {catalogue.Text("kept"): ["a.html"], catalogue.Text("%(n)s new", "%(n)s news"): ["b.py"]}
    assert catalogue.update(file, places) == (
        [catalogue.Text("%(n)s new", "%(n)s news")],
        [catalogue.Text("old")],
    )
    assert [(entry.msgid, entry.msgstr) for entry in file] == [("kept", "behalten"), ("%(n)s new", "")]


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (polib.POEntry(msgid="%(n)s of %(all)s", msgstr="%(n)s von %(alle)s"), "other placeholders"),
        (polib.POEntry(msgid="{n} left", msgstr="noch"), "other placeholders"),
        (polib.POEntry(msgid="<b>A</b>", msgstr="<i>A</i>"), "other placeholders"),
        (polib.POEntry(msgid="50 %% even", msgstr="50 % gleich"), "other placeholders"),
        (polib.POEntry(msgid="said", msgstr=""), "not translated"),
        (polib.POEntry(msgid="said", msgstr="gesagt", flags=["fuzzy"]), "fuzzy"),
        (
            polib.POEntry(msgid="%(n)s", msgid_plural="%(n)s s", msgstr_plural={0: "%(n)s", 1: ""}),
            "not translated",
        ),
    ],
)
def test_a_fault_in_the_catalogue_is_named(entry: polib.POEntry, fault: str) -> None:
    file = polib.POFile()
    file.append(entry)
    [line] = catalogue.faults(file, [catalogue.text_of(entry)])
    assert line.startswith(fault)
