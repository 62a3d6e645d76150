"""The bad files that every way in must survive: what is in them, and what must be said about them.

``CASES`` is data, so that the same table can be run against the readers, the upload page, the command and the
API. Case numbers are those of our threat table; a number may have several cases, one per format. ``stage``
says who can notice: ``read`` the importers, ``task`` only what makes the task afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.importers import BROWSER, FileRole, ImportOptions, Limits, SourceFile

ZERO_BASED, ONE_BASED = ImportOptions(), ImportOptions(link_base=1)


@dataclass(frozen=True)
class BadInput:
    """A bad, or merely odd, upload. ``code`` None: accepted; ``warning``: what must be said nevertheless."""

    number: int
    title: str
    files: Callable[[], list[SourceFile]]
    code: str | None
    warning: str | None = None
    line: int | None = None
    format: str = "auto"
    options: ImportOptions = ZERO_BASED
    limits: Limits = BROWSER
    stage: str = "read"

    def __str__(self) -> str:
        return f"{self.number}-{self.title.replace(' ', '-')}"


def one(name: str, content: bytes | str) -> Callable[[], list[SourceFile]]:
    data = content.encode() if isinstance(content, str) else content
    return lambda: [SourceFile.from_bytes(name, data)]


def text(
    source: bytes | str, *systems: bytes | str, links: bytes | str | None = None
) -> Callable[[], list[SourceFile]]:
    """A parallel text; the systems are called one, two, …"""

    def build() -> list[SourceFile]:
        files = [SourceFile.from_bytes("source.txt", _bytes(source), FileRole.SOURCE)]
        for name, content in zip(("one", "two", "three"), systems, strict=False):
            files.append(SourceFile.from_bytes(f"{name}.txt", _bytes(content), FileRole.SYSTEM, name))
        if links is not None:
            files.append(SourceFile.from_bytes("links.txt", _bytes(links), FileRole.ALIGNMENTS))
        return files

    return build


def _bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


def set_xml(body: str, attributes: str = 'id="s" source-language="de" target-language="en"') -> str:
    return f"<set {attributes}>\n{body}\n</set>\n"


def seg(number: int | str, *systems: str, source: str = "Guten Tag", text: str = "Good day") -> str:
    translations = "".join(f'<translation system="{name}">{text} {name}</translation>' for name in systems)
    return f'<seg id="{number}" doc-id="d"><source>{source}</source>{translations}</seg>'


def item(number: int, **changes: object) -> dict[str, object]:
    record: dict[str, object] = {
        "id": str(number),
        "source": "Guten Tag",
        "candidates": {"one": "Good day", "two": "Hello"},
    }
    return record | changes


GOOD_XML = set_xml(seg(1, "one", "two"))
GOOD_JSON = json.dumps([item(1)])
GOOD_LINES = json.dumps(item(1)) + "\n"
GOOD_TSV = "id\tsource\tone\ttwo\n1\tGuten Tag\tGood day\tHello\n2\tDanke\tThanks\tThank you\n"
GOOD_CSV = GOOD_TSV.replace("\t", ",")
GOOD_PHRASES = "item\tsource\tphrase_a\tphrase_b\n1\tGuten Tag\tGood day\tHello\n1\t\tthere\tthere\n"
GOOD_BATCH = json.dumps(
    [
        {
            "task": {"sourceLanguage": "deu", "targetLanguage": "eng"},
            "items": [
                {
                    "itemID": 1,
                    "sourceText": "Guten Tag",
                    "targets": [
                        {"targetID": "one", "targetText": "Good day"},
                        {"targetID": "two", "targetText": "Hello"},
                    ],
                }
            ],
        }
    ]
)
GOOD_WMT = """<dataset id="s"><doc id="d"><src lang="de"><p><seg id="1">Guten Tag</seg></p></src>
<hyp lang="en" system="one"><p><seg id="1">Good day</seg></p></hyp>
<hyp lang="en" system="two"><p><seg id="1">Hello</seg></p></hyp></doc></dataset>
"""
GOOD_XLIFF = """<xliff version="1.2"><file original="d" source-language="de" target-language="en"><body>
<trans-unit id="1"><source>Guten Tag</source><target>Good <g id="1">day</g></target></trans-unit>
</body></file></xliff>
"""
GOOD_TMX = """<tmx version="1.4"><header srclang="de"/><body>
<tu tuid="1"><tuv xml:lang="de"><seg>Guten Tag</seg></tuv><tuv xml:lang="en"><seg>Good day</seg></tuv></tu>
</body></tmx>
"""
GOOD_SGML = """<srcset setid="s" srclang="de"><doc docid="d"><seg id="1">Guten Tag</seg></doc></srcset>
<tstset setid="s" srclang="de" trglang="en"><doc docid="d" sysid="one"><seg id="1">Good day</seg></doc>
<doc docid="d" sysid="two"><seg id="1">Hello & welcome</seg></doc></tstset>
"""
GOOD = {
    "appraise-xml": GOOD_XML,
    "wmt-xml": GOOD_WMT,
    "appraise-json": GOOD_BATCH,
    "json": GOOD_JSON,
    "jsonl": GOOD_LINES,
    "tsv": GOOD_TSV,
    "csv": GOOD_CSV,
    "phrases": GOOD_PHRASES,
}


def everywhere(
    number: int, title: str, change: Callable[[str], bytes], code: str | None, warning: str | None = None
) -> list[BadInput]:
    """The same damage to a good file of every format that is a single file."""
    return [
        BadInput(
            number,
            f"{title} in {form}",
            one(f"input.{form[-4:]}", change(content)),
            code,
            warning,
            format=form,
        )
        for form, content in GOOD.items()
    ]


def many(count: int) -> Callable[[], list[SourceFile]]:
    """A table of ``count`` items, made when it is asked for."""

    def build() -> list[SourceFile]:
        rows = (f"{n}\tQuelle {n}\tfirst {n}\tsecond {n}\n" for n in range(1, count + 1))
        return [SourceFile.from_bytes("many.tsv", ("id\tsource\tone\ttwo\n" + "".join(rows)).encode())]

    return build


_LAUGHS = '<!DOCTYPE set [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)
_DEEP = "<set>" + "<a>" * 50_000 + "</a>" * 50_000 + "</set>"
_WIDE = "guten " * 10_000
_LONG = "x" * (128 * 1024 + 1)
_SHARED = "the red house stands there\nthe cat sat down here\n"
_SOURCE = "das rote Haus steht da\ndie Katze setzte sich hin\n"

_STRUCTURE = [
    BadInput(12, "billion laughs", one("a.xml", _LAUGHS + "]><set>&j;</set>"), "dtd_forbidden", line=1),
    BadInput(
        13,
        "quadratic entities",
        one("a.xml", f'<!DOCTYPE set [<!ENTITY a "{"x" * 50_000}">]><set>{"&a;" * 100}</set>'),
        "dtd_forbidden",
        line=1,
    ),
    BadInput(
        14,
        "external entity",
        one("a.xml", '<!DOCTYPE set [<!ENTITY a SYSTEM "file:///etc/passwd">]><set>&a;</set>'),
        "dtd_forbidden",
    ),
    BadInput(
        15,
        "external DTD",
        one("a.xml", '<!DOCTYPE set SYSTEM "http://127.0.0.1:1/a.dtd">' + GOOD_XML),
        "dtd_forbidden",
    ),
    BadInput(
        15,
        "parameter entity",
        one("a.xml", '<!DOCTYPE set [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><set></set>'),
        "dtd_forbidden",
    ),
    BadInput(16, "50,000 deep XML", one("a.xml", _DEEP), "too_deep", line=1),
    BadInput(17, "unclosed tag", one("a.xml", "<set>\n<seg>\n</set>\n"), "xml_syntax", line=3),
    BadInput(18, "wrong root", one("a.xml", "<html><body/></html>"), "unknown_schema", line=1),
    BadInput(
        18,
        "wrong namespace",
        one("a.xml", GOOD_XML.replace("<set ", '<set xmlns="http://example.org/x" ')),
        "unknown_schema",
        line=1,
    ),
    BadInput(
        19,
        "declared UTF-7",
        one("a.xml", '<?xml version="1.0" encoding="utf-7"?>\n' + GOOD_XML),
        "encoding_unsupported",
        line=1,
    ),
    BadInput(
        20,
        "duplicate id in XML",
        one("a.xml", set_xml(seg(1, "a", "b") + "\n" + seg(1, "a", "b"))),
        "duplicate_id",
        line=3,
    ),
    BadInput(20, "duplicate id in TSV", one("a.tsv", GOOD_TSV + "1\tx\ty\tz\n"), "duplicate_id", line=4),
    BadInput(
        20, "duplicate id in JSON", one("a.json", json.dumps([item(1), item(1)])), "duplicate_id", line=1
    ),
    BadInput(
        21,
        "missing translation in XML",
        one("a.xml", set_xml("\n".join([seg(1, "a", "b"), seg(2, "a", "b"), seg(3, "a")]))),
        "missing_system",
        line=4,
    ),
    BadInput(
        21,
        "missing row in TSV",
        one(
            "a.tsv",
            "id\tsystem\tsource\ttranslation\n1\ta\tx\tp\n1\tb\tx\tq\n2\ta\ty\tr\n3\ta\tz\ts\n3\tb\tz\tt\n",
        ),
        "missing_system",
        line=4,
    ),
    BadInput(
        21,
        "missing segment in WMT XML",
        one("a.xml", GOOD_WMT.replace('<seg id="1">Hello</seg>', "")),
        "missing_system",
        line=3,
    ),
    BadInput(
        22, "same system twice in XML", one("a.xml", set_xml(seg(1, "a", "a"))), "duplicate_system", line=2
    ),
    BadInput(
        22,
        "same system twice in TSV",
        one("a.tsv", "id\tsystem\tsource\ttranslation\n1\ta\tx\tp\n1\ta\tx\tq\n"),
        "duplicate_system",
        line=2,
    ),
    BadInput(
        23, "unknown language", one("a.xml", GOOD_XML.replace('"de"', '"klingon"')), "bad_language", line=1
    ),
    BadInput(
        23,
        "unknown language as option",
        one("a.tsv", GOOD_TSV),
        "bad_language",
        options=ImportOptions(source_language="xx"),
    ),
    BadInput(24, "JSON syntax", one("a.json", '[\n {"id": "1",\n  "source" "x"}\n]'), "json_syntax", line=3),
    BadInput(24, "JSON syntax in a line", one("a.jsonl", GOOD_LINES + '{"id": }\n'), "json_syntax", line=2),
    BadInput(25, "100,000 deep JSON", one("a.json", "[" * 100_000 + "]" * 100_000), "too_deep"),
    BadInput(25, "100,000 deep JSON in an item", one("a.json", '[{"id": ' + "[" * 100_000), "too_deep"),
    *(
        BadInput(26, f"{word} as a number", one("a.json", f'[{{"id": {word}}}]'), "bad_number", line=1)
        for word in ("NaN", "Infinity", "-Infinity", "1e999")
    ),
    BadInput(27, "duplicate key", one("a.json", '[{"id": "1", "id": "2"}]'), "duplicate_key", line=1),
    BadInput(
        27,
        "duplicate key above the items",
        one("a.json", '{"items": [],\n "items": []}'),
        "duplicate_key",
        line=2,
    ),
    BadInput(28, "5,000-digit integer", one("a.json", f'[{{"id": {"9" * 5000}}}]'), "bad_number", line=1),
    BadInput(29, "top level is a number", one("a.json", "17"), "schema", format="json"),
    BadInput(29, "null text", one("a.json", json.dumps([item(1, source=None)])), "schema", line=1),
    BadInput(29, "number for a text", one("a.json", json.dumps([item(1, source=5)])), "schema", line=1),
    BadInput(
        29, "candidates as a number", one("a.json", json.dumps([item(1, candidates=5)])), "schema", line=1
    ),
    BadInput(29, "null text in a batch", one("a.json", GOOD_BATCH.replace('"Guten Tag"', "null")), "schema"),
]

_TABLES = [
    BadInput(30, "ragged row", one("a.tsv", GOOD_TSV + "3\tx\ty\n"), "column_count", line=4),
    BadInput(30, "row too long", one("a.csv", GOOD_CSV + "3,x,y,z,w\n"), "column_count", line=4),
    BadInput(
        31, "header missing", one("a.tsv", "1\tGuten Tag\tGood day\tHello\n"), "bad_header", format="tsv"
    ),
    BadInput(31, "only rows", one("a.tsv", GOOD_TSV.split("\n", 1)[1]), "bad_header", line=1),
    BadInput(31, "header duplicated", one("a.tsv", GOOD_TSV.replace("two", "one", 1)), "bad_header", line=1),
    BadInput(31, "column without a name", one("a.tsv", GOOD_TSV.replace("two", "", 1)), "bad_header", line=1),
    BadInput(32, "unbalanced quote in TSV", one("a.tsv", GOOD_TSV.replace("Danke", '"Danke')), None),
    BadInput(
        32, "unbalanced quote in CSV", one("a.csv", GOOD_CSV.replace("Danke", '"Danke')), "csv_quote", line=3
    ),
    BadInput(
        33,
        "field over 128 KiB in TSV",
        one("a.tsv", GOOD_TSV.replace("Danke", _LONG)),
        "field_too_long",
        line=3,
    ),
    BadInput(
        33, "field over 128 KiB in CSV", one("a.csv", GOOD_CSV.replace("Danke", _LONG)), "field_too_long"
    ),
    BadInput(
        33, "field over 128 KiB in JSON", one("a.json", json.dumps([item(1, source=_LONG)])), "field_too_long"
    ),
    BadInput(
        34,
        "mixed line ends in TSV",
        one("a.tsv", "id\tsource\tone\ttwo\r\n1\ta\tb\tc\n2\td\te\tf\r3\tg\th\ti\r\n"),
        None,
    ),
    BadInput(34, "mixed line ends in text", text("a\r\nb\nc\r\n", "d\ne\r\nf\n", "g\r\nh\r\ni"), None),
    BadInput(34, "lone CR in text", text("a\r\nb\rc\n", "d\ne\nf\n", "g\rh\ri\r"), None),
    BadInput(34, "CR LF in JSON", one("a.json", GOOD_JSON.replace(", ", ",\r\n")), None),
]

_TEXT = [
    BadInput(35, "files of different length", text("a\nb\n", "c\nd\n", "e\n"), "line_count", line=1),
    BadInput(
        36,
        "exotic line ends inside a line",
        text("a\u2028b\u0085c\x0cd\ne\n", "f\ng\n", "h\u2028i\nj\x0ck\n"),
        None,
    ),
    BadInput(37, "blank line on one side", text("a\nb\n", "c\n\n", "e\nf\n"), "empty_segment", line=2),
    BadInput(37, "blank line on every side", text("a\n\nb\n", "c\n\nd\n", "e\n\nf\n"), None),
    BadInput(37, "blank cell", one("a.tsv", GOOD_TSV + "3\tx\t\tz\n"), "empty_segment", line=4),
]

_ALIGNMENTS = [
    *(
        BadInput(
            number,
            f"link {token}",
            text(_SOURCE, _SHARED, _SHARED, links=f"0-0\n{token} 1-1\n"),
            "alignment_syntax",
            line=2,
        )
        for number, token in (
            (38, "3:4"),
            (38, "a-b"),
            (38, "3-"),
            (41, "-1-0"),
            (41, "٣-4"),
            (41, "1_0-2"),
            (41, "+1-2"),
        )
    ),
    BadInput(
        39,
        "index beyond the sentence",
        text(_SOURCE, _SHARED, _SHARED, links="0-0\n0-5\n"),
        "alignment_range",
        line=2,
    ),
    BadInput(
        40,
        "links that count from 1",
        text(_SOURCE, "a b c x\na b x x\n", "a b c y\na b y y\n", links="1-1 2-2 3-3\n1-1 2-2\n"),
        None,
        "one_based_links",
    ),
    BadInput(
        42, "duplicate link", text(_SOURCE, _SHARED, _SHARED, links="0-0 0-0\n1-1\n"), None, "duplicate_link"
    ),
    BadInput(43, "too few lines of links", text(_SOURCE, _SHARED, _SHARED, links="0-0\n"), "line_count"),
    BadInput(
        43, "too many lines of links", text(_SOURCE, _SHARED, _SHARED, links="0-0\n\n0-0\n"), "line_count"
    ),
    BadInput(
        50,
        "links the other way round, out of range",
        text(_SOURCE, "a b c\na b c\n", "x a b c y z\na b c d\n", links="1-0 2-1 3-2\n0-0\n"),
        "direction_suspect",
    ),
    BadInput(
        50,
        "links the other way round, in range",
        text(
            _SOURCE,
            "a b c d x\na b c d e\n",
            "x a b c d\ne a b c d\n",
            links="1-0 2-1 3-2 4-3\n1-0 2-1 3-2 4-3\n",
        ),
        None,
        "direction_suspect",
    ),
]

_A3_ONE = "# Sentence pair (1) source length 2 target length 2 alignment score : 0.1\nred house\n"
_A3_TWO = "NULL ({ }) blue ({ 1 }) house ({ 2 })\n"


def giza(links: str) -> Callable[[], list[SourceFile]]:
    return text("rotes Haus\n", "blue house\n", "red house\n", links=links)


_GIZA = [
    BadInput(44, "good A3", giza(_A3_ONE + _A3_TWO), None),
    BadInput(44, "A3 without its third line", giza(_A3_ONE), "a3_triple", line=1),
    BadInput(44, "A3 with a fourth line", giza(_A3_ONE + _A3_TWO + "# Sentence\n"), "line_count"),
    BadInput(
        45, "A3 with unbalanced brackets", giza(_A3_ONE + _A3_TWO.replace("})", "}", 1)), "a3_syntax", line=3
    ),
    BadInput(46, "A3 without NULL", giza(_A3_ONE + _A3_TWO.removeprefix("NULL ({ }) ")), "a3_null", line=3),
    BadInput(
        47, "A3 with a wrong length", giza(_A3_ONE.replace("length 2", "length 3", 1) + _A3_TWO), "a3_length"
    ),
    BadInput(
        48, "A3 with a position twice", giza(_A3_ONE + _A3_TWO.replace("{ 2", "{ 1")), "a3_duplicate", line=3
    ),
    BadInput(49, "A3 about another text", giza(_A3_ONE + _A3_TWO.replace("blue", "green")), "a3_text"),
    BadInput(
        50,
        "A3 of the other direction",
        giza(_A3_ONE.replace("red", "blue") + _A3_TWO.replace("blue", "red")),
        "direction_suspect",
    ),
]

_HARMLESS = [
    BadInput(
        51, "script in the text", one("a.tsv", GOOD_TSV.replace("Danke", "<script>alert(1)</script>")), None
    ),
    BadInput(52, "formula in the text", one("a.csv", GOOD_CSV.replace("Danke", '=HYPERLINK("x")')), None),
    *(
        BadInput(53, f"file name {number}", one(name, GOOD_TSV), None)
        for number, name in enumerate(
            (
                "../../etc/passwd",
                "a" * 300 + ".tsv",
                "a\nb.tsv",
                "\u202egpj.tsv",
                "",
                "<b>.tsv",
                "con\x00.tsv",
            ),
            1,
        )
    ),
    BadInput(54, "200,000 items", many(200_000), None),
    BadInput(
        54, "one item too many", many(1_001), "too_many_items", limits=Limits(max_items=1_000), line=1_002
    ),
    BadInput(55, "same upload twice", one("a.tsv", GOOD_TSV), "already_imported", stage="task"),
    BadInput(56, "10,000 tokens", one("a.tsv", GOOD_TSV.replace("Danke", _WIDE)), "too_long", line=3),
    BadInput(
        56, "30,000 characters", one("a.tsv", GOOD_TSV.replace("Danke", "好" * 30_000)), "too_long", line=3
    ),
    BadInput(
        56,
        "5,000 words without spaces",
        one("a.tsv", GOOD_TSV.replace("Danke", "好" * 5_000)),
        "too_long",
        line=3,
    ),
    BadInput(
        57,
        "identical A and B",
        one("a.tsv", GOOD_TSV.replace("Thank you", "Thanks")),
        None,
        "identical_outputs",
    ),
]

_BYTES = [
    BadInput(1, "empty file", one("a.tsv", b""), "empty_file"),
    *(BadInput(1, f"empty file as {form}", one("a", b""), "empty_file", format=form) for form in GOOD),
    BadInput(1, "empty parallel file", text("a\n", "b\n", ""), "empty_file"),
    BadInput(2, "white space only", one("a.tsv", b" \n\t\n \r\n"), "no_items"),
    *(
        BadInput(2, f"white space only as {form}", one("a", b" \n\t\n"), "no_items", format=form)
        for form in GOOD
    ),
    BadInput(3, "over the size cap", one("a.tsv", GOOD_TSV * 10), "too_large", limits=Limits(max_bytes=200)),
    BadInput(4, "picture named xml", one("a.xml", b"\x89PNG\r\n\x1a\n\x00\x00"), "type_mismatch"),
    BadInput(4, "archive named xml", one("a.xml", b"PK\x03\x04\x14\x00\x00\x00"), "type_mismatch"),
    BadInput(4, "gzip in the browser", one("a.tsv.gz", b"\x1f\x8b\x08\x00"), "type_mismatch"),
    *everywhere(
        5, "truncated UTF-8", lambda good: good.encode().replace(b"Guten", "Gütè".encode()[:-1]), "bad_utf8"
    ),
    BadInput(
        5,
        "truncated UTF-8 at the end",
        one("a.tsv", GOOD_TSV.encode() + "ü".encode()[:1]),
        "bad_utf8",
        line=4,
    ),
    *everywhere(6, "Latin-1", lambda good: good.replace("Guten", "Güten").encode("latin-1"), "bad_utf8"),
    *everywhere(7, "UTF-16", lambda good: good.encode("utf-16"), "encoding_unsupported"),
    *everywhere(8, "byte order mark", lambda good: good.encode("utf-8-sig"), None),
    *everywhere(9, "NUL byte", lambda good: good.encode().replace(b"Guten", b"Gu\x00ten"), "control_char"),
    BadInput(9, "escaped NUL", one("a.json", GOOD_JSON.replace("Guten", "Gu\\u0000ten")), "control_char"),
    BadInput(10, "lone surrogate", one("a.json", GOOD_JSON.replace("Guten", "\\ud800")), "bad_unicode"),
    BadInput(10, "lone surrogate in XML", one("a.xml", GOOD_XML.replace("Guten", "&#xD800;")), "bad_unicode"),
    BadInput(
        10, "lone surrogate as a name", one("a.json", GOOD_JSON.replace('"one"', '"\\udfff"')), "bad_unicode"
    ),
    *everywhere(
        11, "bidi override", lambda good: good.replace("Guten", "Gu\u202eten").encode(), None, "bidi_control"
    ),
]

CASES: Sequence[BadInput] = (*_BYTES, *_STRUCTURE, *_TABLES, *_TEXT, *_ALIGNMENTS, *_GIZA, *_HARMLESS)
