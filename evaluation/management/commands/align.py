"""``manage.py align``: JSON lines of sentence pairs in, JSON lines of aligned phrases out, same order."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from appraise.commands import Command as BaseCommand
from evaluation.alignment import ALIGNERS, Link, Mode, align, aligner
from evaluation.alignment.formats import parse_links, text_lines
from evaluation.problems import InputError, Problem
from evaluation.streams import read, readable
from evaluation.tokens import split, tokenize, words

_REMEDY = 'write {"a": text or token list, "b": the same, "links": "0-0 1-1" (optional)} on each line'


@dataclass(frozen=True, slots=True)
class SentencePair:
    """One line of the input."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    links: tuple[Link, ...] | None


class Command(BaseCommand):
    help = "Align pairs of sentences into shared and differing phrases."
    examples = (
        "align pairs.jsonl",
        "align --lang en --ignore-case --join < pairs.jsonl",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", nargs="?", default="-", help="JSON lines, plain or gzipped (default: standard input)"
        )
        parser.add_argument(
            "--mode",
            choices=[mode.value for mode in Mode],
            default=Mode.COMPLETE.value,
            help="every word in one phrase, or the published algorithm as it is",
        )
        parser.add_argument(
            "--aligner",
            choices=sorted(ALIGNERS),
            default="lexical",
            help="finds the word links of lines without any",
        )
        parser.add_argument("--lang", default="", help="language code of both texts, for tokens and stems")
        parser.add_argument("--link-base", type=int, choices=[0, 1], default=0)
        parser.add_argument(
            "--ignore-case", action="store_true", help="words that differ in case only are equal"
        )
        parser.add_argument(
            "--ignore-punctuation", action="store_true", help="punctuation makes no difference"
        )
        parser.add_argument("--join", action="store_true", help="join neighbouring differences")
        parser.add_argument("--max-length", type=int, help="split differing phrases longer than this")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        if options["max_length"] is not None and options["max_length"] < 1:
            self.refuse(f"--max-length must be at least 1, not {options['max_length']}")
        file, data = self._read(options["file"])
        pairs = list(read_pairs(data, file, options["lang"], options["link_base"]))
        corpus = [(pair.a, pair.b) for pair in pairs if pair.links is None]
        try:
            made = aligner(options["aligner"], options["lang"], corpus) if corpus else None
        except ValueError as error:
            self.refuse(str(error))
        for pair in pairs:
            alignment = align(
                pair.a,
                pair.b,
                links=pair.links,
                mode=Mode(options["mode"]),
                aligner=made,
                ignore_case=options["ignore_case"],
                ignore_punctuation=options["ignore_punctuation"],
                join=options["join"],
                max_length=options["max_length"],
            )
            self.write_json(alignment.to_json())

    def _read(self, path: str) -> tuple[str, bytes]:
        """The name of the input for messages, and its bytes."""
        with readable(path):
            return "<stdin>" if path == "-" else path, read(path)


def read_pairs(data: bytes, file: str, language: str, base: int) -> Iterator[SentencePair]:
    """The sentence pairs of a file of JSON lines; blank lines are skipped."""
    for number, line in enumerate(text_lines(data, file), 1):
        if line.strip():
            yield _pair(line, file, number, language, base)


def _pair(line: str, file: str, number: int, language: str, base: int) -> SentencePair:
    try:
        record = json.loads(line, object_pairs_hook=_object)
    except _DuplicateKey as error:
        problem = Problem(
            "duplicate_key", f"the key {error} is given twice", "keep one of them", file, number
        )
        raise InputError(problem) from None
    except json.JSONDecodeError as error:
        problem = Problem("json_syntax", error.msg, _REMEDY, file, number, error.colno)
        raise InputError(problem) from None
    except (RecursionError, ValueError) as error:
        raise InputError(Problem("json_syntax", str(error), _REMEDY, file, number)) from None
    if not isinstance(record, dict):
        _refuse(f"expected an object, found {type(record).__name__}", file, number)
    links = record.get("links")
    if not ("links" not in record or isinstance(links, str)):
        _refuse(f"links must be a string, found {type(links).__name__}", file, number)
    a, b = (_tokens(record, key, links is not None, language, file, number) for key in "ab")
    if links is None:
        return SentencePair(a, b, None)
    return SentencePair(a, b, parse_links(links, len(a), len(b), base=base, file=file, line=number))


class _DuplicateKey(ValueError):
    """JSON would silently keep the last of two values."""


def _object(items: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(items)
    if len(record) < len(items):
        keys = [key for key, _ in items]
        raise _DuplicateKey(repr(next(key for key in keys if keys.count(key) > 1)))
    return record


def _tokens(
    record: dict[str, object], key: str, linked: bool, language: str, file: str, number: int
) -> tuple[str, ...]:
    """A string is split on white space if its words are linked by number, and tokenised otherwise."""
    if key not in record:
        _refuse(f"the key {key!r} is missing", file, number)
    value = record[key]
    if isinstance(value, str):
        _check_unicode([value], key, file, number)
        return words(value, split(value)) if linked else tokenize(value, language)
    if isinstance(value, list) and all(isinstance(token, str) and token for token in value):
        _check_unicode(value, key, file, number)
        return tuple(value)
    _refuse(f"{key!r} must be a string or a list of tokens, none of them empty", file, number)


def _check_unicode(texts: Sequence[str], key: str, file: str, number: int) -> None:
    for text in texts:
        if any("\ud800" <= char <= "\udfff" for char in text):
            message = f"{key!r} contains half of a surrogate pair"
            raise InputError(
                Problem("bad_unicode", message, "write the character itself in UTF-8", file, number)
            )


def _refuse(message: str, file: str, number: int) -> NoReturn:
    raise InputError(Problem("schema", message, _REMEDY, file, number))
