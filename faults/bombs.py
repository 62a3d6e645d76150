"""F13: files that want all memory or all time, read under hard limits: each is answered well within."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

from faults.base import Fault, Ground, Outcome
from faults.site import BUG
from tests.site import ROOT

MEMORY, CPU_SECONDS = 2 << 30, 10
MOST_MEGABYTES, MOST_SECONDS = 300, 5.0
BOMBS = (12, 13, 14, 15, 16, 25, 26, 28, 33, 56)
NO_DATABASE = "none"


def run(ground: Ground) -> Outcome:
    outcome = Outcome()
    environment = {**os.environ, **({BUG: ground.bug} if ground.bug else {})}
    child = subprocess.run(
        [sys.executable, "-m", "faults.bombs"], cwd=ROOT, env=environment, capture_output=True, text=True,
        timeout=200, check=False,
    )  # fmt: skip
    found = [json.loads(line) for line in child.stdout.splitlines()]
    outcome.expect(child.returncode == 0 and bool(found), f"the reader's parent died: {child.stderr[-1000:]}")
    for case in found:
        answered = case["code"] == case["expected"]
        outcome.expect(answered, f"case {case['case']}: {case['code'] or 'killed'}, not {case['expected']}")
        outcome.expect(case["megabytes"] < MOST_MEGABYTES, f"case {case['case']} took {case['megabytes']} MB")
        outcome.expect(case["seconds"] < MOST_SECONDS, f"case {case['case']} took {case['seconds']} s")
    outcome.counts |= {
        "bombs": len(found),
        "most_megabytes": max((case["megabytes"] for case in found), default=0),
        "most_cpu_seconds": max((case["seconds"] for case in found), default=0),
    }
    return outcome


def main() -> None:
    """In the child: each case in a process of its own, with limits that the kernel keeps."""
    from faults import bugs
    from tests.importers.bad_inputs import CASES

    if name := os.environ.get(BUG):
        bugs.plant(name)
    for case in CASES:
        if case.number in BOMBS and case.stage == "read":
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(writing, json.dumps(explode(case)).encode())
                os._exit(0)
            os.close(writing)
            with os.fdopen(reading) as file:
                text = file.read()
            os.waitpid(child, 0)
            said = json.loads(text) if text else {"code": None, "megabytes": 0, "seconds": 0}
            print(json.dumps({"case": str(case), "expected": case.code or "accepted", **said}), flush=True)


def explode(case: object) -> dict[str, object]:
    from appraise.lib.problems import InputError
    from evaluation.importers import read
    from tests.importers.bad_inputs import BadInput

    assert isinstance(case, BadInput)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    files = case.files()
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        read(files, format=case.format, options=case.options, limits=case.limits)
        code = "accepted"
    except InputError as error:
        codes = [problem.code for problem in error.problems]
        code = case.code if case.code in codes else codes[0]
    except (MemoryError, RecursionError, ValueError, OSError) as error:
        code = type(error).__name__
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    return {"code": code, "megabytes": grown, "seconds": round(time.process_time() - started, 2)}


FAULT = Fault(
    "F13",
    "Memory and time bombs",
    "Entity bombs, documents nested 50,000 deep, numbers of thousands of digits, endless fields: read in"
    " processes with 2 GB of address space and 10 s of CPU.",
    run,
    {NO_DATABASE: "entities_expanded"},
    databases=(NO_DATABASE,),
)

if __name__ == "__main__":
    main()
