"""Asks a declared program, batch by batch; answers are cached by text and identity of the program.

A batch that fails is lost, and the next one starts a new process; after two failures in succession the rest
is not asked. What was answered is cached, so that a second run asks only for what is missing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from shutil import which
from typing import Any

from appraise.lib.digests import bytes_digest
from evaluation.schemes import Choice
from metrics.programs.declarations import ProgramDeclaration
from metrics.tools.base import DIGEST_CHARACTERS, Tool, ToolMode
from metrics.tools.cache import Cache, answers, default_path
from metrics.tools.process import Closeable, Failure, JsonLines, ReadLine, Worker, WorkerFailed

MOST_FAILURES = 2
NEVER = 10**9  # a program that loads a large model is not restarted without need
Item = Mapping[str, Any]


class ProgramFailed(Exception):
    """The program did not answer everything; the message says what is missing and why."""


class CheckedLines(JsonLines):
    """JSON lines whose answers are checked one by one."""

    def __init__(self, check: Callable[[Any, Item], object]) -> None:
        self._check = check

    def read(self, readline: ReadLine, items: Sequence[Item]) -> list[Any]:
        answers = super().read(readline, items)
        for answer, item in zip(answers, items, strict=True):
            self._check(answer, item)
        return answers


def check_score(answer: Any, item: Item) -> None:
    """Raise ``ValueError`` unless the answer is a finite number."""
    if isinstance(answer, bool) or not isinstance(answer, int | float) or not math.isfinite(answer):
        raise ValueError(f"{json.dumps(answer):.80} is no score")


def check_choice(answer: Any, item: Item) -> None:
    """Raise ``ValueError`` unless the answer is a choice of the question's scheme."""
    if answer not in item["choices"]:
        raise ValueError(f"{json.dumps(answer):.80} is none of {', '.join(item['choices'])}")


CHECKS = {"scores": check_score, "choices": check_choice}


class Program(Closeable):
    """One process of a declared program; not thread-safe."""

    def __init__(self, declaration: ProgramDeclaration, *, cache_path: Path | None = None) -> None:
        self.declaration = declaration
        self._cache_path = cache_path or default_path()
        self._worker = Worker(
            declaration.command,
            dialogue=CheckedLines(CHECKS[declaration.answers]),
            timeout=declaration.timeout,
            startup_timeout=declaration.startup,
            restart_every=NEVER,
            environment={**declaration.environment, "APPRAISE_ADDRESS": declaration.address},
        )

    @cached_property
    def tool(self) -> Tool:
        """Its identity: another command, environment or address is another tool."""
        about = (self.declaration.command, sorted(self.declaration.environment.items()))
        digest = bytes_digest(json.dumps([*about, self.declaration.address]).encode())[:DIGEST_CHARACTERS]
        return Tool(self.declaration.name, self.declaration.version, digest, ToolMode.REAL)

    def explain_missing(self) -> str | None:
        command = self.declaration.command[0]
        return None if which(command) else f"the program {command} of {self.declaration.name} is not there"

    def answer(self, items: Sequence[Item]) -> list[Any]:
        """Return one answer for each item; raises ``ProgramFailed`` if any is missing."""
        cache = Cache(self._cache_path, self.tool, self.declaration.answers)
        texts = [json.dumps(item, sort_keys=True) for item in items]
        results = answers(texts, cache, self._ask)
        failures = [result for result in results if isinstance(result, Failure)]
        if not failures:
            return results
        reasons = ", then ".join(dict.fromkeys(f"{failure.reason}: {failure.detail}" for failure in failures))
        answered = f"{self.declaration.name} answered {len(results) - len(failures)} of {len(results)} items"
        raise ProgramFailed(f"{answered}; {reasons}. Answers are cached: score again to ask for the rest.")

    def close(self) -> None:
        self._worker.close()

    def _ask(self, texts: list[str]) -> Iterator[Any]:  # Any: JSON, or a failure
        size, failed = self.declaration.batch, 0
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            if failed == MOST_FAILURES:
                yield from [Failure("not asked", f"{failed} batches in succession failed")] * len(batch)
                continue
            try:
                yield from self._worker.ask([json.loads(text) for text in batch])
                failed = 0
            except (WorkerFailed, OSError) as error:  # the latter if it cannot be started
                failure = error.failure if isinstance(error, WorkerFailed) else Failure("crash", str(error))
                yield from [failure] * len(batch)
                failed += 1


def as_choices(answers: Sequence[str]) -> list[Choice]:
    return [Choice(answer) for answer in answers]
