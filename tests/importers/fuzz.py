"""Feed damaged files to the readers and accept only two outcomes: a checked set, or our coded error.

    python -m tests.importers.fuzz --seconds 60 --format tsv

Guided by coverage: by Atheris where it is installed, else by our own tracer, which keeps every input that
reaches a new line of the importers and wounds it further. Prints one line of JSON per format; a finding stops
the run, is written to ``--out`` and exits 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, Self

from appraise.lib.problems import InputError
from evaluation.importers import FORMATS, FileRole, ImportOptions, Limits, SourceFile, read
from tests.importers.bad_inputs import GOOD

LIMITS = Limits(max_bytes=200_000, max_items=500, max_field=5_000, max_characters=3_000, max_tokens=300)
SPLIT = b"\x00\x00--next file--\x00\x00"
ROLES = (
    FileRole.SOURCE,
    FileRole.SYSTEM,
    FileRole.SYSTEM,
    FileRole.REFERENCE,
    FileRole.ALIGNMENTS,
    FileRole.DOCUMENTS,
)
CODE = os.path.join("evaluation", "importers")
SAMPLES = Path(__file__).parents[2] / "fixtures" / "samples"
A3 = (
    b"rotes Haus\n",
    b"blue house\n",
    b"red house\n",
    b"a red house\n",
    b"# Sentence pair (1) source length 2 target length 2 alignment score : 0.1\n"
    b"red house\nNULL ({ }) blue ({ 1 }) house ({ 2 })\n",
)
PIECES = [
    *(
        b"<set>",
        b"</seg>",
        b"<seg id='1'>",
        b"<!DOCTYPE x [",
        b"<![CDATA[",
        b"]]>",
        b"<!--",
        b"-->",
        b"&#0;",
        b"&a;",
    ),
    *(
        b"<hit ",
        b"systems='a,b'",
        b"<dataset>",
        b"<doc>",
        b"<src>",
        b"<hyp system=''>",
        b"<?xml encoding='x'?>",
    ),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b'"',
        b'"id":',
        b'"items":',
        b'"candidates":',
        b'"links":',
        b'"phrases":',
    ),
    *(b"null", b"true", b"NaN", b"1e999", b"-0", b"9" * 400, b"\\ud800", b"\\u0000", b"\\", b"[" * 2_000),
    *(
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b"\x0c",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"\x00",
        b"\xff",
        b"\xc3",
        b"\xef\xbb\xbf",
    ),
    *(
        b"annotator",
        b"label",
        b"A>B",
        b"system",
        b"translation",
        b"source",
        b"phrase_a",
        b"position_b",
        b'""',
        b";",
    ),
    *(
        b"0-0",
        b"1-",
        b"99-99",
        b"\xd9\xa3-4",
        b"# Sentence pair (1)",
        b"NULL ({ })",
        b"({ 1 2 })",
        b"[[[",
        b"]]]",
    ),
]


def files(data: bytes, form: str) -> list[SourceFile]:
    """The bytes as one file, or as the files of a parallel text."""
    if form != "text":
        return [SourceFile.from_bytes("fuzz", part) for part in data.split(SPLIT)[:2]]
    parts = zip(ROLES, data.split(SPLIT), strict=False)
    return [
        SourceFile.from_bytes(f"f{n}", part, role, *([f"s{n}"] if role is FileRole.SYSTEM else []))
        for n, (role, part) in enumerate(parts)
    ]


def check(data: bytes, form: str) -> str:
    """Read the bytes; 'accepted' or the first code. Whatever else is raised is a finding."""
    try:
        found = read(
            files(data, form), format=form, limits=LIMITS, options=ImportOptions(link_base=len(data) % 2)
        )
        again = list(found.items)
    except InputError as error:
        if not error.problems or not all(problem.code and problem.message for problem in error.problems):
            raise AssertionError(f"an error without code or message: {error!r}") from error
        return error.problems[0].code
    if len(again) != len(found.items):
        raise AssertionError(f"{len(found.items)} items were counted, {len(again)} were read again")
    return "accepted"


def seeds(form: str) -> list[bytes]:
    """Good files of the format, and those of the others: they meet in the splices."""
    texts = sorted((SAMPLES / "text").iterdir())
    order = ("source", "north.", "south", "reference", "links")
    parallel = SPLIT.join(next(p for p in texts if word in p.name).read_bytes() for word in order)
    own = [parallel, SPLIT.join(A3)] if form == "text" else [GOOD[form].encode()] if form in GOOD else []
    return own * 30 + [path.read_bytes() for path in sorted(SAMPLES.iterdir()) if path.is_file()] + [parallel]


def mutate(data: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    """A few small wounds: something put in, changed, cut out, doubled, cut off, or spliced."""
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at, end = sorted(rng.randint(0, len(data)) for _ in range(2))
        left, right = data[:at], data[at:]
        data = rng.choice(
            (
                left + rng.choice(PIECES) + right,
                left + bytes([rng.randrange(256)]) + right[1:],
                left + data[min(end, at + 40) :],
                left + data[at : min(end, at + 200)] + right,
                left,
                left + rng.choice(pool)[rng.randrange(200) :],
            )
        )
    return data[: LIMITS.max_bytes + 10]


class Tracer:
    """Notes which lines of the importers run."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()

    def __enter__(self) -> Self:
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        return self._line if CODE in frame.f_code.co_filename else None

    def _line(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def run(form: str, seconds: float, seed: int, out: Path | None) -> Report:
    """Wound files until the time is over; one run in four is traced."""
    rng, pool, report, tracer = random.Random(seed), seeds(form), Report(form, "own tracer"), Tracer()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        data = mutate(rng.choice(pool), pool, rng)
        before = len(tracer.seen)
        with finding(data, form, out):
            if rng.random() < 0.25:
                with tracer:
                    report.add(data)
            else:
                report.add(data)
        if len(tracer.seen) > before:
            pool.append(data)
    report.lines = len(tracer.seen)
    return report


def run_atheris(form: str, seconds: float, out: Path | None) -> None:
    """Atheris never returns: the report is printed, and the process ended, by the first run after the time is
    over.
    """
    import atheris

    for function in _functions():
        atheris.instrument_func(function)
    report, until = Report(form, "atheris"), time.monotonic() + seconds

    def once(data: bytes) -> None:
        if time.monotonic() > until:
            print(report.as_json(), flush=True)
            os._exit(0)
        with finding(bytes(data), form, out):
            report.add(bytes(data))

    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds(form)):
            (Path(corpus) / str(number)).write_bytes(seed)
        atheris.Setup(
            [sys.argv[0], corpus, f"-max_len={LIMITS.max_bytes}", f"-artifact_prefix={corpus}/"], once
        )
        atheris.Fuzz()


