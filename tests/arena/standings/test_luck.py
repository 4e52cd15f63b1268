"""How much luck duplicate play took out of events: made from closed boards alone, and made again."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.jobs.tasks import tick
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import BoardSet, Fixture, Table, TableSeat
from arena.standings.figures import figures_build
from arena.standings.luck import event_luck, luck_compute_due
from arena.standings.models import BoardSetLuck, TournamentLuck
from engine import game_named
from league.luck import FixtureStones, Luck, TooFewBoards, luck_of_fixtures
from tests import factories
from tests.arena.play import begun, play_out, play_table, waiting

pytestmark = pytest.mark.django_db


def by_hand(tournament: Tournament) -> Luck | TooFewBoards:
    """The factor from the results one by one, of all fixtures."""
    rules = game_named("kakkuri" if tournament.preset == "kakkuri" else "kakeya")
    sides = rules.sides(rules.ruleset(tournament.preset, tournament.ruleset))
    fixtures = []
    for fixture in Fixture.objects.filter(tournament=tournament):
        boards = []
        for board in range(1, fixture.board_set.boards + 1):
            row = []
            tables = fixture.tables.filter(first_board__lte=board).order_by("rotation", "-first_board")
            for rotation in sorted({table.rotation for table in tables}):
                table = next(table for table in tables if table.rotation == rotation)
                won = [0] * len(sides)
                for one in fixture.sides.all():
                    seat = TableSeat.objects.filter(table=table, entry=one.entry).order_by("seat")[0].seat
                    won[one.side] = table.results_on(board)[seat - 1].stones
                row.append(won)
            boards.append(row)
        fixtures.append(FixtureStones(fixture.public_id, fixture.board_set.public_id, boards))
    return luck_of_fixtures(fixtures)


@pytest.mark.parametrize(
    ("entries", "fields"),
    [
        (4, {"boards_per_round": 16}),
        pytest.param(
            3, {"preset": "kakkuri", "ruleset": {"seats": 3}, "boards_per_round": 8}, marks=pytest.mark.full
        ),
    ],
)
def test_the_factor_is_that_of_the_results(entries: int, fields: dict[str, object]) -> None:
    tournament = play_out(begun(entries, **fields))
    assert event_luck(tournament) is None
    assert luck_compute_due() == BoardSet.objects.count()
    found, expected = event_luck(tournament), by_hand(tournament)
    assert type(found) is type(expected)
    assert found == pytest.approx(expected)
    assert luck_compute_due() == 0


def test_the_tick_makes_it_and_it_is_read_with_one_query() -> None:
    tournament = play_out(begun(2, boards_per_round=2))
    tournament.refresh_from_db()
    tick()
    with CaptureQueriesContext(connection) as seen:
        found = event_luck(tournament)
    assert len(seen) == 1
    revision = tournament.revision
    tournament.refresh_from_db()
    assert tournament.revision == revision + 1
    figures_build(BoardSet.objects.all())
    assert luck_compute_due() == 1
    assert Tournament.objects.get().revision == revision + 1, "it is the same as before"
    assert found == TooFewBoards(2, 32, found.uneven, 12)


def test_nothing_of_an_open_board_set_is_in_it() -> None:
    tournament = begun(4)
    for table in waiting(tournament)[:-1]:
        play_table(table)
    tournament_advance(tournament)
    figures_build(BoardSet.objects.filter(round__stage__tournament=tournament))
    assert luck_compute_due() == 0
    assert event_luck(tournament) is None


def test_a_ruling_leaves_a_fixture_out_until_it_is_lifted() -> None:
    tournament = play_out(begun(2, boards_per_round=2))
    luck_compute_due()
    before = BoardSetLuck.objects.get()
    assert before.fixtures == 1
    fixture, chief = Fixture.objects.get(), factories.odo()
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.RUNNING)
    tournament.refresh_from_db()
    for kind, fixtures in (("draw", 0), ("lift", 1)):
        fixture_adjudicate(fixture, chief, kind, [], "a protest")
        tournament_advance(tournament)
        Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.RUNNING)
        assert luck_compute_due() == 1
        assert BoardSetLuck.objects.get().fixtures == fixtures
        fixture.refresh_from_db()
    assert BoardSetLuck.objects.get().boards == before.boards


def test_a_forfeit_and_a_missing_table_leave_a_fixture_out() -> None:
    tournament = play_out(begun(4, boards_per_round=4))
    luck_compute_due()
    one, other = Fixture.objects.filter(board_set=BoardSet.objects.order_by("pk")[0])
    seat = TableSeat.objects.filter(table__fixture=one).order_by("pk")[0]
    seat.forfeited = True
    seat.save()
    figures_build([one.board_set])
    luck_compute_due()
    assert BoardSetLuck.objects.get(board_set=one.board_set).fixtures == 1
    Table.objects.filter(fixture=other).order_by("pk")[0].delete()
    figures_build([one.board_set])
    luck_compute_due()
    assert BoardSetLuck.objects.get(board_set=one.board_set).fixtures == 0
    assert event_luck(tournament).boards == 4 * (BoardSet.objects.count() - 1)


def test_scores_made_meanwhile_are_due_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = play_out(begun(2, boards_per_round=2))
    board_set = BoardSet.objects.get()

    def meanwhile(given: object) -> object:
        figures_build([board_set])
        return made(given)

    from arena.standings import luck

    made = luck.set_luck
    monkeypatch.setattr(luck, "set_luck", meanwhile)
    assert luck_compute_due() == 0
    assert BoardSetLuck.objects.get().stale_mark != ""
    monkeypatch.setattr(luck, "set_luck", made)
    assert luck_compute_due() == 1
    assert TournamentLuck.objects.get().tournament == tournament


def test_one_call_takes_so_long_and_no_longer() -> None:
    play_out(begun(3, boards_per_round=1))
    sets = BoardSet.objects.count()
    assert luck_compute_due(0.0) == 1
    assert luck_compute_due() == sets - 1
