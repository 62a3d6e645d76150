"""``manage.py parse``: analyse text lines, ``parse --constituency|--tags|--discourse [--tool …] [FILE]``.

Each line gives one JSON line, in the same order: the tree or the tags, with name, version and mode of the
tool, or the reason why there is none. Without ``--tool``, discourse trees come from the best parser that is
installed, at least the heuristic one; the output names it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandParser

from appraise.lib.parallel import is_parallel, parallel_map
from appraise.lib.streams import read_lines
from evaluation.management.base import AppraiseCommand, whole_number
from metrics.scoring.cluster import use_cluster
from metrics.tools.base import ToolAbsent
from metrics.tools.cache import default_path

if TYPE_CHECKING:
    from metrics.tools.constituency import ConstituencyParser

AT_ONCE = 200  # sentences per request to a tool, so that answers appear early
Options = dict[str, Any]  # Any: argparse's values
Answers = Iterator[dict[str, object]]
Slices = Iterator[Sequence[str]]


class Command(AppraiseCommand):
    help = "Parse or tag text with the optional linguistic tools; one JSON line per line of text."
    examples = (
        "parse --discourse --gold gum/*.dis",
        "parse --tags --language de sentences.txt",
        "parse --constituency --k 1 < sentences.txt",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        kind = parser.add_mutually_exclusive_group(required=True)
        for name, text in (
            ("constituency", "treebank trees of English, with their scores"),
            ("tags", "part-of-speech tags of English or German"),
            ("discourse", "RST trees of English"),
        ):
            kind.add_argument(f"--{name}", dest="kind", action="store_const", const=name, help=text)
        parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="default: standard input")
        parser.add_argument("--language", default="en")
        parser.add_argument(
            "--tool", default="", help="tool to use; an unknown name lists the available ones"
        )
        parser.add_argument(
            "--k", type=whole_number(1), default=100, help="trees per sentence (constituency)"
        )
        parser.add_argument("--workers", type=whole_number(1), default=1, help="processes")
        parser.add_argument(
            "--gold", nargs="+", metavar="FILE", help="discourse trees (.dis): parse their sentences and"
            " print the agreement (Parseval) instead"
        )  # fmt: skip
        parser.add_argument("--lenient", action="store_true", help="with --gold: wrong numbers are warnings")
        parser.add_argument("--no-cache", action="store_true", help="do not use cached results")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        try:
            analyse = self._analyser(options)
            if options["gold"]:
                self.write_json(self._measure(options))
                return
            with use_cluster():
                for answer in self._answers(analyse, options):
                    self.stdout.write(json.dumps(answer, ensure_ascii=False))
        except ToolAbsent as error:
            self.refuse(str(error))

    def _answers(self, analyse: Callable[[Slices, Options], Answers], options: Options) -> Answers:
        """Yield the answers of the local tool, or slice by slice those of a cluster."""
        slices = _slices(options["file"])
        if not is_parallel():
            return analyse(slices, options)
        return chain.from_iterable(parallel_map(partial(_analyse_slice, analyse, options), slices))

    def _measure(self, options: Options) -> dict[str, object]:
        """Return the agreement of the parser with trees that people made, sentence by sentence."""
        from metrics.discourse.agreement import split_sentences, tree_agreement
        from metrics.discourse.parsers import get_parser
        from metrics.discourse.tree_files import read_trees

        if options["kind"] != "discourse":
            self.refuse("--gold belongs to --discourse")
        warn = self.note if options["lenient"] else None
        documents = [tree for path in options["gold"] for tree in read_trees(Path(path), warn)]
        golds = [gold for tree in documents for gold in split_sentences(tree) if gold.tree is not None]
        parser = get_parser(options["tool"])
        parsed = parser.parse([" ".join(word for unit in gold.units for word in unit) for gold in golds])
        trees = [gold.tree for gold in golds if gold.tree is not None]
        agreement = asdict(tree_agreement(zip(trees, parsed, strict=True)))
        return {"sentences": len(golds), **agreement, "tool": parser.tool.as_dict()}

    def _analyser(self, options: Options) -> Callable[[Slices, Options], Answers]:
        """Return the function for the kind, language and tool; the first tool of a row is the default."""
        of_kind = {
            "constituency": {"en": {"stanford": constituency}},
            "tags": {"en": {"spacy": english_tags, "stanford": stanford_tags}, "de": {"hanta": german_tags}},
            "discourse": {"en": {"real": discourse, "heuristic": discourse}},
        }[options["kind"]]
        known = of_kind.get(options["language"].partition("-")[0])
        if known is None:
            message = f"--{options['kind']} is not available for the language {options['language']!r}"
            self.refuse(f"{message}; known: {', '.join(of_kind)}")
        if options["kind"] == "discourse" and not options["tool"]:
            options["tool"] = self._discourse_tool()
        options["tool"] = options["tool"] or next(iter(known))
        if options["tool"] not in known:
            self.refuse(f"there is no tool {options['tool']!r} for this; known: {', '.join(known)}")
        return known[options["tool"]]

    def _discourse_tool(self) -> str:
        """Return the real parser if installed, else the heuristic one.

        Every answer names the tool and its mode, so a fallback is never mistaken for the real parser.
        """
        from metrics.discourse.external_parser import shared_parser

        try:
            shared_parser()
        except ToolAbsent as error:
            self.note(f"{error}; using the heuristic parser instead (mode “heuristic”)")
            return "heuristic"
        return "real"


def _analyse_slice(
    analyse: Callable[[Slices, Options], Answers], options: Options, some: Sequence[str]
) -> list[dict[str, object]]:
    return list(analyse(iter([some]), options))


def constituency(slices: Slices, options: Options) -> Answers:
    with _stanford(options) as parser:
        for parse in chain.from_iterable(map(parser.parse, slices)):
            yield {
                "tree": parse.tree,
                "score": parse.score,
                "confidence": parse.confidence,
                "trees": len(parse.scores),
                "reason": parse.reason,
                "tool": parser.tool.as_dict(),
            }


def stanford_tags(slices: Slices, options: Options) -> Answers:
    with _stanford(options) as parser:
        for parse in chain.from_iterable(map(parser.parse, slices)):
            yield {"tags": parse.tags or None, "reason": parse.reason, "tool": parser.tool.as_dict()}


def _stanford(options: Options) -> ConstituencyParser:
    from metrics.tools.constituency import ConstituencyParser

    return ConstituencyParser(k=options["k"], workers=options["workers"], cache_path=_cache(options))


def german_tags(slices: Slices, options: Options) -> Answers:
    from metrics.tools.tagger import GermanTagger

    with GermanTagger(workers=options["workers"], cache_path=_cache(options)) as tagger:
        for tags in chain.from_iterable(map(tagger.tag, slices)):
            reason = "no answer" if tags is None else ""
            yield {"tags": tags, "reason": reason, "tool": tagger.tool.as_dict()}


def english_tags(slices: Slices, options: Options) -> Answers:
    from metrics.tools.tagger import SpacyTagger

    with SpacyTagger(workers=options["workers"]) as tagger:
        for tagged in chain.from_iterable(map(tagger.tag, slices)):
            tags = list(zip(tagged.tokens, tagged.tags, strict=True))
            yield {"tags": tags or None, "reason": tagged.reason, "tool": tagger.tool.as_dict()}


def discourse(slices: Slices, options: Options) -> Answers:
    from metrics.discourse.parsers import get_parser
    from metrics.discourse.trees import as_json

    parser = get_parser(options["tool"])
    for tree in chain.from_iterable(map(parser.parse, slices)):
        yield {"tree": as_json(tree), "reason": "", "tool": parser.tool.as_dict()}


def _cache(options: Options) -> Path | None:
    return None if options["no_cache"] else default_path()


def _slices(file: str) -> Slices:
    """Yield the lines of a file, also empty ones, so that answers keep the order of lines."""
    texts = (text for _, text in read_lines(file, blank=True))
    while some := list(islice(texts, AT_ONCE)):
        yield some
