"""Links with a secret that open one form once: invitations to sign up, and links to set a new password."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from arena.accounts.house import is_house_account
from arena.accounts.models import AuditEvent, OneTimeLink, User, audit
from arena.common.errors import Conflict, Forbidden, Invalid, NotFound

Kind = OneTimeLink.Kind
INVITATION_DAYS = 14
"""Days that an invitation is valid by default."""
RESET_HOURS = {"operator": 72, "mail": 2}
"""Hours that a password link is valid, by how it is delivered."""
FIRST_PASSWORD_DAYS = 30
"""Days that the link of an account from a list is valid."""
NOTE_CHARACTERS = 120
UNKNOWN_LINK = "This link does not work: it was used, has expired or is incomplete. Ask for a new one."


def link_hash(plain: str) -> str:
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()


def reset_path(plain: str) -> str:
    return f"/reset/{plain}"


def link_path(link: OneTimeLink, plain: str) -> str:
    return f"/{'sign-up' if link.kind == Kind.INVITATION else 'reset'}/{plain}"


def invitation_create(
    actor: User | None, note: str = "", days: int = INVITATION_DAYS
) -> tuple[OneTimeLink, str]:
    """Create an invitation to sign up; return it with its secret, which is not stored.

    ``actor`` must be staff; None: an operator. Raises Forbidden (``not_staff``), Invalid.
    """
    if actor is not None and not actor.is_staff:
        raise Forbidden("Only staff can create invitations.", "not_staff")
    if not 1 <= days <= 365:
        raise Invalid(f"An invitation is valid for 1 to 365 days, not {days}.", "invalid", field="days")
    note = note.strip()
    if len(note) > NOTE_CHARACTERS or not note.isprintable():
        message = f"A note has at most {NOTE_CHARACTERS} printable characters."
        raise Invalid(message, "invalid", field="note")
    return _link_create(Kind.INVITATION, actor, None, timedelta(days=days), note)


def reset_link_create(user: User, actor: User | None, *, by_mail: bool = False) -> tuple[OneTimeLink, str]:
    """Create a link to set a new password; return it with its secret. Invalidates earlier links.

    Raises Forbidden (``not_staff``), Conflict (``account_inactive``).
    """
    if actor is not None and not actor.is_staff:
        raise Forbidden("Only staff can create links to reset a password.", "not_staff")
    if not may_reset(user):
        raise Conflict(f"The account {user.username!r} is closed and cannot sign in.", "account_inactive")
    hours = RESET_HOURS["mail" if by_mail else "operator"]
    with transaction.atomic():
        links_withdraw(user)
        return _link_create(Kind.RESET, actor, user, timedelta(hours=hours), "by mail" if by_mail else "")


def may_reset(user: User) -> bool:
    return user.is_active and user.deleted_at is None and not is_house_account(user.username)


def link_find(kind: str, plain: str) -> OneTimeLink:
    """Return the valid link with this secret. Does not use it up. Raises NotFound (``link_not_found``)."""
    link = OneTimeLink.objects.select_related("user").filter(kind=kind, token_hash=link_hash(plain)).first()
    if link is None or link.used_at is not None or link.expires_at <= timezone.now():
        raise NotFound(UNKNOWN_LINK, "link_not_found")
    if link.user is not None and not may_reset(link.user):
        raise NotFound(UNKNOWN_LINK, "link_not_found")
    return link


def link_use(link: OneTimeLink) -> None:
    """Use up a link, in the caller's transaction, once. Raises NotFound (``link_not_found``)."""
    now = timezone.now()
    unused = OneTimeLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=now)
    if not unused.update(used_at=now):
        raise NotFound(UNKNOWN_LINK, "link_not_found")


def link_secret_renew(link: OneTimeLink) -> str:
    """Give a valid link a new secret and return it; the earlier one stops working.

    Raises NotFound (``link_not_found``).
    """
    plain = secrets.token_urlsafe(32)
    valid = OneTimeLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=timezone.now())
    if not valid.update(token_hash=link_hash(plain)):
        raise NotFound(UNKNOWN_LINK, "link_not_found")
    return plain


def link_withdraw(link: OneTimeLink, actor: User) -> None:
    """Invalidate a link. Idempotent. Raises Forbidden (``not_staff``)."""
    if not actor.is_staff:
        raise Forbidden("Only staff can withdraw links.", "not_staff")
    with transaction.atomic():
        if OneTimeLink.objects.filter(pk=link.pk, used_at=None).update(used_at=timezone.now()):
            audit(actor, "withdraw", link)


def links_withdraw(user: User) -> None:
    OneTimeLink.objects.filter(user=user, used_at=None).update(used_at=timezone.now())


def reset_links_create(users: Sequence[User], actor: User | None, note: str) -> list[str]:
    """Create links with which new accounts set their first password; return their secrets, in this order.

    The caller checks ``actor`` and that no account has been used. Invalidates earlier links. Four queries.
    """
    now = timezone.now()
    OneTimeLink.objects.filter(user__in=users, used_at=None).update(used_at=now)
    secrets_made = [secrets.token_urlsafe(32) for _ in users]
    links = OneTimeLink.objects.bulk_create(
        OneTimeLink(
            kind=Kind.RESET,
            token_hash=link_hash(plain),
            user=user,
            note=note,
            created_by=actor,
            expires_at=now + timedelta(days=FIRST_PASSWORD_DAYS),
        )
        for user, plain in zip(users, secrets_made, strict=True)
    )
    AuditEvent.objects.bulk_create(
        AuditEvent(
            actor=actor,
            action="create",
            kind="onetimelink",
            object_id=link.public_id,
            after={"link_kind": Kind.RESET, "account": user.public_id, "note": note},
        )
        for user, link in zip(users, links, strict=True)
    )
    return secrets_made


def _link_create(
    kind: str, actor: User | None, user: User | None, holds: timedelta, note: str
) -> tuple[OneTimeLink, str]:
    plain = secrets.token_urlsafe(32)
    with transaction.atomic():
        link = OneTimeLink.objects.create(
            kind=kind,
            token_hash=link_hash(plain),
            user=user,
            note=note,
            created_by=actor,
            expires_at=timezone.now() + holds,
        )
        audit(actor, "create", link, link_kind=kind, account=user.public_id if user else "", note=note)
    return link, plain
