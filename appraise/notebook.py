"""The methods of Appraise as plain functions for notebooks and scripts: no site, no database, no set-up.

Every function takes a frame and returns one of the same kind: of pandas, of polars, or a list of
dictionaries. For a dictionary of columns it returns a list. Missing values are ``None`` or NaN.

    from appraise import notebook
    notebook.agreement(judgements, labels="four-way")

``metrics`` and ``votes`` compute metrics and need the extra ``metrics``; the others need NumPy only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.agreement import Chance, Judgements, compute_agreement
from evaluation.agreement.report import build_coefficient_table
from evaluation.alignment import PhraseAlignment, align, load_aligner
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import PhraseGroup, group_questions, list_runs
from evaluation.alignment.values import Span
from evaluation.alignment.word_classes import WordClasses
from evaluation.assessments.scores import ScoreColumns
from evaluation.assessments.summary import RatingOptions, summarise_ratings
from evaluation.assessments.values import OutputRating
from evaluation.presentation import ShownPhrase, Stave
from evaluation.schemes import SCHEMES
from evaluation.tokens import offsets, words
from metrics import registry
from metrics.base import Metric, make_segments, score_systems
from metrics.scoring.phrase_votes import choose_from_delta, compute_delta, exchange_phrases

Frame = Any  # a frame of pandas or polars, neither of which needs to be installed; dictionaries otherwise
Row = dict[str, Any]  # Any: cells are texts and numbers


def agreement(
    frame: Frame,
    labels: str | Sequence[str],
    *,
    chance: str = "fixed",
    resamples: int = 1000,
    seed: int = 1,
) -> Frame:
    """Coefficients of agreement, with intervals over sentences.

    ``frame`` has the columns ``annotator``, ``item``, ``label`` and, if items belong together, ``sentence``.
    ``labels`` is the name of a scheme, or all labels that could be chosen, in order.

    >>> votes = [("ann", 1, "A>B"), ("bob", 1, "A>B"), ("ann", 2, "A=B"), ("bob", 2, "A<B")]
    >>> frame = [{"annotator": who, "item": item, "label": label} for who, item, label in votes]
    >>> [(row["coefficient"], row["value"]) for row in agreement(frame, "four-way", resamples=0)][0]
    ('P(A)', 0.5)
    """
    columns = _read(frame, "annotator", "item", "label", optional=("sentence",))
    scheme = SCHEMES[labels] if isinstance(labels, str) else None
    names = scheme.labels if scheme else tuple(labels)
    judgements = Judgements.from_rows(zip(*columns.values(), strict=True), names)
    report = compute_agreement(judgements, scheme, chance=Chance(chance), resamples=resamples, seed=seed)
    table = build_coefficient_table(report)
    return _write([dict(zip(table.columns, row, strict=True)) for row in table.rows], frame)


def alignment(frame: Frame, *, language: str = "", aligner: str = "lexical") -> Frame:
    """The phrases of pairs of sentences: ``a`` and ``b`` of each, and whether they are shared.

    >>> for row in alignment([{"a": "the red house", "b": "the blue house"}]):
    ...     print(row["pair"], row["phrase"], row["a"], row["b"], row["kind"])
    0 0 the the shared
    0 1 red blue different
    0 2 house house shared
    """
    rows: list[Row] = []
    for pair, (aligned, _, a, b) in enumerate(_align(frame, language, aligner)):
        for number, phrase in enumerate(aligned.phrases):
            texts = {"a": a.slice(phrase.a), "b": b.slice(phrase.b)}
            rows.append({"pair": pair, "phrase": number, **texts, "kind": str(phrase.kind)})
    return _write(rows, frame)


def questions(frame: Frame, *, language: str = "", aligner: str = "lexical") -> Frame:
    """What annotators would be asked about pairs of sentences; parts of a question are joined by “…”.

    >>> questions([{"a": "they sold the small garden house", "b": "they sold a little summer house"}])
    [{'pair': 0, 'question': 0, 'a': 'the small garden', 'b': 'a little summer', 'kind': 'different'}]
    """
    rows: list[Row] = []
    for pair, (aligned, groups, a, b) in enumerate(_align(frame, language, aligner)):
        for number, group in enumerate(groups):
            rows.append({"pair": pair, "question": number, **_show(aligned, group, a, b)})
    return _write(rows, frame)


def metrics(frame: Frame, names: Sequence[str], *, by_segment: bool = False) -> Frame:
    """Score systems by metrics; ``registry.list_names`` and ``appraise score --list`` name them.

    ``frame`` has a row for each output: ``system``, ``output``, ``reference`` and, if the metric reads it,
    ``source``; all systems translated the same segments in the same order. The result has a row for each
    system and metric, or for each of their segments.

    >>> frame = {"system": ["north"], "output": ["the red house"], "reference": ["the blue house"]}
    >>> metrics(frame, ["wer"])
    [{'system': 'north', 'metric': 'wer', 'score': 0.3333333333333333}]
    """
    columns = _read(frame, "system", "output", optional=("reference", "source"))
    outputs: dict[str, list[str]] = {}
    for system, output in zip(columns["system"], columns["output"], strict=True):
        outputs.setdefault(system, []).append(output)
    first = [row for row, system in enumerate(columns["system"]) if system == columns["system"][0]]
    references, sources = (
        [columns[name][row] for row in first] if name in columns else None for name in ("reference", "source")
    )
    rows: list[Row] = []
    for name in names:
        scored = score_systems(registry.parse(name), outputs, [references] if references else [], sources)
        for system, scores in scored.items():
            row = {"system": system, "metric": name}
            if by_segment:
                rows += [row | {"segment": n, "score": float(v)} for n, v in enumerate(scores.segments)]
            else:
                rows.append(row | {"score": scores.corpus})
    return _write(rows, frame)


def ratings(frame: Frame, *, resamples: int = 1000, seed: int = 1) -> Frame:
    """Rank systems by the scores of people, as WMT does: means, intervals, ranges of ranks and clusters.

    ``frame`` has the columns ``annotator``, ``system``, ``segment`` (a whole number from 0) and ``score``.

    >>> scores = [("ann", "north", 0, 90.0), ("ann", "south", 0, 70.0)]
    >>> frame = [dict(zip(("annotator", "system", "segment", "score"), row)) for row in scores]
    >>> [(row["system"], row["mean"], row["rank_worst"]) for row in ratings(frame)]
    [('north', 90.0, 2), ('south', 70.0, 2)]
    """
    columns = _read(frame, "annotator", "system", "segment", "score")
    values = zip(*columns.values(), strict=True)
    people = [OutputRating(who, system, int(at), score) for who, system, at, score in values]
    scores = ScoreColumns.of(people, lambda rating: rating.score)
    options = RatingOptions(resamples=resamples, seed=seed)
    rows = [
        {
            "system": system.name,
            "mean": system.mean,
            "z": system.z,
            "n": system.n,
            "low": system.interval[0] if system.interval else None,
            "high": system.interval[1] if system.interval else None,
            "rank_best": system.rank.best,
            "rank_worst": system.rank.worst,
            "cluster": system.rank.cluster,
        }
        for system in summarise_ratings("scores", scores, options, scores.standardise()).systems
    ]
    return _write(rows, frame)


def votes(frame: Frame, name: str, *, language: str = "", aligner: str = "lexical") -> Frame:
    """The votes of a metric on the questions of ``questions``, by exchanging their phrases.

    ``frame`` has the columns ``a``, ``b`` and what the metric reads, ``reference`` or ``source``. ``delta``
    is positive where the phrase of ``a`` is better.

    >>> pair = {"a": "the red house", "b": "the blue house", "reference": "the red house"}
    >>> [(vote["a"], vote["b"], vote["vote"]) for vote in votes([pair], "wer")]
    [('red', 'blue', 'A>B')]
    """
    metric = registry.parse(name)
    texts = _read(frame, "a", "b", optional=("reference", "source"))
    rows: list[Row] = []
    for pair, (aligned, groups, a, b) in enumerate(_align(frame, language, aligner)):
        shown = [ShownPhrase(p.a, p.b, p.kind == "shared", False) for p in aligned.phrases]
        beside: dict[str, str] = {key: texts[key][pair] for key in ("reference", "source") if key in texts}
        for number, group in enumerate(groups):
            delta = _measure_delta(metric, exchange_phrases(a, b, shown, group.phrases), beside)
            vote = {"delta": delta, "vote": str(choose_from_delta(delta).value)}
            rows.append({"pair": pair, "question": number, **_show(aligned, group, a, b), **vote})
    return _write(rows, frame)


def _measure_delta(metric: Metric, variants: Sequence[str], beside: Mapping[str, str]) -> float:
    references = [[beside["reference"]] * len(variants)] if "reference" in beside else []
    sources = [beside["source"]] * len(variants) if "source" in beside else None
    scores = metric.score(make_segments(variants, references, sources)).segments.tolist()
    return compute_delta(scores, higher_is_better=metric.higher_is_better)


def _align(
    frame: Frame, language: str, aligner: str
) -> Iterator[tuple[PhraseAlignment, tuple[PhraseGroup, ...], Stave, Stave]]:
    """Yield the alignment, the questions and both sentences of each pair."""
    columns = _read(frame, "a", "b")
    pairs = [
        tuple(Stave(text, offsets(text, language)) for text in both)
        for both in zip(*columns.values(), strict=True)
    ]
    tokens = [(words(a.text, tuple(a.spans)), words(b.text, tuple(b.spans))) for a, b in pairs]
    links = load_aligner(aligner, language, tokens)
    rules = QuestionRules(WordClasses.learn([text for both in tokens for text in both], language))
    for (a, b), both in zip(pairs, tokens, strict=True):
        aligned = align(*both, aligner=links)
        yield aligned, group_questions(aligned, rules), a, b


def _show(aligned: PhraseAlignment, group: PhraseGroup, a: Stave, b: Stave) -> Row:
    sides = {"a": a, "b": b}
    runs: dict[str, tuple[Span, ...]] = {side: list_runs(aligned, group.phrases, side) for side in sides}
    texts = {side: " … ".join(map(sides[side].slice, runs[side])) for side in sides}
    return {**texts, "kind": str(group.kind)}


def _read(frame: Frame, *required: str, optional: Sequence[str] = ()) -> dict[str, list[Any]]:
    """Return the columns as lists; ``ValueError`` names the ones that are missing."""
    if isinstance(frame, Sequence):
        known = {name for row in frame for name in row}
        columns = {name: [row.get(name) for row in frame] for name in known}
    else:
        columns = frame
        known = set(frame if isinstance(frame, Mapping) else frame.columns)
    if missing := [name for name in required if name not in known]:
        raise ValueError(f"expected the columns {', '.join(required)}; missing: {', '.join(missing)}")
    wanted = [*required, *(name for name in optional if name in known)]
    return {name: [_none_if_nan(value) for value in _to_list(columns[name])] for name in wanted}


def _to_list(column: Any) -> list[Any]:  # Any: a series of any library
    return list(column.to_list() if hasattr(column, "to_list") else column)


def _none_if_nan(value: Any) -> Any:  # Any: a cell
    return None if isinstance(value, float) and value != value else value


def _write(rows: list[Row], like: Frame) -> Frame:
    """Return the rows as a frame of the same library."""
    if isinstance(like, Sequence | Mapping):
        return rows
    return type(like)({name: [row[name] for row in rows] for name in (rows[0] if rows else ())})
