"""A tool that misbehaves on request; run by path as a worker process, JSON lines in and out.

``crash`` ends the process, ``hang`` never answers, ``nonsense`` answers what is no JSON, ``pid`` tells the
process id; anything else comes back in capitals.
"""

import json
import os
import sys
import time

for line in sys.stdin:
    answers = []
    for item in json.loads(line):
        if item == "crash":
            print("out of memory", file=sys.stderr, flush=True)
            os._exit(3)
        if item == "hang":
            time.sleep(60)
        if item == "nonsense":
            print("{not json", flush=True)
        answers.append(os.getpid() if item == "pid" else item.upper())
    print(json.dumps(answers), flush=True)
