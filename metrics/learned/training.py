"""``manage.py train svm`` and ``train combination``: files in, a model file and a summary out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from appraise.lib.problems import InputError
from metrics.base import MetricUnavailable
from metrics.learned import examples as ex, features, models, svm
from metrics.learned.combination import STRENGTH, FeatureWeights, JudgedTable, cross_validate, tune
from metrics.learned.features import SCALINGS, Preparation, Scaling
from metrics.learned.svm import Labelled
from metrics.metaeval import datasets
from metrics.metaeval.datasets import Comparisons, Dataset, FloatArray
from metrics.metaeval.kendall import TieRule, outcome_counts, tau
from metrics.metaeval.text_files import SEPARATOR, check_parallel, read_nbest, read_segments
from metrics.registry import UnknownMetric

Options = dict[str, Any]  # Any: argparse's values
Note = Callable[[str], None]
MINIMA = {"seed": 0, "limit": 2, "refine": 0, "references_per_example": 1}
MAX_EXAMPLES = 14_120  # the thesis's training set; a Gram matrix of them takes 1.6 GB


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The content of one set of files."""

    name: str
    dataset: Dataset
    human: Comparisons | None
    files: tuple[Path, ...]


def add_trainers(kinds: Any) -> None:  # Any: argparse's private class of subparsers
    """Add ``svm`` and ``combination`` to the command."""
    svm = kinds.add_parser(
        "svm", help="train an SVM that separates human from machine translation, with a grid search"
    )
    _add_sets(svm)
    add = svm.add_argument
    add("--features", default="basic", help="basic, extended, rich, or names separated by commas")
    add("--grid", default="basic", help="basic, extended, or C,C,…:σ,σ,…")
    add("--scaling", choices=SCALINGS, default="standard", help="how features are scaled")
    add("--refine", type=int, default=0, help="rounds of grid refinement where the accuracy changes")
    classes, help_classes = (
        ["auto", "translators", "ranked"],
        "examples: human against machine, or winners against losers",
    )
    add("--classes", choices=classes, default="auto", help=help_classes)
    add("--references-per-example", type=int, help="references to use (default: all but the one left out)")
    add("--system", action="append", default=[], help="use only outputs of this system")
    add(
        "--nbest",
        metavar="FILE",
        help="sample machine outputs from n-best lists (id ||| text) of a single set",
    )
    add("--limit", type=int, default=MAX_EXAMPLES, help="maximum number of training examples")
    svm.set_defaults(train=train_svm)
    combination = kinds.add_parser(
        "combination", help="train a combination of metrics: learned weights or the uniform mean"
    )
    _add_sets(combination)
    add = combination.add_argument
    add(
        "--features",
        "--metrics",
        default=features.RECOMMENDED,
        help="recommended, lexical, rich, basic, or metrics",
    )
    help_method = "weights learned from rankings, or equal weights"
    add("--method", choices=["tuned", "uniform"], default="tuned", help=help_method)
    add("--strength", type=float, default=STRENGTH, help="C of the regression")
    add("--folds", type=int, default=0, help="also measure τ by cross-validation")
    combination.set_defaults(train=train_combination)


def train_svm(options: Options, note: Note) -> dict[str, object]:
    """Build examples, search the grid and write the best machine."""
    _check_numbers(options)
    names, preparation = _features(options, note)
    sets = _read_sets(options, judged=options["classes"] == "ranked")
    try:
        kind, training, validation = _examples(sets, options)
        note(f"{len(training)} training and {len(validation)} validation examples, classes: {kind}")
        grid = svm.search(
            label_examples(training, names, preparation),
            label_examples(validation, names, preparation),
            axes=parse_grid(options["grid"]),
            scaling=options["scaling"],
            refine=options["refine"],
            progress=note,
        )
    except (ValueError, MetricUnavailable) as error:
        raise InputError.of("cannot_train", str(error)) from error
    thirds = [data.name for data in sets if ex.is_in_thirds(data.dataset.texts)]
    about = models.describe(
        _name(options),
        names,
        preparation,
        training=_provenance(sets)
        | {"classes": kind, "examples": len(training), "validation": len(validation), "seed": options["seed"]}
        | ({"split_in_thirds": thirds} if thirds else {})
        | ({"nbest_sha256": datasets.digest([options["nbest"]])} if options.get("nbest") else {}),
        grid=[asdict(point) for point in grid.points],
        chosen=asdict(grid.chosen),
    )
    models.save(models.LearnedModel(about["name"], names, preparation, grid.machine, about), options["out"])
    return {key: value for key, value in about.items() if key != "definitions"}


