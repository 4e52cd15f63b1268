"""What stands out in events and lists of ratings, and that nothing does where everybody is honest."""

from __future__ import annotations

import datetime

import pytest
from django.utils import timezone

from arena.competition.models import Entry, Tournament
from arena.integrity.models import Finding, ReadSet, Report, SetsSeen, TableWaits
from arena.integrity.selectors import findings_of
from arena.integrity.services import reports_due, reports_make
from arena.jobs.tasks import integrity_made, tick
from arena.matches.models import Table
from arena.ratings.models import RatingList
from arena.ratings.services import ratings_make
from tests.arena.integrity.planted import Planted, fill
from tests.arena.play import begun

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite_suffices]
BOARDS = 16


def names_of(tournament: Tournament) -> list[str]:
    """Public ids of the entries, in the order they came."""
    return list(tournament.entries.order_by("pk").values_list("public_id", flat=True))


def made() -> None:
    """Ratings and reports of everything there is."""
    ratings_make()
    reports_make(rest_s=0)


def in_words(found: list[Finding]) -> set[tuple[str, str, str, str]]:
    return {(row.subject, row.kind, row.entry, row.other) for row in found}


def test_an_honest_field_shows_nothing_in_event_and_list() -> None:
    event = fill(begun(6, boards_per_round=BOARDS), Planted(), 4)
    made()
    for report in (Report.objects.get(tournament=event), Report.objects.get(list=RatingList.objects.get())):
        assert (report.flagged, report.pairs, report.sets, report.fixtures) == (0, 12, 4, 12)
        assert (report.tables, report.tables_missing, report.due) == (24, 0, "")
        assert findings_of(report) == []


@pytest.mark.slow
def test_a_soft_pair_friends_who_forfeit_and_a_bot_that_waits_are_found() -> None:
    # Everybody meets everybody once in the first half.
    event = begun(8, boards_per_round=BOARDS, stages=[{"format": "round_robin", "options": {"cycles": 2}}])
    soft, star, *others = names_of(event)
    friend, *rest = others
    helpers = set(rest[:4])
    fill(
        event,
        Planted(
            gives=lambda a, b: {(star, soft): 3.0, (soft, star): -3.0}.get((a, b), 0.0),
            forfeits=lambda a, b: a in helpers and b == friend,
            waits=lambda a, b: a == rest[4],
        ),
        7,
    )
    made()
    report = Report.objects.get(tournament=event)
    assert in_words([named.finding for named in findings_of(report)]) == {
        ("results", "duel", star, soft),
        ("forfeits", "receives", "", friend),
        ("waits", "often", rest[4], ""),
    }
    duel, forfeits, waits = (named.finding for named in findings_of(report))
    assert 2.0 < (duel.residual or 0) < 4.0
    assert duel.q < 0.001
    assert (duel.boards, duel.meetings, len(duel.odd_boards)) == (16, 1, 8)
    assert duel.odd_boards[0]["stones"] >= duel.odd_boards[-1]["stones"] > 2
    assert (forfeits.seen, forfeits.boards) == (4, 64)
    assert (waits.seen, waits.meetings) == (7, 7)
    named = findings_of(report)[0]
    assert [named.entry, named.other] == [Entry.objects.get(public_id=one) for one in (star, soft)]
    # The list says the same of the versions.
    versions = {row.public_id: row.version.public_id for row in event.entries.select_related("version")}
    of_list = findings_of(Report.objects.get(list=RatingList.objects.get()))
    assert in_words([named.finding for named in of_list]) == {
        (subject, kind, versions.get(entry, ""), versions.get(other, ""))
        for subject, kind, entry, other in in_words([duel, forfeits, waits])
    }


def test_only_what_is_closed_is_looked_at_and_making_again_changes_nothing() -> None:
    event = fill(begun(4, boards_per_round=BOARDS), Planted(), 1)
    made()
    report = Report.objects.get(tournament=event)
    assert (report.sets, report.fixtures, report.revision) == (1, 2, 1)
    assert ReadSet.objects.count() == 1, "the second round is open"
    assert not reports_due()
    assert reports_make(rest_s=0) == 0
    fill(event, Planted(), 1)
    assert reports_due()
    made()
    report.refresh_from_db()
    assert (report.sets, report.revision) == (2, 2)


def test_a_report_rests_after_it_was_made() -> None:
    event = fill(begun(4, boards_per_round=2), Planted(), 1)
    made()
    fill(event, Planted(), 1)
    ratings_make()
    reports_make()
    report = Report.objects.get(tournament=event)
    assert (report.sets, bool(report.due)) == (1, True)
    assert ReadSet.objects.filter(due="").count() == 2, "sets are read all the same"
    made()
    report.refresh_from_db()
    assert (report.sets, report.due) == (2, "")


def test_large_sets_are_read_in_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    event = fill(begun(4, boards_per_round=2), Planted(), 1)
    monkeypatch.setattr("arena.integrity.conduct.TABLES_AT_ONCE", 1)
    for read in (1, 2, 3):
        assert reports_make(most_s=-1) == 0
        assert TableWaits.objects.count() == read
    reports_make(most_s=-1)
    reports_make()
    assert Report.objects.get(tournament=event).tables == 4


def test_times_that_are_lost_or_damaged_are_counted_and_those_of_a_table_played_again_are_read_anew() -> None:
    event = fill(begun(4, boards_per_round=2), Planted(), 1)
    first, second, *_ = Table.objects.order_by("pk")
    Table.objects.filter(pk=first.pk).update(timings_sha256="0" * 64)
    Table.objects.filter(pk=second.pk).update(timings_sha256=second.record_sha256)
    made()
    report = Report.objects.get(tournament=event)
    assert (report.tables, report.tables_missing) == (3, 1)
    Table.objects.filter(pk=first.pk).update(timings_sha256=second.timings_sha256)
    ReadSet.objects.update(due="again")
    made()
    report.refresh_from_db()
    assert (report.tables, report.tables_missing) == (4, 0)


def test_whoever_comes_while_somebody_is_at_it_goes_away_and_who_was_lost_is_replaced() -> None:
    fill(begun(4, boards_per_round=2), Planted(), 1)
    SetsSeen.objects.create(pk=1, busy_until=timezone.now() + datetime.timedelta(seconds=60))
    assert not reports_due()
    assert reports_make() == 0
    SetsSeen.objects.update(busy_until=timezone.now() - datetime.timedelta(seconds=1))
    assert reports_due()
    assert reports_make() == 1
    assert SetsSeen.objects.get().busy_until is None


def test_the_tick_asks_for_the_task_and_the_task_makes_the_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = fill(begun(4, boards_per_round=2), Planted(), 1)
    sent: list[str] = []
    monkeypatch.setattr("arena.jobs.publish.app.send_task", lambda name, *given, **how: sent.append(name))
    tick()
    assert sent.count("arena.jobs.tasks.integrity_made") == 1
    integrity_made()
    assert Report.objects.filter(tournament=event, revision=1).exists()
    sent.clear()
    tick()
    integrity_made()
    assert Report.objects.filter(list__isnull=False).count() == 1
    tick()
    assert sent.count("arena.jobs.tasks.integrity_made") <= 1
