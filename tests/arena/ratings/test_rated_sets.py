"""Which board sets are rated, and that ratings follow from them alone."""

from __future__ import annotations

import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.jobs.tasks import ratings_made, tick
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import BoardSet, Fixture
from arena.ratings.models import RatedSet, Rating, RatingChange, RatingList
from arena.ratings.reading import quarter_of, set_scores_of
from arena.ratings.selectors import difference, history, list_rows, rating_of, sets_of
from arena.ratings.services import (
    ladder_list,
    list_rebuild,
    ratings_check,
    ratings_make,
    set_added,
    sets_take_in,
)
from arena.roster.models import BotVersion
from arena.standings.models import BoardScore
from league.rating.fixtures import PlayedFixture, set_scores
from league.rating.table import rate
from tests import factories
from tests.arena.play import begun, play_out, play_table, seats_of, waiting

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite_suffices]
State = Tournament.State


def played(entries: int = 4, boards: int = 6, **fields: object) -> Tournament:
    """A public event, played out."""
    return play_out(begun(entries, boards_per_round=boards, **fields))


def lines() -> list[tuple[object, ...]]:
    """All lines of all lists, as stored."""
    rows = Rating.objects.order_by("list", "partner", "version__public_id")
    return [(row.version_id, row.partner, *row.values()) for row in rows]


def test_an_event_is_rated_in_the_list_of_its_quarter_by_its_board_scores() -> None:
    tournament = played()
    ratings_made()
    found = RatingList.objects.get()
    assert (found.kind, found.preset, found.board_kind, found.seats) == ("events", "kakeya4", "deal", 4)
    assert found.season == quarter_of(BoardSet.objects.order_by("pk")[0].closed_at)
    assert (found.sets, found.fixtures, found.boards, found.rated, found.unrated) == (3, 6, 18, 4, 0)
    # From the rows one by one, without what the app does.
    sets = []
    for board_set in BoardSet.objects.all():
        fixtures = []
        for fixture in board_set.fixtures.all():
            sides = [side.entry for side in fixture.sides.order_by("side")]
            rows = [
                [BoardScore.objects.get(fixture=fixture, board=board, entry=entry).value for entry in sides]
                for board in range(1, 7)
            ]
            names = tuple((entry.version.public_id,) for entry in sides)
            fixtures.append(PlayedFixture(fixture.public_id, names, rows))
        sets += set_scores(board_set.public_id, fixtures)
    expected = rate(sets)
    assert [row.version.public_id for row in list_rows(found)] == [row.entry for row in expected.rows]
    for row, by_hand in zip(list_rows(found), expected.rows, strict=True):
        assert row.estimate == by_hand.estimate
        assert (row.low, row.high, row.standard_error) == by_hand[2:5]
        assert (row.rank, row.rank_low, row.rank_high, row.fixtures, row.boards) == by_hand[5:10]
    first, second = list(list_rows(found))[:2]
    names = first.version.public_id, second.version.public_id
    assert difference(found, first, second) == expected.difference(*names)
    assert ratings_check(found) == []
    assert tournament.state == State.FINAL


def test_the_same_bytes_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    played()
    played(3)
    ratings_make()
    before, found = lines(), RatingList.objects.get()
    digest, blobs = found.digest, sorted(bytes(row.scores) for row in RatedSet.objects.all())
    draw = random.Random("orders of sets")
    from arena.ratings import reading

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
            list_rebuild(*set_added(board_set))
        monkeypatch.setattr(reading, "set_scores", given)
        again = RatingList.objects.get()
        assert again.digest == digest
        assert lines() == before
        assert sorted(bytes(row.scores) for row in RatedSet.objects.all()) == blobs


def test_nothing_of_an_open_set_is_in_it() -> None:
    tournament = begun(4, boards_per_round=6)
    for table in waiting(tournament)[:-1]:
        play_table(table)
    tournament_advance(tournament)
    ratings_make()
    assert not RatedSet.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"visibility": Tournament.Visibility.PRIVATE},
        {"ruleset": {"hand_cap": 30}},
    ],
    ids=["private", "other rules"],
)
def test_what_is_not_rated(fields: dict[str, object]) -> None:
    play_out(begun(2, boards_per_round=2, **fields))
    ratings_make()
    assert not RatingList.objects.exists()
    assert ratings_make() == 0


