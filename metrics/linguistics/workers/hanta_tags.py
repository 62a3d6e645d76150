"""Runs inside the tools' environment: tags German sentences with HanTa, JSON lines in and out.

Item: a list of tokens. Answer: the list of their tags (STTS, as HanTa writes them).
"""

import json
import sys

from HanTa.HanoverTagger import HanoverTagger  # type: ignore[import-not-found] # of the tools' environment

if __name__ == "__main__":
    tagger = HanoverTagger("morphmodel_ger.pgz")
    for line in sys.stdin:
        answers = [
            [tag for _, _, tag in tagger.tag_sent(tokens)] if tokens else [] for tokens in json.loads(line)
        ]
        print(json.dumps(answers), flush=True)
