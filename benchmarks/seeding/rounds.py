"""The rounds of a seeded event, drawn by its format, one after the other."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import transaction

from arena.competition.deals import Pairing, board_seeds, seatings
from arena.competition.models import Entry, Round, Stage
from arena.matches.models import BoardSet
from arena.matches.orders import wall_limit_s
from arena.matches.rounds import chunks_of
from arena.standings.drawing import StageDrawn
from benchmarks.seeding.draw import Draw
from benchmarks.seeding.rows import Layout, RoundRows, Seat
from benchmarks.seeding.tables import TablePool

TOLERANT = ("round_robin", "heats", "swiss", "groups")
"""Formats that can do without a fixture."""


class Written(NamedTuple):
    """What a round came to."""

    fixtures: int
    """Byes not counted."""
    cpu_ms: int


class RoundWriter:
    """Writes the rounds of one stage one after the other."""

    def __init__(self, stage: Stage, entries: Mapping[str, Entry], draw: Draw) -> None:
        self._stage = stage
        self._entries = entries
        self._draw = draw
        tournament = stage.tournament
        chunks = chunks_of(stage)
        self._layout = Layout(
            tournament=tournament,
            stage=stage,
            chunks=chunks,
            limits={count: wall_limit_s(tournament, count) for _, count in chunks},
            template=self._template,
        )
        self._drawn = StageDrawn(stage)
        self._templates: dict[int, list[list[Seat]]] = {}

    def is_last(self, number: int) -> bool:
        """Whether the format is known to end with this round."""
        return self._drawn.rounds == number

    def write(self, number: int, opened_at: datetime.datetime, minutes: int, how: str) -> Written | None:
        """The next round as ``how`` has it (``closed``, ``open`` or ``cut``); None after the last."""
        pairings = self._drawn.next_round()
        if not pairings:
            return None
        with transaction.atomic():
            return self._write(number, pairings, opened_at, minutes, how)

    def _write(
        self, number: int, pairings: Sequence[Pairing], opened_at: datetime.datetime, minutes: int, how: str
    ) -> Written:
        is_open = how == "open"
        closed_at = None if is_open else opened_at + datetime.timedelta(minutes=minutes)
        played = Round.objects.create(
            public_id=self._draw.public_id(),
            stage=self._stage,
            number=number,
            state=Round.State.OPEN if is_open else Round.State.CLOSED,
            opened_at=opened_at,
            closed_at=closed_at,
        )
        board_set = BoardSet.objects.create(
            public_id=self._draw.public_id(),
            round=played,
            kind=self._stage.tournament.board_kind,
            boards=self._stage.boards,
            state=BoardSet.State.OPEN if is_open else BoardSet.State.CLOSED,
            closed_at=closed_at,
        )
        pool = TablePool(self._stage.tournament, board_seeds(played, range(1, board_set.boards + 1)))
        rows = RoundRows(self._layout, self._draw, board_set, pool, opened_at, minutes * 60)
        may_void = how == "closed" and self._stage.format in TOLERANT
        for place, pairing in enumerate(pairings, 1):
            rows.fixture(place, [self._entries[name] for name in pairing], how, may_void=may_void)
        rows.store()
        self._drawn.played(
            [
                (pairing, totals, is_void)
                for pairing, (totals, is_void) in zip(pairings, rows.outcomes, strict=True)
            ]
        )
        return Written(sum(len(pairing) > 1 for pairing in pairings), rows.cpu_ms)

    def _template(self, sides: Sequence[Entry]) -> list[list[Seat]]:
        """Who sits where in each rotation, by position: the same for all fixtures with as many entries."""
        found = self._templates.get(len(sides))
        if found is None:
            positions = {entry.public_id: position for position, entry in enumerate(sides)}
            found = []
            for places in seatings(self._stage, sides):
                seen = dict.fromkeys(positions.values(), 0)
                seats = []
                for place in places:
                    position = positions[place.entry]
                    seats.append(Seat(place.seat, position, seen[position]))
                    seen[position] += 1
                found.append(seats)
            self._templates[len(sides)] = found
        return found
