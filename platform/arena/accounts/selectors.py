"""Who is asking, and what they may see of accounts."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.utils import timezone

from arena.accounts.models import ApiToken, AuditEvent, Notice, OneTimeLink, Passkey, User
from arena.common.errors import NotFound
from arena.common.names import row_named

Viewer = User | AnonymousUser | None
"""The user of a request: an account, or anonymous."""


def is_staff(viewer: Viewer) -> bool:
    """An operator: may see everything but unrevealed secrets, and do everything a role allows."""
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


def token_of(user: User, public_id: str) -> ApiToken:
    """A token of this user's own, whatever the role.

    Raises:
        NotFound: there is none of this id, or it is somebody else's.
    """
    token = user.tokens.filter(public_id=public_id).first()
    if token is None:
        raise NotFound(f"No token {public_id} of yours; list them to see their ids.", "token_unknown")
    return token


def valid_tokens_of(user: User) -> list[ApiToken]:
    """A user's tokens that work now, newest first. One query."""
    return [token for token in user.tokens.all() if token.is_valid]


def user_named(username: str) -> User:
    """The account of this name, or the only one whose name differs from it only in case.

    Raises:
        NotFound: code ``user_unknown``.
    """
    user = row_named(User.objects.all(), "username", username)
    if user is None:
        raise NotFound(f"No account {username!r}.", "user_unknown")
    return user


def username_find(username: str) -> str | None:
    """The name of the account that ``user_named`` finds; None if it finds none."""
    user = row_named(User.objects.only("username"), "username", username)
    return user.username if user else None


def invitations_open() -> list[OneTimeLink]:
    """Invitations to sign up that can still be used, the newest first. One query."""
    rows = OneTimeLink.objects.filter(kind=OneTimeLink.Kind.INVITATION, used_at=None)
    return list(rows.filter(expires_at__gt=timezone.now()).select_related("made_by"))


def invitation_get(public_id: str) -> OneTimeLink:
    """An invitation to sign up, used or not.

    Raises:
        NotFound: code ``link_unknown``.
    """
    kind = OneTimeLink.Kind.INVITATION
    link = OneTimeLink.objects.filter(kind=kind, public_id=public_id).first()
    if link is None:
        raise NotFound(f"No invitation {public_id}.", "link_unknown")
    return link


def passkeys_of(user: User) -> list[Passkey]:
    """A user's passkeys, the oldest first. One query."""
    return list(user.passkeys.all())


def audit_trail() -> QuerySet[AuditEvent]:
    """What everybody did, newest first, actors at hand."""
    return AuditEvent.objects.select_related("actor")


def notices_for(user: User) -> QuerySet[Notice]:
    """The notices of an account, newest first."""
    return user.notices.all()


def unread_notices_for(user: User) -> QuerySet[Notice]:
    """Those it has not read, newest first."""
    return notices_for(user).filter(read_at=None)
