"""CSV, TSV, and CSV for spreadsheets.

CSV and TSV contain every text verbatim. A spreadsheet would run a cell that begins with ``=`` as a formula,
so a third format puts an apostrophe before such cells.

The texts of a pair are quoted once, not once for each answer; the rest of a row needs no quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from appraise.lib.tables import defuse_formula
from evaluation.exporters.rows import COLUMNS, AnswerRow, ExportedPair, TextCache

BLOCK = 500  # pairs written together
QUOTED_CHARACTERS = frozenset(',"\r\n')
TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
Quote = Callable[[str], str]


def as_csv(pairs: Iterable[ExportedPair]) -> Iterator[str]:
    """RFC 4180 with a header and line feeds; a withdrawn answer has an empty label."""
    return _write(pairs, quote_csv, ",", "\n")


def as_spreadsheet(pairs: Iterable[ExportedPair]) -> Iterator[str]:
    """For spreadsheets: a byte order mark, CRLF line ends, and no cell that could be a formula."""
    yield "\ufeff"
    yield from _write(pairs, _quote_defused, ",", "\r\n")


def as_tsv(pairs: Iterable[ExportedPair]) -> Iterator[str]:
    """Without quotes; line breaks and tabs inside a text become ``\\n``, ``\\t``.

    Backslashes are doubled, so that every text can be read back exactly.
    """
    return _write(pairs, escape_tsv, "\t", "\n")


def _write(pairs: Iterable[ExportedPair], quote: Quote, delimiter: str, end: str) -> Iterator[str]:
    yield delimiter.join(COLUMNS) + end
    names = TextCache(quote)
    remaining = iter(pairs)
    while block := list(islice(remaining, BLOCK)):
        lines = []
        for pair in block:
            start = delimiter.join(_pair_cells(pair, names, quote))
            lines += [
                f"{start}{delimiter}{_format_answer(answer, names, delimiter)}{end}"
                for answer in pair.answers
            ]
        yield "".join(lines)


def _pair_cells(pair: ExportedPair, names: TextCache, quote: Quote) -> tuple[str, ...]:
    """Quote the columns of the pair; names recur and are cached, texts are not."""
    task, item, document, key, kind, first, second, systems_a, systems_b, check, question = pair.cells
    return (
        names[task], quote(item), names[document], quote(key), names[kind],
        quote(first), quote(second), names[systems_a], names[systems_b], names[check], question,
    )  # fmt: skip


def _format_answer(answer: AnswerRow, names: TextCache, cut: str) -> str:
    """Format the columns of the answer; only the annotator's name may need quotes."""
    (
        annotator, presentation, version, current, label, reason, left, surplus, alignment, active, elapsed,
        order, received,
    ) = answer  # fmt: skip
    return (
        f"{names[annotator]}{cut}{presentation}{cut}{version}{cut}{_FLAG[current]}{cut}{label or ''}{cut}"
        f"{reason}{cut}{left}{cut}{_FLAG[surplus]}{cut}{'' if alignment is None else alignment}{cut}"
        f"{'' if active is None else active}{cut}{'' if elapsed is None else elapsed}{cut}{order}{cut}"
        f"{'' if received is None else names[received]}"
    )


_FLAG = {True: "yes", False: "no"}


def _quote_defused(cell: str) -> str:
    return quote_csv(defuse_formula(cell))


def quote_csv(cell: str) -> str:
    r"""Quote a cell of a CSV file if necessary.

    >>> quote_csv("plain"), quote_csv('say "yes", then'), quote_csv("")
    ('plain', '"say ""yes"", then"', '')
    """
    if QUOTED_CHARACTERS.isdisjoint(cell):
        return cell
    return '"' + cell.replace('"', '""') + '"'


def escape_tsv(text: str) -> str:
    r"""Escape a cell of a TSV file.

    >>> escape_tsv("a\tb"), escape_tsv("\\")
    ('a\\tb', '\\\\')
    """
    return text.translate(TSV_ESCAPES)
