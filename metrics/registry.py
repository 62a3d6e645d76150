"""Which metrics exist, found without importing what they are made of.

A metric registers its class (or a factory) under its name; the family modules below are imported on the
first question, never at start-up, and none of them imports numba before it scores. A new metric is one file
in a family, or one line here for a new family.

A *specification* is a name with parameters: ``bleu:tokenize=intl:length=shortest``.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TypeVar, cast

from metrics.base import Metric, MetricUnavailable, Needs, Ranker

FAMILIES = (
    "metrics.lexical",
    "metrics.learned.metric",
    "metrics.ranking.metric",
    "metrics.collocation.metric",
    "metrics.discourse.metric",
    "metrics.syntax.metric",
)
ALIASES = {"mwer": "wer", "mper": "per"}  # with several references both already take the minimum

Value = str | int | float | bool
MetricFactory = Callable[..., Metric]
RankerFactory = Callable[..., Ranker]
AnyMetric = TypeVar("AnyMetric", bound=MetricFactory)
AnyRanker = TypeVar("AnyRanker", bound=RankerFactory)

_metrics: dict[str, MetricFactory] = {}
_rankers: dict[str, RankerFactory] = {}
_loaded: set[str] = set()


class UnknownMetric(LookupError):
    """No metric has this name, or it has no such parameter."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of ``score --list``; ``missing`` says in a sentence why the metric cannot score now."""

    name: str
    title: str
    higher_is_better: bool
    needs: Needs
    missing: str | None


def register(metric: AnyMetric) -> AnyMetric:
    """Class decorator: make a metric known under its class attribute ``name``."""
    add(cast(str, metric.name), metric)  # type: ignore[attr-defined]  # a class, seen by mypy as a callable
    return metric


def add(name: str, factory: MetricFactory, **parameters: Value) -> None:
    """Make a factory with some parameters fixed known: ``add("fms-1", FMeasure, exponent=1)``."""
    if name in _metrics:
        raise ValueError(f"two metrics are called {name!r}")
    _metrics[name] = partial(factory, **parameters) if parameters else factory


def register_ranker(ranker: AnyRanker) -> AnyRanker:
    """Class decorator: the same for a reference-free ranker."""
    name = cast(str, ranker.name)  # type: ignore[attr-defined]  # a class, seen by mypy as a callable
    if name in _rankers:
        raise ValueError(f"two rankers are called {name!r}")
    _rankers[name] = ranker
    return ranker


def names() -> tuple[str, ...]:
    """The names of all metrics, in alphabetical order."""
    _load_all()
    return tuple(sorted(_metrics))


def ranker_names() -> tuple[str, ...]:
    _load_all()
    return tuple(sorted(_rankers))


def get(name: str, **parameters: Value) -> Metric:
    """Build a metric; raises ``UnknownMetric``, ``ValueError`` for a bad value, or ``MetricUnavailable``.

    >>> get("bleu-paper", order=2).name
    'bleu-paper'
    """
    return _build(_metrics, ALIASES.get(name, name), parameters)


def get_ranker(name: str, **parameters: Value) -> Ranker:
    return _build(_rankers, name, parameters)


def parse(specification: str) -> Metric:
    """Build a metric from ``name:parameter=value:…``; values take the type of the parameter.

    >>> parse("bleu-paper:order=2:length=shortest").signature
    'bleu-paper|order:2|length:shortest|tok:none|case:mixed|smooth:none|scale:0-1|v:1'
    """
    name, *assignments = specification.split(":")
    kinds = parameters_of(name)
    values: dict[str, Value] = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals or key not in kinds:
            known = ", ".join(sorted(kinds)) or "none"
            raise UnknownMetric(f"{name} has no parameter {assignment!r}; it knows: {known}")
        values[key] = _typed(key, text, kinds[key])
    return get(name, **values)


def parameters_of(name: str) -> Mapping[str, Value]:
    """The parameters that can be set from outside, with their defaults."""
    factory = _find(_metrics, ALIASES.get(name, name))
    fixed = factory.keywords if isinstance(factory, partial) else {}
    cls = factory.func if isinstance(factory, partial) else factory
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        return {}
    fields = {f.name: f.default for f in dataclasses.fields(cls) if f.init and f.name not in fixed}
    return {key: default for key, default in fields.items() if isinstance(default, str | int | float | bool)}


def available() -> list[Entry]:
    """Every metric with what it needs and, where a tool or model is absent, a sentence that says so."""
    return [_entry(name) for name in names()]


def _entry(name: str) -> Entry:
    factory = _metrics[name]
    described = cast(type[Metric], factory.func if isinstance(factory, partial) else factory)
    try:
        metric = factory()
        reason = getattr(metric, "unavailable_because", lambda: None)()
        return Entry(name, metric.title, metric.higher_is_better, metric.needs, reason)
    except MetricUnavailable as error:
        about = (described.title, described.higher_is_better, described.needs)
        return Entry(name, *about, str(error))  # type: ignore[arg-type]  # class attributes, not properties


Built = TypeVar("Built")


def _build(table: Mapping[str, Callable[..., Built]], name: str, parameters: Mapping[str, Value]) -> Built:
    factory = _find(table, name)
    try:
        inspect.signature(factory).bind(**parameters)
    except TypeError as error:
        raise UnknownMetric(f"{name} does not take these parameters: {error}") from error
    return factory(**parameters)


def _find(table: Mapping[str, Callable[..., Built]], name: str) -> Callable[..., Built]:
    for module in FAMILIES:  # one family after the other: a lexical metric needs no learner
        if name not in table:
            _load(module)
    if name not in table:
        raise UnknownMetric(f"unknown metric {name!r}; known are: {', '.join(sorted(table))}")
    return table[name]


def _load_all() -> None:
    for module in FAMILIES:
        _load(module)


def _load(module: str) -> None:
    if module not in _loaded and _exists(module):
        import_module(module)
        _loaded.add(module)


def _exists(module: str) -> bool:
    """A family that is not installed is simply absent; an error inside one is not hidden."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _typed(key: str, text: str, default: Value) -> Value:
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise UnknownMetric(f"{key} is true or false, not {text!r}")
        return text == "true"
    try:
        value = type(default)(text)
    except ValueError as error:
        kind = "whole number" if isinstance(default, int) else "number"
        raise UnknownMetric(f"{key} is a {kind}, not {text!r}") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise UnknownMetric(f"{key} is a finite number, not {text!r}")
    return value
