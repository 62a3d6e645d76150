"""Monitoring: ``/healthz``, ``/readyz``, and figures on requests, answers, jobs and errors for Prometheus.

``/healthz`` (the process responds) and ``/readyz`` (it can store an answer) need no account and reveal
nothing else.

``/metrics`` is off unless ``METRICS=true``. It answers the addresses in ``METRICS_ALLOW`` (default: this
machine) and requests with the bearer token ``METRICS_TOKEN``; for everybody else it is 404. A request
through a proxy has the address of the proxy, so there only the token counts. No figure identifies a person.

Each web process counts in its own files below ``METRICS_FOLDER``; a response sums over all files, also those
of processes that have ended, until ``start`` deletes them.
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import DatabaseError, InterfaceError
from django.db.backends.signals import connection_created
from django.db.models import Count, Max
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from appraise.lib.digests import find_version
from evaluation.models import Job, Ranking

logger = logging.getLogger("appraise.requests")

METHODS = ("GET", "POST", "HEAD")
GROUPS = ("answer", "annotate", "page", "api", "static")
# Seconds; an answer should be saved in well below a tenth of a second.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
READY_SECONDS = 2  # for which readiness is cached: anybody may ask, so most requests must not write
ANSWERS = {"answer", "rank-place", "skip"}
ANNOTATION = {"annotate", "work", "places"}

REQUESTS = Counter("appraise_requests", "Requests by method and status.", ("method", "status"), registry=None)
SECONDS = Histogram(
    "appraise_request_seconds",
    "Duration of requests by group.",
    ("group",),
    buckets=BUCKETS,
    registry=None,
)
REPLAYS = Counter("appraise_outbox_replays", "Answers that a browser had to send again.", registry=None)
DATABASE_ERRORS = Counter(
    "appraise_database_errors", "Statements that failed in the database.", registry=None
)
for _group_name in GROUPS:  # a group without requests is 0, not absent
    SECONDS.labels(_group_name)


class Telemetry:
    """The outermost middleware, installed only if metrics or a log of requests are enabled."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        if settings.METRICS:
            connection_created.connect(count_database_errors)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        if settings.METRICS:
            _count(request, response.status_code, seconds)
        if settings.LOG_REQUESTS:
            fields = {
                "method": request.method,
                "route": route(request),
                "status": response.status_code,
                "ms": round(1000 * seconds, 1),
            }
            logger.info("request", extra={"fields": fields})
        return response


def count_database_errors(sender: object, connection: Any, **_: object) -> None:
    """Receiver of ``connection_created``: counts every statement that fails."""

    def count_failure(execute: Callable[..., Any], *arguments: Any) -> Any:  # Any: Django's own signature
        try:
            return execute(*arguments)
        except DatabaseError:
            DATABASE_ERRORS.inc()
            raise

    connection.execute_wrappers.append(count_failure)


class SiteCollector(Collector):
    """Figures that are read on request: this version, and those of the database."""

    def collect(self) -> Iterator[Metric]:
        info = GaugeMetricFamily("appraise_info", "The version of Appraise.", labels=("version",))
        info.add_metric((find_version(),), 1)
        yield info
        try:
            # The highest id of an append-only table is the number of its rows.
            stored = Ranking.objects.aggregate(last=Max("pk"))["last"] or 0
            jobs = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
        except (DatabaseError, InterfaceError):
            yield _database_up(False)
            return
        yield _database_up(True)
        yield CounterMetricFamily(
            "appraise_rankings", "Stored rankings, including corrections.", value=stored
        )
        states = GaugeMetricFamily("appraise_jobs", "Background jobs by state.", labels=("state",))
        for state in Job.State:
            states.add_metric((state.value,), jobs.get(state.value, 0))
        yield states


@never_cache
@require_GET
def healthz(request: HttpRequest) -> JsonResponse:
    """Liveness: the process responds."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """Readiness: an answer can be stored."""
    is_ready = cache.get("readyz")
    if is_ready is None:
        is_ready = can_write()
        cache.set("readyz", is_ready, READY_SECONDS)
    if is_ready:
        return JsonResponse({"status": "ok"})
    return JsonResponse({"status": "the database cannot be written"}, status=503)


def can_write() -> bool:
    """Commit a row, because only that detects a full disk or a read-only standby.

    The row is an expired session without a user, so that no table is needed for it.
    """
    expired = timezone.now() - timedelta(days=1)
    try:
        Session.objects.update_or_create(
            session_key="readyz", defaults={"session_data": "", "expire_date": expired}
        )
    except (DatabaseError, InterfaceError):
        return False
    return True


@never_cache
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures, or 404 without permission."""
    if not settings.METRICS or not _is_allowed(request):
        raise Http404
    registry = CollectorRegistry()
    MultiProcessCollector(registry, settings.METRICS_FOLDER)  # type: ignore[no-untyped-call] # the library's
    registry.register(SiteCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def route(request: HttpRequest) -> str:
    """The route pattern, never the path itself, which may hold a token or a name."""
    return request.resolver_match.route if request.resolver_match else "(none)"


def _count(request: HttpRequest, status: int, seconds: float) -> None:
    method = request.method if request.method in METHODS else "other"
    REQUESTS.labels(method, status).inc()
    group = _group(request)
    SECONDS.labels(group).observe(seconds)
    if group == "answer" and request.headers.get("X-Outbox-Retry"):
        REPLAYS.inc()


def _group(request: HttpRequest) -> str:
    match = request.resolver_match
    if match is None:
        return "static"
    if match.route.startswith("api/"):
        return "api"
    name = match.url_name or ""
    return "answer" if name in ANSWERS else "annotate" if name in ANNOTATION else "page"


def _is_allowed(request: HttpRequest) -> bool:
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if settings.METRICS_TOKEN and hmac.compare_digest(token.encode(), settings.METRICS_TOKEN.encode()):
        return True
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        address = ip_address(str(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        return False
    return any(address in network for network in settings.METRICS_ALLOW)


def _database_up(is_up: bool) -> Metric:
    return GaugeMetricFamily(
        "appraise_database_up", "Whether the database answered this request.", value=is_up
    )
