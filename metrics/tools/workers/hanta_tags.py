"""Tags German sentences with HanTa, inside the environment of the tools; JSON lines in and out.

Item: a list of tokens. Answer: ``[tags, lemmas]``. The argument names the model.
"""

import json
import sys

from HanTa.HanoverTagger import HanoverTagger

if __name__ == "__main__":
    tagger = HanoverTagger(sys.argv[1])
    for line in sys.stdin:
        tagged = [tagger.tag_sent(tokens) if tokens else [] for tokens in json.loads(line)]
        answers = [[[tag for *_, tag in words], [lemma for _, lemma, _ in words]] for words in tagged]
        print(json.dumps(answers), flush=True)
