"""Preferences of accounts: a confirmed address, its language, and the kinds of notices sent to it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.errors import Conflict, Invalid, mark_translated
from arena.common.rates import rate_consume
from arena.features.mail.limits import CONFIRMATION_S
from arena.features.mail.links import ALL, Unsubscription, confirmed_address
from arena.features.mail.models import Language, MailAddress, NoticeChoice, OutgoingMail

DEFAULT_KINDS = (Notice.Kind.SECURITY,)
"""Kinds that confirming an address turns on, if the account has chosen none."""
RATE = "confirmation_mails"


def sends_notices() -> bool:
    """Return whether this site can send notices: with a mail server, and its own address for links."""
    return bool(settings.EMAIL_FROM and settings.SITE_ADDRESS)


def mail_address_of(user: User) -> MailAddress | None:
    return MailAddress.objects.filter(user=user).first()


def is_usable(address: MailAddress | None, user: User) -> bool:
    """Return whether notices are sent: the confirmed address is the account's, and no server refused it."""
    return address is not None and address.address == user.email and address.refused_at is None


def kinds_of(user: User) -> set[str]:
    return set(NoticeChoice.objects.filter(user=user).values_list("kind", flat=True))


def kinds_save(user: User, kinds: Collection[str], language: str) -> None:
    """Choose the kinds of notices to send, and their language. Notices before a choice are not sent.

    Raises Invalid (unknown kind or language).
    """
    unknown = set(kinds) - set(Notice.Kind.values)
    if unknown or language not in Language.values:
        name = "language" if not unknown else "kinds"
        raise Invalid(f"Unknown {name}: {sorted(unknown) or language!r}.", "invalid", field=name)
    with transaction.atomic():
        before = kinds_of(user)
        NoticeChoice.objects.filter(user=user).exclude(kind__in=kinds).delete()
        added = [NoticeChoice(user=user, kind=kind) for kind in sorted(set(kinds) - before)]
        NoticeChoice.objects.bulk_create(added, ignore_conflicts=True)
        MailAddress.objects.filter(user=user).update(language=language)
        if before != set(kinds):
            audit(user, "change_mail", user, {"kinds": sorted(before)}, kinds=sorted(kinds))


def confirmation_request(user: User, language: str) -> float:
    """Put a mail with a link that confirms the account's address into the outbox.

    Returns the seconds to wait, if too many were requested for this account or this address. Raises Conflict
    (``mail_disabled``; ``no_email``; ``already_confirmed``).
    """
    if not sends_notices():
        raise mark_translated(Conflict(_("This site does not send e-mail."), "mail_disabled"))
    if not user.email:
        raise mark_translated(Conflict(_("Your account has no e-mail address."), "no_email"))
    if is_usable(mail_address_of(user), user):
        raise mark_translated(Conflict(_("Your address is already confirmed."), "already_confirmed"))
    digest = hashlib.sha256(user.email.lower().encode()).hexdigest()[:32]
    for whose in (f"u{user.pk}", f"m{digest}"):
        if wait_s := rate_consume(RATE, whose).wait_s:
            return wait_s
    now = timezone.now()
    with transaction.atomic():
        waiting = OutgoingMail.objects.filter(
            user=user, kind=OutgoingMail.Kind.CONFIRMATION, state=OutgoingMail.State.WAITING, attempts=0
        )
        if not waiting.filter(address=user.email).exists():
            OutgoingMail.objects.create(
                user=user,
                kind=OutgoingMail.Kind.CONFIRMATION,
                address=user.email,
                language=language if language in Language.values else Language.ENGLISH,
                next_at=now,
                expires_at=now + timedelta(seconds=CONFIRMATION_S),
            )
    return 0.0


def address_confirm(user: User, token: str, language: str) -> MailAddress:
    """Confirm the address that the link was sent to. Idempotent. Raises NotFound (``link_not_found``)."""
    address = confirmed_address(user, token)
    with transaction.atomic():
        values = {
            "address": address,
            "confirmed_at": timezone.now(),
            "replaced_at": None,
            "refused_at": None,
            "refusal": "",
        }
        row, is_new = MailAddress.objects.update_or_create(
            user=user, defaults=values, create_defaults={**values, "language": language}
        )
        if is_new and not kinds_of(user):
            NoticeChoice.objects.bulk_create(NoticeChoice(user=user, kind=kind) for kind in DEFAULT_KINDS)
        audit(user, "confirm_email", user)
    return row


def unsubscribe(chosen: Unsubscription) -> None:
    """Turn off a kind of notices, or all. Idempotent."""
    rows = NoticeChoice.objects.filter(user=chosen.user)
    if chosen.kind != ALL:
        rows = rows.filter(kind=chosen.kind)
    with transaction.atomic():
        if rows.delete()[0]:
            audit(chosen.user, "change_mail", chosen.user, {}, unsubscribed=chosen.kind)


def address_refused(user: User, address: str, reply: str) -> None:
    """Stop mails to an address that the server refused for good, with a notice on the site. Idempotent."""
    with transaction.atomic():
        rows = MailAddress.objects.filter(user=user, address=address, refused_at=None)
        if rows.update(refused_at=timezone.now(), refusal=reply):
            notice_create(user, Notice.Kind.MAIL, {"code": "mail_refused", "reply": reply}, "/me/mail")
