"""Rulings on pairs: void in an event, left out of a list, and lifted again."""

from __future__ import annotations

from typing import Any

import pytest

from arena.accounts.models import AuditEvent
from arena.common.errors import ArenaError, Conflict, Forbidden, Invalid, NotFound
from arena.competition.models import Entry, Tournament
from arena.features.integrity.models import PairRuling, Report
from arena.features.integrity.rulings import event_pair, pair_lift, pair_rulings, pair_void
from arena.features.integrity.selectors import report_of_event, report_of_list, reports_visible_to
from arena.features.integrity.services import reports_make
from arena.features.ratings import pairs
from arena.features.ratings.models import ExcludedPair, Rating, RatingList
from arena.features.ratings.selectors import list_set_scores
from arena.features.ratings.services import ratings_check, ratings_make
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import current_ruling, fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings.models import StandingRow
from league.rating.fixtures import PlayedFixture, fixtures_between, set_scores
from tests import factories
from tests.arena.features.integrity.planted import Planted, fill
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.django_db
TWICE = [{"format": "round_robin", "options": {"cycles": 2}}]


def reopened(event: Tournament) -> Tournament:
    """The event as it is while protests are decided."""
    Tournament.objects.filter(pk=event.pk).update(state="running")
    event.refresh_from_db()
    return event


rows_of_the_event = made_once(lambda: reopened(play_out(begun(3, boards_per_round=2, stages=TWICE))))


@pytest.fixture
def event(rows_of_the_event: Tournament, db: None) -> Tournament:
    """Three entries that met twice each, played out, and still to be ruled on. They are made once."""
    return given(rows_of_the_event)


def met_twice(event: Tournament) -> list[str]:
    """Public ids of two entries that have played each other twice."""
    first = Fixture.objects.filter(tournament=event, sides__position=1).order_by("pk")[0]
    return list(first.sides.order_by("entry").values_list("entry__public_id", flat=True))


def standing(event: Tournament) -> list[tuple[Any, ...]]:
    rows = StandingRow.objects.filter(stage__tournament=event).order_by("rank")
    return [(row.entry_id, row.rank, row.values) for row in rows]


def rated() -> list[tuple[Any, ...]]:
    rows = Rating.objects.order_by("version__public_id")
    return [(row.version_id, row.fixtures, row.boards) for row in rows]


def follow(event: Tournament) -> None:
    """What happens after a ruling; it can be ruled on again afterwards."""
    tournament_advance(event)
    ratings_make()
    reports_make(rest_s=0)
    reopened(event)


def code_of(error: pytest.ExceptionInfo[ArenaError]) -> str:
    return error.value.code


def test_a_pair_that_is_void_leaves_standings_ratings_and_report_and_comes_back(event: Tournament) -> None:
    follow(event)
    before = standing(event), rated()
    names, odo = met_twice(event), factories.odo()
    pair = event_pair(event, names)
    assert (len(pair.fixtures), pair.unfinished, pair.ruled, pair.fixed, pair.other_entries) == (
        2,
        0,
        0,
        0,
        0,
    )
    ruling = pair_void(event, odo, names, "they played for each other")
    follow(event)
    for fixture in pair.fixtures:
        fixture.refresh_from_db()
        assert fixture.state == Fixture.State.VOID
        held = current_ruling(fixture)
        assert held is not None
        assert (held.reason, held.actor) == ("they played for each other", odo)
    assert standing(event) != before[0]
    assert sum(row[1] for row in rated()) == sum(row[1] for row in before[1]) - 4
    report = Report.objects.get(tournament=event)
    assert report.fixtures == 4
    trail = AuditEvent.objects.get(action="rule_on_pair")
    assert (trail.object_id, sorted(trail.after["entries"])) == (event.public_id, sorted(names))
    assert trail.after["fixtures"] == [fixture.public_id for fixture in pair.fixtures]
    with pytest.raises(Conflict) as again:
        pair_void(event, odo, names, "once more")
    assert code_of(again) == "pair_ruled"
    assert event_pair(event, names).to_lift == 2
    lifted = pair_lift(ruling, odo, "it was chance after all")
    follow(event)
    assert (lifted.lifted_by, lifted.lift_reason) == (odo, "it was chance after all")
    assert (standing(event), rated()) == before
    with pytest.raises(Conflict) as nothing:
        pair_lift(ruling, odo, "again")
    assert code_of(nothing) == "nothing_to_lift"
    pair_void(event, odo, names, "no, it was not")
    assert pair_rulings(event).count() == 2


def test_a_fixture_ruled_on_by_itself_keeps_its_ruling(event: Tournament) -> None:
    names, odo = met_twice(event), factories.odo()
    first, second = event_pair(event, names).fixtures
    fixture_adjudicate(first, odo, "draw", [], "a protest")
    pair = event_pair(event, names)
    assert (pair.fixtures, pair.ruled) == ((second,), 1)
    ruling = pair_void(event, odo, names, "soft play")
    first.refresh_from_db()
    assert first.state == Fixture.State.SETTLED
    # What is ruled on since stays when the pair's ruling is lifted.
    fixture_adjudicate(second, odo, "forfeit", [names[0]], "it crashed on purpose")
    pair_lift(ruling, odo, "only that board")
    held = current_ruling(second)
    assert held is not None
    assert held.kind == "forfeit"


