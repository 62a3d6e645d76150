"""Files as a newcomer brings them: the answer names the likely cause, not the parser's trouble."""

from __future__ import annotations

import pytest

from evaluation.importers import SourceFile, read
from evaluation.problems import InputError, Problem


def refused(name: str, data: str | bytes) -> Problem:
    content = data.encode() if isinstance(data, str) else data
    with pytest.raises(InputError) as caught:
        read([SourceFile.from_bytes(name, content)])
    return caught.value.problems[0]


@pytest.mark.parametrize("sign", [";", ","])
def test_a_table_without_a_header_is_not_taken_for_plain_text(sign: str) -> None:
    rows = "".join(f"{sign.join(('ein Haus', 'a house', 'a home'))}\n" for _ in range(3))
    found = refused("week.csv", rows)
    assert (found.code, found.line) == ("bad_header", 1)


def test_sentences_with_commas_are_plain_text() -> None:
    assert refused("one.txt", "Yes, well.\nNo.\nOne, two, three.\n").code == "too_few_systems"


def test_an_ampersand_in_xml_is_explained() -> None:
    seg = "<seg id='1'><source>Tee & Kuchen</source></seg>"
    found = refused("tea.xml", f"<set id='x' source-language='de' target-language='en'>{seg}</set>")
    assert found.code == "xml_syntax"
    assert "&amp;" in found.remedy


def test_a_spreadsheet_is_told_how_to_become_text() -> None:
    found = refused("book.xlsx", b"PK\x03\x04" + bytes(40))
    assert found.code == "type_mismatch"
    assert "CSV UTF-8" in found.remedy


def test_a_key_that_is_missing_is_not_called_null() -> None:
    with pytest.raises(InputError) as caught:
        read([SourceFile.from_bytes("notes.json", b'{"hello": "world"}')])
    said = [f"{one.message}; {one.remedy}" for one in caught.value.problems]
    assert any("expected an object, found nothing (/candidates); put an object there" in one for one in said)


def test_a_first_line_about_the_whole_set_is_a_header_without_saying_so() -> None:
    lines = (
        '{"source_language": "fr", "target_language": "en"}\n'
        + '{"source": "w", "candidates": {"a": "x", "b": "y"}}\n'
    )
    found = read([SourceFile.from_bytes("week.jsonl", lines.encode())])
    assert (found.source_language, found.target_language, len(list(found.items))) == ("fr", "en", 1)


def test_a_wmt_file_is_called_after_its_data_set_and_not_after_its_first_document() -> None:
    def side(tag: str, text: str) -> str:
        return f'<{tag} lang="en"><p><seg id="1">{text}</seg></p></{tag.split()[0]}>'

    doc = side("src", "x") + side('hyp system="a"', "y") + side('hyp system="b"', "z")
    for data, name in (('<dataset id="week">', "week"), ("<dataset>", "d1")):
        content = f'{data}<doc id="d1">{doc}</doc></dataset>'
        assert read([SourceFile.from_bytes("w.xml", content.encode())]).name == name


def test_json_lines_with_commas_between_them_are_told_so() -> None:
    lines = ['{"id": "1", "source": "x", "candidates": {"a": "one", "b": "two"}}'] * 3
    found = refused("week.jsonl", ",\n".join(lines) + "\n")
    assert (found.code, found.line, len(lines[0]) + 1) == ("json_syntax", 1, found.column)
    assert "take them away" in found.remedy


def test_a_table_whose_tabs_became_spaces_is_told_what_separates_columns() -> None:
    found = refused("week.tsv", "id    source    alpha    beta\n1    Ja.    Yes.    Yeah.\n")
    assert "tabs, commas or semicolons" in found.remedy
