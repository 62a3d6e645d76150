"""Find a metric by name: a registered one with parameters, or a model trained on this site.

A name from the browser or the API must not refer to a file on the server, because error messages quote the
content of files; nor to a model that was trained on somebody else's task.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings

from appraise.lib.problems import InputError, Problem
from evaluation.models import User
from metrics import registry
from metrics.base import Metric, MetricUnavailable
from metrics.models import TrainedModel
from metrics.scoring.model_files import load_model

TRAINED = "trained:"
FILE_PARAMETERS = frozenset({"file", "lexicon", "lm", "model", "path"})


def find_metrics(names: Iterable[str], *, by: User | None = None) -> dict[str, Metric]:
    """Return each metric under its given name; all wrong names are reported together.

    A model that the user may not see counts as unknown.
    """
    metrics: dict[str, Metric] = {}
    problems = []
    for name in names:
        try:
            metrics[name] = _find_trained(name, by) if name.startswith(TRAINED) else _find_registered(name)
        except (registry.UnknownMetric, ValueError) as error:
            problems.append(Problem("unknown_metric", str(error), "`score --list` names every metric"))
        except MetricUnavailable as error:
            problems.append(Problem("metric_unavailable", str(error)))
    if problems:
        raise InputError(problems)
    if not metrics:
        raise InputError.of("no_metric", "no metric was chosen", "choose at least one")
    return metrics


def _find_registered(specification: str) -> Metric:
    for assignment in specification.split(":")[1:]:
        key, _, value = assignment.partition("=")
        if key in FILE_PARAMETERS or (key == "table" and ("/" in value or value.endswith(".npz"))):
            raise MetricUnavailable(f"{specification!r} names a file of the server; only a command may do so")
    return registry.parse(specification)


def _find_trained(name: str, by: User | None) -> Metric:
    wanted = name.removeprefix(TRAINED)
    known = TrainedModel.objects.all() if by is None else TrainedModel.objects.visible_to(by)
    model = known.filter(name=wanted).first()
    if model is None:
        raise registry.UnknownMetric(f"there is no trained model {wanted!r}")
    return load_trained_metric(model)


def load_trained_metric(model: TrainedModel) -> Metric:
    """Load a model as a metric; its file is in the site's home directory."""
    path = settings.HOME / model.path
    if not path.is_file():
        raise MetricUnavailable(f"the file of the model {model.name!r} is missing")
    return load_model(path)
