"""Queries for accounts, tokens, links, notices and the audit trail."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.utils import timezone

from arena.accounts.models import ApiToken, AuditEvent, Notice, OneTimeLink, Passkey, ProviderIdentity, User
from arena.common.errors import NotFound
from arena.common.names import row_named

Viewer = User | AnonymousUser | None
"""The user of a request: an account, or anonymous."""


def is_staff(viewer: Viewer) -> bool:
    """Return whether the viewer is an active operator, who may see everything except unrevealed secrets."""
    return isinstance(viewer, User) and viewer.is_active and viewer.is_staff


def scopes_allowed(user: User) -> list[str]:
    """Return the scopes that a token of this user may have, in the order of their definition."""
    scopes = list(ApiToken.Scope.values)
    if not (user.is_organiser or user.is_staff):
        scopes.remove(ApiToken.Scope.ORGANISE)
    return scopes


def tokens_of(user: User) -> QuerySet[ApiToken]:
    return user.tokens.all()


def token_get(public_id: str, user: User) -> ApiToken:
    """Return a token of this user; staff may get any token. Raises NotFound (``token_not_found``)."""
    tokens = ApiToken.objects.select_related("user")
    if not is_staff(user):
        tokens = tokens.filter(user=user)
    token = tokens.filter(public_id=public_id).first()
    if token is None:
        raise NotFound(
            f"You have no token {public_id}; list your tokens to see their ids.",
            "token_not_found",
        )
    return token


def token_of(user: User, public_id: str) -> ApiToken:
    """Return a token of this user, whatever the role. Raises NotFound (``token_not_found``)."""
    token = user.tokens.filter(public_id=public_id).first()
    if token is None:
        raise NotFound(
            f"You have no token {public_id}; list your tokens to see their ids.",
            "token_not_found",
        )
    return token


def valid_tokens(pks: Collection[int]) -> set[int]:
    """Return those of some tokens, by primary key, that still authenticate. One query."""
    rows = ApiToken.objects.filter(pk__in=pks, revoked_at=None, user__is_active=True)
    return set(rows.exclude(expires_at__lte=timezone.now()).values_list("pk", flat=True))


def valid_tokens_of(user: User) -> list[ApiToken]:
    """Return a user's unexpired and unrevoked tokens, newest first. One query."""
    return [token for token in user.tokens.all() if token.is_valid]


def user_named(username: str) -> User:
    """Return the account with this name, else the only one that differs in case. Raises NotFound."""
    user = row_named(User.objects.all(), "username", username)
    if user is None:
        raise NotFound(f"There is no account {username!r}.", "user_not_found")
    return user


def username_find(username: str) -> str | None:
    """Return the username of the account that ``user_named`` would return, or None."""
    user = row_named(User.objects.only("username"), "username", username)
    return user.username if user else None


def invitations_open() -> list[OneTimeLink]:
    """Return the invitations to sign up that are still valid, newest first. One query."""
    rows = OneTimeLink.objects.filter(kind=OneTimeLink.Kind.INVITATION, used_at=None)
    return list(rows.filter(expires_at__gt=timezone.now()).select_related("created_by"))


def invitation_get(public_id: str) -> OneTimeLink:
    """Return an invitation to sign up, used or not. Raises NotFound (``link_not_found``)."""
    kind = OneTimeLink.Kind.INVITATION
    link = OneTimeLink.objects.filter(kind=kind, public_id=public_id).first()
    if link is None:
        raise NotFound(f"There is no invitation {public_id}.", "link_not_found")
    return link


def passkeys_of(user: User) -> list[Passkey]:
    return list(user.passkeys.all())


def identities_of(user: User) -> list[ProviderIdentity]:
    return list(user.provider_identities.all())


def audit_trail() -> QuerySet[AuditEvent]:
    """Return all entries of the audit trail, newest first, with their actors."""
    return AuditEvent.objects.select_related("actor")


def notices_for(user: User) -> QuerySet[Notice]:
    return user.notices.all()


def unread_notices_for(user: User) -> QuerySet[Notice]:
    return notices_for(user).filter(read_at=None)
