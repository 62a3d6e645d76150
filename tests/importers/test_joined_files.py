"""Formats with a file per system: XLIFF, TMX, SGML, and segments beside outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from appraise.lib.problems import InputError
from evaluation.importers import FileRole, ImportedSet, SourceFile, read
from evaluation.importers.parallel import strip_shared_parts
from tests.importers.bad_inputs import GOOD_SGML, GOOD_TMX, GOOD_XLIFF

SAMPLES = Path(__file__).parents[2] / "fixtures" / "samples"
UNIT = GOOD_TMX[GOOD_TMX.index("<tu ") : GOOD_TMX.index("</tu>") + 5]


def of(**files: str) -> ImportedSet:
    named = [SourceFile.from_bytes(name.replace("_", "."), text.encode()) for name, text in files.items()]
    return read(named)


def code(**files: str) -> str:
    with pytest.raises(InputError) as refused:
        of(**files)
    return refused.value.problems[0].code


@pytest.mark.parametrize("folder", ["xliff", "tmx", "sgml"])
def test_every_sample_contains_the_sentences_of_the_table(folder: str) -> None:
    table = read([SourceFile.from_path(SAMPLES / "wide.tsv")])
    joined = read([SourceFile.from_path(path) for path in sorted((SAMPLES / folder).iterdir())])
    assert joined.format == folder
    assert set(joined.systems) == set(table.systems)
    assert (joined.source_language, joined.target_language) == ("de", "en")
    for ours, theirs in zip(joined.items, table.items, strict=True):
        assert (ours.source, dict(ours.candidates)) == (theirs.source, dict(theirs.candidates))


def test_segments_and_outputs_are_joined_by_id() -> None:
    table = read([SourceFile.from_path(SAMPLES / "wide.tsv")])
    joined = read([SourceFile.from_path(SAMPLES / name) for name in ("outputs.tsv", "segments.tsv")])
    for ours, theirs in zip(joined.items, table.items, strict=True):
        assert (ours.id, ours.source, ours.references) == (theirs.id, theirs.source, theirs.references)
        assert dict(ours.candidates) == dict(theirs.candidates)


def test_units_with_the_same_ids_but_other_sources_are_joined_by_source() -> None:
    units = (
        '<trans-unit id="{0}"><source>Ja</source><target>{2}</target></trans-unit>'
        '<trans-unit id="{1}"><source>Nein</source><target>No</target></trans-unit>'
    )
    body = GOOD_XLIFF.partition("<trans-unit")[0] + "{}</body></file></xliff>"
    first, second = (body.format(units.format(*parts)) for parts in (("1", "2", "Yes"), ("2", "1", "Yeah")))
    yes, no = of(one_xlf=first, two_xlf=second).items
    assert dict(yes.candidates) == {"one": "Yes", "two": "Yeah"}
    assert dict(no.candidates) == {"one": "No", "two": "No"}


def test_equal_sources_are_joined_in_their_order() -> None:
    unnamed = UNIT.replace(' tuid="1"', "")
    double = GOOD_TMX.replace(UNIT, unnamed + unnamed)
    items = list(of(one_tmx=double, two_tmx=double.replace("Good day", "Hello")).items)
    assert [dict(item.candidates) for item in items] == [{"one": "Good day", "two": "Hello"}] * 2
    assert len({item.id for item in items}) == 2


def test_codes_of_the_original_format_are_no_text() -> None:
    coded = GOOD_XLIFF.replace("Good <g", 'Good <bpt id="2">&lt;b&gt;</bpt><g')
    coded = coded.replace("</g>", '</g><x id="3"/>!')
    (item,) = of(one_xlf=coded, two_xlf=GOOD_XLIFF).items
    assert item.text("one") == "Good day!"


def test_files_can_name_their_systems_and_references() -> None:
    south = GOOD_XLIFF.replace("day", "morning").encode()
    files = [
        SourceFile.from_bytes("x.xlf", GOOD_XLIFF.encode(), FileRole.SYSTEM, "north"),
        SourceFile.from_bytes("y.xlf", south, FileRole.SYSTEM, "south"),
        SourceFile.from_bytes("z.xlf", GOOD_XLIFF.encode(), FileRole.REFERENCE),
    ]
    (item,) = read(files).items
    assert item.systems == ("north", "south")
    assert item.references == ("Good day",)


def test_sgml_needs_neither_balanced_tags_nor_escapes() -> None:
    loose = GOOD_SGML.replace("<seg", "<P><HL>\n<SEG").replace("srcset", "SRCSET")
    (item,) = of(all_sgm=loose.replace("Good day", "A < B &amp; C")).items
    assert dict(item.candidates) == {"one": "A < B & C", "two": "Hello & welcome"}
    assert item.id == "d:1"


def test_a_document_type_is_not_followed_and_entities_are_refused() -> None:
    doctype = '<!DOCTYPE tmx SYSTEM "file:///etc/passwd">'
    assert len(of(one_tmx=doctype + GOOD_TMX, two_tmx=GOOD_TMX.replace("day", "morning")).items) == 1
    entity = '<!DOCTYPE tmx [<!ENTITY e "x">]>' + GOOD_TMX.replace("Good day", "&e;")
    assert code(one_tmx=entity, two_tmx=GOOD_TMX) == "dtd_forbidden"


THIRD = "</tuv><tuv xml:lang='fr'><seg>x</seg></tuv></tu>"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"one_xlf": GOOD_XLIFF}, "too_few_systems"),
        ({"one_xlf": GOOD_XLIFF, "two_tmx": GOOD_TMX}, "mixed_formats"),
        ({"one_xlf": GOOD_XLIFF, "two_xlf": GOOD_XLIFF.replace('id="1"><s', 'id="2"><s')}, "missing_system"),
        ({"one_xlf": GOOD_XLIFF.replace("<source>Guten Tag</source>", "")}, "unknown_schema"),
        ({"one_tmx": GOOD_TMX.replace("</tuv></tu>", THIRD)}, "unknown_schema"),
        ({"all_sgm": GOOD_SGML.replace(' sysid="one"', "")}, "unknown_schema"),
        ({"all_sgm": GOOD_SGML.replace("welcome</seg></doc></tstset>", "welcome")}, "unknown_schema"),
    ],
)
def test_what_cannot_be_joined_is_refused(files: dict[str, str], expected: str) -> None:
    assert code(**files) == expected


def test_a_domain_may_precede_the_document_of_a_line() -> None:
    texts = {"source.txt": "Ja\n", "a.txt": "Yes\n", "b.txt": "Yeah\n", "de-en.docs": "news\tdoc-7\n"}
    (item,) = read([SourceFile.from_bytes(name, text.encode()) for name, text in texts.items()]).items
    assert item.document == "doc-7"


def test_shared_parts_of_file_names_are_no_part_of_the_system() -> None:
    assert strip_shared_parts(["a.b.c", "a.x.c", "a.y.z.c"]) == ["b", "x", "y.z"]
    assert strip_shared_parts(["a", "a"]) == ["a", "a"]
    source = SourceFile.from_bytes("newstest.src.de", b"Ja\n")
    outputs = [SourceFile.from_bytes(f"newstest.{name}.en", b"Yes\n") for name in ("uedin", "online-B")]
    assert read([source, *outputs]).systems == ("uedin", "online-B")
