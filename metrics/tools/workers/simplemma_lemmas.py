"""Finds lemmas with simplemma, inside the environment of the tools; JSON lines in and out.

Item: a list of tokens. Answer: the list of their lemmas. The argument is the code of the language.
"""

import json
import sys

from simplemma import lemmatize

if __name__ == "__main__":
    language = sys.argv[1]
    for line in sys.stdin:
        answers = [[lemmatize(token, lang=language) for token in tokens] for tokens in json.loads(line)]
        print(json.dumps(answers), flush=True)
