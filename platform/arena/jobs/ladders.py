"""What the tick does for ladders: rounds end, seasons turn, the next rounds are drawn and opened."""

from __future__ import annotations

import logging

from django.conf import settings
from django.utils import timezone

from arena.common.errors import Conflict
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.ladders.drawing import round_draw
from arena.ladders.installing import ladders_install
from arena.ladders.placements import house_place, ladders_peopled
from arena.ladders.rounds import rounds_late, rounds_settle
from arena.ladders.seasons import seasons_turn

log = logging.getLogger(__name__)


def ladders_advance() -> int:
    """Everything that is due on ladders; how many rounds were drawn. Safe to run twice at once."""
    now = timezone.now()
    active = ladders_install()
    house_place(active)
    for late in rounds_late(now):
        try:
            tournament_cancel(late, None, note={"code": "late_round", "hours": settings.LADDERS.hours})
        except Conflict as conflict:
            log.info("ladders: %s", conflict)
    rounds_settle()
    seasons_turn(now)
    drawn = 0
    for ladder in ladders_peopled(active):
        try:
            tournament = round_draw(ladder)
            if tournament is not None:
                drawn += 1
                tournament_advance(tournament)
        except Exception:
            # One ladder that cannot go on must not hold up the others.
            log.exception("ladder %s", ladder.name)
    return drawn
