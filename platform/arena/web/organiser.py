"""What only those who run a tournament see on its page."""

from __future__ import annotations

import dataclasses
import datetime

from arena.competition.models import Tournament
from arena.matches.fixture_selectors import quarantined_tables


@dataclasses.dataclass(frozen=True)
class HeldBack:
    """A table given up after faults of the platform, why, and until when it can be sent back."""

    table: str
    fixture: int
    round: int
    reason: str
    until: datetime.datetime


def held_back(tournament: Tournament) -> list[HeldBack]:
    """The quarantined tables, oldest first. One query."""
    wait = datetime.timedelta(hours=tournament.quarantine_hours)
    return [
        HeldBack(
            table.public_id,
            table.fixture.number,
            table.fixture.board_set.round.number,
            table.reason,
            table.state_at + wait,
        )
        for table in quarantined_tables(tournament)
    ]