def test_an_open_fixture_becomes_void_for_good() -> None:
    event = fill(begun(3, boards_per_round=2, stages=TWICE), Planted(), 4)
    opened = Fixture.objects.filter(tournament=event, state="open").order_by("pk")[0]
    names = list(opened.sides.order_by("entry").values_list("entry__public_id", flat=True))
    pair = event_pair(event, names)
    assert (len(pair.fixtures), pair.unfinished) == (2, 1)
    ruling = pair_void(event, factories.odo(), names, "soft play")
    assert event_pair(event, names).to_lift == 1
    pair_lift(ruling, factories.odo(), "a mistake")
    opened.refresh_from_db()
    assert opened.state == Fixture.State.VOID


def test_who_may_and_what_is_refused(event: Tournament) -> None:
    names = met_twice(event)
    for user in (factories.aya(), factories.rin()):
        with pytest.raises(Forbidden):
            pair_void(event, user, names, "soft play")
    refused: list[tuple[list[str], str, type[ArenaError], str]] = [
        (names[:1], "why", Invalid, "invalid"),
        ([names[0], names[0]], "why", Invalid, "invalid"),
        ([names[0], "nosuch"], "why", NotFound, "entry_not_found"),
        (names, " ", Invalid, "reason_required"),
    ]
    for entries, reason, kind, code in refused:
        with pytest.raises(kind) as error:
            pair_void(event, factories.odo(), entries, reason)
        assert code_of(error) == code
    stranger = factories.an_entry(factories.an_open_tournament(), factories.chie())
    Entry.objects.filter(pk=stranger.pk).update(tournament=event)
    with pytest.raises(NotFound) as never:
        event_pair(event, [names[0], stranger.public_id])
    assert code_of(never) == "pair_never_met"
    Tournament.objects.filter(pk=event.pk).update(state="final")
    with pytest.raises(Conflict) as over:
        pair_void(event, factories.odo(), names, "soft play")
    assert code_of(over) == "wrong_state"
    assert not PairRuling.objects.exists()
    sota = factories.sota()
    assert pair_void(reopened(event), sota, names, "soft play").actor == sota


def test_a_pair_is_left_out_of_a_list_while_the_event_stands(event: Tournament) -> None:
    follow(event)
    Tournament.objects.filter(pk=event.pk).update(state="final")
    names = met_twice(event)
    versions = list(Entry.objects.filter(public_id__in=names).values_list("version__public_id", flat=True))
    found, sota = RatingList.objects.get(), factories.sota()
    before = standing(event), rated()
    pair = pairs.list_pair(found, versions)
    assert (len(pair.fixtures), pair.boards, pair.events, pair.others) == (2, 4, 1, 0)
    with pytest.raises(Forbidden):
        pairs.pair_leave_out(found, factories.odo(), versions, "soft play")
    ruling = pairs.pair_leave_out(found, sota, versions, "soft play")
    assert ruling.fixtures == 2
    ratings_make()
    reports_make(rest_s=0)
    assert ratings_check(found) == []
    assert not fixtures_between(list_set_scores(found), *versions)
    assert standing(event) == before[0]
    assert rated() != before[1]
    assert Report.objects.get(list=found).fixtures == 4
    assert Report.objects.get(tournament=event).fixtures == 6
    with pytest.raises(Conflict) as again:
        pairs.pair_leave_out(found, sota, versions[::-1], "soft play")
    assert code_of(again) == "pair_excluded"
    pairs.pair_lift(ruling, sota, "no, it was chance")
    ratings_make()
    assert rated() == before[1]
    assert ratings_check(found) == []
    with pytest.raises(Conflict) as nothing:
        pairs.pair_lift(ruling, sota, "again")
    assert code_of(nothing) == "nothing_to_lift"
    assert ExcludedPair.objects.count() == AuditEvent.objects.filter(action="leave_out").count() == 1
    for wrong, code in ((versions[:1], "invalid"), ([versions[0], "nosuch"], "pair_never_met")):
        with pytest.raises(ArenaError) as error:
            pairs.list_pair(found, wrong)
        assert code_of(error) == code


def test_reports_are_for_staff_and_for_the_organiser_of_the_event(event: Tournament) -> None:
    follow(event)
    found = RatingList.objects.get()
    assert reports_visible_to(factories.sota()).count() == 2
    assert [report.tournament for report in reports_visible_to(factories.odo())] == [event]
    assert not reports_visible_to(factories.rin())
    assert report_of_event(event, factories.odo()) == report_of_event(event, factories.sota())
    assert report_of_list(found, factories.sota()).list == found
    for user in (factories.aya(), factories.rin()):
        with pytest.raises(Forbidden):
            report_of_event(event, user)
    with pytest.raises(Forbidden):
        reports_visible_to(factories.aya())
    with pytest.raises(Forbidden):
        report_of_list(found, factories.odo())


def test_fixtures_between_two_are_those_with_them_on_different_sides() -> None:
    def played(name: str, *sides: tuple[str, ...]) -> PlayedFixture:
        return PlayedFixture(name, sides, [[1] * (len(sides) - 1) + [1 - len(sides)]] * 2)

    sets = [
        *set_scores("s1", [played("f1", ("a",), ("b",)), played("f2", ("a",), ("c",))]),
        *set_scores(
            "s2", [played("f3", ("a+", "b+"), ("c+", "d+")), played("f4", ("a+", "c+"), ("b+", "d+"))]
        ),
        *set_scores("s3", [played("f5", ("c",), ("b",), ("a",))]),
    ]
    assert fixtures_between(sets, "a", "b") == ["f1", "f4", "f5"]
    assert fixtures_between(sets, "b", "a") == ["f1", "f4", "f5"]
    assert fixtures_between(sets, "a", "x") == []
