"""Send mails from the outbox: claim by lease, check permissions, hand over once, store the outcome.

A mail is handed to the server at most once, except after a refusal: ``handed_over_at`` is committed before
the text is sent. If the process is killed after that, or the connection breaks before the reply, the server
may or may not have taken the mail (RFC 1047): it ends as ``unknown`` and is not repeated.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from arena.accounts.links import link_path, link_secret_renew
from arena.accounts.models import Notice, OneTimeLink
from arena.common.errors import NotFound
from arena.common.metrics import count
from arena.features.mail.limits import BATCH_SIZE, LEASE_S, MAX_ATTEMPTS, RETRY_DELAYS_S, SEND_S
from arena.features.mail.models import MailAddress, OutgoingMail
from arena.features.mail.outbox import is_beyond_limit
from arena.features.mail.preferences import address_refused, is_usable, kinds_of
from arena.features.mail.server import may_connect, server_failed, server_succeeded
from arena.features.mail.smtp import Connection, MailServerError, Outcome, connect
from arena.features.mail.texts import (
    MailText,
    ascii_address,
    confirmation_text,
    digest_text,
    mail_of,
    notice_text,
    reset_text,
    welcome_text,
)
from arena.features.mail.visibility import may_be_mailed

Kind, State = OutgoingMail.Kind, OutgoingMail.State
SERVER_CAUSES = ("auth", "busy", "relay", "sender")
"""Refusals of the server that say nothing about the mail: the attempt does not count."""
JITTER = 0.1
"""Maximum random extension of a delay, as a share."""


class Dropped(Exception):
    """The mail must not be sent any more. The argument is a code."""


def mails_due(most: int) -> list[int]:
    """Return keys of mails to send, the first mail of each account before the second ones. One query."""
    now = timezone.now()
    rows = OutgoingMail.objects.filter(
        Q(lease_until=None) | Q(lease_until__lt=now),
        state=State.WAITING,
        handed_over_at=None,
        next_at__lte=now,
        expires_at__gt=now,
        attempts__lt=MAX_ATTEMPTS,
    )
    earlier = rows.filter(user=OuterRef("user"), pk__lt=OuterRef("pk"))
    ordered = rows.annotate(is_further=Exists(earlier)).order_by("is_further", "next_at", "pk")
    return list(ordered.values_list("pk", flat=True)[:most])


def mails_send() -> int:
    """Send due mails over one connection, for at most ``SEND_S``; return how many were sent."""
    if not settings.EMAIL_FROM or not may_connect():
        return 0
    until = time.monotonic() + SEND_S
    due = mails_due(BATCH_SIZE)
    sent = 0
    if not due:
        return 0
    try:
        with connect() as connection:
            for mail_id in due:
                if time.monotonic() >= until:
                    break
                sent += mail_send(mail_id, connection)
    except MailServerError as error:
        server_failed(error)
    else:
        server_succeeded()
    return sent


def mail_claim(mail_id: int) -> OutgoingMail | None:
    """Lease a mail to the caller; None if it has ended, is not due, or is leased to another process."""
    now = timezone.now()
    taken = OutgoingMail.objects.filter(
        Q(lease_until=None) | Q(lease_until__lt=now),
        pk=mail_id,
        state=State.WAITING,
        handed_over_at=None,
        next_at__lte=now,
        expires_at__gt=now,
        attempts__lt=MAX_ATTEMPTS,
    ).update(lease_until=now + timedelta(seconds=LEASE_S), attempts=F("attempts") + 1)
    if not taken:
        return None
    return OutgoingMail.objects.select_related("user", "notice", "link").get(pk=mail_id)


def mail_send(mail_id: int, connection: Connection) -> bool:
    """Attempt one mail; return whether the server took it. Raises MailServerError: the mail waits."""
    mail = mail_claim(mail_id)
    if mail is None:
        return False
    if is_beyond_limit(mail):
        _settle(mail, State.HELD, cause="daily_limit")
        return False
    try:
        address, text = mail_content(mail)
        recipient = ascii_address(address)
        content = mail_of(text, recipient, mail.public_id)
    except Dropped as reason:
        _settle(mail, State.DROPPED, cause=str(reason))
        return False
    except ValueError:  # also django.core.mail.BadHeaderError
        _settle(mail, State.DROPPED, cause="bad_address")
        return False
    try:
        outcome = connection.send(settings.EMAIL_FROM, recipient, content, lambda: _hand_over(mail))
    except MailServerError as error:
        _retry_later(mail, error.cause, "", is_attempt=error.cause not in SERVER_CAUSES)
        raise
    _settle_outcome(mail, address, outcome)
    if outcome.error is not None:
        raise outcome.error
    return outcome.state == "sent"


def mail_content(mail: OutgoingMail) -> tuple[str, MailText]:
    """Return address and text of a mail, by what its account wants and may see now. Raises Dropped."""
    user = mail.user
    if not user.is_active or user.deleted_at is not None:
        raise Dropped("account_inactive")
    if mail.address and mail.address != user.email:
        raise Dropped("address_changed")
    if mail.kind == Kind.CONFIRMATION:
        return mail.address, confirmation_text(user, mail.address, mail.language)
    if mail.link is not None:
        return mail.address, _link_text(mail, mail.link)
    address = MailAddress.objects.filter(user=user).first()
    notice = mail.notice
    is_security = notice is not None and notice.kind == Notice.Kind.SECURITY
    # A security notice goes to the confirmed address even if it has just been replaced.
    if address is None or address.refused_at or not (is_security or is_usable(address, user)):
        raise Dropped("no_confirmed_address")
    chosen = kinds_of(user)
    if notice is None:
        kinds = Counter(mail.held.order_by("pk").values_list("notice__kind", flat=True))
        chosen_kinds = Counter({str(kind): number for kind, number in kinds.items() if kind in chosen})
        if not chosen_kinds:
            raise Dropped("unsubscribed")
        return address.address, digest_text(user, chosen_kinds, address.language)
    if notice.kind not in chosen:
        raise Dropped("unsubscribed")
    if notice.read_at is not None:
        raise Dropped("already_read")
    if not may_be_mailed(notice, user):
        raise Dropped("not_visible")
    return address.address, notice_text(notice, user, address.language)


def _link_text(mail: OutgoingMail, link: OneTimeLink) -> MailText:
    try:
        secret = link_secret_renew(link)
    except NotFound:
        raise Dropped("link_not_found") from None
    site = mail.parameters["site"]
    address = site + link_path(link, secret)
    if mail.kind == Kind.RESET:
        return reset_text(mail.user, site, address, mail.language)
    return welcome_text(mail.user, site, mail.parameters["course"], address, mail.language)


def _hand_over(mail: OutgoingMail) -> bool:
    """Commit that the text is about to be sent; False if another process took the mail meanwhile."""
    now = timezone.now()
    leased = OutgoingMail.objects.filter(
        pk=mail.pk, state=State.WAITING, attempts=mail.attempts, handed_over_at=None, lease_until__gt=now
    )
    return bool(leased.update(handed_over_at=now))


def _settle_outcome(mail: OutgoingMail, address: str, outcome: Outcome) -> None:
    if outcome.state == "sent":
        _settle(mail, State.SENT, reply=outcome.reply)
    elif outcome.state == "unknown":
        _settle(mail, State.UNKNOWN, cause=outcome.error.cause if outcome.error else "")
    elif outcome.state == "later":
        _retry_later(mail, "refused_for_now", outcome.reply)
    elif outcome.state == "refused":
        _settle(mail, State.FAILED, cause="refused", reply=outcome.reply)
    elif outcome.state == "address":
        with transaction.atomic():
            _settle(mail, State.FAILED, cause="address_refused", reply=outcome.reply)
            address_refused(mail.user, address, outcome.reply)


def _settle(mail: OutgoingMail, state: OutgoingMail.State, *, cause: str = "", reply: str = "") -> None:
    """End a mail (or hold it for the digest) if this process still has its lease."""
    ended_at = None if state == State.HELD else timezone.now()
    changed = _leased(mail).update(
        state=state, cause=cause, reply=reply, next_at=None, lease_until=None, ended_at=ended_at
    )
    if changed:
        count("mails", outcome=state.value)


def _retry_later(mail: OutgoingMail, cause: str, reply: str, *, is_attempt: bool = True) -> None:
    """Release a mail that the server did not take; ``mails_sweep`` ends it after the last attempt."""
    attempts = mail.attempts - (not is_attempt)
    delay_s = RETRY_DELAYS_S[min(mail.attempts, len(RETRY_DELAYS_S)) - 1]
    next_at = timezone.now() + timedelta(seconds=delay_s * (1 + random.random() * JITTER))
    _leased(mail).update(
        cause=cause,
        reply=reply,
        attempts=attempts,
        next_at=next_at,
        lease_until=None,
        handed_over_at=None,
    )


def _leased(mail: OutgoingMail) -> QuerySet[OutgoingMail]:
    return OutgoingMail.objects.filter(pk=mail.pk, state=State.WAITING, attempts=mail.attempts)