def train_combination(options: Options, note: Note) -> dict[str, object]:
    """Learn weights from all decisive pairs of all sets, or give every feature the same weight."""
    _check_numbers(options)
    names, preparation = _features(options, note)
    sets = _read_sets(options, judged=options["method"] == "tuned" or options["folds"] > 0)
    try:
        tables = []
        for data in sets:
            tables.append(_table(data, names, preparation))
            note(f"{data.name}: {len(tables[-1].rows)} translations, {len(tables[-1].human.better)} pairs")
        weights = (
            _uniform(tables) if options["method"] == "uniform" else tune(tables, strength=options["strength"])
        )
        held_out = _measure_held_out_tau(sets, tables, options) if options["folds"] else None
    except (ValueError, MetricUnavailable) as error:
        raise InputError.of("cannot_train", str(error)) from error
    about = models.describe(
        _name(options),
        names,
        preparation,
        training=_provenance(sets) | {"pairs": sum(len(table.human.better) for table in tables)},
        method=options["method"],
        strength=options["strength"] if options["method"] == "tuned" else None,
        held_out_tau_wmt14=held_out,
    )
    models.save(models.LearnedModel(about["name"], names, preparation, weights, about), options["out"])
    shown = sorted(zip(names, weights.values.tolist(), strict=True), key=lambda pair: -abs(pair[1]))
    return {key: value for key, value in about.items() if key != "definitions"} | {"weights": dict(shown)}


def parse_grid(text: str) -> svm.Axes:
    """Read ``basic``, ``extended``, or values of C and of σ.

    >>> parse_grid("1,10:0.5,2")
    ((1.0, 10.0), (0.5, 2.0))
    """
    if text in svm.GRIDS:
        return svm.GRIDS[text]
    try:
        cs, sigmas = (tuple(float(value) for value in part.split(",")) for part in text.split(":"))
    except ValueError as error:
        raise ValueError(f"a grid is basic, extended or C,C,…:σ,σ,…, not {text!r}") from error
    return cs, sigmas


def _add_sets(parser: argparse.ArgumentParser) -> None:
    further = "further references for --segments, one segment per line"
    datasets.add_set_options(parser, help_set="may be repeated", help_references=further)
    parser.add_argument("--out", required=True, metavar="FILE")
    parser.add_argument("--name", help="name of the metric (default: the file name)")
    parser.add_argument("--tokenize", default="13a")
    parser.add_argument("--lowercase", action="store_true")
    parser.add_argument("--seed", type=int, default=1)


def _check_numbers(options: Options) -> None:
    for name, least in MINIMA.items():
        if options.get(name) is not None and options[name] < least:
            option = f"--{name.replace('_', '-')}"
            raise InputError.of("bad_value", f"{option} must be at least {least}, not {options[name]}")


def _read_sets(options: Options, *, judged: bool) -> list[TrainingSet]:
    groups = [datasets.find_set(prefix) for prefix in options["set"]]
    labels = [
        "/".join(Path(prefix).parts[-2:]) for prefix in options["set"]
    ]  # with the folder, which often names the year
    if single := datasets.named_files(options):
        groups.append(single)
        labels.append(single.segments.name)
    elif options["references"]:
        raise InputError.of("missing_file", "--references belong to the segments of --segments")
    if not groups:
        raise InputError.of("missing_file", "give a set: --set DIR/PREFIX, or --segments and --outputs")
    sets = []
    for label, files in zip(labels, groups, strict=True):
        dataset = datasets.read_dataset(files.segments, files.outputs)
        human = datasets.read_human(files, dataset) if judged or files.rankings or files.pairs else None
        sets.append(TrainingSet(label, dataset, human, files.all()))
    return [*sets[:-1], _add_references(sets[-1], options["references"])]


def _add_references(data: TrainingSet, paths: Sequence[str]) -> TrainingSet:
    """Add references to a set; line i of a file belongs to segment i."""
    if not paths:
        return data
    files = {str(data.files[0]): list(data.dataset.texts)} | {path: read_segments(path) for path in paths}
    check_parallel(files)
    texts = {
        name: replace(text, references=text.references + tuple(line for line in lines if line.strip()))
        for (name, text), *lines in zip(
            data.dataset.texts.items(), *(files[path] for path in paths), strict=True
        )
    }
    names = (*data.dataset.reference_names, *(Path(path).name for path in paths))
    dataset = replace(data.dataset, texts=texts, reference_names=names)
    return replace(data, dataset=dataset, files=(*data.files, *map(Path, paths)))