def test_sets_of_one_board_say_nothing() -> None:
    played(2, 1)
    ratings_make()
    found = RatingList.objects.get()
    assert (found.sets, found.rated, found.unrated) == (0, 0, 0)
    assert ratings_check(found) == []


def test_who_is_not_comparable_yet_says_why() -> None:
    played(2, 2)
    ratings_make()
    for row in Rating.objects.all():
        assert row.estimate is None
        assert [reason["code"] for reason in row.reasons] == [
            "fixtures",
            "boards",
            "degrees",
            "few_fixtures_of_all",
        ]
        assert row.reasons[1] == {"code": "boards", "have": 2, "need": 16}
    assert not RatingChange.objects.exists(), "nothing to tell of yet"


def test_a_ruling_after_the_fact_changes_ratings_and_its_lifting_gives_them_back() -> None:
    tournament = played()
    ratings_make()
    before, found = lines(), RatingList.objects.get()
    fixture, chief = Fixture.objects.order_by("pk")[0], factories.odo()
    seen = []
    for kind in ("void", "draw", "lift"):
        Tournament.objects.filter(pk=tournament.pk).update(state=State.RUNNING)
        tournament.refresh_from_db()
        fixture.refresh_from_db()
        fixture_adjudicate(fixture, chief, kind, [], "a protest")
        tournament_advance(tournament)
        assert ratings_make() == 1
        seen.append(lines())
        assert ratings_check(found) == []
    assert seen[0] != before
    assert seen[1] not in (before, seen[0])
    assert [row[:-4] for row in seen[2]] == [row[:-4] for row in before]
    assert seen[2] == before
    changes = RatingChange.objects.filter(cause="rescored")
    assert {change.board_set for change in changes} == {fixture.board_set}
    for side in fixture.sides.all():
        told = changes.filter(version=side.entry.version).order_by("pk")
        assert [change.fixtures for change in told] == [2, 3, 3], "void, a draw, as played"
        assert [change.is_rated for change in told] == [False, True, True]


def test_a_forfeit_is_marked_and_counts() -> None:
    tournament = begun(3, boards_per_round=4)
    table = waiting(tournament)[0]
    entry = table.seats.order_by("seat")[0].entry
    play_table(table, forfeiting=seats_of(table, entry))
    play_out(tournament)
    ratings_make()
    found = RatingList.objects.get()
    ruled = {
        name
        for one in sets_of(found)
        for name, is_ruled in zip(one.fixtures, one.is_ruled.tolist(), strict=True)
        if is_ruled
    }
    assert ruled == {table.fixture.public_id}


def test_history_has_a_point_for_every_set_a_version_played_in() -> None:
    tournament = begun(4, boards_per_round=16)
    tournament_advance(tournament)
    while tables := waiting(tournament):
        for table in tables:
            play_table(table)
        tournament_advance(tournament)
        ratings_make()
    found = RatingList.objects.get()
    for line in list_rows(found):
        points = list(history(found, line.version))
        # Three fixtures are the fewest: only after the last round anybody is comparable.
        assert [point.boards for point in points] == [48]
        assert points[-1].estimate == line.estimate
        assert points[-1].board_set.closed_seq == 3
    tick()
    assert RatingChange.objects.count() == 4, "nothing is due"
    played(3)
    ratings_make()
    assert RatingChange.objects.count() == 4, "no chain of fixtures leads to those three"


def test_the_tick_makes_what_was_lost_and_another_tick_finds_nothing_due() -> None:
    played(3)
    tick()
    found = RatingList.objects.get()
    assert found.revision == 1
    assert ratings_make() == 0
    RatedSet.objects.update(due="lost")
    tick()
    found.refresh_from_db()
    assert found.revision == 2
    assert not RatedSet.objects.exclude(due="").exists()


def test_scores_made_meanwhile_stay_due(monkeypatch: pytest.MonkeyPatch) -> None:
    played(3)
    sets_take_in()
    from arena.ratings import services

    given = services.rate

    def meanwhile(*args: object, **how: object) -> object:
        RatedSet.objects.filter(pk=RatedSet.objects.order_by("pk")[0].pk).update(due="again")
        return given(*args, **how)

    monkeypatch.setattr(services, "rate", meanwhile)
    assert ratings_make() == 1
    assert list(RatedSet.objects.exclude(due="").values_list("due", flat=True)) == ["again"]


