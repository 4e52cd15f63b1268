"""Suspension of versions that forfeit too many of their tables.

Source: docs/contracts.md#states-and-deadlines.
"""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from arena.competition.services import entries_warn
from arena.matches.models import BoardSet, Fixture, Table, TableSeat
from arena.roster.models import BotVersion
from arena.roster.services import version_suspend


class ForfeitRate(NamedTuple):
    tables: int
    forfeited: int

    @property
    def exceeds_limit(self) -> bool:
        """Whether it exceeds ``SUSPENSION_PERCENT`` of ``SUSPENSION_TABLES_MIN`` or more tables."""
        return (
            self.tables >= settings.SUSPENSION_TABLES_MIN
            and self.forfeited * 100 > self.tables * settings.SUSPENSION_PERCENT
        )


def counted_seats(version: BotVersion) -> QuerySet[TableSeat]:
    """Return seats at finished tables of closed, not void fixtures since the last reinstatement."""
    seats = version.seats.filter(
        table__state=Table.State.FINISHED, table__fixture__board_set__state=BoardSet.State.CLOSED
    ).exclude(table__fixture__state=Fixture.State.VOID)
    if version.reinstated_at is not None:
        seats = seats.filter(table__started_at__gte=version.reinstated_at)
    return seats


def forfeit_rate(version: BotVersion) -> ForfeitRate:
    """Return the rate over the version's last ``SUSPENSION_WINDOW_TABLES`` tables, each once. One query."""
    last = (
        counted_seats(version)
        .values("table")
        .annotate(ended=Max("table__finished_at"), lost=Count("pk", filter=Q(forfeited=True)))
        .order_by("-ended", "-table")[: settings.SUSPENSION_WINDOW_TABLES]
    )
    forfeited = [bool(row["lost"]) for row in last]
    return ForfeitRate(len(forfeited), sum(forfeited))


def frequent_forfeiters_suspend(board_set: BoardSet) -> list[BotVersion]:
    """Suspend and return the ready versions that exceed the limit, in the transaction that closes these
    boards.

    A version without a forfeit here may be suspended too. One query, and one per version that ever forfeited.
    """
    here = TableSeat.objects.filter(table__fixture__board_set=board_set).values("version")
    versions = BotVersion.objects.select_related("bot__owner__user").filter(
        Exists(TableSeat.objects.filter(version=OuterRef("pk"), forfeited=True)),
        pk__in=here,
        state=BotVersion.State.READY,
    )
    suspended = []
    for version in versions.order_by("pk"):
        conduct = forfeit_rate(version)
        if conduct.exceeds_limit and version_suspend(
            version,
            {"code": "forfeited_often", "forfeited": conduct.forfeited, "tables": conduct.tables},
        ):
            suspended.append(version)
            entries_warn(version)
    return suspended