def _features(options: Options, note: Note) -> tuple[tuple[str, ...], Preparation]:
    """Return the features; of the recommended ones, those whose tools are missing are left out."""
    try:
        preparation = Preparation(options["tokenize"], options["lowercase"])
        names = features.parse_names(options["features"])
        if options["features"] == features.RECOMMENDED:
            names, missing = features.select_available(names)
            for name, reason in missing.items():
                note(f"left out: {name}: {reason}")
        features.check(names)
        features.signatures(names, preparation)
    except (UnknownMetric, MetricUnavailable, ValueError) as error:
        raise InputError.of("unknown_feature", str(error)) from error
    return names, preparation


def _examples(
    sets: Sequence[TrainingSet], options: Options
) -> tuple[str, list[ex.Example], list[ex.Example]]:
    kind = options["classes"]
    if kind == "auto":
        has_several = all(len(text.references) > 1 for data in sets for text in data.dataset.texts.values())
        kind = "translators" if has_several else "ranked"
    if options.get("nbest") and (kind != "translators" or len(sets) != 1):
        raise ex.TooFewExamples("n-best lists require a single set with several references per segment")
    groups = []
    for data in sets:
        if kind == "translators":
            examples = ex.translator_examples(
                data.dataset,
                seed=options["seed"],
                references=options["references_per_example"],
                systems=options["system"],
                n_best=_lists(options["nbest"], data.dataset) if options.get("nbest") else None,
            )
        elif data.human is None:
            raise ex.TooFewExamples(f"{data.name} has one reference and no rankings to learn from")
        else:
            examples = ex.ranked_examples(data.dataset, data.human, seed=options["seed"])
        groups.append(examples)
    return kind, *ex.split_and_sample(groups, options["limit"], seed=options["seed"])


def _lists(path: str, dataset: Dataset) -> dict[str, list[str]]:
    """Return n-best lists by segment; ids are positions in the segments file."""
    names = list(dataset.texts)
    lists: dict[str, list[str]] = {}
    for number, rows in read_nbest(Path(path), len(names)):
        lists.setdefault(names[number], []).extend(row.split(SEPARATOR)[1] for row in rows)
    return lists


def label_examples(
    examples: Sequence[ex.Example], names: tuple[str, ...], preparation: Preparation
) -> Labelled:
    """Compute the features of examples, with their classes."""
    rows = features.compute(names, [example.segment for example in examples], preparation)
    return Labelled(rows, np.array([1 if example.human else -1 for example in examples], dtype=np.int64))


def _table(data: TrainingSet, names: tuple[str, ...], preparation: Preparation) -> JudgedTable:
    """Compute the features of the judged cells; the others do not affect the weights."""
    dataset, human = data.dataset, data.human
    empty = np.empty(0, dtype=np.int64)
    human = human or Comparisons(empty, empty)
    judged = np.unique(np.concatenate([human.better, human.worse]))
    cells = judged if len(judged) else np.arange(len(dataset.cells))
    place = np.full(len(dataset.cells), -1)
    place[cells] = np.arange(len(cells))
    segments = [dataset.segment(cell) for cell in cells.tolist()]
    rows: FloatArray = features.compute(names, segments, preparation)
    comparisons = Comparisons(place[human.better], place[human.worse])
    return JudgedTable(rows, comparisons, ex.document_numbers(dataset, cells))


def _uniform(tables: Sequence[JudgedTable]) -> FeatureWeights:
    """Return equal weights for features scaled to 0 … 1 on the training sets, not on the scored set."""
    scaling = Scaling.fit(np.concatenate([table.rows for table in tables]), "minmax")
    columns = len(scaling.width)
    return FeatureWeights(np.full(columns, 1 / columns), scaling)


def _measure_held_out_tau(
    sets: Sequence[TrainingSet], tables: Sequence[JudgedTable], options: Options
) -> dict[str, float | None]:
    scores = cross_validate(tables, folds=options["folds"], strength=options["strength"])
    taus: dict[str, float | None] = {}
    for data, table, values in zip(sets, tables, scores, strict=True):
        counts = outcome_counts(values, table.human, table.documents).sum(axis=0)
        taus[data.name] = float(tau(counts, TieRule.WMT14)) if counts.sum() else None
    return taus


def _provenance(sets: Sequence[TrainingSet]) -> dict[str, object]:
    files = [path for data in sets for path in data.files]
    return {"sets": [data.name for data in sets], "sha256": datasets.digest(files)}


def _name(options: Options) -> str:
    return options["name"] or Path(options["out"]).name.split(".")[0]
