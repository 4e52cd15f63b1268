"""Remote tables for the service of live tables."""

from __future__ import annotations

import datetime
from typing import Any

from django.db.models import Q

from arena.features.remote.matching import rated_tables_open
from arena.features.remote.models import RemoteTable
from arena.features.remote.prune import tables_prune
from arena.features.remote.runner.seat import clocks_stop
from arena.features.remote.runner.session import RemoteSession, failed_columns
from arena.tables.live.kinds import LiveKind

State = RemoteTable.State


class RemoteKind(LiveKind[RemoteTable]):
    model = RemoteTable
    session = RemoteSession
    urgent = Q(state__in=RemoteTable.ACTIVE)
    unserved = Q(state__in=(*RemoteTable.ACTIVE, State.PLAYED))
    not_begun = Q(state=State.STARTING)
    order_by = "created_at"

    def failed_columns(self, table: RemoteTable) -> dict[str, Any]:
        return failed_columns()

    def taken_over(self, table_pk: int, died_at: datetime.datetime) -> None:
        clocks_stop(table_pk, died_at)

    def before_claims(self, capacity: int) -> None:
        rated_tables_open()

    def prune(self) -> None:
        tables_prune()


REMOTE = RemoteKind()
