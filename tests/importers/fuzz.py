"""Feed damaged files to the readers and accept only two outcomes: a checked set, or our coded error.

    python -m tests.importers.fuzz --seconds 60 --format tsv

Guided by coverage where Atheris is installed, else by seeded mutation of good files and of the pieces that each format
is made of. Prints one line of JSON; a finding stops the run, is written to ``--out`` and exits 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluation.importers import FORMATS, Limits, Options, Role, SourceFile, read
from evaluation.problems import InputError
from tests.importers.bad_inputs import GOOD

LIMITS = Limits(max_bytes=200_000, max_items=500, max_field=5_000, max_characters=3_000, max_tokens=300)
SPLIT = b"\x00\x00--next file--\x00\x00"
ROLES = (Role.SOURCE, Role.SYSTEM, Role.SYSTEM, Role.REFERENCE, Role.ALIGNMENTS, Role.DOCUMENTS)
SAMPLES = Path(__file__).parents[2] / "fixtures" / "samples"
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
        SourceFile.from_bytes(f"f{n}", part, role, *([f"s{n}"] if role is Role.SYSTEM else []))
        for n, (role, part) in enumerate(parts)
    ]


def check(data: bytes, form: str) -> str:
    """Read the bytes; 'accepted' or the first code. Whatever else is raised is a finding."""
    try:
        found = read(files(data, form), format=form, limits=LIMITS, options=Options(link_base=len(data) % 2))
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
    own = [parallel] if form == "text" else [GOOD[form].encode()] if form in GOOD else []
    return own * 5 + [path.read_bytes() for path in sorted(SAMPLES.iterdir()) if path.is_file()] + [parallel]


def mutate(data: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    """A few small wounds."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at, end = sorted(rng.randint(0, len(made)) for _ in range(2))
        wounds: list[Callable[[], Any]] = [
            lambda at=at: made.__setitem__(slice(at, at), rng.choice(PIECES)),
            lambda at=at: made.__setitem__(slice(at, at + 1), bytes([rng.randrange(256)])),
            lambda at=at, end=end: made.__delitem__(slice(at, min(end, at + 40))),
            lambda at=at, end=end: made.__setitem__(slice(at, at), made[at : min(end, at + 200)]),
            lambda at=at: made.__delitem__(slice(at, None)),
            lambda at=at: made.__setitem__(slice(at, None), rng.choice(pool)[rng.randrange(200) :]),
        ]
        rng.choice(wounds)()
    return bytes(made[: LIMITS.max_bytes + 10])


def run(form: str, seconds: float, seed: int, out: Path | None) -> dict[str, object]:
    """Mutate until the time is over."""
    rng, pool, outcomes = random.Random(seed), seeds(form), Counter[str]()
    slowest, until = 0.0, time.monotonic() + seconds
    while time.monotonic() < until:
        data = mutate(rng.choice(pool), pool, rng)
        started = time.process_time()
        try:
            outcome = check(data, form)
        except Exception:
            if out is not None:
                out.write_bytes(data)
            print(f"finding in format {form}: {data[:2000]!r}", file=sys.stderr)
            raise
        slowest = max(slowest, time.process_time() - started)
        if outcome not in outcomes or rng.random() < 0.002:
            pool = [*pool[-300:], data]
        outcomes[outcome] += 1
    total = outcomes.total()
    return {
        "format": form,
        "engine": "mutation",
        "runs": total,
        "slowest": round(slowest, 3),
        "outcomes": outcomes,
    }


def run_atheris(form: str, seconds: float) -> None:
    """Coverage-guided, in this process; Atheris never returns."""
    import atheris  # type: ignore[import-not-found]  # an optional tool that does not build everywhere

    atheris.instrument_all()
    atheris.Setup(
        [sys.argv[0], f"-max_total_time={int(seconds)}"], lambda data: check(bytes(data), form) and None
    )
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--format", choices=[*FORMATS, "auto", "all"], default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    forms = list(FORMATS) if options.format == "all" else [options.format]
    if importlib.util.find_spec("atheris") and len(forms) == 1:
        run_atheris(forms[0], options.seconds)
    for form in forms:
        print(json.dumps(run(form, options.seconds, options.seed, options.out)), flush=True)


if __name__ == "__main__":
    main()
