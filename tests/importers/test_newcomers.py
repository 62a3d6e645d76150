"""Files as a newcomer brings them: the answer names the likely cause, not the parser's trouble."""

from __future__ import annotations

import pytest

from appraise.lib.problems import InputError, Problem
from evaluation.importers import SourceFile, read


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
    assert "remove them" in found.remedy


def test_a_table_whose_tabs_became_spaces_is_told_what_separates_columns() -> None:
    found = refused("week.tsv", "id    source    alpha    beta\n1    Ja.    Yes.    Yeah.\n")
    assert "tabs, commas or semicolons" in found.remedy


def test_what_a_spreadsheet_pads_a_table_with_is_no_part_of_it() -> None:
    table = "id;source;alpha;beta;;\r\n1;Ja.;Yes.;Yeah.;;\r\n;;;;;\r\n2;Nein.;No.;Nope.;; \r\n;;;;;\r\n"
    found = read([SourceFile.from_bytes("week.csv", table.encode("utf-8-sig"))])
    assert (found.systems, [item.id for item in found.items]) == (("alpha", "beta"), ["1", "2"])


def test_a_column_with_content_needs_a_name_wherever_it_stands() -> None:
    for header, row, number in (("source;;alpha;beta", "x;y;z;w", 2), ("source;alpha;beta;", "x;y;z;!", 4)):
        found = refused("week.csv", f"{header}\n{row}\n")
        assert (found.code, found.line) == ("bad_header", 1)
        assert found.message == f"column {number} has no name"
        assert "delete it" in found.remedy


def test_a_header_in_quotes_is_not_said_to_name_no_columns() -> None:
    found = refused("week.tsv", '"id"\t"source"\t"alpha"\t"beta"\n"1"\t"Ja."\t"Yes."\t"Yeah."\n')
    assert (found.code, found.line) == ("bad_header", 1)
    assert "quoted" in found.message
    assert "CSV" in found.remedy


def test_quotes_that_a_spreadsheet_doubled_are_warned_of_and_kept() -> None:
    table = 'id\tsource\talpha\tbeta\n1\t"Ja."\t"She said ""yes""."\t"Yes."\n'
    found = read([SourceFile.from_bytes("week.tsv", table.encode())])
    assert [(one.code, one.line) for one in found.warnings] == [("quoted_cells", 2)]
    assert next(iter(found.items)).text("alpha") == '"She said ""yes""."'


def test_a_document_with_a_foreign_key_is_told_that_its_sentences_are_called_items() -> None:
    found = refused("week.json", '{\n"data": {"segments": []}}')
    assert "items" in found.remedy
    header = '{"format": "appraise-task", "items": []}\n{"source": "x", "candidates": {"a": "y", "b": "z"}}\n'
    with pytest.raises(InputError):  # a line is one item: the list would be lost
        read([SourceFile.from_bytes("week.jsonl", header.encode())], format="jsonl")


def test_files_without_a_source_may_only_lack_the_word() -> None:
    files = [SourceFile.from_bytes(name, b"Ja.\n") for name in ("news.de.txt", "one.en.txt", "two.en.txt")]
    with pytest.raises(InputError) as caught:
        read(files)
    assert "choose the file" in caught.value.problems[0].remedy


def test_a_line_that_is_blank_in_one_file_is_told_once() -> None:
    texts = {"source.txt": "Ja.\nNein.\n", "one.txt": "Yes.\nNo.\n", "two.txt": "Yeah.\n\n"}
    files = [SourceFile.from_bytes(name, text.encode()) for name, text in texts.items()]
    with pytest.raises(InputError) as caught:
        read(files)
    assert [(one.code, one.file, one.line) for one in caught.value.problems] == [
        ("empty_segment", "two.txt", 2)
    ]


@pytest.mark.parametrize("sign", [";", ",", "\t"])
def test_the_line_that_names_the_separator_for_a_spreadsheet_is_no_header(sign: str) -> None:
    rows = [f"sep={sign}", *(sign.join(row) for row in (("id", "source", "a", "b"), ("7", "x", "y", "z")))]
    found = read([SourceFile.from_bytes("week.csv", "\r\n".join(rows).encode("utf-8-sig"))])
    assert [(item.id, item.source) for item in found.items] == [("7", "x")]


def parallel(*texts: str) -> list[SourceFile]:
    names = ("source.txt", "reference.txt", "alpha.txt", "beta.txt")
    return [
        SourceFile.from_bytes(name, content.encode()) for name, content in zip(names, texts, strict=False)
    ]


def test_blank_lines_at_the_end_of_one_file_are_no_sentences() -> None:
    found = read(parallel("v\nw\n", "x\ny\n", "a\nb\n\n \n", "c\nd"))
    assert [item.id for item in found.items] == ["1", "2"]


def test_the_file_that_is_longer_than_all_others_is_blamed() -> None:
    with pytest.raises(InputError) as caught:
        read(parallel("v\nw\n", "x\ny\n", "a\nb\nextra\n", "c\nd\n"))
    (found,) = caught.value.problems
    assert (found.code, found.file, found.line) == ("line_count", "alpha.txt", 3)
