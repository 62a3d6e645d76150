"""Accounts in bulk: a table of names becomes annotators of a campaign, each with a card to sign in.

A card has a long random code instead of a password, so five hundred accounts cost no more than one. Only the
digest is stored: a card can be printed once, and made anew at any time, which ends the old one.

A card opens only an account that annotates and has no password, and only managers of the campaign that made
the account can make a new one. Whoever later becomes a manager, researcher or administrator has no card.
"""

from __future__ import annotations

import csv
import re
import secrets
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import NamedTuple

from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from appraise.lib.problems import InputError, ProblemLog
from appraise.lib.tables import TableReader
from evaluation.importers.languages import normalise
from evaluation.models import AccessCard, Annotator, ApiToken, AuditEntry, Campaign, Membership, Role, User
from evaluation.models.people import GUEST_PREFIX
from evaluation.people.erasure import end_sessions

MOST_PEOPLE = 2000
ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # without letters and digits that look alike
GROUPS, GROUP = 4, 4  # 78 bits
COLUMNS = ("name", "quota", "languages")


class NewPerson(NamedTuple):
    name: str
    quota: int | None = None
    languages: tuple[str, ...] = ()


class IssuedCard(NamedTuple):
    """A person of a table; ``code`` is empty for an account that existed before."""

    name: str
    code: str


def read_people(text: str, *, file: str = "people.csv") -> list[NewPerson]:
    r"""Read a table with the columns name, quota and languages, or a list of names; ``InputError`` if wrong.

    >>> read_people("name,quota,languages\nwren,50,en fr\nlark,,\n")[0]
    NewPerson(name='wren', quota=50, languages=('en', 'fr'))
    >>> [person.name for person in read_people("wren\nlark\n")]
    ['wren', 'lark']
    """
    log = ProblemLog(file)
    first = text.lstrip("\ufeff").partition("\n")[0]
    delimiter = next((sign for sign in "\t;" if sign in first), ",")
    cells = list(enumerate(csv.reader(StringIO(text.lstrip("\ufeff")), delimiter=delimiter), 1))
    if delimiter not in first and first.strip().casefold() != "name":
        cells.insert(0, (0, ["name"]))
    reader = TableReader(iter(cells), log)
    if unknown := [name for name in reader.header if name not in COLUMNS]:
        log.add("bad_header", f"unknown column {unknown[0]!r}", f"use {', '.join(COLUMNS)}", reader.line)
    if "name" not in reader.header:
        log.add("bad_header", "there is no column 'name'", "add it to the header", reader.line)
    log.raise_if_any()
    people = list(_read_rows(reader, log))
    log.raise_if_any()
    if not people:
        raise InputError.of("empty_file", "there are no names", "write one in each line", file)
    return people


def _read_rows(reader: TableReader, log: ProblemLog) -> Iterator[NewPerson]:
    names: set[str] = set()
    for line, row in reader:
        name = User.normalize_username(row["name"].strip())
        quota, languages = (
            row.get("quota", "").strip(),
            re.split(r"[\s,;]+", row.get("languages", "").strip()),
        )
        codes = [normalise(code) for code in languages if code]
        if problem := _find_name_problem(name):
            log.add("bad_name", problem, "use letters, digits and @ . + - _", line, 1, row["name"])
        elif name.casefold() in names:
            log.add("duplicate_name", f"{name!r} is there twice", "remove one of the two lines", line, 1)
        elif quota and not (quota.isascii() and quota.isdigit() and 0 < int(quota) <= 1_000_000):
            log.add("bad_quota", f"the quota {quota!r} is no number from 1", "leave it empty for none", line)
        elif None in codes:
            log.add("bad_language", f"{row['languages']!r} has an unknown language", "write de or eng", line)
        elif len(names) >= MOST_PEOPLE:
            log.add("too_many", f"there are more than {MOST_PEOPLE} people", "split the file", line)
            break
        else:
            names.add(name.casefold())
            yield NewPerson(name, int(quota) if quota else None, tuple(code for code in codes if code))


