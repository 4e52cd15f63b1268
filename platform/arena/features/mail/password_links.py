"""Links to set a password, by e-mail: requested by username or address, or for the new accounts of a course.

No secret is stored. The outbox has the link, and each attempt to send it makes a new secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from arena.accounts.links import RESET_HOURS, may_reset, reset_link_create
from arena.accounts.models import OneTimeLink, User
from arena.common.names import row_named
from arena.common.rates import rate_consume
from arena.features.mail.limits import MAX_AGE_S, MAX_MAILS_PER_REQUEST, QUEUE_BATCH_SIZE
from arena.features.mail.models import Language, OutgoingMail, ResetRequest

Kind = OutgoingMail.Kind


def can_send_mail() -> bool:
    """Return whether this installation is configured to send mail."""
    return bool(settings.EMAIL_FROM)


def reset_request(name: str, site: str, language: str) -> None:
    """Store a request for a link to the account with this username, or the accounts with this address.

    One statement, whether or not there are any.
    """
    ResetRequest.objects.create(name=name, site=site, language=_language(language))


def reset_requests_queue() -> int:
    """Delete stored requests, and put mails to their accounts into the outbox; return how many requests."""
    requests = list(ResetRequest.objects.order_by("pk")[:QUEUE_BATCH_SIZE])
    for request in requests:
        with transaction.atomic():
            is_own, _ = ResetRequest.objects.filter(pk=request.pk).delete()
            if is_own and can_send_mail():  # else another process was faster
                _reset_mails_queue(request)
    return len(requests)


def _reset_mails_queue(request: ResetRequest) -> None:
    if request.created_at < timezone.now() - timedelta(hours=RESET_HOURS["mail"]):
        return
    named = row_named(User.objects.all(), "username", request.name)
    accounts = User.objects.filter(Q(pk=named and named.pk) | Q(email__iexact=request.name)).exclude(email="")
    for user in accounts.order_by("id")[:MAX_MAILS_PER_REQUEST]:
        if not may_reset(user) or rate_consume("reset_mails", f"u{user.pk}").wait_s:
            continue
        link, _ = reset_link_create(user, None, by_mail=True)
        mail = _mail(Kind.RESET, user, link, request.language, {"site": request.site})
        mail.expires_at = link.expires_at
        mail.save()


def first_links_queue(users: Sequence[User], site: str, course: str, language: str) -> None:
    """Put mails with the valid links of new accounts into the outbox; links given out before stop working.

    They go to unconfirmed addresses. Accounts without a valid link are left out. Two queries.
    """
    links = OneTimeLink.objects.filter(
        user__in=users, kind=OneTimeLink.Kind.RESET, used_at=None, expires_at__gt=timezone.now()
    )
    by_user = {link.user_id: link for link in links}
    parameters = {"site": site, "course": course}
    OutgoingMail.objects.bulk_create(
        _mail(Kind.WELCOME, user, by_user[user.pk], _language(language), parameters)
        for user in users
        if user.pk in by_user
    )


def _mail(
    kind: OutgoingMail.Kind, user: User, link: OneTimeLink, language: str, parameters: dict[str, str]
) -> OutgoingMail:
    now = timezone.now()
    return OutgoingMail(
        kind=kind,
        user=user,
        link=link,
        address=user.email,
        parameters=parameters,
        language=language,
        next_at=now,
        expires_at=now + timedelta(seconds=MAX_AGE_S),
    )


def _language(language: str) -> str:
    return language if language in Language.values else Language.ENGLISH
