"""``train ranker``, ``train lm`` and ``train lexicon``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from appraise.lib.problems import InputError
from appraise.lib.streams import read_lines
from evaluation.tokens import tokenize
from metrics.metaeval import datasets
from metrics.ranking import data, models
from metrics.ranking.classifiers import CLASSIFIERS, FloatArray
from metrics.ranking.experiments import DescribedSet, join_described
from metrics.ranking.features import Extractor, find_features
from metrics.ranking.language_model import train_language_model
from metrics.ranking.relieff import relieff
from metrics.ranking.toolbox import FeatureResources, add_options, open_tools

Note = Callable[[str], None]
Options = Mapping[str, Any]  # Any: argparse's values
RELIEF_EXAMPLES = 2000


def add_trainers(kinds: Any) -> None:  # Any: argparse's private type
    """Register ``ranker``, ``lm`` and ``lexicon``."""
    ranker = kinds.add_parser("ranker", help="train a reference-free ranker from rankings")
    datasets.add_set_options(
        ranker, help_set="rankings with their texts, as JSON lines", help_references="ignored"
    )
    add = ranker.add_argument
    add("--features", default="grammar + alignment", help="a preset, or names separated by commas")
    help_classifier = "classifier that decides which of two outputs is better"
    add("--classifier", choices=sorted(CLASSIFIERS), default="logistic", help=help_classifier)
    add("--out", required=True, metavar="FILE")
    add_options(ranker)
    ranker.set_defaults(train=train_ranker)

    model = kinds.add_parser("lm", help="train a Kneser-Ney language model from text")
    add = model.add_argument
    add("--text", nargs="+", required=True, metavar="FILE", help="one sentence per line")
    add("--language", default="en")
    add("--order", type=int, default=5, help="longest n-gram")
    add("--tokenized", action="store_true", help="the text is already tokenised; keep its case")
    add("--out", required=True, metavar="FILE", help=".arpa, .arpa.gz or .npz")
    model.set_defaults(train=train_lm)

    words = kinds.add_parser("lexicon", help="train IBM model 1 in both directions from parallel text")
    add = words.add_argument
    add("--source", nargs="+", required=True, metavar="FILE", help="one sentence per line")
    add("--target", nargs="+", required=True, metavar="FILE", help="translations, line by line")
    add("--source-language", default="")
    add("--target-language", default="en")
    add("--rounds", type=int, default=5, help="rounds of EM")
    add("--out", required=True, metavar="FILE")
    words.set_defaults(train=train_lexicon)


def train_ranker(options: Options, note: Note) -> dict[str, object]:
    """Compute features, learn from all decided pairs and save the model; returns a summary."""
    names = find_features(options["features"])
    if options["references"]:
        note("a ranker works without references; they are not read")
    sets, digest = _read_sets(options)
    resources = FeatureResources.from_options(options).for_features(names)
    with open_tools(resources, note) as extractor:
        parts = []
        for number, each in enumerate(sets, 1):
            note(f"set {number} of {len(sets)}: features of {len(each.judged_cells()):,} translations")
            parts.append(describe_set(each, extractor))
        described = join_described(parts)
        tools = {name: str(tool) for name, tool in extractor.tools.items()}
    pairs = described.pairs(names)
    about = {"data": digest, "pairs": len(pairs.won) // 2, "tools": tools, **resources.as_dict()}
    try:
        model = models.fit_ranker(names, options["classifier"], pairs.differences, pairs.won, about)
    except ValueError as error:
        raise InputError.of("no_pairs", str(error), "give rankings that are not all ties") from error
    models.save_ranker(model, Path(options["out"]))
    ranking = feature_ranking(pairs.differences, pairs.won, names)
    return {"out": options["out"], "features": names, "classifier": model.kind, **about, "relieff": ranking}


def describe_set(ranked: data.RankedSet, extractor: Extractor) -> DescribedSet:
    """Compute the features of the judged machine outputs of a set."""
    ranked = data.drop_human_outputs(ranked)
    cells = ranked.judged_cells()
    features = extractor.extract(ranked, cells)
    rows = np.full((len(ranked.texts), features.shape[1]), np.nan)
    rows[cells] = features
    return DescribedSet(ranked, rows)


def feature_ranking(differences: FloatArray, won: FloatArray, names: Sequence[str]) -> dict[str, float]:
    """ReliefF weights, best first, over an evenly spaced sample of the pairs."""
    step = max(1, len(won) // RELIEF_EXAMPLES)
    if len(set(won[::step])) < 2:
        return {}
    weights = relieff(differences[::step], won[::step])
    return {names[k]: round(float(weights[k]), 6) for k in np.argsort(-weights)}


def train_lm(options: Options, note: Note) -> dict[str, object]:
    if options["order"] < 1:
        raise InputError.of("bad_value", f"--order must be at least 1, not {options['order']}")
    texts = _tokens(options["text"], options["language"], tokenized=options["tokenized"])
    try:
        model = train_language_model(texts, options["order"])
    except ValueError as error:
        raise InputError.of("empty_file", str(error), "give text", options["text"][0]) from error
    models.save_language_model(model, Path(options["out"]))
    sizes = [len(rows) for rows in model.log_probs]
    return {
        "out": options["out"],
        "order": model.order,
        "ngrams": sizes,
        "data": datasets.digest(options["text"]),
    }


def train_lexicon(options: Options, note: Note) -> dict[str, object]:
    source = list(_tokens(options["source"], options["source_language"], blank=True))
    target = list(_tokens(options["target"], options["target_language"], blank=True))
    if len(source) != len(target):
        message = f"{len(source)} lines of source and {len(target)} of target"
        raise InputError.of("line_count", message, "give parallel text", options["target"][0])
    pairs = list(zip(source, target, strict=True))
    try:
        forward = models.train_lexicon(pairs, options["rounds"])
        backward = models.train_lexicon([(second, first) for first, second in pairs], options["rounds"])
    except ValueError as error:
        raise InputError.of("empty_file", str(error), "give parallel text", options["source"][0]) from error
    about = {"data": datasets.digest([*options["source"], *options["target"]]), "pairs": len(pairs)}
    models.save_lexicons(forward, backward, Path(options["out"]), about)
    return {"out": options["out"], "entries": len(forward.keys), **about}


def _tokens(
    paths: Sequence[str], language: str, *, tokenized: bool = False, blank: bool = False
) -> Iterator[tuple[str, ...]]:
    """Yield the words of every sentence, one sentence a line."""
    for path in paths:
        for _, sentence in read_lines(path, blank=blank):
            yield tuple(sentence.split()) if tokenized else tokenize(sentence.lower(), language)


def _read_sets(options: Options) -> tuple[list[data.RankedSet], str]:
    """Read the sets that the options name; returns them and the digest of their files."""
    single = datasets.named_files(options)
    files = [path for prefix in options["set"] for path in datasets.files_of(prefix)]
    files += single.all() if single else ()
    if not files:
        raise InputError.of("missing_option", "there is nothing to learn from", "give --set DIR/PREFIX")
    sets = [data.read_ranked_set(prefix) for prefix in options["set"]]
    if single:
        sets.append(data.read_files(single.segments, single.outputs, single.rankings, single.pairs))
    return sets, datasets.digest(files)
