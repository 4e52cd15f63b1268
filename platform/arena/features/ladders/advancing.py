"""Ladder work of the tick: end rounds, advance seasons, draw the next rounds."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.conf import settings
from django.utils import timezone

from arena.common.features import DueTournament
from arena.features.ladders.drawing import round_draw
from arena.features.ladders.installing import ladders_install
from arena.features.ladders.placements import house_bots_place, ladders_with_players
from arena.features.ladders.rounds import overdue_tournaments, rounds_settle
from arena.features.ladders.seasons import seasons_advance

log = logging.getLogger(__name__)


def ladders_advance() -> Iterator[DueTournament]:
    now = timezone.now()
    active = ladders_install()
    house_bots_place(active)
    for late in overdue_tournaments(now):
        yield DueTournament(late, {"code": "late_round", "hours": settings.LADDERS.hours})
    rounds_settle()
    seasons_advance(now)
    for ladder in ladders_with_players(active):
        try:
            tournament = round_draw(ladder)
        except Exception:
            # A failing ladder must not block the others.
            log.exception("ladder %s", ladder.name)
            continue
        if tournament is not None:
            yield DueTournament(tournament)
