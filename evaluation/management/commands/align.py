"""``manage.py align``: JSON lines of sentence pairs in, JSON lines of aligned phrases out, same order."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from appraise.lib.problems import InputError
from appraise.lib.streams import convert_read_errors, read_bytes
from evaluation.alignment import (
    ALIGNERS,
    AlignmentMode,
    Link,
    PhraseAlignment,
    WordAligner,
    align,
    load_aligner,
)
from evaluation.alignment.link_files import parse_gold_links, parse_links, text_lines
from evaluation.alignment.pairs import select_asked
from evaluation.alignment.question_rules import COARSENESS, QuestionRules, QuestionSize
from evaluation.alignment.questions import group_questions, project_questions
from evaluation.alignment.segmenters import load_segmenter
from evaluation.alignment.values import alignment_error_rate
from evaluation.alignment.word_classes import WordClasses
from evaluation.importers import SourceFile
from evaluation.importers.state import ImportState
from evaluation.importers.strict_json import JsonReader
from evaluation.management.base import AppraiseCommand
from evaluation.tokens import split, tokenize, words

Tokenizer = Callable[[str], tuple[str, ...]]
GoldLinks = tuple[tuple[Link, ...], tuple[Link, ...]]
"""The sure and the possible links of a sentence pair."""

_REMEDY = 'write {"a": text or token list, "b": the same, "links": "0-0 1-1" (optional)} on each line'


@dataclass(frozen=True, slots=True)
class SentencePair:
    """One line of the input."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    links: tuple[Link, ...] | None


class Command(AppraiseCommand):
    help = "Align pairs of sentences into shared and differing phrases."
    examples = (
        "align pairs.jsonl",
        "align --lang en --ignore-case --join < pairs.jsonl",
        "align --gold gold.txt --gold-base 1 pairs.jsonl",
    )
    option_help = {
        "file": "JSON lines, plain or gzipped (default: standard input)",
        "--mode": "complete: every word is in a phrase; paper: the published algorithm",
        "--aligner": "aligner for lines without word links",
        "--lang": "language code of both texts, for tokens and stems",
        "--segment-words": "find the words of Chinese, Japanese or Thai with an optional library",
        "--ignore-case": "treat words that differ only in case as equal",
        "--ignore-punctuation": "ignore differences in punctuation",
        "--join": "join neighbouring differences",
        "--gold": "gold links, a line for each pair: i-j sure, ipj possible; prints the alignment error rate",
        "--gold-base": "whether gold links count from 0 or 1 (default: as --link-base)",
        "--max-length": "split differing phrases longer than this",
        "--coarseness": "shared letters allowed between two differences of one question"
        " (default: %(default)g)",
        "--ask-all": "ask about every difference, including trivial ones",
    }

    def add_arguments(self, parser: ArgumentParser) -> None:
        modes = [mode.value for mode in AlignmentMode]
        parser.add_argument("file", nargs="?", default="-")
        parser.add_argument("--mode", choices=modes, default=AlignmentMode.COMPLETE.value)
        parser.add_argument("--aligner", choices=sorted(ALIGNERS), default="lexical")
        parser.add_argument("--lang", default="")
        parser.add_argument("--segment-words", action="store_true")
        parser.add_argument("--link-base", type=int, choices=[0, 1], default=0)
        parser.add_argument("--ignore-case", action="store_true")
        parser.add_argument("--ignore-punctuation", action="store_true")
        parser.add_argument("--join", action="store_true")
        parser.add_argument("--max-length", type=int)
        parser.add_argument(
            "--coarseness", type=float, default=COARSENESS[QuestionSize.MEDIUM], metavar="LETTERS"
        )
        parser.add_argument("--ask-all", action="store_true")
        parser.add_argument("--gold", metavar="FILE")
        parser.add_argument("--gold-base", type=int, choices=[0, 1])

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        if options["max_length"] is not None and options["max_length"] < 1:
            self.refuse(f"--max-length must be at least 1, not {options['max_length']}")
        if not options["coarseness"] >= 0:  # also refuses nan
            self.refuse(f"--coarseness must be at least 0, not {options['coarseness']:g}")
        file, data = self._read(options["file"])
        tokenizer = self._find_tokenizer(options["lang"], options["segment_words"])
        pairs = list(read_pairs(data, file, tokenizer, options["link_base"]))
        gold = self._read_gold(pairs, options) if options["gold"] else None
        corpus = [(pair.a, pair.b) for pair in pairs if pair.links is None]
        try:
            aligner = load_aligner(options["aligner"], options["lang"], corpus) if corpus else None
        except ValueError as error:
            self.refuse(str(error))
        texts = [text for pair in pairs for text in (pair.a, pair.b)]
        rules = QuestionRules(
            WordClasses.learn(texts, options["lang"]),
            coarseness=options["coarseness"],
            ask_all=options["ask_all"],
        )
        computed: list[tuple[Link, ...]] = []
        for pair in pairs:
            alignment = align(
                pair.a,
                pair.b,
                links=pair.links,
                mode=AlignmentMode(options["mode"]),
                aligner=aligner,
                **{
                    name: options[name]
                    for name in ("ignore_case", "ignore_punctuation", "join", "max_length")
                },
            )
            computed.append((*alignment.links, *alignment.dropped))
            if pair.links is not None or options["mode"] == AlignmentMode.PAPER:
                questions = {number: number for number in select_asked(alignment)}
            else:
                alignment, questions = self._find_questions(alignment, aligner, rules)
            self.write_json(alignment.to_json(questions))
        if gold is not None:
            rate = alignment_error_rate(
                (sure, possible, links) for (sure, possible), links in zip(gold, computed, strict=True)
            )
            self.write_json({"alignment_error_rate": rate, "pairs": len(gold)})

    def _read_gold(self, pairs: Sequence[SentencePair], options: dict[str, Any]) -> list[GoldLinks]:
        file, data = self._read(options["gold"])
        lines = text_lines(data, file)
        if len(lines) != len(pairs):
            message = f"the gold file has {len(lines)} lines, the input {len(pairs)} sentence pairs"
            raise InputError.of("line_count", message, "give one line of links for each pair", file)
        base = options["link_base"] if options["gold_base"] is None else options["gold_base"]
        return [
            parse_gold_links(line, len(pair.a), len(pair.b), base=base, file=file, line=number)
            for number, (line, pair) in enumerate(zip(lines, pairs, strict=True), 1)
        ]

    def _find_tokenizer(self, language: str, is_segmented: bool) -> Tokenizer:
        try:
            segmenter = load_segmenter(language) if is_segmented else None
        except ValueError as error:
            self.refuse(f"--segment-words: {error}")
        if segmenter is None:
            return lambda text: tokenize(text, language)
        return lambda text: words(text, segmenter.offsets(text))

    def _find_questions(
        self, alignment: PhraseAlignment, word_aligner: WordAligner | None, rules: QuestionRules
    ) -> tuple[PhraseAlignment, dict[int, int]]:
        """What an import asks about these sentences, whatever options shape the phrases that are printed."""
        imported = align(
            alignment.a, alignment.b, aligner=word_aligner, ignore_case=True, ignore_punctuation=True
        )
        return project_questions(imported, group_questions(imported, rules), alignment)

    def _read(self, path: str) -> tuple[str, bytes]:
        """The name of the input for messages, and its bytes."""
        with convert_read_errors(path):
            return "<stdin>" if path == "-" else path, read_bytes(path)


