"""Casual tables for the service of live tables."""

from __future__ import annotations

import datetime
import typing
from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.utils import timezone

from arena.features.play.models import CasualTable, PlayService
from arena.features.play.prune import tables_prune
from arena.features.play.runner.session import TableSession, failed_columns
from arena.features.play.selectors import ABANDONED_S
from arena.features.play.services import pause
from arena.tables.live.kinds import LiveKind, ServiceStatus
from arena.tables.live.session import ClaimLost, LiveSession
from arena.tables.live.wakeups import PAGES_CHANNEL, wake

State = CasualTable.State


class CasualKind(LiveKind[CasualTable]):
    model = CasualTable
    session = TableSession
    urgent = Q(state__in=(State.SEATING, State.PLAYING))
    unserved = (
        urgent
        | Q(state=State.ABANDONED, ended_at__isnull=True)
        | Q(state__in=(State.ABANDONED, State.FINISHED), ended_at__isnull=False, field__isnull=True)
    )
    not_begun = Q(state=State.SEATING)
    order_by = "last_action_at"

    def failed_columns(self, table: CasualTable) -> dict[str, Any]:
        return failed_columns(table)

    def watch(self, sessions: Sequence[LiveSession[CasualTable]]) -> None:
        """Pause tables whose person is away."""
        for session in sessions:
            if typing.cast(TableSession, session).is_away():
                rows = CasualTable.objects.filter(
                    pk=session.pk, claimed_by=session.claim, pending__isnull=True
                )
                table = rows.first()
                if table is not None and pause(rows, table):
                    session.stop(ClaimLost("its person is away"))
                    wake(PAGES_CHANNEL, session.public_id)

    def before_claims(self, capacity: int) -> None:
        """Leave tables to a house bot whose person has been away for long."""
        before = timezone.now() - datetime.timedelta(seconds=ABANDONED_S)
        abandoned = CasualTable.objects.filter(state=State.PAUSED, last_action_at__lt=before, is_sealed=False)
        for public_id in abandoned.values_list("public_id", flat=True)[:capacity]:
            rows = CasualTable.objects.filter(
                public_id=public_id, state=State.PAUSED, last_action_at__lt=before
            )
            if rows.update(
                state=State.ABANDONED, pending=None, claimed_by="", claimed_until=None, failures=0
            ):
                wake(PAGES_CHANNEL, public_id)

    def heartbeat(self, status: ServiceStatus) -> None:
        PlayService.objects.update_or_create(
            name=status.name,
            defaults={
                "seen_at": timezone.now(),
                "capacity": status.capacity,
                "tables": status.tables,
                "detail": status.detail,
            },
        )

    def service_ended(self, name: str) -> None:
        PlayService.objects.filter(name=name).delete()

    def prune(self) -> None:
        tables_prune()


CASUAL = CasualKind()
