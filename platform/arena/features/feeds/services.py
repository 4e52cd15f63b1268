"""Secret addresses of personal calendars."""

from __future__ import annotations

import secrets

from django.utils import timezone

from arena.accounts.links import link_hash
from arena.accounts.models import User
from arena.common.errors import NotFound
from arena.features.feeds.models import CalendarLink


def calendar_link_create(user: User) -> str:
    """Return the secret of a new address, which replaces the earlier one. It is not stored."""
    secret = secrets.token_urlsafe(32)
    values = {"secret_sha256": link_hash(secret), "created_at": timezone.now()}
    CalendarLink.objects.update_or_create(user=user, defaults=values)
    return secret


def calendar_link_revoke(user: User) -> None:
    CalendarLink.objects.filter(user=user).delete()


def calendar_link_of(user: User) -> CalendarLink | None:
    return CalendarLink.objects.filter(user=user).first()


def calendar_owner(secret: str) -> User:
    """Return the account whose calendar has this secret. Raises NotFound ``calendar_not_found``."""
    link = CalendarLink.objects.select_related("user").filter(secret_sha256=link_hash(secret)).first()
    if link is None or not link.user.is_active:
        message = "This calendar address does not work: it was replaced or revoked."
        raise NotFound(message, "calendar_not_found")
    return link.user
