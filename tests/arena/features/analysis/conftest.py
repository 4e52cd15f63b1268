"""An event with two played rounds, whose tables wait for their analysis."""

from __future__ import annotations

import pytest

from arena.common.blobs import blob_get
from arena.competition.models import Tournament
from arena.features.analysis.heartbeat import Queue, heartbeat
from arena.jobs.flow import tournament_advance
from arena.matches.models import Table
from arena.tables.views import table_view_make
from tests.arena.features.analysis.notes import notes_of
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_table, waiting


def a_played_event() -> Tournament:
    """Three entries, two closed rounds of two boards, each at two tables that have views; a third is open."""
    event = begun(3, boards_per_round=2)
    for _ in range(2):
        for table in waiting(event):
            play_table(table)
        tournament_advance(event)
    for table in tables_of(event):
        table_view_make(table)
        notes_of(blob_get(table.record_sha256))
    return event


rows_of_the_event = made_once(a_played_event, serials=1000)


@pytest.fixture
def event(rows_of_the_event: Tournament, db: None) -> Tournament:
    """The same for all tests here."""
    return given(rows_of_the_event)


@pytest.fixture
def table(event: Tournament) -> Table:
    """Its first table."""
    return tables_of(event)[0]


def tables_of(event: Tournament) -> list[Table]:
    """The finished ones in the order of rounds."""
    finished = Table.objects.filter(tournament=event, state=Table.State.FINISHED)
    return list(finished.order_by("fixture__board_set__closed_seq", "pk"))


@pytest.fixture
def solver_up() -> None:
    """A process that solves positions, which does nothing by itself."""
    heartbeat(Queue.INTERACTIVE)
