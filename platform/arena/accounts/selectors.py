"""Who is asking, and what they may see of accounts."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from arena.accounts.models import ApiToken, AuditEvent, Notice, User
from arena.common.errors import NotFound

Viewer = User | AnonymousUser | None
"""Whoever asks: an account, or nobody in particular."""


def is_staff(viewer: Viewer) -> bool:
    """An operator: may see and do everything a role allows."""
    return isinstance(viewer, User) and viewer.is_active and viewer.is_staff


def scopes_allowed(user: User) -> list[str]:
    """The scopes that mean anything for this user's role, in the order of their definition."""
    scopes = list(ApiToken.Scope.values)
    if not (user.is_organiser or user.is_staff):
        scopes.remove(ApiToken.Scope.ORGANISE)
    return scopes


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """A user's own tokens, newest first, revoked ones included."""
    return user.tokens.all()


def token_get(public_id: str, user: User) -> ApiToken:
    """A token of this user; staff get anybody's.

    Raises:
        NotFound: there is none of this id, or it is somebody else's.
    """
    tokens = ApiToken.objects.select_related("user")
    if not is_staff(user):
        tokens = tokens.filter(user=user)
    token = tokens.filter(public_id=public_id).first()
    if token is None:
        raise NotFound(f"No token {public_id} of yours; list them to see their ids.", "token_unknown")
    return token


def deeds() -> QuerySet[AuditEvent]:
    """The whole audit trail, newest first, actors at hand."""
    return AuditEvent.objects.select_related("actor")


def notices_for(user: User) -> QuerySet[Notice]:
    """What an account was told, newest first; ``.filter(read_at=None)`` are those it has not read."""
    return user.notices.all()
