"""The ratings of one event follow from its board scores alone, and change with them."""

from __future__ import annotations

import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from arena.competition.models import Tournament
from arena.features.ratings.models import RatedSet, Rating, RatingChange, RatingList
from arena.features.ratings.selectors import difference, lines_of_list
from arena.features.ratings.services import (
    list_rebuild,
    ratings_check,
    ratings_make,
    set_add,
)
from arena.features.ratings.tasks import ratings_update
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import BoardSet, Fixture
from arena.standings.models import FixtureScore
from arena.standings.seasons import season_name
from league.rating.fixtures import PlayedFixture, set_scores
from league.rating.table import rate
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.scores import board_scores

pytestmark = pytest.mark.django_db
State = Tournament.State


def a_rated_event() -> Tournament:
    """A public event of four entries and six boards a round, played out and rated."""
    tournament = play_out(begun(4, boards_per_round=6))
    ratings_update()
    return tournament


rows_of_the_event = made_once(a_rated_event, serials=1000)


@pytest.fixture
def rated(rows_of_the_event: Tournament, db: None) -> Tournament:
    """The same for all tests here."""
    return given(rows_of_the_event)


def lines() -> list[tuple[object, ...]]:
    """All lines of all lists, as stored."""
    rows = Rating.objects.order_by("list", "partner", "version__public_id")
    return [(row.version_id, row.partner, *row.values()) for row in rows]


def test_an_event_is_rated_in_the_list_of_its_quarter_by_its_board_scores(rated: Tournament) -> None:
    tournament = rated
    found = RatingList.objects.get()
    assert (found.kind, found.preset, found.board_kind, found.seats) == ("tournaments", "kakeya4", "deal", 4)
    assert found.season == season_name(BoardSet.objects.order_by("pk")[0].closed_at)
    assert (found.sets, found.fixtures, found.boards, found.rated, found.unrated) == (3, 6, 18, 4, 0)
    # From the rows one by one, without what the app does.
    sets = []
    for board_set in BoardSet.objects.all():
        fixtures = []
        for fixture in board_set.fixtures.all():
            sides = [side.entry for side in fixture.sides.order_by("side")]
            rows = [
                [board_scores(board, fixture=fixture, entry=entry)[0].value for entry in sides]
                for board in range(1, 7)
            ]
            names = tuple((entry.version.public_id,) for entry in sides)
            fixtures.append(PlayedFixture(fixture.public_id, names, rows))
        sets += set_scores(board_set.public_id, fixtures)
    expected = rate(sets)
    assert [row.version.public_id for row in lines_of_list(found)] == [row.entry for row in expected.rows]
    for row, by_hand in zip(lines_of_list(found), expected.rows, strict=True):
        assert row.estimate == by_hand.estimate
        assert (row.low, row.high, row.standard_error) == by_hand[2:5]
        assert (row.rank, row.rank_low, row.rank_high, row.fixtures, row.boards) == by_hand[5:10]
    first, second = list(lines_of_list(found))[:2]
    names = first.version.public_id, second.version.public_id
    assert difference(found, first, second) == expected.difference(*names)
    assert ratings_check(found) == []
    assert tournament.state == State.FINAL


def test_the_same_bytes_in_any_order(rated: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    play_out(begun(3, boards_per_round=6))
    ratings_make()
    before, found = lines(), RatingList.objects.get()
    digest, blobs = found.digest, sorted(bytes(row.scores) for row in RatedSet.objects.all())
    draw = random.Random("orders of sets")
    from arena.features.ratings import board_scores as reading

    for _ in range(4):
        RatingList.objects.all().delete()
        sets = list(BoardSet.objects.all())
        draw.shuffle(sets)
        # Rows are read in another order of fixtures, too.
        given = reading.set_scores

        def shuffled(
            name: str, fixtures: object, given: object = given, draw: random.Random = draw
        ) -> object:
            rows = list(fixtures)  # type: ignore[call-overload]
            draw.shuffle(rows)
            return given(name, rows)  # type: ignore[operator]

        monkeypatch.setattr(reading, "set_scores", shuffled)
        for board_set in sets:
            list_rebuild(*set_add(board_set))
        monkeypatch.setattr(reading, "set_scores", given)
        again = RatingList.objects.get()
        assert again.digest == digest
        assert lines() == before
        assert sorted(bytes(row.scores) for row in RatedSet.objects.all()) == blobs


def test_a_ruling_after_the_fact_changes_ratings_and_its_lifting_gives_them_back(rated: Tournament) -> None:
    tournament = rated
    before, found = lines(), RatingList.objects.get()
    fixture, chief = Fixture.objects.order_by("pk")[0], factories.odo()
    seen = []
    for kind in ("void", "forfeit", "draw", "void", "lift"):
        Tournament.objects.filter(pk=tournament.pk).update(state=State.RUNNING)
        tournament.refresh_from_db()
        fixture.refresh_from_db()
        names = [fixture.sides.order_by("position")[0].entry.public_id] if kind == "forfeit" else []
        fixture_adjudicate(fixture, chief, kind, names, "a protest")
        tournament_advance(tournament)
        assert ratings_make() == 1
        seen.append(lines())
        assert ratings_check(found) == []
    assert seen[0] != before
    assert seen[3] == seen[0]
    # A person's forfeit or draw of what was played to its end counts as played.
    assert seen[1] == seen[2] == seen[4] == before
    changes = RatingChange.objects.filter(cause="rescored")
    assert {change.board_set for change in changes} == {fixture.board_set}
    for side in fixture.sides.all():
        told = changes.filter(version=side.entry.version).order_by("pk")
        assert [change.fixtures for change in told] == [2, 3, 2, 3], "void, a forfeit, void, as played"
        assert [change.is_rated for change in told] == [False, True, False, True]


def test_the_command_checks_and_makes_again(rated: Tournament) -> None:
    found, before = RatingList.objects.get(), lines()
    told = StringIO()
    call_command("ratings_rebuild", "--check", stdout=told)
    Rating.objects.filter(rank=1).update(estimate=9.0)
    errors = StringIO()
    with pytest.raises(CommandError, match="1"):
        call_command("ratings_rebuild", "--check", "--list", found.public_id, stderr=errors)
    assert "9.0" in errors.getvalue()
    call_command("ratings_rebuild", stdout=told)
    assert lines() == before
    RatedSet.objects.order_by("pk")[0].delete()
    list_rebuild(found)
    assert lines() != before
    call_command("ratings_rebuild", stdout=told)
    assert lines() == before
    with pytest.raises(CommandError, match="nothing"):
        call_command("ratings_rebuild", "--list", "nothing")


def test_scores_that_were_not_rated_are_found(rated: Tournament) -> None:
    FixtureScore.objects.update(board_values="0,0,0,0,0,0")
    wrong = ratings_check(RatingList.objects.get())
    assert len(wrong) >= 2
