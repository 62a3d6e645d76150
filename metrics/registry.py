"""The registry of metrics.

A metric registers its class (or a factory) under its name. The modules of ``FAMILIES`` are imported on the
first lookup, not at start-up, and none of them imports numba before it scores. To add a metric, write one
module in a family; to add a family, add one line here. Installed packages add metrics through the entry point
group ``appraise.metrics``: the name of an entry point is that of the metric, its object the class.

A *specification* is a name with parameters: ``bleu:tokenize=intl:length=shortest``.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar, TypeVar, cast

from appraise.lib.extras import find_missing_package
from metrics.base import Metric, MetricUnavailable, Needs, Scores, Segment
from metrics.compiled.compiler import COMPILED

FAMILIES = (
    "metrics.lexical",
    "metrics.learned.metric",
    "metrics.ranking.metric",
    "metrics.collocation.metric",
    "metrics.discourse.metric",
    "metrics.neural.metric",
    "metrics.syntax.metric",
    "metrics.syntax.imported",
    "metrics.programs.metric",
)
# These compute with numba and scikit-learn, which a base installation lacks.
COMPUTING = tuple(
    f"metrics.{family}." for family in ("lexical", "learned", "ranking", "collocation", "discourse")
)
PLUGIN_GROUP = "appraise.metrics"
ALIASES = {"mwer": "wer", "mper": "per"}  # with several references both take the minimum

Value = str | int | float | bool
MetricFactory = Callable[..., Metric]
AnyMetric = TypeVar("AnyMetric", bound=MetricFactory)

_metrics: dict[str, MetricFactory] = {}


class UnknownMetric(LookupError):
    """There is no metric with this name, or it has no such parameter."""


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """One line of ``score --list``; ``missing`` states why the metric is unavailable."""

    name: str
    title: str
    higher_is_better: bool
    needs: Needs
    missing: str | None


def register(metric: AnyMetric) -> AnyMetric:
    """Class decorator: register a metric under its class attribute ``name``."""
    register_factory(cast(str, metric.name), metric)  # type: ignore[attr-defined]  # mypy sees a callable
    return metric


def register_factory(name: str, factory: MetricFactory, **parameters: Value) -> None:
    """Register a factory, and parameters that a specification cannot change."""
    if name in _metrics:
        raise ValueError(f"two metrics have the name {name!r}")
    _metrics[name] = partial(factory, **parameters) if parameters else factory


def list_names() -> tuple[str, ...]:
    """Return the names of all metrics in alphabetical order."""
    for module in FAMILIES:
        import_module(module)
    for plugin in entry_points(group=PLUGIN_GROUP):
        _register_plugin(plugin)
    return tuple(sorted(_metrics))


def get(name: str, **parameters: Value) -> Metric:
    """Build a metric; raises ``UnknownMetric``, ``ValueError`` for a bad value, or ``MetricUnavailable``.

    >>> get("bleu-paper", order=2).name
    'bleu-paper'
    """
    name = ALIASES.get(name, name)
    factory = _find(name)
    try:
        inspect.signature(factory).bind(**parameters)
    except TypeError as error:
        raise UnknownMetric(f"{name} does not take these parameters: {error}") from error
    if missing := _explain_missing_extra(factory):
        raise MetricUnavailable(missing)
    return factory(**parameters)


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
            raise UnknownMetric(f"{name} has no parameter {assignment!r}; known: {known}")
        values[key] = _convert(key, text, kinds[key])
    return get(name, **values)


def parameters_of(name: str) -> Mapping[str, Value]:
    """Return the parameters that a specification can set, with their defaults."""
    factory = _find(ALIASES.get(name, name))
    fixed = factory.keywords if isinstance(factory, partial) else {}
    cls = factory.func if isinstance(factory, partial) else factory
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        return {}
    fields = {f.name: f.default for f in dataclasses.fields(cls) if f.init and f.name not in fixed}
    return {key: default for key, default in fields.items() if isinstance(default, str | int | float | bool)}


def list_metrics() -> list[MetricEntry]:
    """Describe every metric: what it needs, and which tool or model is missing."""
    return [_entry(name) for name in list_names()]


def _entry(name: str) -> MetricEntry:
    factory = _metrics[name]
    described = _find_class(factory)
    try:
        metric = factory()
        reason = _explain_missing_extra(factory) or getattr(metric, "unavailable_because", lambda: None)()
        return MetricEntry(name, metric.title, metric.higher_is_better, metric.needs, reason)
    except MetricUnavailable as error:
        about = (described.title, described.higher_is_better, described.needs)
        return MetricEntry(name, *about, str(error))  # type: ignore[arg-type]  # class attributes, not properties


def _explain_missing_extra(factory: MetricFactory) -> str | None:
    """Return which command installs the packages that the metric computes with, if they are absent."""
    if not COMPILED or not _find_class(factory).__module__.startswith(COMPUTING):
        return None
    problem = find_missing_package("numba")
    return str(problem) if problem else None


def _find_class(factory: MetricFactory) -> type[Metric]:
    return cast(type[Metric], factory.func if isinstance(factory, partial) else factory)


def _find(name: str) -> MetricFactory:
    for module in FAMILIES:  # one family at a time, so that a lexical metric loads no learner
        if name not in _metrics:
            import_module(module)
    for plugin in entry_points(group=PLUGIN_GROUP, name=name) if name not in _metrics else ():
        _register_plugin(plugin)
    if name not in _metrics:
        raise UnknownMetric(f"unknown metric {name!r}; known: {', '.join(sorted(_metrics))}")
    return _metrics[name]


def _register_plugin(plugin: EntryPoint) -> None:
    """Register the metric of an installed package; a metric of our own with the same name stays.

    One that cannot be imported is listed with the reason, and the others work.
    """
    if plugin.name in _metrics:
        return
    try:
        factory = cast(MetricFactory, plugin.load())
        name = getattr(factory, "name", plugin.name)
        if name != plugin.name:
            raise ValueError(f"its metric has the name {name!r}")
    except Exception as error:  # the code of somebody else may raise anything
        package = plugin.dist.name if plugin.dist else "an unknown package"
        reason = f"the plug-in {plugin.name} of {package} cannot be loaded: {error}"
        factory = partial(BrokenPlugin, plugin.name, reason)
    if plugin.name not in _metrics:  # its module may use ``register``, too
        register_factory(plugin.name, factory)


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """Stands for a plug-in that cannot be loaded; says why when it is used."""

    name: str
    reason: str
    title: ClassVar[str] = "a plug-in that cannot be loaded"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs(reference=False)

    @property
    def signature(self) -> str:
        return f"{self.name}|broken"

    def unavailable_because(self) -> str:
        return self.reason

    def score(self, segments: Sequence[Segment]) -> Scores:
        raise MetricUnavailable(self.reason)


def _convert(key: str, text: str, default: Value) -> Value:
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
