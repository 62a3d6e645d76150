"""A program that misbehaves on request, run by path; JSON lines in and out.

A scorer answers the number of words. The first word of a hypothesis may be ``crash``, ``hang``, ``nan``,
``text``, ``short`` (one answer too few) or ``pid``. A judge prefers the longer marked part.
"""

import json
import os
import sys
import time


def length(places: list[list[int]]) -> int:
    return sum(end - start for start, end in places)


for line in sys.stdin:
    items = json.loads(line)
    if "choices" in items[0]:
        lengths = [[length(item["places"][side]) for side in "ab"] for item in items]
        gaps = [a - b for a, b in lengths]
        print(json.dumps(["A>B" if gap > 0 else "A<B" if gap < 0 else "A=B" for gap in gaps]), flush=True)
        continue
    answers = []
    for item in items:
        words = [*item["hypothesis"].split(), ""]
        if words[0] == "crash":
            print("out of memory", file=sys.stderr, flush=True)
            os._exit(3)
        if words[0] == "hang":
            time.sleep(60)
        special = {"nan": float("nan"), "text": "good", "pid": os.getpid()}
        answers.append(special.get(words[0], len(words) - 1))
    if any(item["hypothesis"].startswith("short") for item in items):
        answers.pop()
    print(json.dumps(answers), flush=True)
