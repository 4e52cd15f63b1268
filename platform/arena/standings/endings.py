"""The last statement of an event, which covers everything that it exports from then on."""

from __future__ import annotations

from arena.competition.labels import labels_bind
from arena.competition.models import Statement, Tournament
from arena.competition.statements import statement_publish
from arena.standings.document import frame_of


def ended_statement_publish(tournament: Tournament, kind: Statement.Kind) -> Statement:
    """Publish the last statement at the end of the transaction of the move. Reads the whole event."""
    labels_bind(tournament)
    frame, lines = frame_of(tournament)
    return statement_publish(tournament, kind, {"frame": frame, "lines": lines})
