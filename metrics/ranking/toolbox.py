"""Opens the tools behind the features, as the options of a command or the header of a model ask.

``Toolbox`` opens what is asked for: a language model, a lexicon, the English parser, the German tagger,
uploaded parses of the source. What is not installed is left out, with a note; a tool that is asked for by
name and missing is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluation.problems import InputError, Problem
from evaluation.streams import readable
from metrics.linguistics import base
from metrics.linguistics.base import Mode, Tool, ToolAbsent
from metrics.linguistics.cache import default_path
from metrics.linguistics.constituency import ConstituencyParser, Parse
from metrics.linguistics.german import GermanTagger, phrase_counts
from metrics.linguistics.imported import ImportedParses
from metrics.ranking import arpa, store
from metrics.ranking.features import PARSED, Chunker, Counts, Extractor, Parser, absent

Note = Callable[[str], None]
AT_ONCE = 200  # sentences between two notes: about a minute of parsing


@dataclass(frozen=True, slots=True)
class Wanted:
    """The resources to compute features from; empty means: do without."""

    source_language: str = ""
    target_language: str = "en"
    lm: str = ""
    lexicon: str = ""
    parser: str = "auto"  # auto, stanford, none
    source_parses: str = ""
    workers: int = 1
    cache: Path | None = None

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Wanted:  # Any: argparse's values
        names = ("source_language", "target_language", "lm", "lexicon", "parser", "source_parses", "workers")
        return cls(**{name: options[name] for name in names}, cache=default_path())

    def for_features(self, names: Sequence[str]) -> Wanted:
        """Without a parser where no feature reads its trees: thousands of sentences take an hour."""
        return self if PARSED.intersection(names) else replace(self, parser="none")

    def as_dict(self) -> dict[str, str]:
        """What a model must remember to make the same features again."""
        files = {name: Path(value) for name, value in (("lm", self.lm), ("lexicon", self.lexicon)) if value}
        known = {"source_language": self.source_language, "target_language": self.target_language}
        known |= {name: str(path) for name, path in files.items()}
        return known | {f"{name}_digest": base.file_digest(path) for name, path in files.items()}


def add_options(parser: Any) -> None:  # Any: an argparse parser
    """The options that every command with features shares."""
    parser.add_argument("--source-language", default="", help="for instance de")
    parser.add_argument("--target-language", default="en")
    parser.add_argument("--lm", default="", metavar="FILE", help="a language model of the target (train lm)")
    parser.add_argument("--lexicon", default="", metavar="FILE", help="a lexicon (train lexicon)")
    parser.add_argument(
        "--parser", choices=("auto", "stanford", "none"), default="auto", help="of English output"
    )
    parser.add_argument(
        "--source-parses", default="", metavar="FILE", help="parses of the sources, made elsewhere"
    )
    parser.add_argument("--workers", type=int, default=1, help="parser processes")


class Toolbox:
    """Opens the tools on entry and stops their processes on exit."""

    def __init__(self, wanted: Wanted, note: Note) -> None:
        self.wanted = wanted
        self.note = note
        self._stack = ExitStack()

    def __enter__(self) -> Extractor:
        wanted, tools = self.wanted, {name: absent(name) for name in ("lm", "lexicon", "parser", "source")}
        extractor = Extractor(wanted.source_language, wanted.target_language)
        if wanted.lm:
            extractor = replace(extractor, model=arpa.load(_existing(wanted.lm)))
            tools["lm"] = Tool("kneser-ney", "1", base.file_digest(Path(wanted.lm)), Mode.LEARNED)
        if wanted.lexicon:
            there, back = store.load_lexicons(_existing(wanted.lexicon))
            extractor = replace(extractor, lexicon=there, lexicon_back=back)
            tools["lexicon"] = Tool("ibm1", "1", base.file_digest(Path(wanted.lexicon)), Mode.LEARNED)
        extractor = self._with_parser(extractor, tools)
        extractor = self._with_source(extractor, tools)
        return replace(extractor, tools=tools)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _with_parser(self, extractor: Extractor, tools: dict[str, Tool]) -> Extractor:
        if self.wanted.parser == "none" or not self.wanted.target_language.startswith("en"):
            return extractor
        try:
            base.java()
            parser = ConstituencyParser(workers=self.wanted.workers, cache_path=self.wanted.cache)
        except ToolAbsent as error:
            if self.wanted.parser != "auto":
                raise InputError(Problem("tool_absent", str(error))) from error
            self.note(f"{error}; parse features are missing")
            return extractor
        self._stack.enter_context(parser)
        tools["parser"] = parser.tool
        return replace(extractor, parser=reporting_progress(parser.parse, self.note))

    def _with_source(self, extractor: Extractor, tools: dict[str, Tool]) -> Extractor:
        if self.wanted.source_parses:
            imported = ImportedParses(_existing(self.wanted.source_parses))
            tools["source"] = imported.tool
            return replace(extractor, source_parser=imported.parse)
        if self.wanted.source_language.startswith("en") and extractor.parser is not None:
            tools["source"] = tools["parser"]
            return replace(extractor, source_parser=extractor.parser)
        if extractor.parser is None or not self.wanted.source_language.startswith("de"):
            return extractor  # counts of the source enter as ratios of the target's, or not at all
        try:
            tagger = GermanTagger(workers=self.wanted.workers, cache_path=self.wanted.cache)
        except ToolAbsent as error:
            self.note(f"{error}; phrase counts of the source are missing")
            return extractor
        self._stack.enter_context(tagger)
        tools["source"] = tagger.chunk_tool
        return replace(extractor, source_chunks=_chunks(tagger))


def reporting_progress(parse: Parser, note: Note) -> Parser:
    """The same parser, reporting progress now and then: thousands of sentences take an hour."""

    def parsed(sentences: Sequence[str]) -> list[Parse]:
        found: list[Parse] = []
        for start in range(0, len(sentences), AT_ONCE):
            found += parse(sentences[start : start + AT_ONCE])
            if len(sentences) > AT_ONCE:
                note(f"{len(found):,} of {len(sentences):,} sentences parsed")
        return found

    return parsed


def _chunks(tagger: GermanTagger) -> Chunker:
    def count(sentences: Sequence[str]) -> list[Counts | None]:
        return [
            None if tags is None else phrase_counts([tag for _, tag in tags])
            for tags in tagger.tag(sentences)
        ]

    return count


def _existing(path: str) -> Path:
    with readable(path), open(path, "rb"):
        return Path(path)
