"""Feature descriptor of play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.models import Q

from arena.accounts.models import User
from arena.common.features import AccountDeletion, Feature, HealthResult
from arena.common.plain_rows import plain_row
from arena.features.play.models import CasualTable
from arena.features.play.selectors import services_alive
from arena.features.play.services import tables_forget
from arena.features.play.sharing import shared_until
from arena.roster.models import BotVersion

MAX_LISTED = 5
"""Maximum tables named as users of a blob."""


def _own_data(user: User) -> dict[str, Any]:
    rows = CasualTable.objects.filter(owner=user).order_by("id")
    return {"casual_tables": [_table_data(row) for row in rows]}


def _table_data(row: CasualTable) -> dict[str, Any]:
    until = shared_until(row)
    return {
        **plain_row(
            row, "id=public_id preset seat state opened_at=created_at ended_at result practice hints"
        ),
        "taken_back": len(row.taken_back),
        "seats": [seat["label"] for seat in row.seats],
        "actions": row.actions if row.is_over and not row.is_sealed else None,
        "shared_until": until.isoformat(timespec="seconds") if until else None,
    }


def _delete_account(closing: AccountDeletion) -> tuple[()]:
    versions = BotVersion.objects.filter(pk__in=closing.versions)
    tables_forget(closing.user, list(versions.values_list("public_id", flat=True)))
    return ()


def _health(is_supervised: bool) -> Iterator[HealthResult]:
    part = "play"
    alive = services_alive()
    for service in alive:
        detail = f"{service.name}: {service.tables} of {service.capacity} tables"
        yield HealthResult(part, not service.detail, detail, service.detail)
    if not alive and is_supervised:
        yield HealthResult(
            part, False, "no recent heartbeat of a play service", "Read logs/play.log in the data folder."
        )
    elif not alive and not settings.BROKER_IS_MANAGED:
        remedy = (
            "If people are to play with bots: systemctl start rensho-play, then journalctl -u rensho-play."
        )
        yield HealthResult(
            part, True, "no recent heartbeat of a play service: people cannot play with bots", remedy
        )


def _blob_references(sha256: str) -> list[str]:
    rows = CasualTable.objects.filter(Q(record_sha256=sha256) | Q(view_sha256=sha256))
    return [f"casual table {row.public_id}" for row in rows[:MAX_LISTED]]


PLAY = Feature(
    name="play",
    urls="arena.features.play.urls",
    service="play_serve",
    live_tables="arena.features.play.runner.kind.CASUAL",
    own_data=_own_data,
    delete_account=_delete_account,
    health=_health,
    blob_references=_blob_references,
)