def _functions() -> Iterator[FunctionType]:
    """The functions and methods of the importers: what is worth covering."""
    for name, module in list(sys.modules.items()):
        if name.startswith("evaluation.importers"):
            for value in vars(module).values():
                inner = vars(value).values() if isinstance(value, type) else (value,)
                yield from (f for f in inner if isinstance(f, FunctionType) and f.__module__ == name)


@dataclass
class Report:
    """How often what happened."""

    form: str
    engine: str
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    lines: int | None = None

    def add(self, data: bytes) -> None:
        started = time.process_time()
        self.outcomes[check(data, self.form)] += 1
        self.slowest = max(self.slowest, time.process_time() - started)

    def as_json(self) -> str:
        counts = dict(self.outcomes.most_common())
        found = {
            "format": self.form,
            "engine": self.engine,
            "runs": self.outcomes.total(),
            "lines": self.lines,
        }
        return json.dumps(found | {"slowest": round(self.slowest, 3), "outcomes": counts})


@contextmanager
def finding(data: bytes, form: str, out: Path | None) -> Iterator[None]:
    """Keep the input of whatever goes wrong."""
    try:
        yield
    except BaseException:
        if out is not None:
            out.write_bytes(data)
        print(f"finding in format {form}: {data[:2000]!r}", file=sys.stderr)
        raise


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--format", choices=[*FORMATS, "auto", "all"], default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    forms = list(FORMATS) if options.format == "all" else [options.format]
    if importlib.util.find_spec("atheris") and len(forms) == 1:
        run_atheris(forms[0], options.seconds, options.out)
    for form in forms:
        print(run(form, options.seconds, options.seed, options.out).as_json(), flush=True)


if __name__ == "__main__":
    main()
