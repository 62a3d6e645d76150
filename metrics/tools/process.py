"""Communicates with tools that run as separate, long-lived processes.

Starting a parser takes seconds, so one process answers many sentences. Parsers also hang, crash and leak
memory: a ``Worker`` gives every question a timeout, and replaces its process after a failure and after N
questions. A ``Pool`` distributes questions over several workers and keeps their order. A failure affects only
its own item, which becomes a ``Failure``; the items of a failed batch are asked again one at a time.

The default protocol is JSON lines: one list of items in, one list of answers out (``JSON_LINES``). A tool
with its own line protocol defines a ``Dialogue``.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, Any, Protocol, Self, TypeVar

Item = Any  # JSON, or what the tool's own line protocol has
Answer = Any
ReadLine = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that the tool could not answer, and why: ``time-out``, ``crash`` or ``protocol``."""

    reason: str
    detail: str = ""


class WorkerFailed(Exception):
    """A worker process died, timed out or violated the protocol. It is already stopped."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.failure = Failure(reason, detail)


class Dialogue(Protocol):
    """How questions are written to a process and answers are read from it."""

    def write(self, items: Sequence[Item], /) -> str: ...

    def read(self, readline: ReadLine, items: Sequence[Item], /) -> list[Answer]: ...


class JsonLines:
    """One line with a JSON list of items in, one line with a JSON list of as many answers out."""

    def write(self, items: Sequence[Any]) -> str:  # Any: JSON
        return json.dumps(list(items)) + "\n"

    def read(self, readline: ReadLine, items: Sequence[Any]) -> list[Any]:
        answers = json.loads(readline())
        if not isinstance(answers, list) or len(answers) != len(items):
            raise ValueError(f"expected {len(items)} answers")
        return answers


JSON_LINES = JsonLines()


class Closeable:
    """A context manager that calls ``close`` at the end of the block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        raise NotImplementedError


CloseableTool = TypeVar("CloseableTool", bound=Closeable)


class Worker(Closeable):
    """One process that answers questions; not thread-safe.

    ``timeout`` applies to one question; ``startup_timeout`` is added for the first, while models are loaded.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        dialogue: Dialogue = JSON_LINES,
        timeout: float = 60.0,
        startup_timeout: float = 60.0,
        restart_every: int = 2000,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.command = tuple(command)
        self.dialogue = dialogue
        self.timeout = timeout
        self.startup_timeout = startup_timeout
        self.restart_every = restart_every
        self.environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._asked = 0

    def ask(self, items: Sequence[Item]) -> list[Answer]:
        """Return the answers to the items, in order; raises ``WorkerFailed`` if there are none."""
        if self._asked >= self.restart_every:
            self.close()
        process = self._process or self._start()
        is_late = threading.Event()

        def stop() -> None:  # the reader then comes to the end of the output
            is_late.set()
            process.kill()

        timer = threading.Timer(self.timeout + (self.startup_timeout if self._asked == 0 else 0), stop)
        self._asked += 1
        timer.start()
        try:
            return self._converse(process, items)
        except (EOFError, BrokenPipeError):
            if is_late.is_set():
                raise self._failed("time-out", f"no answer within {self.timeout:g} s") from None
            raise self._failed("crash", self._last_error_line()) from None
        except ValueError as error:
            raise self._failed("protocol", str(error)) from error
        finally:
            timer.cancel()
            if is_late.is_set():  # also where the answer came just before
                self.close()

    def close(self) -> None:
        """Stop the process; the next question starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
        if self._stderr is not None:
            self._stderr.close()
            self._stderr = None
        self._asked = 0

    def _start(self) -> subprocess.Popen[bytes]:
        # Standard error goes to a file, because a pipe that is not read fills up and blocks the tool.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 — lives as long as the process
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self.command, stdin=pipe, stdout=pipe, stderr=self._stderr, env=self.environment
        )
        return self._process

    def _converse(self, process: subprocess.Popen[bytes], items: Sequence[Item]) -> list[Answer]:
        if process.stdin is None or process.stdout is None:
            raise EOFError
        process.stdin.write(self.dialogue.write(items).encode())
        process.stdin.flush()
        lines = process.stdout

        def readline() -> str:
            line = lines.readline()
            if not line.endswith(b"\n"):
                raise EOFError
            return line[:-1].decode("utf-8", "replace")

        return self.dialogue.read(readline, items)

    def _last_error_line(self) -> str:
        if self._stderr is None:
            return ""
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - 2000))
        lines = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "the process ended"

    def _failed(self, reason: str, detail: str) -> WorkerFailed:
        self.close()
        return WorkerFailed(reason, detail)


class Pool(Closeable):
    """Several workers of one kind, each driven by its own thread."""

    def __init__(self, make_worker: Callable[[], Worker], workers: int = 1) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one worker, got {workers}")
        self._idle = [make_worker() for _ in range(workers)]
        self._workers = tuple(self._idle)
        self._threads = ThreadPoolExecutor(workers)

    def map(self, items: Sequence[Item], batch: int = 1) -> Iterator[Answer | Failure]:
        """Yield the answers in the order of the items, as they become available."""
        batches = [items[start : start + batch] for start in range(0, len(items), batch)]
        futures: list[Future[list[Answer | Failure]]] = [
            self._threads.submit(self._answer, each) for each in batches
        ]
        try:
            for future in futures:
                yield from future.result()
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """Wait for running questions, then stop all processes."""
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def _answer(self, items: Sequence[Item]) -> list[Answer | Failure]:
        worker = self._idle.pop()  # there are as many workers as threads
        try:
            return [*worker.ask(items)]
        except WorkerFailed as error:
            return [error.failure] if len(items) == 1 else [self._answer_one(worker, item) for item in items]
        finally:
            self._idle.append(worker)

    def _answer_one(self, worker: Worker, item: Item) -> Answer | Failure:
        try:
            return worker.ask([item])[0]
        except WorkerFailed as error:
            return error.failure


class PooledTool(Closeable):
    """A tool whose processes start with its first question; ``close`` stops them until the next one."""

    workers: int = 1
    batch: int = 1  # items per question
    _pool: Pool | None = None

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _ask(self, items: Sequence[Item]) -> Iterator[Answer | Failure]:
        if self._pool is None:
            self._pool = Pool(self._worker, self.workers)
        return self._pool.map(items, self.batch)

    def _worker(self) -> Worker:
        raise NotImplementedError


def close_at_exit(tool: CloseableTool) -> CloseableTool:
    """Stop the tool when this process ends; returns it, for functions that share one instance."""
    atexit.register(tool.close)
    return tool
