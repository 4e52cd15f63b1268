"""Casual tables run in this process: bots without a sandbox, and a person who answers at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.position import seat_position
from arena.features.play.runner.session import TableSession
from arena.tables.live.session import ClaimLost
from referee.contract import SeatOrder, TableOrder
from referee.driver import Driver
from referee.inprocess import InProcessDriver
from referee.remote import Turn
from tests.arena.features.play.tables import act, aya
from tests.referee.speakers import Seeded

CLAIM = "test/1"


def in_process(order: TableOrder, seat: SeatOrder) -> Driver:
    """A bot that plays at random, the same again for the same order."""
    return InProcessDriver(Seeded(), order.limits)


def chosen(n: int, legal: tuple[str, ...]) -> str:
    """What the person of these tests chooses at a position."""
    return random.Random(n).choice(legal)


class Scripted(TableSession):
    """A sitting whose person answers as soon as it is asked, until position ``until``: there it goes away."""

    def __init__(
        self,
        table: CasualTable,
        *,
        person: Person | None = None,
        until: int | None = None,
        make_driver: Callable[[TableOrder, SeatOrder], Driver] = in_process,
    ) -> None:
        CasualTable.objects.filter(pk=table.pk).update(claimed_by=CLAIM)
        table.refresh_from_db()
        super().__init__(table, CLAIM, make_driver)
        self.person = person or aya()
        self.until = until
        self.asked: list[Turn] = []

    def _lower_priority(self) -> None:
        """Leave it: this thread runs the tests that follow, too."""

    def _begin_turn(self) -> Turn:
        asked = super()._begin_turn()
        self.asked.append(asked)
        if self.until is not None and asked.n >= self.until:
            self.stop(ClaimLost("the person of the test went away"))
            return asked
        row = CasualTable.objects.get(pk=self.pk)
        position = seat_position(row)
        if row.pending is None:
            assert position.is_mine
            assert position.n == asked.n
            act(self.person, self.public_id, asked.n, chosen(asked.n, position.legal))
        row.refresh_from_db()
        self.give(*row.pending)
        return asked


def serve(table: CasualTable, **options: Any) -> CasualTable:
    """Run the table in this thread; the row afterwards."""
    Scripted(table, **options).serve()
    table.refresh_from_db()
    return table
