"""``manage.py train svm`` and ``train combination``: files in, a model file and a summary out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.problems import InputError, Problem
from metrics import datasets
from metrics.base import MetricUnavailable, Segment
from metrics.datasets import Comparisons, Dataset, FloatArray
from metrics.learned import examples as ex
from metrics.learned import features, grid, models
from metrics.learned.combination import STRENGTH, JudgedTable, Weights, cross_validate, tune
from metrics.learned.features import Preparation
from metrics.learned.scaling import KINDS, Scaling
from metrics.learned.svm import Labelled
from metrics.metaeval.kendall import TieRule, outcome_counts, tau
from metrics.nbest import SEPARATOR, read_nbest
from metrics.parallel import check_parallel, read_lines
from metrics.registry import UnknownMetric

Options = dict[str, Any]  # Any: argparse's values
Note = Callable[[str], None]
LEAST = {"seed": 0, "limit": 2, "refine": 0, "references_per_example": 1}
MOST_EXAMPLES = 14_120  # the thesis's training set; a Gram matrix of them takes 1.6 GB


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """One set of files, read."""

    name: str
    dataset: Dataset
    human: Comparisons | None
    files: tuple[Path, ...]


def add_trainers(kinds: Any) -> None:  # Any: argparse's private class of subparsers
    """Make ``svm`` and ``combination`` known to the command."""
    svm = kinds.add_parser("svm", help="human or machine? A support vector machine over a grid")
    _add_sets(svm)
    svm.add_argument("--features", default="basic", help="basic, extended, rich, or names with commas")
    svm.add_argument("--grid", default="basic", help="basic, extended, or C,C,…:σ,σ,…")
    svm.add_argument("--scaling", choices=KINDS, default="standard", help="how features are scaled")
    svm.add_argument("--refine", type=int, default=0, help="rounds of refinement where accuracy jumps")
    svm.add_argument(
        "--classes",
        choices=["auto", "translators", "ranked"],
        default="auto",
        help="human against machine, or winners against losers",
    )
    svm.add_argument("--references-per-example", type=int, help="default: all but the left-out one")
    svm.add_argument("--system", action="append", default=[], help="machine outputs of this system only")
    svm.add_argument(
        "--nbest", metavar="FILE", help="draw machine hypotheses from lists, id ||| text, of the one set"
    )
    svm.add_argument("--limit", type=int, default=MOST_EXAMPLES, help="most training examples")
    svm.set_defaults(train=train_svm)
    combination = kinds.add_parser("combination", help="weights learned from rankings, or the uniform mean")
    _add_sets(combination)
    combination.add_argument("--features", "--metrics", default="rich", help="rich, basic, or metrics")
    combination.add_argument(
        "--method",
        choices=["tuned", "uniform"],
        default="tuned",
        help="weights learnt from rankings, or equal ones",
    )
    combination.add_argument("--strength", type=float, default=STRENGTH, help="C of the regression")
    combination.add_argument("--folds", type=int, default=0, help="also measure τ by cross-validation")
    combination.set_defaults(train=train_combination)


def train_svm(options: Options, note: Note) -> dict[str, object]:
    """Build examples, search the grid, write the best machine."""
    _check_numbers(options)
    names, preparation = _features(options)
    sets = _read_sets(options, judged=options["classes"] == "ranked")
    try:
        kind, training, validation = _examples(sets, options)
        note(f"{len(training)} training and {len(validation)} validation examples, classes: {kind}")
        found = grid.search(
            labelled(training, names, preparation),
            labelled(validation, names, preparation),
            axes=parse_grid(options["grid"]),
            scaling=options["scaling"],
            refine=options["refine"],
            progress=note,
        )
    except (ValueError, MetricUnavailable) as error:
        raise InputError(Problem("cannot_train", str(error))) from error
    thirds = [one.name for one in sets if ex.is_in_thirds(one.dataset.texts)]
    about = models.describe(
        _name(options),
        names,
        preparation,
        training=_provenance(sets)
        | {
            "classes": kind,
            "examples": len(training),
            "validation": len(validation),
            "seed": options["seed"],
        }
        | ({"split_in_thirds": thirds} if thirds else {})
        | ({"nbest_sha256": datasets.digest([options["nbest"]])} if options.get("nbest") else {}),
        grid=[asdict(point) for point in found.points],
        chosen=asdict(found.chosen),
    )
    models.save(models.Model(about["name"], names, preparation, found.machine, about), options["out"])
    return {key: value for key, value in about.items() if key != "definitions"}


def train_combination(options: Options, note: Note) -> dict[str, object]:
    """Learn weights from every decided pair of every set, or give every feature the same weight."""
    _check_numbers(options)
    names, preparation = _features(options)
    sets = _read_sets(options, judged=options["method"] == "tuned" or options["folds"] > 0)
    try:
        tables = []
        for one in sets:
            tables.append(_table(one, names, preparation))
            note(f"{one.name}: {len(tables[-1].rows)} translations, {len(tables[-1].human.better)} pairs")
        weights = (
            _uniform(tables) if options["method"] == "uniform" else tune(tables, strength=options["strength"])
        )
        held_out = _held_out(sets, tables, options) if options["folds"] else None
    except (ValueError, MetricUnavailable) as error:
        raise InputError(Problem("cannot_train", str(error))) from error
    about = models.describe(
        _name(options),
        names,
        preparation,
        training=_provenance(sets) | {"pairs": sum(len(table.human.better) for table in tables)},
        method=options["method"],
        strength=options["strength"] if options["method"] == "tuned" else None,
        held_out_tau_wmt14=held_out,
    )
    models.save(models.Model(about["name"], names, preparation, weights, about), options["out"])
    shown = sorted(zip(names, weights.values.tolist(), strict=True), key=lambda pair: -abs(pair[1]))
    return {key: value for key, value in about.items() if key != "definitions"} | {"weights": dict(shown)}


def parse_grid(text: str) -> grid.Axes:
    """``basic``, ``extended``, or the values of C and of σ.

    >>> parse_grid("1,10:0.5,2")
    ((1.0, 10.0), (0.5, 2.0))
    """
    if text in grid.GRIDS:
        return grid.GRIDS[text]
    try:
        cs, sigmas = (tuple(float(value) for value in part.split(",")) for part in text.split(":"))
    except ValueError as error:
        raise ValueError(f"a grid is basic, extended or C,C,…:σ,σ,…, not {text!r}") from error
    return cs, sigmas


def _add_sets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", action="append", default=[], metavar="DIR/PREFIX", help="may be repeated")
    for name in ("segments", "outputs", "rankings", "pairs"):
        parser.add_argument(f"--{name}", metavar="FILE")
    parser.add_argument(
        "--references",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="further references of --segments, one line a segment",
    )
    parser.add_argument("--out", required=True, metavar="FILE")
    parser.add_argument("--name", help="the metric's name; default: the file's")
    parser.add_argument("--tokenize", default="13a")
    parser.add_argument("--lowercase", action="store_true")
    parser.add_argument("--seed", type=int, default=1)


def _check_numbers(options: Options) -> None:
    for name, least in LEAST.items():
        if options.get(name) is not None and options[name] < least:
            option = f"--{name.replace('_', '-')}"
            raise InputError(Problem("bad_value", f"{option} counts from {least}, not {options[name]}"))


def _read_sets(options: Options, *, judged: bool) -> list[TrainingSet]:
    groups = [datasets.find_set(prefix) for prefix in options["set"]]
    labels = ["/".join(Path(prefix).parts[-2:]) for prefix in options["set"]]  # cs-en of which year?
    if options["segments"] or options["outputs"]:
        if not (options["segments"] and options["outputs"]):
            raise InputError(Problem("missing_file", "--segments and --outputs belong together"))
        paths = {key: Path(options[key]) if options[key] else None for key in ("rankings", "pairs")}
        groups.append(datasets.SetFiles(Path(options["segments"]), Path(options["outputs"]), **paths))
        labels.append(Path(options["segments"]).name)
    elif options["references"]:
        raise InputError(Problem("missing_file", "--references belong to the segments of --segments"))
    if not groups:
        raise InputError(Problem("missing_file", "name a set: --set DIR/PREFIX, or --segments and --outputs"))
    found = [_read_set(label, files, judged) for label, files in zip(labels, groups, strict=True)]
    return [*found[:-1], _with_references(found[-1], options["references"])]


def _with_references(one: TrainingSet, paths: Sequence[str]) -> TrainingSet:
    """The set with further references, line i belonging to segment i of its file."""
    if not paths:
        return one
    files = {str(one.files[0]): list(one.dataset.texts)} | {path: read_lines(path) for path in paths}
    check_parallel(files)
    texts = {
        name: replace(text, references=text.references + tuple(line for line in lines if line.strip()))
        for (name, text), *lines in zip(
            one.dataset.texts.items(), *(files[path] for path in paths), strict=True
        )
    }
    names = (*one.dataset.reference_names, *(Path(path).name for path in paths))
    dataset = replace(one.dataset, texts=texts, reference_names=names)
    return replace(one, dataset=dataset, files=(*one.files, *map(Path, paths)))


def _read_set(label: str, files: datasets.SetFiles, judged: bool) -> TrainingSet:
    dataset = datasets.read_dataset(files.segments, files.outputs)
    human = datasets.read_human(files, dataset) if judged or files.rankings or files.pairs else None
    return TrainingSet(label, dataset, human, files.all())


def _features(options: Options) -> tuple[tuple[str, ...], Preparation]:
    try:
        preparation = Preparation(options["tokenize"], options["lowercase"])
        names = features.named(options["features"])
        features.check(names)
        features.signatures(names, preparation)
    except (UnknownMetric, MetricUnavailable, ValueError) as error:
        raise InputError(Problem("unknown_feature", str(error))) from error
    return names, preparation


def _examples(
    sets: Sequence[TrainingSet], options: Options
) -> tuple[str, list[ex.Example], list[ex.Example]]:
    kind = options["classes"]
    if kind == "auto":
        several = all(len(text.references) > 1 for one in sets for text in one.dataset.texts.values())
        kind = "translators" if several else "ranked"
    if options.get("nbest") and (kind != "translators" or len(sets) != 1):
        raise ex.TooFewExamples("n-best lists go with one set that has several references a segment")
    training: list[ex.Example] = []
    validation: list[ex.Example] = []
    for one in sets:
        if kind == "translators":
            found = ex.translator_examples(
                one.dataset,
                seed=options["seed"],
                references=options["references_per_example"],
                systems=options["system"],
                n_best=_lists(options["nbest"], one.dataset) if options.get("nbest") else None,
            )
        elif one.human is None:
            raise ex.TooFewExamples(f"{one.name} has one reference and no rankings: nothing to learn from")
        else:
            found = ex.ranked_examples(one.dataset, one.human, seed=options["seed"])
        parts = ex.split(found)
        training += parts[0]
        validation += parts[1]
    limit = options["limit"]
    return (
        kind,
        ex.sample(training, limit, seed=options["seed"]),
        ex.sample(validation, max(2, limit // 2), seed=options["seed"]),
    )


def _lists(path: str, dataset: Dataset) -> dict[str, list[str]]:
    """N-best lists by segment; ids count the segments in the order of the file."""
    names = list(dataset.texts)
    found: dict[str, list[str]] = {}
    for number, rows in read_nbest(Path(path), len(names)):
        found.setdefault(names[number], []).extend(row.split(SEPARATOR)[1] for row in rows)
    return found


def labelled(found: Sequence[ex.Example], names: tuple[str, ...], preparation: Preparation) -> Labelled:
    """The features of examples with their classes."""
    rows = features.compute(names, [example.segment for example in found], preparation)
    return Labelled(rows, np.array([1 if example.human else -1 for example in found], dtype=np.int64))


def _table(one: TrainingSet, names: tuple[str, ...], preparation: Preparation) -> JudgedTable:
    """Features of the judged cells only; the rest of a large set says nothing about weights."""
    dataset, human = one.dataset, one.human
    empty = np.empty(0, dtype=np.int64)
    human = human or Comparisons(empty, empty, empty.reshape(0, 2))
    judged = np.unique(np.concatenate([human.better, human.worse]))
    cells = judged if len(judged) else np.arange(len(dataset.cells))
    place = np.full(len(dataset.cells), -1)
    place[cells] = np.arange(len(cells))
    segments = [_segment(dataset, cell) for cell in cells.tolist()]
    rows: FloatArray = features.compute(names, segments, preparation)
    verdicts = Comparisons(place[human.better], place[human.worse], empty.reshape(0, 2))
    return JudgedTable(rows, verdicts, ex.document_numbers(dataset, cells))


def _segment(dataset: Dataset, cell: int) -> Segment:
    _, name, translation = dataset.cells[cell]
    text = dataset.texts[name]
    return Segment(translation, text.references, text.source)


def _uniform(tables: Sequence[JudgedTable]) -> Weights:
    """Equal weights on features stretched over 0 … 1 of the training sets, so that a segment stands alone."""
    scaling = Scaling.fit(np.concatenate([table.rows for table in tables]), "minmax")
    columns = len(scaling.width)
    return Weights(np.full(columns, 1 / columns), scaling)


def _held_out(
    sets: Sequence[TrainingSet], tables: Sequence[JudgedTable], options: Options
) -> dict[str, float | None]:
    scores = cross_validate(tables, folds=options["folds"], strength=options["strength"])
    found: dict[str, float | None] = {}
    for one, table, values in zip(sets, tables, scores, strict=True):
        counts = outcome_counts(values, table.human, table.documents).sum(axis=0)
        found[one.name] = float(tau(counts, TieRule.WMT14)) if counts.sum() else None
    return found


def _provenance(sets: Sequence[TrainingSet]) -> dict[str, object]:
    files = [path for one in sets for path in one.files]
    return {"sets": [one.name for one in sets], "sha256": datasets.digest(files)}


def _name(options: Options) -> str:
    return options["name"] or Path(options["out"]).name.split(".")[0]
