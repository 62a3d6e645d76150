"""Figures for a monitor: requests, latency, answers, jobs and errors, in the text format of Prometheus.

Off unless ``METRICS=true``. Then ``/metrics`` answers the addresses in ``METRICS_ALLOW`` (default: this
machine) and requests with ``Authorization: Bearer`` and ``METRICS_TOKEN``; for everybody else it is 404. A
request through a proxy carries the proxy's address, so there only the token counts. No figure identifies a
person.
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.backends.signals import connection_created
from django.db.models import Count, Max
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from appraise.operations.counters import Counters, Key
from evaluation.models import Job, Ranking
from evaluation.release import version

logger = logging.getLogger("appraise.requests")

METHODS = ("GET", "POST", "HEAD", "other")
STATUSES = (200, 204, 301, 302, 304, 400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 503, "other")
GROUPS = ("answer", "annotate", "page", "api", "static")
# Seconds. The promise is a saved answer well below a tenth of a second.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
ANSWERS = {"answer", "rank-place", "skip"}
ANNOTATION = {"annotate", "work", "places"}

KEYS: list[Key] = [
    *(("requests", method, str(status)) for method in METHODS for status in STATUSES),
    *(("bucket", group, str(bound)) for group in GROUPS for bound in (*BUCKETS, "+Inf")),
    *(("seconds", group) for group in GROUPS),
    ("replays",),
    ("database_errors",),
]
COUNTERS = Counters(settings.HOME / "run" / "metrics", KEYS)


class Telemetry:
    """The outermost middleware, present only where metrics or a log of requests are wanted."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        if settings.METRICS:
            connection_created.connect(count_database_errors)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        if settings.METRICS:
            COUNTERS.add(_counted(request, response.status_code, seconds))
        if settings.LOG_REQUESTS:
            said = {
                "method": request.method,
                "route": route(request),
                "status": response.status_code,
                "ms": round(1000 * seconds, 1),
            }
            logger.info("request", extra={"said": said})
        return response


def count_database_errors(sender: object, connection: Any, **_: object) -> None:
    """Receiver of ``connection_created``: counts every statement that fails."""

    def watch(execute: Callable[..., Any], *arguments: Any) -> Any:  # Any: Django's own signature
        try:
            return execute(*arguments)
        except DatabaseError:
            COUNTERS.add([(("database_errors",), 1)])
            raise

    connection.execute_wrappers.append(watch)


@never_cache
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures, or 404 for those who may not see them."""
    if not settings.METRICS or not _allowed(request):
        raise Http404
    text = "\n".join((*_from_counters(COUNTERS.totals()), *_from_database(), ""))
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def route(request: HttpRequest) -> str:
    """The route pattern, never the path itself, which may hold a token or a name."""
    return request.resolver_match.route if request.resolver_match else "(none)"


def _counted(request: HttpRequest, status: int, seconds: float) -> Iterator[tuple[Key, float]]:
    method = request.method if request.method in METHODS else "other"
    yield ("requests", str(method), str(status if status in STATUSES else "other")), 1
    group = _group(request)
    bound = next((bound for bound in BUCKETS if seconds <= bound), "+Inf")
    yield ("bucket", group, str(bound)), 1
    yield ("seconds", group), seconds
    if group == "answer" and request.headers.get("X-Outbox-Retry"):
        yield ("replays",), 1


def _group(request: HttpRequest) -> str:
    match = request.resolver_match
    if match is None:
        return "static"
    if match.route.startswith("api/"):
        return "api"
    name = match.url_name or ""
    return "answer" if name in ANSWERS else "annotate" if name in ANNOTATION else "page"


def _allowed(request: HttpRequest) -> bool:
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if settings.METRICS_TOKEN and hmac.compare_digest(given.encode(), settings.METRICS_TOKEN.encode()):
        return True
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        address = ip_address(str(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        return False
    return any(address in network for network in settings.METRICS_ALLOW)


def _from_counters(totals: Mapping[Key, float]) -> Iterator[str]:
    yield from _head("appraise_info", "gauge", "Which Appraise this is.")
    yield _line("appraise_info", 1, version=version())
    yield from _head("appraise_requests_total", "counter", "Requests by method and status.")
    for kind, *rest in totals:
        if kind == "requests" and totals[(kind, *rest)]:
            labels = dict(zip(("method", "status"), rest, strict=True))
            yield _line("appraise_requests_total", totals[(kind, *rest)], **labels)
    name = "appraise_request_seconds"
    yield from _head(name, "histogram", "How long requests took, by what they were for.")
    for group in GROUPS:
        running = 0.0
        for bound in (*BUCKETS, "+Inf"):
            running += totals[("bucket", group, str(bound))]
            yield _line(f"{name}_bucket", running, group=group, le=str(bound))
        yield _line(f"{name}_sum", totals[("seconds", group)], group=group)
        yield _line(f"{name}_count", running, group=group)
    name = "appraise_outbox_replays_total"
    yield from _head(name, "counter", "Answers that a browser had to send again.")
    yield _line(name, totals[("replays",)])
    name = "appraise_database_errors_total"
    yield from _head(name, "counter", "Statements that the database refused.")
    yield _line(name, totals[("database_errors",)])


def _from_database() -> Iterator[str]:
    """Two small queries: the highest id of an append-only table, and jobs by state."""
    try:
        stored = Ranking.objects.aggregate(last=Max("pk"))["last"] or 0
        jobs = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    except (DatabaseError, InterfaceError):
        yield from _database_up(0)
        return
    yield from _database_up(1)
    yield from _head(
        "appraise_rankings_total", "counter", "Rankings that were ever stored, corrections included."
    )
    yield _line("appraise_rankings_total", stored)
    yield from _head("appraise_jobs", "gauge", "Background jobs by state.")
    for state in Job.State:
        yield _line("appraise_jobs", jobs.get(state.value, 0), state=state.value)


def _database_up(value: int) -> Iterator[str]:
    yield from _head("appraise_database_up", "gauge", "Whether the database answered this question.")
    yield _line("appraise_database_up", value)


def _head(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"


def _line(name: str, value: float, **labels: str) -> str:
    """
    >>> _line("appraise_rankings_total", 123456789.0)
    'appraise_rankings_total 123456789'
    """
    labelled = ",".join(f'{label}="{text}"' for label, text in labels.items())
    number = str(int(value)) if value == int(value) else repr(value)  # :g would round after six digits
    return f"{name}{{{labelled}}} {number}" if labelled else f"{name} {number}"
