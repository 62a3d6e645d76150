"""Registered reports: pages of figures about a task or a campaign.

A report is one class with ``@report``. From it come the pages for a task and for a campaign, the entry in
the navigation, the files of its tables and plots, the API operation and ``manage.py report NAME``. A new
report is its module, its template and its test; nothing has to be listed anywhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from django.apps import apps
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.module_loading import module_has_submodule
from ninja import Field, Schema
from pydantic import ConfigDict, ValidationError

from appraise.lib.tables import Table, as_document
from evaluation.reports.plots import Plot
from evaluation.reports.scope import Scope, count_rankings
from evaluation.study import AnswerKind, Filter


class ReportOptions(Schema):
    """What a reader may choose: the query string, the parameters of the API and the command's options."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class FilterOptions(ReportOptions):
    without: list[Filter] = Field(
        default_factory=list,
        description="Exclude annotators who failed checks or were too fast, or surplus answers",
    )


class StudyOptions(FilterOptions):
    answers: AnswerKind | None = Field(
        default=None,
        description="Answers about phrases or whole sentences (default: phrases, or sentences where only"
        " they have answers)",
    )


Options = TypeVar("Options", bound=ReportOptions)
Summary = TypeVar("Summary")
Part = TypeVar("Part")


class Report(Generic[Options, Summary]):
    """``compute`` returns the summary that everything else is made from.

    Tables and plots are functions of the summary. Files, the API and the command never show a person's name,
    so they get a summary whose scope is not ``managed``.
    """

    name: ClassVar[str]
    title: ClassVar[Promise | str]
    template: ClassVar[str]
    path: ClassVar[str]
    """The last part of the URL; the report's name unless an older page had another one."""
    section: ClassVar[str]
    """The report in the main navigation under which this one is listed."""
    scopes: ClassVar[tuple[str, ...]]
    options: type[Options]
    microseconds_per_ranking: ClassVar[float] = 4
    """What the first opening costs for each ranking, measured; ``estimate_seconds`` multiplies."""
    compares_scopes: ClassVar[bool] = False
    """Whether the scope is compared with others that the viewer may study."""
    tables: Mapping[str, Callable[[Summary], Table | None]] = {}
    plots: Mapping[str, Callable[[Summary], Plot | None]] = {}
    response: Any = dict[str, Any]  # Any: a type, for the OpenAPI document

    def compute(self, scope: Scope, options: Options) -> Summary:
        raise NotImplementedError

    def estimate_seconds(self, scope: Scope, options: Options) -> float:
        """Estimate the time of ``compute`` if nothing is cached; above one second, any value will do."""
        newest = [n for n in scope.state.ids[:2] if isinstance(n, int)] if scope.state else []
        if newest:
            # The newest ids bound the answers of the whole site; a small bound saves a query.
            most = self.seconds_for(sum(newest), scope, options)
            if most <= 1:
                return most
        return self.seconds_for(
            count_rankings(scope, 1_000_000 / self.microseconds_per_ranking), scope, options
        )

    def seconds_for(self, rankings: int, scope: Scope, options: Options) -> float:
        """Estimate the seconds that ``compute`` takes for a number of rankings."""
        return rankings * self.microseconds_per_ranking / 1_000_000

    def context(self, summary: Summary) -> dict[str, object]:
        """Return what the template needs beyond the summary itself."""
        return {}

    def document(self, summary: Summary) -> Any:  # Any: JSON
        """Return the figures as JSON values; by default, every table."""
        tables = {name: build(summary) for name, build in self.tables.items()}
        return {name: as_document(table) for name, table in tables.items() if table is not None}

    def missing(self, summary: Summary) -> str:
        """Say why there are no figures, for the command; empty where there are."""
        return ""

    @property
    def description(self) -> str:
        """The first sentence of the class's docstring: help of the command, summary of the API operation."""
        return (self.__doc__ or "").strip().split("\n")[0]


AnyReport = Report[Any, Any]
REPORTS: dict[str, AnyReport] = {}
R = TypeVar("R", bound=type[AnyReport])


def report(
    name: str,
    *,
    title: Promise | str,
    path: str = "",
    section: str = "",
    scopes: tuple[str, ...] = ("task", "campaign"),
) -> Callable[[R], R]:
    """Register a subclass of ``Report`` under ``name``."""

    def register(cls: R) -> R:
        if name in REPORTS and type(REPORTS[name]).__qualname__ != cls.__qualname__:
            raise ValueError(f"two reports are called {name!r}")
        cls.name, cls.title, cls.scopes = name, title, scopes
        cls.template = f"reports/{name}.html"
        cls.path, cls.section = path or name, section or name
        REPORTS[name] = cls()
        return cls

    return register


def tables_of(
    part: Callable[[Summary], Part], makers: Mapping[str, Callable[[Part], Table]]
) -> dict[str, Callable[[Summary], Table | None]]:
    """Return functions of the summary, from functions of a part of it."""

    def of_summary(make: Callable[[Part], Table]) -> Callable[[Summary], Table | None]:
        return lambda summary: make(part(summary))

    return {name: of_summary(make) for name, make in makers.items()}


def load_reports() -> dict[str, AnyReport]:
    """Import the modules of every app's ``reports`` package; returns the reports in the order of their names,
    those of the main navigation first."""
    for config in apps.get_app_configs():
        if config.module is not None and module_has_submodule(config.module, "reports"):
            package = importlib.import_module(f"{config.name}.reports")
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(REPORTS.items(), key=lambda item: (item[1].section != item[0], item[0])))


def read_options(model: type[Options], query: QueryDict) -> tuple[Options, dict[str, str]]:
    """Read options from a query string; an invalid value counts as absent and is named with its error."""
    values: dict[str, Any] = {}  # Any: before validation
    for name, field in model.model_fields.items():
        # PostgreSQL refuses a NUL character even in a comparison.
        texts = [text for text in query.getlist(name) if text and "\0" not in text]
        if texts:
            values[name] = texts if "list" in str(field.annotation) else texts[-1]
    try:
        return model.model_validate(values), {}
    except ValidationError as error:
        problems = error.errors()
        errors = {str(problem["loc"][0]): problem["msg"] for problem in problems}
        for problem in reversed(problems):
            name, *rest = problem["loc"]
            if rest and isinstance(rest[0], int):
                del values[str(name)][rest[0]]  # one word of a list
            else:
                values.pop(str(name), None)
        return model.model_validate(values), errors
