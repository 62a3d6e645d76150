"""Slow, obvious versions of what the compiled loops count, to compare with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from hypothesis import strategies as st

# Short and long words, equal in their first bytes, in several scripts; a letter composed and not.
WORDS = [
    "a", "b", "the", ".", ",", "naïve", "Straße", "日本語", "日本", "internationalisation",
    "internationalization",
    "x" * 40, "x" * 39 + "y", "é", "e\u0301", "😀", "😁", "Ω", "كتاب", "3,000.50", "(so)", "re-do",
]  # fmt: skip
SPACES = [" ", " ", " ", "\t", "\u00a0", "\u3000", "\u2009", "\u2028", "\x1f", "\x85", "  ", "\r", "\x0b"]

word_lists = st.lists(st.sampled_from(WORDS), max_size=12) | st.lists(st.sampled_from("abc"), max_size=80)


@st.composite
def lines(draw: st.DrawFn) -> str:
    """Words with any white space between and around them."""
    return "".join(word + draw(st.sampled_from(SPACES)) for word in draw(word_lists))


@st.composite
def sets(draw: st.DrawFn, max_references: int = 3) -> tuple[list[list[str]], list[list[str]]]:
    """References and systems of a few segments."""
    segments = draw(st.integers(1, 3))

    def texts(most: int) -> list[list[str]]:
        size = draw(st.integers(1, most))
        return [[draw(lines()) for _ in range(segments)] for _ in range(size)]

    return texts(max_references), texts(2)


def distance(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1]


def bag_errors(a: Sequence[str], b: Sequence[str]) -> int:
    return max(len(a), len(b)) - sum((Counter(a) & Counter(b)).values())


def ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def clipped(words: Sequence[str], references: Sequence[Sequence[str]], n: int) -> int:
    known = [ngrams(reference, n) for reference in references]
    return sum(min(count, max(k[gram] for k in known)) for gram, count in ngrams(words, n).items())


def common(a: Sequence[str], b: Sequence[str]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def weighted_common(a: Sequence[str], b: Sequence[str], weight: float) -> float:
    """The pseudo-code of Lin 2004, section 4."""
    value = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    run = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                k = run[i - 1][j - 1]
                value[i][j] = value[i - 1][j - 1] + (k + 1) ** weight - k**weight
                run[i][j] = k + 1
            else:
                value[i][j] = max(value[i - 1][j], value[i][j - 1])
    return value[-1][-1]


def matches_and_chunks(words: Sequence[str], reference: Sequence[str]) -> tuple[int, int]:
    """From the end, each word with the last free equal one."""
    free = list(range(len(reference)))
    pairs = []
    for i in reversed(range(len(words))):
        for j in reversed(free):
            if words[i] == reference[j]:
                pairs.append((i, j))
                free.remove(j)
                break
    pairs.sort()
    chunks = sum((i - 1, j - 1) not in pairs for i, j in pairs)
    return len(pairs), chunks


def nist_matches(
    words: Sequence[str], references: Sequence[Sequence[str]], corpus: Sequence[Sequence[str]], n: int
) -> float:
    """Information of the clipped matches of one order, weights from ``corpus``."""
    counts = Counter(
        gram for line in corpus for size in (n - 1, n) if size for gram in ngrams(line, size).elements()
    )
    total = sum(map(len, corpus))
    result = 0.0
    for gram, count in ngrams(words, n).items():
        shared = min(count, max(ngrams(r, n)[gram] for r in references))
        if shared:
            whole = counts[gram[:-1]] if n > 1 else total
            result += shared * math.log2(max(whole, 1) / max(counts[gram], 1))
    return result
