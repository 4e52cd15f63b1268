"""When reports are made, of what, and by whom."""

from __future__ import annotations

import datetime

import pytest
from django.utils import timezone

from arena.competition.models import Tournament
from arena.features.integrity.models import BoardSetConduct, IntegrityProgress, Report, TableDelays
from arena.features.integrity.services import reports_due, reports_make
from arena.features.integrity.tasks import integrity_update
from arena.features.ratings.services import ratings_make
from arena.jobs.tasks import tick
from arena.matches.models import Table
from tests.arena.features.integrity.planted import Planted, fill
from tests.arena.once import given, made_once
from tests.arena.play import begun

pytestmark = pytest.mark.django_db


rows_of_the_event = made_once(lambda: fill(begun(4, boards_per_round=2), Planted(), 1))


@pytest.fixture
def event(rows_of_the_event: Tournament, db: None) -> Tournament:
    """Four entries after one round of two boards; the same for all tests here."""
    return given(rows_of_the_event)


def made() -> None:
    """Ratings and reports of everything there is."""
    ratings_make()
    reports_make(rest_s=0)


def test_a_report_rests_after_it_was_made(event: Tournament) -> None:
    made()
    fill(event, Planted(), 1)
    ratings_make()
    reports_make()
    report = Report.objects.get(tournament=event)
    assert (report.sets, bool(report.stale_mark)) == (1, True)
    assert BoardSetConduct.objects.filter(stale_mark="").count() == 2, "sets are read all the same"
    made()
    report.refresh_from_db()
    assert (report.sets, report.stale_mark) == (2, "")


def test_large_sets_are_read_in_several_calls(event: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.features.integrity.conduct.TABLES_PER_BATCH", 1)
    for read in (1, 2, 3):
        assert reports_make(most_s=-1) == 0
        assert TableDelays.objects.count() == read
    reports_make(most_s=-1)
    reports_make()
    assert Report.objects.get(tournament=event).tables == 4


def test_times_that_are_lost_or_damaged_are_counted_and_those_of_a_table_played_again_are_read_anew(
    event: Tournament,
) -> None:
    first, second, *_ = Table.objects.order_by("pk")
    Table.objects.filter(pk=first.pk).update(timings_sha256="0" * 64)
    Table.objects.filter(pk=second.pk).update(timings_sha256=second.record_sha256)
    made()
    report = Report.objects.get(tournament=event)
    assert (report.tables, report.tables_missing) == (3, 1)
    Table.objects.filter(pk=first.pk).update(timings_sha256=second.timings_sha256)
    BoardSetConduct.objects.update(stale_mark="again")
    made()
    report.refresh_from_db()
    assert (report.tables, report.tables_missing) == (4, 0)


def test_whoever_comes_while_somebody_is_at_it_goes_away_and_who_was_lost_is_replaced(
    event: Tournament,
) -> None:
    IntegrityProgress.objects.create(pk=1, busy_until=timezone.now() + datetime.timedelta(seconds=60))
    assert not reports_due()
    assert reports_make() == 0
    IntegrityProgress.objects.update(busy_until=timezone.now() - datetime.timedelta(seconds=1))
    assert reports_due()
    assert reports_make() == 1
    assert IntegrityProgress.objects.get().busy_until is None


def test_the_tick_asks_for_the_task_and_the_task_makes_the_report(
    event: Tournament,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[object] = []
    monkeypatch.setattr(integrity_update, "apply_async", lambda **options: sent.append(options))
    tick()
    assert len(sent) == 1
    integrity_update()
    assert Report.objects.filter(tournament=event, revision=1).exists()
    sent.clear()
    tick()
    integrity_update()
    assert Report.objects.filter(list__isnull=False).count() == 1
    tick()
    assert len(sent) <= 1
