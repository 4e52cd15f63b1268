"""Which versions forfeit too many of their tables to go on entering.

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
    """How many of its last tables a version forfeited."""

    tables: int
    forfeited: int

    @property
    def exceeds_limit(self) -> bool:
        """More than the share that is borne, of enough tables to tell."""
        return (
            self.tables >= settings.SUSPENSION_TABLES_AT_LEAST
            and self.forfeited * 100 > self.tables * settings.SUSPENSION_PERCENT
        )


def counted_seats(version: BotVersion) -> QuerySet[TableSeat]:
    """The version's seats at finished tables of closed board sets, begun since it was last reinstated.

    Void fixtures count for nothing.
    """
    seats = version.seats.filter(
        table__state=Table.State.FINISHED, table__fixture__board_set__state=BoardSet.State.CLOSED
    ).exclude(table__fixture__state=Fixture.State.VOID)
    if version.reinstated_at is not None:
        seats = seats.filter(table__started_at__gte=version.reinstated_at)
    return seats


def forfeit_rate(version: BotVersion) -> ForfeitRate:
    """Of its last ``SUSPENSION_TABLES`` tables. One query.

    A table counts once, however many seats of it the version played, and is forfeited if one of them was.
    """
    last = (
        counted_seats(version)
        .values("table")
        .annotate(ended=Max("table__finished_at"), lost=Count("pk", filter=Q(forfeited=True)))
        .order_by("-ended", "-table")[: settings.SUSPENSION_TABLES]
    )
    forfeited = [bool(row["lost"]) for row in last]
    return ForfeitRate(len(forfeited), sum(forfeited))


def frequent_forfeiters_suspend(board_set: BoardSet) -> list[BotVersion]:
    """Suspend the ready versions whose conduct is too bad now that these boards are closed.

    Call it inside the transaction that closes them. Also one that played well here may be due: it takes some
    tables to tell. One query, and one more for each version that ever forfeited. Returns the suspended.
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
