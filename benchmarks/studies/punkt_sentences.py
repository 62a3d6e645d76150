"""Splits text into sentences with Punkt, inside the environment of the tools; JSON lines in and out.

Item: a text. Answer: the list of its sentences. The argument is the name of the language's model.
"""

import json
import sys

import punkt

if __name__ == "__main__":
    splitter = punkt.PunktSentenceTokenizer(punkt.load_model(sys.argv[1]))
    for line in sys.stdin:
        print(json.dumps([list(splitter.tokenize(text)) for text in json.loads(line)]), flush=True)
