"""What we write, we read: the same items, judgements, languages, digest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from evaluation.importers import COMMAND_LINE, ImportedSet, Items, SourceFile, read
from evaluation.importers.json_format import dump_lines
from evaluation.importers.links import split_tokens
from evaluation.importers.model import (
    GivenPhrase,
    ImportedCandidate,
    ImportedItem,
    ImportedJudgement,
    JudgementMeasure,
    PairLinks,
    PairPhrases,
    SourcePosition,
)
from evaluation.schemes import Choice
from tests.importers.test_formats import OF_SAMPLE, sample

NOWHERE = SourcePosition("")
text = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t\f\u0085"), min_size=1, max_size=30
).filter(lambda value: bool(value.strip()))


@st.composite
def items(draw: st.DrawFn, number: int) -> ImportedItem:
    one, two = draw(text), draw(text)
    a, b = len(split_tokens(one)), len(split_tokens(two))
    links = (
        draw(st.sets(st.tuples(st.integers(0, a - 1), st.integers(0, b - 1)), max_size=4))
        if a and b
        else set()
    )
    phrases = (PairPhrases("one", "two", (GivenPhrase((0, a), None),)),) if a and draw(st.booleans()) else ()
    return ImportedItem(
        id=f"{number}",
        source=draw(text),
        candidates=(ImportedCandidate("one", one), ImportedCandidate("two", two)),
        position=NOWHERE,
        document=draw(st.sampled_from(["", "d", "ü 1"])),
        references=tuple(draw(st.lists(text, max_size=2))),
        before=draw(st.just("") | text),
        after=draw(st.just("") | text),
        links=(PairLinks("one", "two", tuple(sorted(links))),) if draw(st.booleans()) else (),
        phrases=phrases,
    )


judgements = st.one_of(
    st.builds(
        ImportedJudgement,
        annotator=st.sampled_from(["ann", "ben"]),
        item=st.just("0"),
        systems=st.sampled_from([("one", "two"), ("two", "one")]),
        measure=st.just(JudgementMeasure.LABEL),
        position=st.just(NOWHERE),
        label=st.sampled_from(Choice),
        phrase=st.none() | st.integers(1, 9),
    ),
    st.builds(
        ImportedJudgement,
        annotator=st.sampled_from(["ann", "ben"]),
        item=st.just("0"),
        systems=st.just(("one",)),
        measure=st.just(JudgementMeasure.RATING),
        position=st.just(NOWHERE),
        value=st.integers(-1000, 1000).map(lambda number: number / 8),
    ),
)


@st.composite
def sets(draw: st.DrawFn) -> ImportedSet:
    made = [draw(items(number)) for number in range(draw(st.integers(1, 3)))]
    return ImportedSet(
        "json",
        Items(len(made), lambda: iter(made)),
        ("one", "two"),
        "",
        *draw(st.sampled_from([("", ""), ("de", "en"), ("zh-Hans", "ar")])),
        name=draw(st.sampled_from(["", "news"])),
        judgements=tuple(draw(st.lists(judgements, max_size=3))),
    )


def without_places(found: ImportedSet) -> tuple[object, ...]:
    return (
        found.source_language,
        found.target_language,
        found.name,
        [replace(item, position=NOWHERE) for item in found.items],
        [replace(said, position=NOWHERE) for said in found.judgements],
    )


def as_document(imported: ImportedSet) -> str:
    """The JSON lines of a set as one document."""
    header, *records = map(json.loads, dump_lines(imported))
    judgements = [record for record in records if "annotator" in record]
    items = [record for record in records if "annotator" not in record]
    return json.dumps({**header, "items": items, **({"judgements": judgements} if judgements else {})})


def both_ways(found: ImportedSet) -> Iterator[ImportedSet]:
    yield read([SourceFile.from_bytes("a.json", as_document(found).encode())], format="json")
    yield read([SourceFile.from_bytes("a.jsonl", "".join(dump_lines(found)).encode())], format="jsonl")


@settings(deadline=None, max_examples=60)
@given(made=sets())
def test_any_set_survives_writing_and_reading(made: ImportedSet) -> None:
    first, second = both_ways(made)
    assert without_places(first) == without_places(second) == without_places(made)
    assert first.digest == second.digest


@pytest.mark.parametrize("name", OF_SAMPLE)
def test_every_format_survives_the_way_through_json(name: str) -> None:
    found = sample(name)
    for again in both_ways(found):
        assert again.digest == found.digest
        assert again.incomplete == found.incomplete
        assert without_places(again) == without_places(found)


def test_a_set_names_its_systems_in_the_order_of_the_file() -> None:
    assert sample("wide.tsv").systems == ("north", "south")


@pytest.mark.realdata
def test_the_published_task_files_load_and_survive(real_data: Path) -> None:
    counted = {}
    for path in sorted((real_data / "appraise_xml").glob("*.xml.gz")):
        found = read([SourceFile.from_path(path)], limits=COMMAND_LINE)
        counted[path.name] = (len(found.items), len(found.systems))
        assert (found.source_language, found.target_language) == ("de", "en")
        assert all(again.digest == found.digest for again in both_ways(found))
    assert counted == {
        "WMT15.init-batch.de-en.xml.gz": (75, 13),
        "sample-ranking-task.xml.gz": (5, 3),
        "sample-wmt13-hit.xml.gz": (3, 5),
    }
