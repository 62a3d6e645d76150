"""Word matching and phrase alignment: ours against the matcher of NLTK's METEOR, on the same sentence pairs.

The peer is ``nltk.translate.meteor_score.align_words`` (exact, stem, synonym). Both sides get the same
resources: both with WordNet where it is installed, or both without synonyms. Ours does more in its time:
case and spelling stages, the fewest crossings, and in the full job the phrases as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.base import Result, race
from benchmarks.corpus import corpus
from evaluation.alignment import align
from evaluation.alignment.lexical import LexicalAligner
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import group_questions
from evaluation.alignment.word_classes import find_classes
from evaluation.alignment.wordnet import find_wordnet

SentencePair = tuple[tuple[str, ...], tuple[str, ...]]
Matcher = Callable[[Sequence[str], Sequence[str]], object]

DEMANDED = 5.0
ROUNDS, TURN = 5, 100
SECONDS = 60.0  # for 36,036 pairs, matched and cut into questions
# NLTK insists on the file ``lexnames``, which Debian leaves out: 45 numbered names with their part of speech.
_LEXNAMES = "".join(
    f"{n:02}\tname.{n}\t{3 if n < 3 else 1 if n < 29 else 2 if n < 44 else 3}\n" for n in range(45)
)


def run() -> list[Result]:
    """The ratio is demanded of the matcher as NLTK ships it, with synonyms; without them it is reported."""
    pairs = sentence_pairs(100)
    plain = LexicalAligner("en", synonyms=False)
    results = [_against_nltk("match words, no synonyms", pairs, _nltk_plain(), plain, None)]
    if (wordnet := find_wordnet()) is not None:
        with TemporaryDirectory() as folder:
            peer = _nltk_wordnet(wordnet.folder, Path(folder))
            results.append(_against_nltk("match words, WordNet", pairs, peer, LexicalAligner("en"), DEMANDED))
    return [*results, whole_task()]


def sentence_pairs(segments: int = 3003) -> list[SentencePair]:
    """Each of twelve systems beside the next one: segments × 12 pairs of about 25 tokens."""
    systems = [[tuple(line.split()) for line in lines] for lines in corpus().systems]
    return [
        (one, other)
        for left, right in zip(systems, systems[1:] + systems[:1], strict=True)
        for one, other in zip(left[:segments], right[:segments], strict=True)
    ]


def whole_task() -> Result:
    """3,003 × 12 pairs from words to questions, from a cold start, against the limit in seconds."""
    pairs = sentence_pairs()
    start = time.process_time()
    aligner, rules = LexicalAligner("en"), QuestionRules(find_classes("en"))
    for a, b in pairs:
        group_questions(align(a, b, aligner=aligner, ignore_case=True, ignore_punctuation=True), rules)
    spent = time.process_time() - start
    ratio = SECONDS / spent
    return Result("cut 36,036 pairs into questions", "limit of 60 s", "s", spent, SECONDS, ratio, ratio, 1.0)


def _against_nltk(
    job: str, pairs: Sequence[SentencePair], nltk: Matcher, ours: LexicalAligner, demanded: float | None
) -> Result:
    _check_agreement(nltk, ours)
    for a, b in pairs:  # a task learns its words once; ``whole_task`` counts that too
        ours.links(a, b)
    mine, theirs = _rounds(pairs, ours.links, nltk)
    ratios = [y / x for x, y in zip(mine, theirs, strict=True)]
    scale = 1e6 / len(pairs)
    return Result(
        job,
        "nltk.meteor_score",
        "µs a pair",
        min(mine) * scale,
        min(theirs) * scale,
        min(ratios),
        median(ratios),
        demanded,
    )


def _rounds(pairs: Sequence[SentencePair], ours: Matcher, theirs: Matcher) -> tuple[list[float], list[float]]:
    """CPU seconds of five rounds over all pairs; the two take turns every hundred pairs.

    On a busy machine a core is fast in one second and slow in the next, so long turns compare the seconds.
    """
    rounds: tuple[list[float], list[float]] = ([0.0] * ROUNDS, [0.0] * ROUNDS)
    for start in range(0, len(pairs), TURN):
        turn = pairs[start : start + TURN]
        taken = race(partial(_all, ours, turn), partial(_all, theirs, turn), ROUNDS)
        for kept, spent in zip(rounds, taken, strict=True):
            kept[:] = [x + y for x, y in zip(kept, spent, strict=True)]
    return rounds


def _all(matcher: Matcher, pairs: Sequence[SentencePair]) -> None:
    for a, b in pairs:
        matcher(a, b)


def _check_agreement(nltk: Matcher, ours: LexicalAligner) -> None:
    """Where every word occurs once and none has moved, there is one right answer."""
    a, b = (
        ["the", "old", "houses", "burned", "near", "our", "village"],
        ["the", "house", "burning", "near", "this", "village"],
    )
    expected = [(0, 0), (2, 1), (3, 2), (4, 3), (6, 5)]
    answer = nltk(a, b)
    found = sorted(answer[0]) if isinstance(answer, tuple) else answer
    if found != expected or list(ours.links(a, b)) != expected:
        raise ValueError(f"the matchers disagree: {found}, {ours.links(a, b)}")


def _nltk_plain() -> Matcher:
    from nltk.stem.porter import PorterStemmer
    from nltk.translate.meteor_score import align_words

    class NoSynonyms:
        def synsets(self, word: str) -> list[object]:
            return []

    stemmer, wordnet = PorterStemmer(), NoSynonyms()
    return lambda a, b: align_words(a, b, stemmer=stemmer, wordnet=wordnet)


def _nltk_wordnet(files: Path, folder: Path) -> Matcher:
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.stem.porter import PorterStemmer
    from nltk.translate.meteor_score import align_words

    root = folder / "corpora" / "wordnet"
    root.mkdir(parents=True)
    for source in files.iterdir():
        (root / source.name).write_bytes(source.read_bytes())
    (root / "lexnames").write_text(_LEXNAMES)
    (root / "index.sense").touch()  # only for maps between versions of WordNet; Debian packs it apart
    nltk.data.path.insert(0, str(folder))
    wordnet, stemmer = WordNetCorpusReader(str(root), None), PorterStemmer()
    wordnet.synsets("house")  # load it before the race
    return lambda a, b: align_words(a, b, stemmer=stemmer, wordnet=wordnet)


if __name__ == "__main__":
    for result in run():
        print(result)
