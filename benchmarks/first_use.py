"""What the first call costs in a fresh process, with compiled loops in their cache.

No peer does this job, so the demand is absolute: the first score of every metric that people expect adds at
most one second of CPU to what the second one takes, and listing all metrics costs at most as much. Each is
measured in processes of their own; the smallest of five counts, since a busy machine only ever adds.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.base import Result

ROOT = Path(__file__).resolve().parent.parent
METRICS = ("bleu", "chrf", "ter", "wer", "nist", "meteor", "rouge-l", "fms-2")
ROUNDS, MOST_SECONDS = 5, 1.0
SCORE = """
import time
start = time.process_time()
from metrics import registry
from metrics.base import score_systems
metric = registry.get("{name}")
texts = ["the dogs were barking at the old house again"] * 4
spent = []
for _ in range(2):
    score_systems(metric, {{"s": texts}}, [["a dog barked at the old houses"] * 4])
    spent.append(time.process_time() - start)
    start = time.process_time()
print(spent[0] - spent[1])
"""
LIST = """
import time
start = time.process_time()
from metrics import registry
registry.list_metrics()
print(time.process_time() - start)
"""


def run() -> list[Result]:
    jobs = {f"first score in a fresh process: {name}": SCORE.format(name=name) for name in METRICS}
    jobs["list every metric in a fresh process"] = LIST
    return [_result(job, program) for job, program in jobs.items()]


def _result(job: str, program: str) -> Result:
    seconds(program)  # compile and fill the cache
    spent = min(seconds(program) for _ in range(ROUNDS))
    ratio = MOST_SECONDS / spent
    return Result(job, "what is demanded", "s of CPU", spent, MOST_SECONDS, ratio, ratio, 1.0)


def seconds(program: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return float(done.stdout)


if __name__ == "__main__":
    for found in run():
        print(f"{found.job}: {found.ours:.2f} {found.unit}", flush=True)
