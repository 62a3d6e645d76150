"""A person's API keys."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from evaluation.models import ApiToken, User

MOST = 200  # shown; the newest


@dataclass(frozen=True, slots=True)
class TokenRow:
    token: ApiToken
    state: str  # usable, revoked or expired

    @property
    def is_usable(self) -> bool:
        return self.state == "usable"


def token_rows(user: User) -> list[TokenRow]:
    """The newest first; one query."""
    return [TokenRow(token, _state(token)) for token in user.api_tokens.order_by("-pk")[:MOST]]


def _state(token: ApiToken) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at and token.expires_at <= timezone.now() else "usable"
