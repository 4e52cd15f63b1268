"""Which board sets are rated, and that ratings follow from them alone."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.accounts.house import HOUSE_USERNAME
from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.features.ratings.board_scores import set_scores_of
from arena.features.ratings.models import RatedSet, Rating, RatingChange, RatingList
from arena.features.ratings.selectors import line_history, lines_of_list, list_set_scores
from arena.features.ratings.services import (
    closed_sets_add,
    ladder_list,
    list_rebuild,
    ratings_check,
    ratings_make,
    set_add,
)
from arena.jobs.flow import tournament_advance
from arena.jobs.tasks import tick
from arena.matches.models import BoardSet
from league.rating.table import rate
from tests.arena.play import begun, play_out, play_table, seats_of, waiting

pytestmark = pytest.mark.django_db
State = Tournament.State


def played(entries: int = 4, boards: int = 6, **fields: object) -> Tournament:
    """A public event, played out."""
    return play_out(begun(entries, boards_per_round=boards, **fields))


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
        assert row.reasons[1] == {"code": "boards", "actual": 2, "required": 16}
    assert not RatingChange.objects.exists(), "nothing to tell of yet"


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
        for one in list_set_scores(found)
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
    for line in lines_of_list(found):
        points = list(line_history(found, line.version))
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
    played(2, 2)
    tick()
    found = RatingList.objects.get()
    assert found.revision == 1
    assert ratings_make() == 0
    RatedSet.objects.update(stale_mark="lost")
    tick()
    found.refresh_from_db()
    assert found.revision == 2
    assert not RatedSet.objects.exclude(stale_mark="").exists()


def test_scores_made_meanwhile_stay_due(monkeypatch: pytest.MonkeyPatch) -> None:
    played(2, 2)
    closed_sets_add()
    from arena.features.ratings import services

    given = services.rate

    def meanwhile(*args: object, **how: object) -> object:
        RatedSet.objects.filter(pk=RatedSet.objects.order_by("pk")[0].pk).update(stale_mark="again")
        return given(*args, **how)

    monkeypatch.setattr(services, "rate", meanwhile)
    assert ratings_make() == 1
    assert list(RatedSet.objects.exclude(stale_mark="").values_list("stale_mark", flat=True)) == ["again"]


def test_who_was_slower_does_not_overwrite(monkeypatch: pytest.MonkeyPatch) -> None:
    played(2, 2)
    closed_sets_add()
    from arena.features.ratings import services

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
    assert set(Rating.objects.values_list("partner", flat=True)) == {"other"}
    assert found.rated == 8
    played(4)
    ratings_make()
    found.refresh_from_db()
    assert found.unrated == 4, "no fixture joins both columns"


def test_a_ladder_has_a_list_of_its_own_with_the_sets_its_caller_names() -> None:
    play_out(begun(4, boards_per_round=6, visibility=Tournament.Visibility.PRIVATE))
    given = {"season": "1", "game": "kakeya", "preset": "kakeya4", "board_kind": "deal", "seats": 4}
    found = ladder_list("season000001", **given)
    assert ladder_list("season000001", **given) == found
    ratings_make()
    assert not RatedSet.objects.exists()
    for board_set in BoardSet.objects.all():
        assert set_add(board_set, found) == [found]
        set_add(board_set, found)
    assert ratings_make() == 1
    found.refresh_from_db()
    assert (found.sets, found.rated) == (3, 4)
    weighted = rate(
        [one for board_set in BoardSet.objects.all() for one in set_scores_of(board_set)], is_ladder=True
    )
    assert [row.estimate for row in lines_of_list(found)] == [row.estimate for row in weighted.rows]
    list_rebuild(found, everything=True)
    assert ratings_check(found) == []


def test_queries_do_not_grow_with_the_sets() -> None:
    def queries() -> int:
        RatedSet.objects.filter(pk=RatedSet.objects.order_by("pk")[0].pk).update(stale_mark="again")
        with CaptureQueriesContext(connection) as seen:
            ratings_make()
        return len(seen)

    played(2, 2)
    ratings_make()
    few = queries()
    played(3, 2)
    ratings_make()
    assert queries() == few


def test_an_upgrade_computes_the_differences_at_the_next_tick() -> None:
    played()
    ratings_make()
    found = RatingList.objects.get()
    digest, changes = found.digest, RatingChange.objects.count()
    line = lines_of_list(found)[0]
    assert line.difference is None
    User.objects.filter(pk=line.version.bot.owner.user_id).update(username=HOUSE_USERNAME)
    assert ratings_make() == 0
    import_module("arena.features.ratings.migrations.0002_differences_from_the_reference").recompute(
        apps, None
    )
    assert ratings_make() == 1
    found.refresh_from_db()
    assert found.reference_id == line.version_id
    assert not Rating.objects.filter(difference__isnull=True).exists()
    assert (found.digest, RatingChange.objects.count()) == (digest, changes)
    assert ratings_check(found) == []
