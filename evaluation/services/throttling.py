"""Slows down password guessing without locking out the owner of the account.

Failed sign-ins of the last minutes are counted three ways: for a name from an address, for an address, and
for a name from everywhere. The first limit holds for everybody. The other two do not hold for an address from
which this person has signed in before: an attacker elsewhere, or a colleague behind the same router, cannot
lock anybody out of their usual place of work.

Counted in the database, so for all processes together, under digests and not under names (``SignIn``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from appraise.environment import integer
from evaluation.models import SignIn

FAILURES_KEPT = timedelta(days=1)
SUCCESSES_KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Limits:
    """How many failures within ``window`` are allowed."""

    window: timedelta
    together: int
    address: int
    account: int


def limits_from(environment: Mapping[str, str] = os.environ) -> Limits:
    """
    >>> limits_from({"SIGN_IN_LIMIT": "5"})
    Limits(window=datetime.timedelta(seconds=900), together=5, address=50, account=100)
    """
    return Limits(
        window=timedelta(minutes=integer("SIGN_IN_WINDOW_MINUTES", 15, 1, 1440, environment)),
        together=integer("SIGN_IN_LIMIT", 10, 1, 1000, environment),
        address=integer("SIGN_IN_LIMIT_ADDRESS", 50, 1, 100_000, environment),
        account=integer("SIGN_IN_LIMIT_ACCOUNT", 100, 1, 100_000, environment),
    )


LIMITS = limits_from()


def wait(name: str, address: str, *, limits: Limits = LIMITS) -> timedelta | None:
    """How long this name must wait at this address; ``None`` where it may try.

    Whether the name exists makes no difference, and a right password does not help.
    """
    account, place = SignIn.digest_of(name), SignIn.digest_of(address)
    now = timezone.now()
    failed = SignIn.objects.filter(succeeded=False, at__gt=now - limits.window)
    rows = list(failed.filter(Q(account=account) | Q(address=place)).values_list("account", "address", "at"))
    until = [
        _open_again([at for who, where, at in rows if (who, where) == (account, place)], limits.together)
    ]
    if rows and not SignIn.objects.filter(account=account, address=place, succeeded=True).exists():
        until.append(_open_again([at for _, where, at in rows if where == place], limits.address))
        until.append(_open_again([at for who, _, at in rows if who == account], limits.account))
    closed = [at + limits.window - now for at in until if at is not None]
    return max(closed) if closed else None


def _open_again(times: list[datetime], limit: int) -> datetime | None:
    """The failure that must expire before there are fewer than ``limit``."""
    return sorted(times)[-limit] if len(times) >= limit else None


@transaction.atomic
def record(name: str, address: str, *, succeeded: bool) -> None:
    """Remember how an attempt ended. Success forgets the failures of this name at this address."""
    account, place, now = SignIn.digest_of(name), SignIn.digest_of(address), timezone.now()
    old = Q(at__lt=now - FAILURES_KEPT, succeeded=False) | Q(at__lt=now - SUCCESSES_KEPT)
    if succeeded:
        old |= Q(account=account, address=place)
    SignIn.objects.filter(old).delete()
    SignIn.objects.create(account=account, address=place, succeeded=succeeded, at=now)
