"""Runs inside the tools' environment: scores sentences with kenlm, JSON lines in and out.

Started with the path of an ARPA or binary model. Item: a tokenised sentence. Answer: log10 p and the number
of unknown words.
"""

import json
import sys

import kenlm

if __name__ == "__main__":
    model = kenlm.Model(sys.argv[1])
    score, vocabulary = model.score, model.__contains__
    for line in sys.stdin:
        answers = [
            (score(text), sum(not vocabulary(word) for word in text.split())) for text in json.loads(line)
        ]
        print(json.dumps(answers), flush=True)
