"""Communicates with a tool that runs as a separate, long-lived process.

Starting a parser costs seconds, so one process answers many sentences; but parsers hang, crash and leak.
``Worker`` holds one process: every question has a time-out, the process is replaced after a failure and after
every N questions. ``Pool`` spreads questions over several workers and keeps their order. A failure loses only
its own item, which comes back as ``Failure``; when items travel in batches, a failed batch is asked again one
item at a time.

The usual conversation is JSON lines: one list of items in, one list of answers out (``JSON_LINES``). A tool
with its own line protocol brings a ``Dialogue``.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Generic, Protocol, Self, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Asked = TypeVar("Asked", contravariant=True)
ReadLine = Callable[[], str]
READ_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that the tool could not answer, and why: ``time-out``, ``crash`` or ``protocol``."""

    reason: str
    detail: str = ""


class WorkerFailed(Exception):
    """A worker process died, did not answer or broke the protocol; it is already stopped."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.failure = Failure(reason, detail)


class Dialogue(Protocol[Asked, Answer]):
    """How questions are written to a process and answers are read from it."""

    def write(self, items: Sequence[Asked], /) -> str: ...

    def read(self, readline: ReadLine, items: Sequence[Asked], /) -> list[Answer]: ...


class JsonLines:
    """One line with a JSON list of items; one line with a JSON list of as many answers."""

    def write(self, items: Sequence[Any]) -> str:  # Any: whatever JSON can say
        return json.dumps(list(items)) + "\n"

    def read(self, readline: ReadLine, items: Sequence[Any]) -> list[Any]:
        answers = json.loads(readline())
        if not isinstance(answers, list) or len(answers) != len(items):
            raise ValueError(f"expected {len(items)} answers")
        return answers


JSON_LINES: Dialogue[Any, Any] = JsonLines()


class Closeable:
    """Stops what it started at the end of a ``with`` block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        raise NotImplementedError


class Worker(Closeable, Generic[Item, Answer]):
    """One process that answers questions; not for use by two threads at once.

    ``time_out`` is for one question; ``start_out`` is added for the first, while the process loads models.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        dialogue: Dialogue[Item, Answer] = JSON_LINES,
        time_out: float = 60.0,
        start_out: float = 60.0,
        restart_every: int = 2000,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.command = tuple(command)
        self.dialogue = dialogue
        self.time_out = time_out
        self.start_out = start_out
        self.restart_every = restart_every
        self.environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] | None = None
        self._buffer = b""
        self._asked = 0

    def ask(self, items: Sequence[Item]) -> list[Answer]:
        """Answers to the items, in order; raises WorkerFailed when there are none."""
        if self._asked >= self.restart_every:
            self.close()
        process = self._process or self._start()
        deadline = time.monotonic() + self.time_out + (self.start_out if self._asked == 0 else 0)
        self._asked += 1
        try:
            self._write(process, self.dialogue.write(items).encode(), deadline)
            return self.dialogue.read(lambda: self._readline(process, deadline), items)
        except TimeoutError:
            raise self._failed("time-out", f"no answer within {self.time_out:g} s") from None
        except (EOFError, BrokenPipeError):
            raise self._failed("crash", self._last_complaint()) from None
        except ValueError as error:
            raise self._failed("protocol", str(error)) from error

    def close(self) -> None:
        """Stop the process, if there is one; asking again starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
        if self._complaints is not None:
            self._complaints.close()
            self._complaints = None
        self._buffer = b""
        self._asked = 0

    @property
    def pid(self) -> int | None:
        """Process id while a process runs."""
        return self._process.pid if self._process else None

    def _start(self) -> subprocess.Popen[bytes]:
        # Standard error goes to a file: a pipe that nobody reads would fill up and block the tool.
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 — lives as long as the process
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env=None if self.environment is None else {**os.environ, **self.environment},
            bufsize=0,
        )
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
        return self._process

    def _write(self, process: subprocess.Popen[bytes], data: bytes, deadline: float) -> None:
        pipe = process.stdin
        if pipe is None:
            raise EOFError
        while data:
            _wait(pipe, selectors.EVENT_WRITE, deadline)
            data = data[os.write(pipe.fileno(), data) :]

    def _readline(self, process: subprocess.Popen[bytes], deadline: float) -> str:
        pipe = process.stdout
        if pipe is None:
            raise EOFError
        while b"\n" not in self._buffer:
            _wait(pipe, selectors.EVENT_READ, deadline)
            chunk = os.read(pipe.fileno(), READ_BYTES)
            if not chunk:
                raise EOFError
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _last_complaint(self) -> str:
        if self._complaints is None:
            return ""
        self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, self._complaints.tell() - 2000))
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "the process ended"

    def _failed(self, reason: str, detail: str) -> WorkerFailed:
        self.close()
        return WorkerFailed(reason, detail)


class Pool(Closeable, Generic[Item, Answer]):
    """Several workers of one kind, each driven by its own thread."""

    def __init__(self, make_worker: Callable[[], Worker[Item, Answer]], workers: int = 1) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one worker, got {workers}")
        self._idle = [make_worker() for _ in range(workers)]
        self._workers = tuple(self._idle)
        self._threads = ThreadPoolExecutor(workers)

    def map(self, items: Sequence[Item], batch: int = 1) -> Iterator[Answer | Failure]:
        """Answers in the order of the items, as they become known."""
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
        """Wait for running questions, then stop every process."""
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def _answer(self, items: Sequence[Item]) -> list[Answer | Failure]:
        worker = self._idle.pop()  # as many threads as workers: there always is one
        try:
            return [*worker.ask(items)]
        except WorkerFailed as error:
            return [error.failure] if len(items) == 1 else [self._answer_one(worker, item) for item in items]
        finally:
            self._idle.append(worker)

    def _answer_one(self, worker: Worker[Item, Answer], item: Item) -> Answer | Failure:
        try:
            return worker.ask([item])[0]
        except WorkerFailed as error:
            return error.failure


def _wait(pipe: IO[bytes], event: int, deadline: float) -> None:
    """Return when the pipe is ready; raise TimeoutError when the deadline passes first."""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, event)
        if not selector.select(max(0.0, deadline - time.monotonic())):
            raise TimeoutError