def _find_name_problem(name: str) -> str:
    if name.startswith(GUEST_PREFIX):
        return f"names with {GUEST_PREFIX!r} are those of guests"
    field = User._meta.get_field("username")
    try:
        field.clean(name, None)
    except ValidationError as error:
        return f"{name!r}: {' '.join(error.messages)}"
    return ""


def add_people(campaign: Campaign, people: Iterable[NewPerson], *, by: User | None) -> list[IssuedCard]:
    """Make everybody an annotator of the campaign, with a new account where the name is free.

    A constant number of queries.
    """
    people = list(people)
    names = [person.name for person in people]
    with transaction.atomic():
        known = {user.username: user for user in User.objects.filter(username__in=names)}
        if inactive := [name for name, user in known.items() if not user.is_active]:
            raise InputError.of("inactive", f"this account is not active: {inactive[0]}", "remove it")
        made = User.objects.bulk_create(
            User(username=name, password=make_password(None)) for name in names if name not in known
        )
        Annotator.objects.bulk_create(Annotator(user=user) for user in made)
        codes = {user.username: _make_code() for user in made}
        AccessCard.objects.bulk_create(
            AccessCard(user=user, campaign=campaign, digest=_digest(codes[user.username])) for user in made
        )
        users = known | {user.username: user for user in made}
        _set_memberships(campaign, [(users[person.name], person) for person in people])
        AuditEntry.objects.record(by, "add members", campaign, {"people": names, "role": Role.ANNOTATOR})
    return [IssuedCard(name, codes.get(name, "")) for name in names]


def _set_memberships(campaign: Campaign, people: list[tuple[User, NewPerson]]) -> None:
    own = campaign.memberships.filter(task=None, role=Role.ANNOTATOR, user__in=[user for user, _ in people])
    known = {membership.user_id: membership for membership in own}
    new = []
    for user, person in people:
        membership = known.get(user.pk) or Membership(user=user, campaign=campaign, role=Role.ANNOTATOR)
        membership.quota = person.quota
        membership.languages = Membership.pack_languages(person.languages)
        if user.pk not in known:
            new.append(membership)
    Membership.objects.bulk_update(known.values(), ["quota", "languages"])
    Membership.objects.bulk_create(new)


def renew_cards(campaign: Campaign, users: Iterable[int], *, by: User | None) -> list[IssuedCard]:
    """Make new cards for people whose accounts this campaign made; the old ones end, and their sessions."""
    cards = []
    own = AccessCard.objects.filter(campaign=campaign, user__in=list(users)).select_related("user")
    with transaction.atomic():
        for card in own.order_by("user__username"):
            if _may_have_card(card.user):
                cards.append(IssuedCard(card.user.username, _renew(card)))
                end_sessions(card.user)
        AuditEntry.objects.record(by, "renew cards", campaign, {"people": [card.name for card in cards]})
    return cards


def _renew(card: AccessCard) -> str:
    code = _make_code()
    card.digest, card.created_at = _digest(code), timezone.now()
    card.save(update_fields=["digest", "created_at"])
    return code


def _make_code() -> str:
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP)) for _ in range(GROUPS))
    return "-".join(groups)


def _digest(code: str) -> str:
    """Return the digest of a code, however it is typed."""
    return ApiToken.digest_of(re.sub(r"[\s-]+", "", code).upper())


def find_card_holder(code: str) -> User | None:
    """Return whose card has this code, however it is typed; None if there is none, or it opens nothing."""
    card = AccessCard.objects.filter(digest=_digest(code[:100])).select_related("user").first()
    return card.user if card and _may_have_card(card.user) else None


def _may_have_card(user: User) -> bool:
    return user.is_active and not (user.is_staff or user.may_study or user.has_usable_password())
