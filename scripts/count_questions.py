"""How many questions random pairs of system outputs ask, of which kinds, and how many of them are silly.

    python -m scripts.count_questions --set DIR/PREFIX --count 500 --seed 1

Prints the two tables of ``docs/results/alignment.md``: phrases and questions by option, and questions that
nobody should be asked, by category, as imports cut the sentences. No text of the set is printed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import mean, median, quantiles

from evaluation.alignment import Kind, Phrase, PhraseAlignment, align, load_aligner
from evaluation.alignment.pairs import select_asked
from evaluation.alignment.question_rules import QuestionSize
from evaluation.alignment.vocabulary import is_content
from evaluation.tasks.planning import Planner
from evaluation.tokens import strip_punctuation, tokenize
from scripts.sampled_pairs import Sampled, add_arguments, read_sample

OPTIONS: dict[str, tuple[str, ...]] = {
    "none": (),
    "`join`": ("join",),
    "`ignore_punctuation`": ("ignore_punctuation",),
    "`join`, `ignore_case`": ("join", "ignore_case"),
    "all three, as imports do": ("join", "ignore_case", "ignore_punctuation"),
}
SHORT = 4
"""The most shared words between two questions about one thing."""

Words = tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_arguments(parser, count=500)
    options = parser.parse_args(arguments)
    samples = read_sample(options)
    print("\n".join([*by_option(samples, options.language), "", *silly(samples, options.language)]))


def by_option(samples: Sequence[Sampled], language: str) -> list[str]:
    lines = [
        "| option | phrases | questions a pair (median) | ε | moved | words a question | longest |",
        "|---|---|---|---|---|---|---|",
    ]
    words = load_aligner("lexical", language)
    for name, chosen in OPTIONS.items():
        cut = [
            align(
                *[tokenize(text, language) for text in sample.outputs.values()],
                aligner=words,
                join="join" in chosen,
                ignore_case="ignore_case" in chosen,
                ignore_punctuation="ignore_punctuation" in chosen,
            )
            for sample in samples
        ]
        lines.append(f"| {name} | {' | '.join(_row(cut))} |")
    counts = [len(select_asked(alignment)) for alignment in cut]
    low, _, high = quantiles(counts, n=4)
    lengths = [_length(phrase) for alignment in cut for phrase in list_questions(alignment)]
    shared = sum(_length(p) for x in cut for p in x.phrases if p.kind is Kind.SHARED)
    tokens = mean([len(side) for x in cut for side in (x.a, x.b)])
    return [
        *lines,
        "",
        f"{len(cut)} pairs, {tokens:.1f} tokens a sentence. As imports do it: half of the pairs have "
        f"{low:.0f} to {high:.0f} questions, the most is {max(counts)}; {counts.count(0)} ask nothing; "
        f"{lengths.count(1) / len(lengths):.0%} of the questions are about one word; "
        f"{2 * shared / sum(len(x.a) + len(x.b) for x in cut):.0%} of the words are shared.",
    ]


def _row(cut: Sequence[PhraseAlignment]) -> list[str]:
    counts = [len(select_asked(alignment)) for alignment in cut]
    found = [phrase for alignment in cut for phrase in list_questions(alignment)]
    lengths = [_length(phrase) for phrase in found]
    return [
        f"{mean([len(alignment.phrases) for alignment in cut]):.1f}",
        f"{mean(counts):.1f} ({median(counts):.0f})",
        f"{mean([phrase.a is None or phrase.b is None for phrase in found]):.0%}",
        f"{mean([phrase.moved for phrase in found]):.0%}",
        f"{mean(lengths):.1f}",
        f"{max(lengths)}",
    ]


def list_questions(alignment: PhraseAlignment) -> list[Phrase]:
    return [alignment.phrases[number] for number in select_asked(alignment)]


def _length(phrase: Phrase) -> int:
    """Words of the longer side."""
    return max(end - start for start, end in (phrase.a or (0, 0), phrase.b or (0, 0)))


def silly(samples: Sequence[Sampled], language: str) -> list[str]:
    planner = Planner(language, size=QuestionSize.PHRASE)
    counts: Counter[str] = Counter()
    for sample in samples:
        alignment = sample.align(planner)
        counts["all questions"] += len(select_asked(alignment))
        for name, test in CATEGORIES.items():
            counts[name] += test(alignment)
    return ["| category | questions |", "|---|---|", *[f"| {name} | {n:,} |" for name, n in counts.items()]]


# --- the categories: how many questions of an alignment are of each -----------------------------------------


def sides(alignment: PhraseAlignment, phrase: Phrase) -> tuple[Words, Words]:
    """The words of both sides in lower case, without punctuation."""
    return _words(alignment.a, phrase.a), _words(alignment.b, phrase.b)


def _words(tokens: Words, span: tuple[int, int] | None) -> Words:
    return tuple(
        [word.lower() for token in tokens[slice(*span or (0, 0))] for word in strip_punctuation(token)]
    )


def _each(test: Callable[[Phrase, Words, Words], bool]) -> Callable[[PhraseAlignment], int]:
    """A category that one question alone belongs to."""
    return lambda alignment: sum(
        test(phrase, *sides(alignment, phrase)) for phrase in list_questions(alignment)
    )


def _missing_twice(alignment: PhraseAlignment) -> int:
    """Words that only A has at one place and only B at another: pairs of questions."""
    runs = [(p.kind, sides(alignment, p)) for p in list_questions(alignment)]
    only_a = Counter([a for kind, (a, _) in runs if kind is Kind.A_ONLY])
    only_b = Counter([b for kind, (_, b) in runs if kind is Kind.B_ONLY])
    return (only_a & only_b).total()


def _around(alignment: PhraseAlignment) -> int:
    """What one sentence says before a short shared phrase and the other after it: pairs of questions."""
    found = 0
    for left, middle, right in zip(
        alignment.phrases, alignment.phrases[1:], alignment.phrases[2:], strict=False
    ):
        opposite = {left.kind, right.kind} == {Kind.A_ONLY, Kind.B_ONLY}
        if opposite and middle.kind is Kind.SHARED and not middle.moved and _length(middle) <= SHORT:
            texts = [x or y for x, y in (sides(alignment, left), sides(alignment, right))]
            found += all(any(map(is_content, text)) for text in texts)
    return found


def _count_exchanged(alignment: PhraseAlignment) -> int:
    """Neighbours that only changed places, both asked about: pairs of questions."""
    moved = [(p.a, p.b) for p in list_questions(alignment) if p.moved and p.a and p.b]
    two_sided = [(p.a, p.b) for p in alignment.phrases if p.a and p.b]
    orders = [
        {pair: place for place, pair in enumerate(sorted(two_sided, key=lambda p: p[side]))}
        for side in (0, 1)
    ]
    return sum(
        abs(orders[0][x] - orders[0][y]) == 1 and orders[0][x] - orders[0][y] == orders[1][y] - orders[1][x]
        for x, y in combinations(moved, 2)
    )


CATEGORIES: dict[str, Callable[[PhraseAlignment], int]] = {
    "nothing but punctuation on one side, nothing on the other": _each(
        lambda p, a, b: not (a or b) and not (p.a and p.b)
    ),
    "punctuation against words": _each(lambda p, a, b: bool(p.a and p.b) and bool(a) != bool(b)),
    "two sides that differ in punctuation only, not moved": _each(
        lambda p, a, b: bool(p.a and p.b) and a == b and not p.moved
    ),
    "equal letters, other spaces or marks (`percent`, `per cent`)": _each(
        lambda p, a, b: a != b and "".join(a) == "".join(b)
    ),
    "a number alone that moved": _each(lambda p, a, b: p.moved and a == b and len(a) == 1 and a[0].isdigit()),
    "a function word alone that moved": _each(
        lambda p, a, b: p.moved and a == b and len(a) == 1 and not is_content(a[0])
    ),
    "the same words missing at two places, two questions": _missing_twice,
    "content words before a short shared phrase here, after it there, two questions": _around,
    "neighbours that changed places, two questions": _count_exchanged,
}

if __name__ == "__main__":
    main()
