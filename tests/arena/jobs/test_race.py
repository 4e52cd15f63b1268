"""Several workers on one event at the same time: every round is drawn once, every step taken once."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connection
from django.db.models import Sum

from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs.flow import table_done, tournament_advance
from arena.matches.leases import table_claim
from arena.matches.models import FixtureEntry, PendingReport, TableSeat
from arena.matches.results import table_finish
from tests import factories
from tests.arena.play import played, waiting
from tests.scores import all_results

WORKERS = 4
EVENTS = 4
PATIENCE_S = 60.0


def work(tournament_id: int, name: str, start: threading.Barrier, failures: list[BaseException]) -> None:
    """A worker's life: take what waits, play, report, and only after that let the event go on."""
    try:
        start.wait(PATIENCE_S)
        tournament = Tournament.objects.get(pk=tournament_id)
        deadline = time.monotonic() + PATIENCE_S
        while tournament.state in ("running", "provisional"):
            assert time.monotonic() < deadline, tournament.state_reason
            for table in waiting(tournament):
                lease = table_claim(table.pk, name)
                if lease is not None:
                    assert table_finish(lease.table_id, lease.fence, played(lease.order))
                    table_done(tournament.public_id)
            tournament.refresh_from_db()
    except BaseException as error:
        failures.append(error)
        raise
    finally:
        connection.close()


@pytest.mark.sampled(4)
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("event", range(EVENTS))
def test_workers_at_the_same_event_draw_every_round_once(event: int) -> None:
    tournament = factories.an_open_tournament(boards_per_round=1)
    for owner in (factories.aya(), factories.ben(), factories.chie(), factories.sota()):
        factories.an_entry(tournament, owner)
    tournament_lock(tournament, tournament.organiser)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)

    start, failures = threading.Barrier(WORKERS), []
    threads = [
        threading.Thread(target=work, args=(tournament.pk, f"test:{n}:1", start, failures), daemon=True)
        for n in range(WORKERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)

    assert failures == []
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason
    sides: dict[int, set[int]] = {}
    for side in FixtureEntry.objects.all():
        sides.setdefault(side.fixture_id, set()).add(side.entry_id)
    assert len({frozenset(pair) for pair in sides.values()}) == 6, "everybody met everybody once"
    assert len(all_results()) == 6 * 2 * 4
    spent = TableSeat.objects.aggregate(sum=Sum("cpu_ms"))["sum"]
    assert spent > 0
    assert tournament.cpu_ms_spent == spent, "every report counts once"
    assert not PendingReport.objects.exists()
