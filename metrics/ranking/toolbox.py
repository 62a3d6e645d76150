"""Opens the resources and tools that features are computed from.

Options of a command or the header of a model name them: a language model, a lexicon, the English parser, the
German tagger. A tool that is not installed is left out, with a note; it is an error if it was requested by
name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from appraise.lib.problems import InputError
from appraise.lib.streams import convert_read_errors
from metrics.ranking.features import PARSED, Chunker, Counts, Extractor, Parser, absent_tool
from metrics.ranking.models import load_language_model, load_lexicons
from metrics.tools import base
from metrics.tools.base import Tool, ToolAbsent, ToolMode
from metrics.tools.cache import default_path
from metrics.tools.constituency import ConstituencyParser, Parse
from metrics.tools.tagger import GermanTagger, phrase_counts

Note = Callable[[str], None]
BATCH = 200  # sentences between two notes: about a minute of parsing


@dataclass(frozen=True, slots=True)
class FeatureResources:
    """The resources that features are computed from; empty means none."""

    source_language: str = ""
    target_language: str = "en"
    lm: str = ""
    lexicon: str = ""
    parser: str = "auto"  # auto, stanford, none
    workers: int = 1
    cache: Path | None = None

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> FeatureResources:  # Any: argparse's values
        names = ("source_language", "target_language", "lm", "lexicon", "parser", "workers")
        return cls(**{name: options[name] for name in names}, cache=default_path())

    def for_features(self, names: Sequence[str]) -> FeatureResources:
        """Without a parser if no feature needs trees, because thousands of sentences take an hour."""
        return self if PARSED.intersection(names) else replace(self, parser="none")

    def as_dict(self) -> dict[str, str]:
        """What a model records to compute the same features again."""
        files = {name: Path(value) for name, value in (("lm", self.lm), ("lexicon", self.lexicon)) if value}
        known = {"source_language": self.source_language, "target_language": self.target_language}
        known |= {name: str(path) for name, path in files.items()}
        return known | {f"{name}_digest": base.file_digest(path) for name, path in files.items()}


def add_options(parser: Any) -> None:  # Any: an argparse parser
    """The options that every command with features shares."""
    add = parser.add_argument
    add("--source-language", default="", help="source language, for example de")
    add("--target-language", default="en")
    add("--lm", default="", metavar="FILE", help="language model of the target (train lm)")
    add("--lexicon", default="", metavar="FILE", help="a lexicon (train lexicon)")
    add("--parser", choices=("auto", "stanford", "none"), default="auto", help="parser of English outputs")
    add("--workers", type=int, default=1, help="parser processes")


@contextmanager
def open_tools(resources: FeatureResources, note: Note) -> Iterator[Extractor]:
    """Yield the extractor with its tools; their processes stop at the end of the block."""
    tools = {name: absent_tool(name) for name in ("lm", "lexicon", "parser", "source")}
    extractor = Extractor(resources.source_language, resources.target_language)
    if resources.lm:
        extractor = replace(extractor, model=load_language_model(_check_file(resources.lm)))
        tools["lm"] = Tool("kneser-ney", "1", base.file_digest(Path(resources.lm)), ToolMode.LEARNED)
    if resources.lexicon:
        forward, backward = load_lexicons(_check_file(resources.lexicon))
        extractor = replace(extractor, lexicon=forward, lexicon_back=backward)
        tools["lexicon"] = Tool("ibm1", "1", base.file_digest(Path(resources.lexicon)), ToolMode.LEARNED)
    with ExitStack() as stack:
        if parser := _start_parser(resources, note):
            stack.enter_context(parser)
            tools["parser"] = parser.tool
            extractor = replace(extractor, parser=report_progress(parser.parse, note))
        if resources.source_language.startswith("en") and parser:
            tools["source"] = parser.tool
            extractor = replace(extractor, source_parser=extractor.parser)
        elif parser and (tagger := _start_tagger(resources, note)):
            # Counts of the source are used in ratios with those of the target only, hence not without parser.
            stack.enter_context(tagger)
            tools["source"] = tagger.chunk_tool
            extractor = replace(extractor, source_chunks=_count_phrases_with(tagger))
        yield replace(extractor, tools=tools)


def _start_parser(resources: FeatureResources, note: Note) -> ConstituencyParser | None:
    if resources.parser == "none" or not resources.target_language.startswith("en"):
        return None
    try:
        base.find_java()
        return ConstituencyParser(workers=resources.workers, cache_path=resources.cache)
    except ToolAbsent as error:
        if resources.parser != "auto":
            raise InputError.of("tool_absent", str(error)) from error
        note(f"{error}; parse features are missing")
        return None


def _start_tagger(resources: FeatureResources, note: Note) -> GermanTagger | None:
    if not resources.source_language.startswith("de"):
        return None
    try:
        return GermanTagger(workers=resources.workers, cache_path=resources.cache)
    except ToolAbsent as error:
        note(f"{error}; phrase counts of the source are missing")
        return None


def report_progress(parse: Parser, note: Note) -> Parser:
    """Wrap a parser so that it reports progress, because thousands of sentences take an hour."""

    def parse_all(sentences: Sequence[str]) -> list[Parse]:
        parses: list[Parse] = []
        for start in range(0, len(sentences), BATCH):
            parses += parse(sentences[start : start + BATCH])
            if len(sentences) > BATCH:
                note(f"{len(parses):,} of {len(sentences):,} sentences parsed")
        return parses

    return parse_all


def _count_phrases_with(tagger: GermanTagger) -> Chunker:
    def count(sentences: Sequence[str]) -> list[Counts | None]:
        return [
            None if tags is None else phrase_counts([tag for _, tag in tags])
            for tags in tagger.tag(sentences)
        ]

    return count


def _check_file(path: str) -> Path:
    with convert_read_errors(path), open(path, "rb"):
        return Path(path)
