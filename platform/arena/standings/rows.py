"""Rows of the ordered table as the database has them."""

from __future__ import annotations

from collections.abc import Iterable

from arena.competition.models import Stage
from arena.standings.models import StandingRow
from arena.standings.stages import Field
from league.standings import Row
from league.verify import standing_values


def standing_rows(stage: Stage, field: Field, rows: Iterable[Row]) -> list[StandingRow]:
    """The rows as the database has them, not saved."""
    by_name = {entry.public_id: entry for entry in field.entries}
    return [
        StandingRow(
            stage=stage,
            entry=by_name[row.entry],
            rank=row.rank,
            values=standing_values(row),
            decided_by=row.decided_by,
        )
        for row in rows
    ]
