"""Feature descriptor of remote bots."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator

from django.db.models import Q
from django.utils import timezone

from arena.common.features import Feature, HealthResult, StaleRows, StateDeadline
from arena.features.remote.accounts import delete_account, own_data
from arena.features.remote.invitations import EXPIRY_S, invitations_advance
from arena.features.remote.models import RemoteInvitation, RemoteTable
from arena.features.remote.selectors import online_versions, unserved_tables

EXPIRY_GRACE_S = 600
MAX_LISTED = 5
"""Maximum tables that one line names."""
UNSERVED_S = 300.0
"""Seconds without a service after which a table is reported."""


def _stale_rows(now: datetime.datetime) -> Iterable[StaleRows]:
    states = RemoteTable.State
    yield StaleRows(
        "remote_table",
        RemoteTable.objects.filter(state__in=(*RemoteTable.ACTIVE, states.PLAYED)),
        # Outages of the site are never charged, so the clocks bound no state.
        [
            StateDeadline("active", "created_at", Q(state__in=RemoteTable.ACTIVE), None),
            StateDeadline("played", "created_at", Q(state=states.PLAYED), None),
        ],
    )
    yield StaleRows(
        "remote_invitation",
        RemoteInvitation.objects.filter(state=RemoteInvitation.State.OPEN),
        [StateDeadline("open", "created_at", Q(), EXPIRY_S + EXPIRY_GRACE_S)],
    )


def _health(is_supervised: bool) -> Iterator[HealthResult]:
    part = "remote bots"
    waiting = unserved_tables(timezone.now() - datetime.timedelta(seconds=UNSERVED_S))
    names = list(waiting.values_list("public_id", flat=True)[:MAX_LISTED])
    if names:
        remedy = "The play service runs them: see its line"
        remedy += " and logs/play.log in the data folder." if is_supervised else " and its journal."
        yield HealthResult(part, False, f"no service runs the tables {', '.join(names)}", remedy)
        return
    online = online_versions().count()
    playing = RemoteTable.objects.filter(state__in=RemoteTable.ACTIVE).count()
    yield HealthResult(part, True, f"{online} connected, {playing} tables in play")


def _blob_references(sha256: str) -> list[str]:
    rows = RemoteTable.objects.filter(Q(record_sha256=sha256) | Q(view_sha256=sha256))
    return [f"remote table {row.public_id}" for row in rows[:MAX_LISTED]]


REMOTE = Feature(
    name="remote",
    live_tables="arena.features.remote.runner.kind.REMOTE",
    urls="arena.features.remote.urls",
    api_urls="arena.features.remote.api_urls",
    tick=[invitations_advance],
    own_data=own_data,
    delete_account=delete_account,
    stale_rows=_stale_rows,
    health=_health,
    blob_references=_blob_references,
)
