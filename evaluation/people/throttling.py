"""Limit password guessing without locking out the owner of the account.

Failed sign-ins of the last minutes are counted in three ways: for a name from an address, for an address, and
for a name from all addresses. The first limit applies to everyone. The other two do not apply to an address
from which this user has signed in before, so an attacker elsewhere, or a colleague behind the same router,
cannot lock anybody out of their usual place of work. Attempts are counted in the database, for all processes
together, under digests instead of names (``SignIn``).

``X-Forwarded-For`` can be forged. It is used only if the connection comes from an address in
``TRUSTED_PROXIES`` (addresses or networks, separated by commas), and only up to the first hop that is not
trusted itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from evaluation.models import SignIn

FAILURES_KEPT = timedelta(days=1)
SUCCESSES_KEPT = timedelta(days=30)
Network = IPv4Network | IPv6Network
# Any number, but always the same one: PostgreSQL locks it for the rest of the transaction.
LOCK = 5_104_202


@transaction.atomic
def begin_attempt(name: str, address: str) -> timedelta | None:
    """Count an attempt as failed before its password is checked; return how long to wait if it is refused.

    The check and the count are one step, so that attempts sent in parallel cannot all pass the same check.
    """
    if connection.vendor == "postgresql":  # SQLite has one writer at a time anyway
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    wait = compute_wait(name, address)
    if wait is None:
        record_attempt(name, address, succeeded=False)
    return wait


def compute_wait(name: str, address: str) -> timedelta | None:
    """Return how long this name must wait at this address; ``None`` if it may try.

    Independent of whether the account exists and whether the password is correct.
    """
    account, place = SignIn.digest_of(name), SignIn.digest_of(address)
    now, window = timezone.now(), timedelta(minutes=settings.SIGN_IN_WINDOW_MINUTES)
    failed = SignIn.objects.filter(succeeded=False, at__gt=now - window)
    rows = list(failed.filter(Q(account=account) | Q(address=place)).values_list("account", "address", "at"))
    of_pair = [at for *pair, at in rows if pair == [account, place]]
    blocking = [_blocking_failure(of_pair, settings.SIGN_IN_LIMIT)]
    if rows and not SignIn.objects.filter(account=account, address=place, succeeded=True).exists():
        at_address = [at for _, row_address, at in rows if row_address == place]
        of_account = [at for row_account, _, at in rows if row_account == account]
        blocking.append(_blocking_failure(at_address, settings.SIGN_IN_LIMIT_ADDRESS))
        blocking.append(_blocking_failure(of_account, settings.SIGN_IN_LIMIT_ACCOUNT))
    return max((at + window - now for at in blocking if at is not None), default=None)


def _blocking_failure(times: list[datetime], limit: int) -> datetime | None:
    """Return the failure that must expire before there are fewer than ``limit``."""
    return sorted(times)[-limit] if len(times) >= limit else None


@transaction.atomic
def record_attempt(name: str, address: str, *, succeeded: bool) -> None:
    """Store the result of an attempt; a success deletes the failures of this name at this address."""
    account, place, now = SignIn.digest_of(name), SignIn.digest_of(address), timezone.now()
    old = Q(at__lt=now - FAILURES_KEPT, succeeded=False) | Q(at__lt=now - SUCCESSES_KEPT)
    if succeeded:
        old |= Q(account=account, address=place)
    SignIn.objects.filter(old).delete()
    SignIn.objects.create(account=account, address=place, succeeded=succeeded, at=now)


def client_address(meta: Mapping[str, str]) -> str:
    """Return the address by which sign-ins are counted; an IPv6 /64 counts as one address.

    >>> client_address({"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "198.51.100.1"})
    '192.0.2.7'
    """
    trusted: Sequence[Network] = settings.TRUSTED_PROXIES
    # Nearest first. A connection over a local socket has no address: it comes from the proxy.
    hops = [meta.get("REMOTE_ADDR", "").strip()]
    hops += [hop.strip() for hop in reversed(meta.get("HTTP_X_FORWARDED_FOR", "").split(","))]
    for hop in hops:
        if not (trusted and _is_trusted(hop, trusted)):
            return _normalize(hop)
    return _normalize(hops[0])


def _is_trusted(hop: str, trusted: Sequence[Network]) -> bool:
    try:
        return not hop or any(ip_address(hop) in network for network in trusted)
    except ValueError:
        return False


def _normalize(hop: str) -> str:
    try:
        address = ip_address(hop)
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ip_network((address, 64), strict=False))
    return str(address)
