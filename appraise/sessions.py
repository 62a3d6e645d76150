"""Sessions in the database, found by a query that is compiled once; otherwise Django's own."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.models import Session
from django.utils import timezone

from evaluation.prepared import Prepared

_BY_KEY = Prepared(lambda key: Session.objects.filter(session_key=key), "a session key")


class SessionStore(DatabaseStore):
    def _get_session_from_db(self) -> Any:  # Any: Django leaves it untyped; a Session or None
        for session in _BY_KEY.objects(self.session_key or ""):
            if session.expire_date > timezone.now():
                return session
        self._session_key = None
        return None

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session