def test_who_was_slower_does_not_overwrite(monkeypatch: pytest.MonkeyPatch) -> None:
    played(3)
    sets_take_in()
    from arena.ratings import services

    given = services.rate

    def meanwhile(*args: object, **how: object) -> object:
        RatingList.objects.update(revision=7)
        return given(*args, **how)

    monkeypatch.setattr(services, "rate", meanwhile)
    assert ratings_make() == 0
    assert not Rating.objects.exists()
    monkeypatch.setattr(services, "rate", given)
    assert ratings_make() == 1
    assert RatingList.objects.get().revision == 8


def test_partners_that_change_have_a_column_of_their_own() -> None:
    stages = [{"format": "movement"}]
    tournament = begun(8, accepts_partners=True, boards_per_round=4, stages=stages)
    play_out(tournament)
    ratings_make()
    found = RatingList.objects.get()
    assert set(Rating.objects.values_list("partner", flat=True)) == {"strangers"}
    assert found.rated == 8
    played(4)
    ratings_make()
    found.refresh_from_db()
    assert found.unrated == 4, "no fixture joins both columns"
    version = BotVersion.objects.filter(entries__tournament=tournament)[0]
    assert [line.partner for line in rating_of(found, version)] == ["strangers"]


def test_a_ladder_has_a_list_of_its_own_with_the_sets_its_caller_names() -> None:
    play_out(begun(4, boards_per_round=6, visibility=Tournament.Visibility.PRIVATE))
    given = {"season": "1", "game": "kakeya", "preset": "kakeya4", "board_kind": "deal", "seats": 4}
    found = ladder_list("season000001", **given)
    assert ladder_list("season000001", **given) == found
    ratings_make()
    assert not RatedSet.objects.exists()
    for board_set in BoardSet.objects.all():
        assert set_added(board_set, found) == [found]
        set_added(board_set, found)
    assert ratings_make() == 1
    found.refresh_from_db()
    assert (found.sets, found.rated) == (3, 4)
    weighted = rate(
        [one for board_set in BoardSet.objects.all() for one in set_scores_of(board_set)], is_ladder=True
    )
    assert [row.estimate for row in list_rows(found)] == [row.estimate for row in weighted.rows]
    list_rebuild(found, everything=True)
    assert ratings_check(found) == []


def test_the_command_checks_and_makes_again() -> None:
    played()
    ratings_make()
    found, before = RatingList.objects.get(), lines()
    told = StringIO()
    call_command("ratings_rebuild", "--check", stdout=told)
    assert told.getvalue() == "1 lists agree\n"
    Rating.objects.filter(rank=1).update(estimate=9.0)
    errors = StringIO()
    with pytest.raises(CommandError, match="1 disagreements"):
        call_command("ratings_rebuild", "--check", "--list", found.public_id, stderr=errors)
    assert "9.0" in errors.getvalue()
    call_command("ratings_rebuild", stdout=told)
    assert lines() == before
    RatedSet.objects.order_by("pk")[0].delete()
    list_rebuild(found)
    assert lines() != before
    call_command("ratings_rebuild", stdout=told)
    assert lines() == before
    with pytest.raises(CommandError, match="no list nothing"):
        call_command("ratings_rebuild", "--list", "nothing")


def test_scores_that_were_not_rated_are_found() -> None:
    played()
    ratings_make()
    BoardScore.objects.filter(numerator__gt=0).update(numerator=0)
    BoardScore.objects.filter(numerator__lt=0).update(numerator=0)
    wrong = ratings_check(RatingList.objects.get())
    assert any("not those that were rated" in text for text in wrong)
    assert any("digest" in text for text in wrong)


def test_queries_do_not_grow_with_the_sets() -> None:
    def queries() -> int:
        RatedSet.objects.filter(pk=RatedSet.objects.order_by("pk")[0].pk).update(due="again")
        with CaptureQueriesContext(connection) as seen:
            ratings_make()
        return len(seen)

    played(3)
    ratings_make()
    few = queries()
    played(3)
    ratings_make()
    assert queries() == few
