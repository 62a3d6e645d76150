"""The pulling reader builds what the standard library builds, except where that one is silently lenient."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from appraise.lib.problems import InputError
from evaluation.importers import Limits, SourceFile, decode
from evaluation.importers.state import ImportState
from evaluation.importers.strict_json import JsonReader

# JSON escapes every control character but DEL, which a file may not hold as it is.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x7f"), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def pulled(content: str, size: int = decode.CHUNK) -> Any:  # Any: JSON
    """The document, walked as far as it can be walked."""
    file = SourceFile.from_bytes("a.json", content.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode, "CHUNK", size)
        reader = JsonReader(file, ImportState([file], Limits(max_depth=20)))
        found = walk(reader, 2)
        reader.end()
        return found


def walk(reader: JsonReader, depth: int) -> Any:  # Any: JSON
    if depth and reader.peek() == "[":
        return [walk(reader, depth - 1) for _ in reader.elements()]
    if depth and reader.peek() == "{":
        return {key: walk(reader, depth - 1) for key in reader.members()}
    return reader.value()


@settings(deadline=None)
@given(value=values, size=st.integers(1, 30), indent=st.sampled_from([None, 1]), plain=st.booleans())
def test_walking_builds_what_the_standard_library_builds(
    value: object, size: int, indent: int | None, plain: bool
) -> None:
    content = json.dumps(value, indent=indent, ensure_ascii=plain)
    try:
        content.encode()
    except UnicodeEncodeError:
        return  # a lone surrogate has no bytes
    assert pulled(content, size) == value


@settings(deadline=None)
@example(content=" 1.", size=3)
@given(content=st.text('[]{},:"1e-. \nantrueflsN\\', max_size=25), size=st.integers(1, 30))
def test_what_the_standard_library_refuses_is_refused(content: str, size: int) -> None:
    try:
        found = pulled(content, size)
    except InputError:
        return
    assert found == json.loads(content)


@pytest.mark.parametrize(
    ("content", "code", "line", "column"),
    [
        ('{"a": 1,\n "a": 2}', "duplicate_key", 2, 2),
        ('[{"b": {"a": 1, "a": 2}}]', "duplicate_key", 1, 8),
        ("[1,\n NaN]", "bad_number", 2, 2),
        ("[-Infinity]", "bad_number", 1, 2),
        ("[1e999]", "bad_number", 1, 2),
        ("[" + "9" * 5000 + "]", "bad_number", 1, 2),
        ("[1,]", "json_syntax", 1, 4),
        ('{"a" 1}', "json_syntax", 1, 6),
        ('["\n"]', "control_char", 1, 3),
        ("[1] 2", "json_syntax", 1, 5),
        ("[[[" + "[" * 30, "json_syntax", 1, 34),
        ("[[[" + "[" * 30 + "]" * 33, "too_deep", 1, 3),
        ("[" * 100_000, "too_deep", 1, 3),
    ],
)
def test_leniency_of_the_standard_library_is_refused_with_its_place(
    content: str, code: str, line: int, column: int
) -> None:
    with pytest.raises(InputError) as caught:
        pulled(content)
    (problem,) = caught.value.problems
    assert (problem.code, problem.line, problem.column) == (code, line, column)


def test_an_endless_string_stops_at_the_cap() -> None:
    file = SourceFile.from_bytes("a.json", b'["' + b"x" * 200_000)
    with pytest.raises(InputError) as caught:
        JsonReader(file, ImportState([file], Limits(max_field=100))).value()
    assert caught.value.problems[0].code in ("field_too_long", "json_syntax")
