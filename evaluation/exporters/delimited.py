"""CSV, TSV and the spreadsheet's CSV.

CSV and TSV hold every text verbatim. A spreadsheet would run a cell that begins with ``=`` as a formula, so
there is a third, labelled format in which such cells begin with an apostrophe.

The texts of a pair are quoted once, not once for each answer; the rest of a row is numbers and known words.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence

from evaluation.exporters.model import COLUMNS, AnswerRow, AskedPair, Once

BLOCK = 500  # pairs written together
RISKY = frozenset(("=", "+", "-", "@", "\t", "\r", "\0"))
Quote = Callable[[str], str]


def as_csv(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """RFC 4180 with a header and line feeds; a withdrawn answer has an empty label."""
    return _written(pairs, quoted, ",", "\n")


def as_spreadsheet(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """For spreadsheets: a byte order mark, carriage returns, and no cell that could be a formula."""
    yield "\ufeff"
    yield from _written(pairs, _harmless, ",", "\r\n")


def as_tsv(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """Tabs between cells and nothing quoted; line breaks and tabs inside a text become ``\\n``, ``\\t``.

    A backslash of the text is doubled, so that every text can be read back exactly.
    """
    return _written(pairs, escaped, "\t", "\n")


def _written(pairs: Iterable[AskedPair], quote: Quote, cut: str, end: str) -> Iterator[str]:
    yield cut.join(COLUMNS) + end
    names = Once(quote)
    for block in _blocks(pairs):
        lines = []
        for pair in block:
            start = cut.join(_start(pair, names, quote))
            lines += [f"{start}{cut}{_rest(answer, names, cut)}{end}" for answer in pair.answers]
        yield "".join(lines)


def _start(pair: AskedPair, names: Once, quote: Quote) -> tuple[str, ...]:
    """The pair's part of a row: names recur from pair to pair, texts do not."""
    task, item, document, key, kind, first, second, one, other, check = pair.cells
    return (
        names[task], quote(item), names[document], quote(key), names[kind],
        quote(first), quote(second), names[one], names[other], names[check],
    )  # fmt: skip


def _rest(answer: AnswerRow, names: Once, cut: str) -> str:
    """The answer's part of a row; only the annotator's name could need quotes."""
    who, time, version, current, label, left, surplus, alignment, active, elapsed, order, received = answer
    return (
        f"{names[who]}{cut}{time}{cut}{version}{cut}{_FLAG[current]}{cut}{label or ''}{cut}{left}{cut}"
        f"{_FLAG[surplus]}{cut}{'' if alignment is None else alignment}{cut}"
        f"{'' if active is None else active}{cut}{'' if elapsed is None else elapsed}{cut}{order}{cut}"
        f"{'' if received is None else names[received]}"
    )


_FLAG = {True: "yes", False: "no"}


def defused(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula.

    >>> defused("=1+1"), defused("- Ja"), defused("a=b")
    ("'=1+1", "'- Ja", 'a=b')
    """
    return f"'{cell}" if cell[:1] in RISKY else cell


def _harmless(cell: str) -> str:
    return quoted(defused(cell))


def quoted(cell: str) -> str:
    r"""A cell of a CSV file.

    >>> quoted("plain"), quoted('say "yes", then'), quoted("")
    ('plain', '"say ""yes"", then"', '')
    """
    if '"' in cell or "," in cell or not cell.isprintable():
        text: str = _writer.writerow((cell,))
        return text[:-2]
    return cell


class _Echo:
    """A file that hands back what is written."""

    def write(self, text: str) -> str:
        return text


# It quotes the characters of its own line end, so it must know both of them.
_writer = csv.writer(_Echo(), lineterminator="\r\n")


def escaped(text: str) -> str:
    r"""A cell of a TSV file.

    >>> escaped("a\tb"), escaped("\\")
    ('a\\tb', '\\\\')
    """
    if "\\" in text or not text.isprintable():
        for sign, name in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
            text = text.replace(sign, name)
    return text


def _blocks(pairs: Iterable[AskedPair]) -> Iterator[Sequence[AskedPair]]:
    block: list[AskedPair] = []
    for pair in pairs:
        block.append(pair)
        if len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block
