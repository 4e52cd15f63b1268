"""Signed links of mails. They do not expire with sessions and need no sign-in, except confirmations."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.accounts.models import Notice, User
from arena.common.errors import NotFound, mark_translated
from arena.common.ids import is_public_id
from arena.features.mail.limits import CONFIRMATION_S

UNSUBSCRIBE_SALT = "rensho.mail.unsubscribe"
CONFIRM_SALT = "rensho.mail.confirm"
ALL = "all"
"""In place of a kind of notices: all kinds."""
SEPARATOR = "."


class Unsubscription(NamedTuple):
    user: User
    kind: str
    """A kind of notices, or ``ALL``."""


def absolute(path: str) -> str:
    return f"{settings.SITE_ADDRESS}{path}"


def unsubscribe_link(user: User, kind: str) -> str:
    """Return the link that turns off a kind of notices (or ``ALL``) for this account. It never expires."""
    token = _unsubscribe_signer().sign(f"{user.public_id}-{kind}")
    return absolute(reverse("web:mail-unsubscribe", args=[token]))


def unsubscription_of(token: str) -> Unsubscription:
    """Return what a link turns off. Raises NotFound (``link_not_found``)."""
    try:
        public_id, _separator, kind = _unsubscribe_signer().unsign(token).partition("-")
    except signing.BadSignature:
        raise _not_found() from None
    user = (
        User.objects.filter(public_id=public_id, deleted_at=None).first() if is_public_id(public_id) else None
    )
    if user is None or kind not in (ALL, *Notice.Kind.values):
        raise _not_found()
    return Unsubscription(user, kind)


def confirmation_link(user: User, address: str) -> str:
    token = signing.dumps([user.public_id, address], salt=CONFIRM_SALT).replace(":", SEPARATOR)
    return absolute(reverse("web:mail-confirm", args=[token]))


def confirmed_address(user: User, token: str) -> str:
    """Return the address that a link of this account confirms. Raises NotFound (``link_not_found``)."""
    try:
        public_id, address = signing.loads(
            token.replace(SEPARATOR, ":"), salt=CONFIRM_SALT, max_age=CONFIRMATION_S
        )
    except (signing.BadSignature, ValueError):
        raise _not_found() from None
    if public_id != user.public_id or address != user.email or not address:
        raise _not_found()
    return str(address)


def _unsubscribe_signer() -> signing.Signer:
    return signing.Signer(salt=UNSUBSCRIBE_SALT, sep=SEPARATOR)


def _not_found() -> NotFound:
    message = _("This link does not work: it is incomplete or has expired, or belongs to another account.")
    return mark_translated(NotFound(message, "link_not_found"))