def read_pairs(data: bytes, file: str, tokenizer: Tokenizer, base: int) -> Iterator[SentencePair]:
    """The sentence pairs of a file of JSON lines; blank lines are skipped."""
    for number, line in enumerate(text_lines(data, file), 1):
        if line.strip():
            yield _pair(line, file, number, tokenizer, base)


def _pair(line: str, file: str, number: int, tokenizer: Tokenizer, base: int) -> SentencePair:
    source = SourceFile.from_bytes(file, b"")
    reader = JsonReader(source, ImportState([source]), line, number)
    record = reader.value()
    reader.end()
    if not isinstance(record, dict):
        _refuse(f"expected an object, found {type(record).__name__}", file, number)
    links = record.get("links")
    if not ("links" not in record or isinstance(links, str)):
        _refuse(f"links must be a string, found {type(links).__name__}", file, number)
    a, b = (_tokens(record, key, links is not None, tokenizer, file, number) for key in "ab")
    if links is None:
        return SentencePair(a, b, None)
    return SentencePair(a, b, parse_links(links, len(a), len(b), base=base, file=file, line=number))


def _tokens(
    record: dict[str, object], key: str, linked: bool, tokenizer: Tokenizer, file: str, number: int
) -> tuple[str, ...]:
    """A string is split on white space if its words are linked by number, and tokenised otherwise."""
    if key not in record:
        _refuse(f"the key {key!r} is missing", file, number)
    value = record[key]
    if isinstance(value, str):
        _check_unicode([value], key, file, number)
        return words(value, split(value)) if linked else tokenizer(value)
    if isinstance(value, list) and all(isinstance(token, str) and token for token in value):
        _check_unicode(value, key, file, number)
        return tuple(value)
    _refuse(f"{key!r} must be a string or a list of tokens, none of them empty", file, number)


def _check_unicode(texts: Sequence[str], key: str, file: str, number: int) -> None:
    for text in texts:
        if any("\ud800" <= char <= "\udfff" for char in text):
            message = f"{key!r} contains half of a surrogate pair"
            raise InputError.of("bad_unicode", message, "write the character itself in UTF-8", file, number)


def _refuse(message: str, file: str, number: int) -> NoReturn:
    raise InputError.of("schema", message, _REMEDY, file, number)
