"""Finds the metric of a name: a registered one with parameters, or a model trained here.

In a browser or through the API, a name must not refer to a file on the server, because error messages quote
the content of files; nor to a model that was trained on somebody else's task.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from evaluation.models import User
from evaluation.problems import InputError, Problem
from metrics import registry
from metrics.base import Metric, MetricUnavailable
from metrics.models import TrainedModel

TRAINED = "trained:"
FILES = frozenset({"file", "lexicon", "lm", "model", "path"})  # parameters that name a file


def find_metrics(names: Iterable[str], *, by: User | None = None) -> dict[str, Metric]:
    """Each metric under the name that was asked for; all wrong names are reported together.

    A model that the person may not see is treated as unknown.
    """
    found: dict[str, Metric] = {}
    problems = []
    for name in names:
        try:
            found[name] = _trained(name, by) if name.startswith(TRAINED) else _registered(name)
        except (registry.UnknownMetric, ValueError) as error:
            problems.append(Problem("unknown_metric", str(error), "`score --list` names every metric"))
        except MetricUnavailable as error:
            problems.append(Problem("metric_unavailable", str(error)))
    if problems:
        raise InputError(problems)
    if not found:
        raise InputError(Problem("no_metric", "no metric was chosen", "choose at least one"))
    return found


def _registered(specification: str) -> Metric:
    for assignment in specification.split(":")[1:]:
        key, _, value = assignment.partition("=")
        if key in FILES or (key == "table" and ("/" in value or value.endswith(".npz"))):
            raise MetricUnavailable(f"{specification!r} names a file of the server; only a command may do so")
    return registry.parse(specification)


def _trained(name: str, by: User | None) -> Metric:
    wanted = name.removeprefix(TRAINED)
    known = TrainedModel.objects.all() if by is None else TrainedModel.objects.visible_to(by)
    model = known.filter(name=wanted).first()
    if model is None:
        raise registry.UnknownMetric(f"there is no trained model {wanted!r}")
    return metric_of(model)


def metric_of(model: TrainedModel) -> Metric:
    """The model as a metric; its file lies in the home of the site."""
    path = settings.HOME / model.path
    if not path.is_file():
        raise MetricUnavailable(f"the file of the model {model.name!r} is gone")
    if model.kind == TrainedModel.Kind.RANKER:
        return registry.get("ranker", model=str(path))
    from metrics.learned.metric import load  # only a model needs the learners

    return load(path)
