"""Each format says what its documentation promises; a sample of each stands in the fixtures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from appraise.lib.problems import InputError
from evaluation.importers import (
    FORMATS,
    FileRole,
    ImportedCandidate,
    ImportedSet,
    ImportOptions,
    JudgementMeasure,
    SourceFile,
    detect,
    guess_role,
    read,
)
from evaluation.importers.model import GivenPhrase
from evaluation.schemes import Choice
from tests.importers.bad_inputs import GOOD, item, seg, set_xml, text

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
SAMPLES = Path(__file__).parents[2] / "fixtures" / "samples"
OF_SAMPLE = {
    "appraise.xml": "appraise-xml",
    "hits.xml": "appraise-xml",
    "wmt.xml": "wmt-xml",
    "batch.json": "appraise-json",
    "task.json": "json",
    "task.jsonl": "jsonl",
    "wide.tsv": "tsv",
    "long.tsv": "tsv",
    "wide.csv": "csv",
    "phrases.tsv": "phrases",
    "wide.xlsx": "xlsx",
}
OF_FOLDER = {"xliff": "xliff", "tmx": "tmx", "sgml": "sgml", "text": "text"}


def sample(*names: str) -> ImportedSet:
    return read([SourceFile.from_path(SAMPLES / name) for name in names])


def of(content: str, name: str = "a", **options: str) -> ImportedSet:
    return read([SourceFile.from_bytes(name, content.encode())], **options)  # type: ignore[arg-type]  # format only


def codes(content: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        of(content)
    return [problem.code for problem in caught.value.problems]


SHOWN = re.findall(r"### (\S+)[^\n]*\n\n```(?:xml|json|text)\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize(("heading", "shown"), SHOWN, ids=[heading for heading, _ in SHOWN])
def test_the_documentation_shows_files_that_can_be_imported(heading: str, shown: str) -> None:
    found = read([SourceFile.from_bytes("shown", shown.encode())])
    assert (found.format, len(found.items), found.systems) == (heading.rstrip(","), 1, ("north", "south"))


def test_the_documentation_shows_every_format_of_one_file() -> None:
    headings = {heading.rstrip(",") for heading, _ in SHOWN}
    assert headings == {"appraise-xml", "wmt-xml", "appraise-json", "json", "tsv", "phrases"}


@pytest.mark.parametrize(("name", "form"), OF_SAMPLE.items())
def test_every_sample_is_recognised_by_its_content_and_read(name: str, form: str) -> None:
    found = sample(name)
    assert found.format == form
    assert len(found.items) >= 1
    assert {"north", "south"} <= set(found.systems)
    assert detect([SourceFile.from_bytes("x", (SAMPLES / name).read_bytes())]).name == form


def test_every_format_has_a_sample_and_a_name_of_the_command() -> None:
    assert {*OF_SAMPLE.values(), *OF_FOLDER.values()} == set(FORMATS)


@pytest.mark.parametrize(("form", "content"), GOOD.items())
def test_a_good_file_is_read_when_its_format_is_named(form: str, content: str) -> None:
    assert len(of(content, format=form).items) >= 1


def test_an_unknown_format_is_named_in_the_refusal() -> None:
    with pytest.raises(InputError, match="unknown_format: 'docx'"):
        of("x", format="docx")


class TestAppraiseXml:
    def test_marks_in_the_source_are_taken_off(self) -> None:
        first = next(iter(sample("appraise.xml").items))
        assert first.source == "Der Markt öffnet schon um sieben."
        assert first.document == "market"
        assert first.references == ("The market opens as early as seven.",)

    def test_languages_are_stored_in_two_letters(self) -> None:
        found = sample("appraise.xml")
        assert (found.source_language, found.target_language) == ("de", "en")

    def test_systems_merged_by_the_writer_of_the_file_are_told_apart_again(self) -> None:
        first, second = sample("hits.xml").items
        assert first.systems == ("north", "east", "south")
        assert first.text("north") == first.text("east")
        assert second.systems == ("north", "west")

    def test_a_sentence_shown_twice_in_a_wmt_file_gets_a_second_id(self) -> None:
        hit = '<hit source-language="de" target-language="en"><seg><source id="7">x</source>'
        hit += '<translation system="a">p</translation><translation system="b">q</translation></seg></hit>'
        assert [item.id for item in of(f"<hits>{hit}{hit}{hit}</hits>").items] == ["7", "7-2", "7-3"]

    def test_unnamed_translations_take_the_names_of_the_hit(self) -> None:
        content = '<hit source-language="de" target-language="en" systems="a, b"><seg><source>x</source>'
        content += "<translation>p</translation><translation>q</translation></seg></hit>"
        (found,) = of(content).items
        assert found.candidates == (ImportedCandidate("a", "p"), ImportedCandidate("b", "q"))

    def test_layout_is_no_text(self) -> None:
        content = set_xml(seg(1, "a", "b", source="\n    Guten\n    Tag\n  "))
        assert next(iter(of(content).items)).source == "Guten Tag"

    def test_a_missing_language_is_a_fault_unless_it_is_given(self) -> None:
        content = set_xml(seg(1, "a", "b"), 'id="s" source-language="de"')
        assert codes(content) == ["unknown_schema"]
        options = ImportOptions(target_language="eng")
        found = read([SourceFile.from_bytes("a", content.encode())], options=options)
        assert found.target_language == "en"

    def test_all_faults_of_a_file_are_reported_at_once(self) -> None:
        content = set_xml("<seg id='1'/><seg id='2'><source>x</source><foo/></seg>" + seg(3, "a", ""))
        assert codes(content) == ["unknown_schema", "unknown_schema", "missing_system", "unknown_schema"]

    def test_no_more_faults_are_reported_than_anyone_wants_to_read(self) -> None:
        assert len(codes(set_xml("<seg/>" * 500))) == 20


class TestWmtXml:
    def test_segments_are_joined_by_their_ids(self) -> None:
        content = (SAMPLES / "wmt.xml").read_text()
        swapped = content.replace(
            'seg id="1">The market opens already', 'seg id="9">The market opens already'
        )
        assert sorted(codes(swapped)) == ["missing_system", "unknown_item"]
        first, second = sample("wmt.xml").items
        assert (first.id, second.id) == ("market:1", "market:2")
        assert second.text("south") == "Coffee the baker sells too."

    def test_a_system_twice_in_a_document_is_refused(self) -> None:
        content = (SAMPLES / "wmt.xml").read_text().replace('"south"', '"north"')
        assert set(codes(content)) == {"duplicate_system"}

    def test_two_language_pairs_in_one_file_are_refused(self) -> None:
        content = (
            (SAMPLES / "wmt.xml").read_text().replace('lang="en" system="south"', 'lang="fr" system="south"')
        )
        assert codes(content) == ["bad_language"]


class TestAppraiseJson:
    def test_flat_targets_of_one_source_become_one_item(self) -> None:
        items = [
            {
                "itemID": 1,
                "itemType": "TGT",
                "sourceID": "s",
                "sourceText": "x",
                "targetID": t,
                "targetText": t * 2,
            }
            for t in ("a", "b", "c")
        ]
        task = {"sourceLanguage": "eng", "targetLanguage": "deu"}
        (found,) = of(
            json.dumps([{"task": task, "items": items[:2]}, {"task": task, "items": items[2:]}])
        ).items
        assert found.candidates == (("a", "aa"), ("b", "bb"), ("c", "cc"))

    def test_controls_are_left_out_and_references_kept(self) -> None:
        items = [
            {"itemType": kind, "sourceText": "x", "targetID": kind, "targetText": kind}
            for kind in ("TGT", "BAD", "CHK", "REF")
        ]
        items.append(items[0] | {"targetID": "other", "targetText": "y"})
        found = of(json.dumps([{"task": {}, "items": items}]))
        (only,) = found.items
        assert only.systems == ("TGT", "other")
        assert only.references == ("REF",)
        assert [warning.code for warning in found.warnings[:2]] == ["damaged_copies", "controls_skipped"]

    def test_names_joined_by_plus_are_told_apart(self) -> None:
        _, second = sample("batch.json").items
        assert second.systems == ("north", "east", "south")


class TestJson:
    def test_links_phrases_context_and_judgements_are_read(self) -> None:
        found = sample("task.json")
        first, second = found.items
        assert str(first.links[0]) == "0-0 1-1 2-3 4-4 5-5 6-7"
        assert second.after == "Er ist stark."
        label, rating = found.judgements
        assert (label.label, label.systems) == (Choice.B_BETTER, ("north", "south"))
        assert (rating.measure, rating.value, rating.systems) == (JudgementMeasure.RATING, 4.5, ("north",))

    def test_a_misspelt_key_is_not_lost_in_silence(self) -> None:
        with pytest.raises(InputError, match=r"'refrence' is unknown \(/0/refrence\)"):
            of(json.dumps([item(1, refrence="x")]))

    def test_candidates_may_be_a_list(self) -> None:
        both = [{"system": "a", "text": "p"}, {"system": "b", "text": "q"}]
        (found,) = of(json.dumps([item(1, candidates=both)])).items
        assert found.candidates == (("a", "p"), ("b", "q"))

    def test_links_in_short_are_about_the_first_two(self) -> None:
        (found,) = of(json.dumps([item(1, links="0-0 1-0")])).items
        assert found.links == (("one", "two", ((0, 0), (1, 0))),)

    @pytest.mark.parametrize("spans", [[[0, 3], None], [[1, 1], None], [[0, 2], [0, 9]], [[-1, 1], None]])
    def test_phrases_outside_of_the_sentence_are_refused(self, spans: list[object]) -> None:
        phrases = [{"a": "one", "b": "two", "phrases": [{"a": spans[0], "b": spans[1]}]}]
        assert set(codes(json.dumps([item(1, phrases=phrases)]))) <= {"schema", "phrase_span"}

    def test_overlapping_phrases_are_refused(self) -> None:
        pairs = [{"a": [0, 2], "b": None}, {"a": [1, 2], "b": [0, 1]}]
        assert codes(json.dumps([item(1, phrases=[{"a": "one", "b": "two", "phrases": pairs}])])) == [
            "phrase_span"
        ]

    def test_the_schema_names_exactly_the_keys_that_are_read(self) -> None:
        from evaluation.importers import json_format
        from evaluation.importers.judgements import FIELDS

        schema = json.loads((Path(json_format.__file__).parent / "schema.json").read_text())["$defs"]
        assert set(schema["item"]["properties"]) == set(json_format.ITEM)
        assert set(schema["task"]["properties"]) == {*json_format.HEADER, "items", "judgements"}
        assert set(schema["judgement"]["properties"]) == set(FIELDS)
        assert schema["judgement"]["properties"]["label"]["enum"] == list(Choice)


class TestTables:
    def test_a_column_per_system_and_a_row_per_system_say_the_same(self) -> None:
        wide = [(item.id, item.source, item.candidates) for item in sample("wide.tsv").items]
        assert wide == [(item.id, item.source, item.candidates) for item in sample("long.tsv").items]

    def test_quotes_are_text_in_tsv_and_syntax_in_csv(self) -> None:
        (found,) = of('source\ta\tb\n5" and 6"\t"x"\ty\n').items
        assert (found.source, found.text("a")) == ('5" and 6"', '"x"')
        second = list(sample("wide.csv").items)[1]
        assert second.text("south") == 'Coffee the baker "sells" too.'

    def test_csv_cells_may_hold_line_breaks_and_rows_keep_their_lines(self) -> None:
        found = of('id,source,a,b\n1,"x\r\ny",p,q\n2,z,r,s\n')
        first, second = found.items
        assert first.source == "x\ny"
        assert (first.position.line, second.position.line) == (2, 4)

    def test_semicolons_separate_where_the_header_says_so(self) -> None:
        (found,) = of("source;a;b\nx, y;p;q\n").items
        assert found.source == "x, y"

    def test_several_references_are_told_from_systems(self) -> None:
        (found,) = of("source\treference\tref2\tref-B\ta\tb\nx\tr\ts\tt\tp\tq\n").items
        assert found.references == ("r", "s", "t")
        assert found.systems == ("a", "b")

    def test_links_may_stand_in_a_column(self) -> None:
        (found,) = of("source\ta\tb\tlinks\nx\tp q\tq p\t0-1 1-0\n").items
        assert found.links == (("a", "b", ((0, 1), (1, 0))),)

    def test_rows_that_contradict_each_other_are_refused(self) -> None:
        assert codes("id\tsystem\tsource\ttext\n1\ta\tx\tp\n1\tb\ty\tq\n") == ["conflict"]

    def test_two_names_for_one_thing_are_refused(self) -> None:
        assert codes("id\tseg\tsource\ta\tb\n1\t1\tx\tp\tq\n") == ["bad_header"]

    def test_judgements_from_elsewhere_keep_their_annotators(self) -> None:
        found = sample("wide.tsv", "judgements.tsv")
        assert [(said.annotator, said.item, said.label) for said in found.judgements] == [
            ("ann", "1", Choice.B_BETTER),
            ("ben", "1", Choice.EQUAL),
            ("ann", "2", Choice.A_BETTER),
        ]

    @pytest.mark.parametrize(
        ("row", "code"),
        [
            ("ann\t9\tnorth\tsouth\tA>B", "unknown_item"),
            ("ann\t1\tnorth\twest\tA>B", "unknown_system"),
            ("ann\t1\tnorth\tnorth\tA>B", "schema"),
            ("ann\t1\tnorth\tsouth\tbetter", "bad_label"),
            ("\t1\tnorth\tsouth\tA>B", "schema"),
            ("ann\t1\tnorth\tsouth\t", "schema"),
        ],
    )
    def test_a_senseless_judgement_is_refused(self, row: str, code: str) -> None:
        said = SourceFile.from_bytes("said.tsv", f"annotator\titem\ta\tb\tlabel\n{row}\n".encode())
        with pytest.raises(InputError) as caught:
            read([SourceFile.from_path(SAMPLES / "wide.tsv"), said])
        assert [problem.code for problem in caught.value.problems] == [code]

    @pytest.mark.parametrize(
        ("rank", "good"), [("1", True), ("٣", False), ("0", False), ("1_0", False), ("1.5", False)]
    )
    def test_ranks_are_plain_counting_numbers(self, rank: str, good: bool) -> None:
        said = SourceFile.from_bytes("said.csv", f"judge,seg,system,rank\nann,1,north,{rank}\n".encode())
        files = [SourceFile.from_path(SAMPLES / "wide.tsv"), said]
        if good:
            assert read(files).judgements[0].value == 1
        else:
            with pytest.raises(InputError, match="bad_number"):
                read(files)

    def test_judgements_alone_have_no_items(self) -> None:
        assert "no_items" in codes((SAMPLES / "judgements.tsv").read_text())


class TestText:
    def test_roles_are_guessed_from_names_where_nobody_gave_them(self) -> None:
        found = read([SourceFile.from_path(path) for path in sorted((SAMPLES / "text").glob("*.txt"))])
        assert found.format == "text"
        assert found.systems == ("north", "south")
        assert next(iter(found.items)).references == ("The market opens as early as seven .",)

    def test_links_come_from_a_file_beside_it(self) -> None:
        paths = sorted((SAMPLES / "text").glob("*.txt"))
        given = SAMPLES / "text" / "north-south.links"
        links = SourceFile.from_path(given, FileRole.ALIGNMENTS)
        found = read([*(SourceFile.from_path(path) for path in paths), links])
        assert [str(item.links[0]) for item in found.items] == (given.read_text().split("\n")[:2])

    def test_lines_blank_everywhere_are_skipped_and_numbers_kept(self) -> None:
        files = text("a\n\nb\n", "c\n\nd\n", "e\n\nf\n", links="0-0\n\n\n")()
        found = read(files)
        assert [item.id for item in found.items] == ["1", "3"]
        assert [item.links[0].links for item in found.items] == [((0, 0),), ()]

    def test_a_stray_carriage_return_never_shifts_a_file(self) -> None:
        (first, second) = read(text("a\rx\nb\n", "c\nd\n", "e\nf\n")()).items
        assert (first.source, second.source) == ("a x", "b")

    def test_document_ids_come_from_a_file(self) -> None:
        documents = SourceFile.from_bytes("docs.txt", b"d1\nd2\n", FileRole.DOCUMENTS)
        found = read([*text("a\nb\n", "c\nd\n", "e\nf\n")(), documents])
        assert [item.document for item in found.items] == ["d1", "d2"]

    @pytest.mark.parametrize(("empty", "ids"), [("keep", ["1", "2", "3"]), ("skip", ["1", "3"])])
    def test_empty_sides_are_kept_or_left_out_on_demand(self, empty: str, ids: list[str]) -> None:
        found = read(text("a\nb\nc\n", "d\n\ne\n", "f\ng\nh\n")(), options=ImportOptions(empty=empty))
        assert [item.id for item in found.items] == ids
        assert [warning.code for warning in found.warnings] == ["empty_segment"]

    def test_an_item_needs_a_source_or_a_reference(self) -> None:
        item = '{"candidates": {"a": "x", "b": "y"}%s}\n'
        assert len(of(item % ', "reference": "z"').items) == 1
        with pytest.raises(InputError, match="empty_segment: item '1' has neither source nor reference"):
            of(item % "")

    def test_a_single_text_cannot_be_compared(self) -> None:
        assert codes("just a sentence\n") == ["too_few_systems"]

    @pytest.mark.parametrize(
        ("name", "role"),
        [
            ("source.de", FileRole.SOURCE),
            ("x.ref.en", FileRole.REFERENCE),
            ("ref1.txt", FileRole.REFERENCE),
            ("docids.txt", FileRole.DOCUMENTS),
            ("preference.txt", FileRole.SYSTEM),
        ],
    )
    def test_names_suggest_roles(self, name: str, role: FileRole) -> None:
        assert guess_role(name)[0] is role


class TestPhrases:
    def test_sentences_are_put_together_in_their_own_orders(self) -> None:
        (found,) = sample("phrases.tsv").items
        assert found.text("north") == "The baker also sells coffee ."
        assert found.text("south") == "Coffee the baker sells too ."
        (pair,) = found.phrases
        assert pair.phrases[0] == GivenPhrase((0, 2), (1, 3))
        assert pair.phrases[1] == GivenPhrase((2, 3), None)

    def test_without_items_every_row_is_one(self) -> None:
        found = of("source\tphrase_a\tphrase_b\nx\tred\tblue\ny\tbig\tlarge\n")
        assert [item.candidates for item in found.items] == [
            (("A", "red"), ("B", "blue")),
            (("A", "big"), ("B", "large")),
        ]

    def test_two_phrases_cannot_have_one_place(self) -> None:
        table = "item\tsource\tphrase_a\tphrase_b\tposition_b\n1\tx\tp\tq\t1\n1\tx\tr\ts\t1\n"
        assert codes(table) == ["conflict"]


def test_files_of_different_kinds_are_refused_together() -> None:
    with pytest.raises(InputError, match="mixed_formats"):
        sample("wide.tsv", "task.json")


def test_several_files_of_one_kind_are_read_together() -> None:
    more = (SAMPLES / "wide.tsv").read_text().replace("\n1\t", "\n11\t").replace("\n2\t", "\n12\t")
    files = [SourceFile.from_path(SAMPLES / "wide.tsv"), SourceFile.from_bytes("more.tsv", more.encode())]
    assert [item.id for item in read(files).items] == ["1", "2", "11", "12"]


def test_incomplete_items_are_accepted_on_demand() -> None:
    content = set_xml(seg(1, "a", "b") + seg(2, "a", "b") + seg(3, "a"))
    assert codes(content) == ["missing_system"]
    found = read([SourceFile.from_bytes("a", content.encode())], options=ImportOptions(incomplete=True))
    assert found.incomplete


def test_a_system_that_gives_its_name_away_is_warned_of_once() -> None:
    found = of("source\tnorth\tsouth\nx\tI am North!\tp\ny\tnorth wind\tnortherly\n")
    (warning,) = found.warnings
    assert warning.code == "system_name_in_text"
    assert "2 places" in warning.message


def test_the_digest_names_the_content_and_not_the_file() -> None:
    content = (SAMPLES / "wide.tsv").read_text()
    digests = {
        of(content).digest,
        of(content.replace("\n", "\r\n"), "b.txt").digest,
        of("\ufeff" + content).digest,
    }
    assert len(digests) == 1
    assert of(content.replace("coffee", "tea")).digest not in digests
