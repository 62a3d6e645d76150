"""Files that could be misread in silence are refused, or the import says what it did."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from openpyxl import Workbook

from appraise.lib.problems import InputError, Problem
from evaluation.importers import BROWSER, ImportedItem, ImportOptions, SourceFile, read

TABLE = (
    "id\tsource\tone\ttwo\tlength\n"
    "1\tGuten Tag\tGood day\tHello\t{}\n"
    "2\tDanke\tThanks\tThank you\t{}\n"
)  # fmt: skip
HEADER = ("id", "source", "one", "two")


def refused(name: str, data: bytes | str) -> Problem:
    with pytest.raises(InputError) as caught:
        read([SourceFile.from_bytes(name, data.encode() if isinstance(data, str) else data)])
    return caught.value.problems[0]


def workbook(*rows: tuple[object, ...]) -> bytes:
    book, stream = Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(row)
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize("numbers", [("9", "6"), ("0.25", "-1.5e3"), ("12,5", "80%")])
def test_a_column_of_numbers_is_no_system(numbers: tuple[str, str]) -> None:
    problem = refused("a.tsv", TABLE.format(*numbers))
    assert problem.code == "numeric_outputs"
    assert "length" in problem.message


def test_a_number_may_be_the_translation_of_a_number_or_stand_among_words() -> None:
    table = TABLE.format("9", "sechs")
    assert "length" in read([SourceFile.from_bytes("a.tsv", table.encode())]).systems
    numbers = "id\tsource\tone\ttwo\n1\t3,5\t3.5\t3\n"
    assert len(read([SourceFile.from_bytes("a.tsv", numbers.encode())]).items) == 1


def test_control_characters_can_be_replaced_by_spaces() -> None:
    table = TABLE.replace("Good day", "Good\x07day").format("a", "b")
    problem = refused("a.tsv", table)
    assert problem.code == "control_char"
    assert "replace" in problem.remedy
    files = [SourceFile.from_bytes("a.tsv", table.encode())]
    imported = read(files, options=ImportOptions(controls="replace"))
    assert next(iter(imported.items)).text("one") == "Good day"
    assert [warning.code for warning in imported.warnings] == ["control_char"]


def test_no_file_is_blamed_for_lengths_of_which_none_is_usual() -> None:
    files = {"source.txt": "a\nb\n", "one.txt": "c\n", "two.txt": "d\ne\nf\n"}
    with pytest.raises(InputError, match="unclear which") as caught:
        read([SourceFile.from_bytes(name, text.encode()) for name, text in files.items()])
    assert caught.value.problems[0].line is None


def test_languages_of_iso_639_3_are_accepted_with_a_warning() -> None:
    item = {"id": "1", "source": "x", "candidates": {"one": "a", "two": "b"}}
    data = {"source_language": "qvo", "target_language": "cmn", "items": [item]}
    imported = read([SourceFile.from_bytes("a.json", json.dumps(data).encode())])
    assert (imported.source_language, imported.target_language) == ("qvo", "zh")
    assert [warning.code for warning in imported.warnings] == ["unknown_language"]


def test_a_campaign_of_pearmut_is_refused_by_name() -> None:
    problem = refused("a.json", json.dumps({"campaign_id": "x", "info": {}, "data": []}))
    assert "Pearmut" in problem.message
    assert "TSV" in problem.remedy


class TestSpreadsheets:
    def test_numbers_keep_the_form_that_people_see(self) -> None:
        rows = (1, "Guten Tag", "Good day", 2.5), (2.0, "Danke", True, "x")
        first, second = read([SourceFile.from_bytes("a.xlsx", workbook(HEADER, *rows))]).items
        assert (first.id, first.text("two")) == ("1", "2.5")
        assert (second.id, second.text("one")) == ("2", "True")

    def test_a_formula_is_refused_at_its_cell(self) -> None:
        problem = refused("a.xlsx", workbook(HEADER, (1, "Guten Tag", "=A1", "Hello")))
        assert (problem.code, problem.line, problem.column) == ("formula", 2, 3)

    def test_what_is_no_spreadsheet_or_damaged_is_refused(self) -> None:
        document = io.BytesIO()
        with zipfile.ZipFile(document, "w") as archive:
            archive.writestr("word/document.xml", "<x/>")
        assert refused("a.docx", document.getvalue()).code == "type_mismatch"
        damaged = io.BytesIO()
        whole = zipfile.ZipFile(io.BytesIO(workbook(HEADER, (1, "a", "b", "c"))))
        with whole, zipfile.ZipFile(damaged, "w") as archive:
            for name in whole.namelist():
                archive.writestr(name, b"<broken" if "sheet1" in name else whole.read(name))
        assert refused("a.xlsx", damaged.getvalue()).code == "bad_spreadsheet"

    def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(self) -> None:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/workbook.xml", b" " * (BROWSER.max_bytes + 1))
        assert len(stream.getvalue()) < 100_000
        assert refused("a.xlsx", stream.getvalue()).code == "too_large"

    def test_a_member_whose_name_is_no_text_is_refused(self) -> None:
        data = workbook(HEADER, (1, "a", "b", "c")).replace(b"docProps/app.xml", b"\x81ocProps/app.xml")
        flagged = data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x00\x08")
        assert refused("a.xlsx", flagged).code == "type_mismatch"


class TestBatchesOfErrorSpans:
    def item(self, system: str, text: str, **more: object) -> dict[str, object]:
        return {
            "itemID": 1, "itemType": "TGT", "sourceID": "set", "targetID": f"set.{system}",
            "sourceText": "Ja.", "targetText": text, "documentID": f"doc#{system}",
            "_item": f"{system} | 7 | doc",
            "isCompleteDocument": False, "mqm": [],
        } | more  # fmt: skip

    def read(self, *items: dict[str, object]) -> tuple[list[str], list[ImportedItem]]:
        data = json.dumps([{"task": {}, "items": items}]).encode()
        imported = read([SourceFile.from_bytes("b.json", data)])
        return [warning.code for warning in imported.warnings], list(imported.items)

    def test_documents_and_tutorials_are_skipped_with_a_warning(self) -> None:
        codes, items = self.read(
            self.item("t", "Yes.", documentID="de-tutorial1", mqm={"tutorial": {}}),
            self.item("north", "Yes."),
            self.item("south", "Yeah."),
            self.item("south", "Yeah. No.", sourceText="Ja. Nein.", isCompleteDocument=True),
        )
        assert codes == ["tutorial_skipped", "documents_skipped"]
        (only,) = items
        assert (only.id, only.document, only.systems) == ("doc:7", "doc", ("north", "south"))

    def test_damaged_copies_are_kept_and_two_sentences_with_one_source_stay_apart(self) -> None:
        codes, (first, second) = self.read(
            self.item("north", "Yes."),
            self.item("south", "Yeah."),
            self.item("north", "Tree.", itemType="BAD", documentID="doc#north#bad1"),
            self.item("north", "Sure.", _item="north | 8 | doc"),
            self.item("south", "Of course.", _item="south | 8 | doc"),
        )
        assert codes == ["damaged_copies"]
        assert dict(first.damaged) == {"north": "Tree."}
        assert (dict(second.damaged), second.id) == ({}, "doc:8")

    def test_the_source_of_pairwise_items_may_be_called_segment(self) -> None:
        targets = [{"targetID": name, "targetText": name} for name in ("a", "b")]
        _, items = self.read({"itemID": 3, "segmentText": "Ja.", "documentID": "d", "targets": targets})
        assert items[0].source == "Ja."
