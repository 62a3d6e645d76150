"""What this family brings to the ``train`` command: rankers, language models and lexicons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.problems import InputError, Problem
from evaluation.tokens import tokenize
from metrics import datasets
from metrics.linguistics.sentences import Splitter, splitter
from metrics.ranking import arpa, data, kneser_ney, lexicon, store
from metrics.ranking.classifiers import CLASSIFIERS
from metrics.ranking.experiment import Described, join
from metrics.ranking.features import Extractor
from metrics.ranking.presets import features_of
from metrics.ranking.relieff import relieff
from metrics.ranking.toolbox import Toolbox, Wanted, add_options
from metrics.tables import lines

Note = Callable[[str], None]
Options = Mapping[str, Any]  # Any: argparse's values
RELIEF_EXAMPLES = 2000
PARAGRAPHS = 1000  # of running text, cut at once


def add_trainers(kinds: Any) -> None:  # Any: argparse's private type
    """Register ``ranker``, ``lm`` and ``lexicon``."""
    ranker = kinds.add_parser("ranker", help="a reference-free ranker, from rankings")
    ranker.add_argument(
        "--set", action="append", default=[], metavar="DIR/PREFIX", help="or a JSON lines file"
    )
    for name in ("segments", "outputs", "rankings", "pairs"):
        ranker.add_argument(f"--{name}", default="", metavar="FILE")
    ranker.add_argument(
        "--references", nargs="+", action="extend", default=[], metavar="FILE", help="not read"
    )
    ranker.add_argument(
        "--features", default="grammar + alignment", help="a preset's row, or names with commas"
    )
    ranker.add_argument(
        "--classifier",
        choices=sorted(CLASSIFIERS),
        default="logistic",
        help="what decides which of two is better",
    )
    ranker.add_argument("--out", required=True, metavar="FILE")
    add_options(ranker)
    ranker.set_defaults(train=train_ranker)

    model = kinds.add_parser("lm", help="a Kneser-Ney language model, from text")
    model.add_argument("--text", nargs="+", required=True, metavar="FILE", help="one sentence a line")
    model.add_argument(
        "--running-text", action="store_true", help="a line is a paragraph: cut it into sentences"
    )
    model.add_argument("--language", default="en")
    model.add_argument("--order", type=int, default=5, help="longest n-gram")
    model.add_argument("--tokenized", action="store_true", help="words are apart already; keep their case")
    model.add_argument("--out", required=True, metavar="FILE", help=".arpa, .arpa.gz or .npz")
    model.set_defaults(train=train_lm)

    words = kinds.add_parser("lexicon", help="IBM model 1 in both directions, from parallel text")
    words.add_argument("--source", nargs="+", required=True, metavar="FILE", help="one sentence a line")
    words.add_argument(
        "--target", nargs="+", required=True, metavar="FILE", help="their translations, line by line"
    )
    words.add_argument("--source-language", default="")
    words.add_argument("--target-language", default="en")
    words.add_argument("--rounds", type=int, default=5, help="rounds of EM")
    words.add_argument("--out", required=True, metavar="FILE")
    words.set_defaults(train=train_lexicon)


def train_ranker(options: Options, note: Note) -> dict[str, object]:
    """Describe the ranked outputs, learn from all decided pairs, save; returns a summary."""
    names = features_of(options["features"])
    if options["references"]:
        note("a ranker works without references: those given are not read")
    sets, digest = _sets(options)
    wanted = Wanted.from_options(options).for_features(names)
    with Toolbox(wanted, note) as extractor:
        known = join([described(each, extractor) for each in sets])
        tools = {name: str(tool) for name, tool in extractor.tools.items()}
    pairs = known.pairs(names)
    about = {"data": digest, "pairs": len(pairs.won) // 2, "tools": tools, **wanted.as_dict()}
    try:
        model = store.fit(names, options["classifier"], pairs.differences, pairs.won, about)
    except ValueError as error:
        raise InputError(Problem("no_pairs", str(error), "give rankings that decide something")) from error
    store.save_ranker(model, Path(options["out"]))
    ranking = feature_ranking(pairs.differences, pairs.won, names)
    return {"out": options["out"], "features": names, "classifier": model.kind, **about, "relieff": ranking}


def described(ranked: data.RankedSet, extractor: Extractor) -> Described:
    """A set with the features of its judged machine outputs."""
    ranked = data.machines_only(ranked)
    cells = ranked.judged()
    found = extractor.extract(ranked, cells)
    rows = np.full((len(ranked.texts), found.shape[1]), np.nan)
    rows[cells] = found
    return Described(ranked, rows)


def feature_ranking(
    differences: np.ndarray[Any, np.dtype[np.float64]],
    won: np.ndarray[Any, np.dtype[np.float64]],
    names: Sequence[str],
) -> dict[str, float]:
    """ReliefF weights, best first, over an evenly spread sample of the pairs."""
    step = max(1, len(won) // RELIEF_EXAMPLES)
    if len(set(won[::step])) < 2:
        return {}
    weights = relieff(differences[::step], won[::step])
    return {names[k]: round(float(weights[k]), 6) for k in np.argsort(-weights)}


def train_lm(options: Options, note: Note) -> dict[str, object]:
    if options["order"] < 1:
        raise InputError(Problem("bad_value", f"--order counts from 1, not {options['order']}"))
    running = splitter(options["language"]) if options["running_text"] else None
    texts = _tokens(options["text"], options["language"], options["tokenized"], running)
    try:
        model = kneser_ney.train(texts, options["order"])
    except ValueError as error:
        raise InputError(Problem("empty_file", str(error), "give text", options["text"][0])) from error
    finally:
        if running:
            running.close()
    arpa.save(model, Path(options["out"]))
    sizes = [len(rows) for rows in model.log_probs]
    return {
        "out": options["out"],
        "order": model.order,
        "ngrams": sizes,
        "data": datasets.digest(options["text"]),
        "cut_by": str(running.tool) if running else None,
    }


def train_lexicon(options: Options, note: Note) -> dict[str, object]:
    source = list(_tokens(options["source"], options["source_language"], False, blank=True))
    target = list(_tokens(options["target"], options["target_language"], False, blank=True))
    if len(source) != len(target):
        message = f"{len(source)} lines of source and {len(target)} of target"
        raise InputError(Problem("line_count", message, "give parallel text", options["target"][0]))
    pairs = list(zip(source, target, strict=True))
    try:
        there = lexicon.train(pairs, options["rounds"])
        back = lexicon.train([(second, first) for first, second in pairs], options["rounds"])
    except ValueError as error:
        raise InputError(
            Problem("empty_file", str(error), "give parallel text", options["source"][0])
        ) from error
    about = {"data": datasets.digest([*options["source"], *options["target"]]), "pairs": len(pairs)}
    store.save_lexicons(there, back, Path(options["out"]), about)
    return {"out": options["out"], "entries": len(there.keys), **about}


def _tokens(
    paths: Sequence[str],
    language: str,
    tokenized: bool,
    running: Splitter | None = None,
    *,
    blank: bool = False,
) -> Iterator[tuple[str, ...]]:
    """The words of every sentence: a line each, or several where a line is a paragraph."""
    for path in paths:
        texts = (line for _, line in lines(path, blank=blank))
        for sentence in _cut(texts, running) if running else texts:
            yield tuple(sentence.split()) if tokenized else tokenize(sentence.lower(), language)


def _cut(paragraphs: Iterator[str], running: Splitter) -> Iterator[str]:
    while some := list(islice(paragraphs, PARAGRAPHS)):
        yield from chain.from_iterable(running.split(some))


def _sets(options: Options) -> tuple[list[data.RankedSet], str]:
    """The sets that the options name, and the digest of their files."""
    single = {name: options[name] for name in ("segments", "outputs", "rankings", "pairs") if options[name]}
    if single and not {"segments", "outputs"} <= single.keys():
        raise InputError(Problem("missing_option", "--segments and --outputs belong together", "give both"))
    files = [path for prefix in options["set"] for path in datasets.files_of(prefix)] + list(single.values())
    if not files:
        raise InputError(Problem("missing_option", "there is nothing to learn from", "give --set DIR/PREFIX"))
    sets = [data.read(prefix) for prefix in options["set"]]
    if single:
        sets.append(data.read_files(**{name: Path(path) for name, path in single.items()}))
    return sets, datasets.digest(files)
