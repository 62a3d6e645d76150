"""Answers of slow tools on disk: by text and by tool, under several processes."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from metrics.tools.base import Tool, ToolMode
from metrics.tools.cache import Cache, answers, default_path
from metrics.tools.process import Failure

TOOL = Tool("parser", "1", "abc", ToolMode.REAL)


def keep(cache: Cache, text: str, answer: Any) -> None:  # Any: JSON
    answers([text], cache, lambda texts: [answer])


def test_a_second_run_asks_for_nothing(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(texts: list[str]) -> list[Any]:
        asked.extend(texts)
        return [text.upper() for text in texts]

    for _ in range(2):
        assert answers(["a", "b", "a"], Cache(tmp_path / "c", TOOL), ask) == ["A", "B", "A"]
    assert asked == ["a", "b"]


@pytest.mark.parametrize(
    ("tool", "parameters"),
    [
        (Tool("parser", "2", "abc", ToolMode.REAL), ""),
        (Tool("parser", "1", "xyz", ToolMode.REAL), ""),
        (Tool("parser", "1", "abc", ToolMode.LEARNED), ""),
        (TOOL, "k=50"),
    ],
)
def test_another_version_model_mode_or_parameter_is_another_tool(
    tmp_path: Path, tool: Tool, parameters: str
) -> None:
    keep(Cache(tmp_path / "c", TOOL), "a", 1)
    assert Cache(tmp_path / "c", tool, parameters).known(["a"]) == {}
    assert Cache(tmp_path / "c", TOOL).known(["a"]) == {"a": 1}


def test_failures_are_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", TOOL)
    assert answers(["a"], cache, lambda texts: [Failure("time-out")]) == [Failure("time-out")]
    assert answers(["a"], cache, lambda texts: ["A"]) == ["A"]


def test_what_was_answered_before_a_stop_is_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", TOOL)

    def killed(texts: list[str]) -> Any:
        yield "A"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answers(["a", "b"], cache, killed)
    assert cache.known(["a", "b"]) == {"a": "A"}


@given(st.lists(st.text(max_size=5), max_size=30))
def test_without_a_cache_every_text_still_gets_its_own_answer(texts: list[str]) -> None:
    assert answers(texts, None, lambda unknown: [text + "!" for text in unknown]) == [t + "!" for t in texts]


def test_more_texts_than_the_database_takes_parameters(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", TOOL)
    keep(cache, "1999", "found")
    assert cache.known([str(n) for n in range(2500)]) == {"1999": "found"}


def _keep_many(path: Path, start: int) -> None:
    cache = Cache(path, TOOL)
    for number in range(start, start + 40):
        keep(cache, str(number), number)


def test_several_processes_may_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_keep_many, args=(tmp_path / "c", start)) for start in (0, 20)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert Cache(tmp_path / "c", TOOL).known(map(str, range(60))) == {str(n): n for n in range(60)}


def test_the_default_place_is_the_sites_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("APPRAISE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "linguistics.sqlite3"
