"""Personal data of remote bots: export, and deletion of an account."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q
from django.utils import timezone

from arena.accounts.handles import DELETED_NAME_PREFIX
from arena.accounts.models import AuditEvent, Notice, User
from arena.common.features import AccountDeletion
from arena.common.plain_rows import plain_row, plain_rows
from arena.features.remote.models import (
    RemoteBot,
    RemoteInvitation,
    RemoteSeat,
    RemoteTable,
    RemoteVersion,
)

DELETED = "(deleted)"
NAMED_BY_OWNER = ("name", "label")
"""Values of audit events that the owner typed."""


def own_data(user: User) -> dict[str, Any]:
    """Return the bots, seats and invitations of an account."""
    bots = RemoteBot.objects.filter(owner__user=user).order_by("id").prefetch_related("versions")
    seats = RemoteSeat.objects.filter(Q(version__bot__owner__user=user) | Q(person__user=user)).order_by("id")
    invitations = RemoteInvitation.objects.filter(
        Q(inviting__bot__owner__user=user) | Q(invited__bot__owner__user=user) | Q(person__user=user)
    )
    return {
        "remote_bots": [
            {
                **plain_row(bot, "id=public_id name game created_at paused_at retired_at"),
                "versions": plain_rows(
                    bot.versions.all(), "id=public_id number label created_at connected_at alive_at"
                ),
            }
            for bot in bots
        ],
        "remote_seats": [
            {
                **plain_row(
                    seat,
                    "table=table.public_id seat preset=table.preset state=table.state verdict disconnects "
                    "log result=table.result score=table.score created_at=table.created_at",
                ),
                "version": _id_of(seat.version),
            }
            for seat in seats.select_related("table", "version")
        ],
        "remote_invitations": [
            {
                **plain_row(row, "id=public_id invited=invited.public_id preset state created_at"),
                "inviting": _id_of(row.inviting),
            }
            for row in invitations.select_related("inviting", "invited").order_by("id")
        ],
    }


def _id_of(version: RemoteVersion | None) -> str | None:
    """Return the public id of a version; None for a person."""
    return None if version is None else version.public_id


def delete_account(closing: AccountDeletion) -> tuple[()]:
    """Retire the account's bots without their names. Tables that they play end as disconnected."""
    now = timezone.now()
    bots = RemoteBot.objects.filter(owner__user=closing.user)
    versions = RemoteVersion.objects.filter(bot__in=bots)
    _forget_texts(closing.user, bots, versions)
    RemoteInvitation.objects.filter(
        Q(inviting__in=versions) | Q(invited__in=versions) | Q(person__user=closing.user),
        state=RemoteInvitation.State.OPEN,
    ).update(state=RemoteInvitation.State.EXPIRED, answered_at=now)
    seats = RemoteSeat.objects.filter(Q(version__in=versions) | Q(person__user=closing.user))
    for seat in seats.select_related("table"):
        _forget_label(seat)
    seats.update(log="")
    # A new generation ends the streams; the referee forfeits once the disconnect bank is used up.
    versions.update(
        label="", ladder="", accepts=[], max_tables=1, disconnected_at=now, generation=F("generation") + 1
    )
    for number, bot in enumerate(bots.order_by("id"), 1):
        name = f"{DELETED_NAME_PREFIX}remote-{number}"
        RemoteBot.objects.filter(pk=bot.pk).update(
            name=name, name_key=name, retired_at=bot.retired_at or now, paused_at=None, pause_note={}
        )
    return ()


def _forget_label(seat: RemoteSeat) -> None:
    labels = [
        {**row, "label": DELETED} if row["seat"] == seat.seat else row
        for row in RemoteTable.objects.values_list("seats", flat=True).get(pk=seat.table_id)
    ]
    RemoteTable.objects.filter(pk=seat.table_id).update(seats=labels)


def _forget_texts(user: User, bots: Any, versions: Any) -> None:
    ids = {*bots.values_list("public_id", flat=True), *versions.values_list("public_id", flat=True)}
    for event in AuditEvent.objects.filter(object_id__in=ids):
        before, after = _without_names(event.before), _without_names(event.after)
        AuditEvent.objects.filter(pk=event.pk).update(before=before, after=after)
    Notice.objects.filter(
        note__code__in=("remote_invited", "remote_invited_by_person"), note__user=user.username
    ).delete()


def _without_names(values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    return {key: DELETED if key in NAMED_BY_OWNER and value else value for key, value in values.items()}
