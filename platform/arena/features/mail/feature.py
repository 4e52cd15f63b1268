"""Feature descriptor of e-mail notices."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from arena.accounts.models import User
from arena.common.features import AccountDeletion, Feature, StaleRows, StateDeadline
from arena.common.plain_rows import plain_row, plain_rows
from arena.features.mail.health import connection_health, stored_health
from arena.features.mail.models import MailAddress, NoticeChoice, OutgoingMail
from arena.features.mail.preferences import kinds_of, mail_address_of
from arena.features.mail.tasks import mails_tick


def _own_data(user: User) -> dict[str, Any]:
    address = mail_address_of(user)
    rows = OutgoingMail.objects.filter(user=user).order_by("id")
    return {
        "mail": {
            "address": address and plain_row(address, "address language confirmed_at refused_at refusal"),
            "kinds": sorted(kinds_of(user)),
            "mails": plain_rows(rows, "id=public_id kind address state cause created_at ended_at"),
        }
    }


def _delete_account(closing: AccountDeletion) -> tuple[()]:
    for model in (OutgoingMail, NoticeChoice, MailAddress):
        model.objects.filter(user=closing.user).delete()
    return ()


def _stale_rows(now: datetime.datetime) -> Iterator[StaleRows]:
    yield StaleRows(
        "mail",
        OutgoingMail.objects.filter(state=OutgoingMail.State.WAITING),
        [
            StateDeadline("waiting", "created_at", Q(), None),
            StateDeadline("overdue", "expires_at", Q(expires_at__lte=now), 0.0),
        ],
    )


MAIL = Feature(
    name="mail",
    urls="arena.features.mail.urls",
    tick=[mails_tick],
    own_data=_own_data,
    delete_account=_delete_account,
    stale_rows=_stale_rows,
    health=stored_health,
    connection_health=connection_health,
)
