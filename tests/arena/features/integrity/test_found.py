"""What stands out in events and lists of ratings, and that nothing does where everybody is honest."""

from __future__ import annotations

import pytest

from arena.competition.models import Entry, Tournament
from arena.features.integrity.models import BoardSetConduct, Finding, Report
from arena.features.integrity.selectors import findings_of
from arena.features.integrity.services import reports_due, reports_make
from arena.features.ratings.models import RatingList
from arena.features.ratings.services import ratings_make
from tests.arena.features.integrity.planted import Planted, fill
from tests.arena.play import begun

pytestmark = pytest.mark.django_db
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
        assert (report.finding_count, report.pairs, report.sets, report.fixtures) == (0, 12, 4, 12)
        assert (report.tables, report.tables_missing, report.stale_mark) == (24, 0, "")
        assert findings_of(report) == []


@pytest.mark.full
def test_a_soft_pair_friends_who_forfeit_and_a_bot_that_delays_are_found() -> None:
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
            delays=lambda a, b: a == rest[4],
        ),
        7,
    )
    made()
    report = Report.objects.get(tournament=event)
    assert in_words([named.finding for named in findings_of(report)]) == {
        ("results", "duel", star, soft),
        ("forfeits", "received", "", friend),
        ("delays", "frequent", rest[4], ""),
    }
    duel, forfeits, delays = (named.finding for named in findings_of(report))
    assert 2.0 < (duel.residual or 0) < 4.0
    assert duel.q < 0.001
    assert (duel.boards, duel.meetings, len(duel.unusual_boards)) == (16, 1, 8)
    assert duel.unusual_boards[0]["stones"] >= duel.unusual_boards[-1]["stones"] > 2
    assert (forfeits.observed, forfeits.boards) == (4, 64)
    assert (delays.observed, delays.meetings) == (7, 7)
    named = findings_of(report)[0]
    assert [named.entry, named.other] == [Entry.objects.get(public_id=one) for one in (star, soft)]
    # The list says the same of the versions.
    versions = {row.public_id: row.version.public_id for row in event.entries.select_related("version")}
    of_list = findings_of(Report.objects.get(list=RatingList.objects.get()))
    assert in_words([named.finding for named in of_list]) == {
        (subject, kind, versions.get(entry, ""), versions.get(other, ""))
        for subject, kind, entry, other in in_words([duel, forfeits, delays])
    }


def test_only_what_is_closed_is_looked_at_and_making_again_changes_nothing() -> None:
    event = fill(begun(4, boards_per_round=BOARDS), Planted(), 1)
    made()
    report = Report.objects.get(tournament=event)
    assert (report.sets, report.fixtures, report.revision) == (1, 2, 1)
    assert BoardSetConduct.objects.count() == 1, "the second round is open"
    assert not reports_due()
    assert reports_make(rest_s=0) == 0
    fill(event, Planted(), 1)
    assert reports_due()
    made()
    report.refresh_from_db()
    assert (report.sets, report.revision) == (2, 2)
