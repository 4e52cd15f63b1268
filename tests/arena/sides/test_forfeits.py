"""Faults and forfeits where more than two entries meet: what counts, and for whom."""

from __future__ import annotations

from fractions import Fraction

import pytest

from arena.competition.models import Entry, Tournament
from arena.matches.models import Fixture, Table, TableSeat
from arena.standings.audit import tournament_audit
from tests.arena.play import begun, play_out, play_table, seats_of, waiting
from tests.scores import board_scores

pytestmark = pytest.mark.django_db
BOARDS = 2


def first_fixture(tournament: Tournament) -> tuple[Fixture, list[Table], list[Entry]]:
    """The only fixture of the round just opened, its tables and its entries by position."""
    fixture = Fixture.objects.get(state=Fixture.State.OPEN)
    tables = [table for table in waiting(tournament) if table.fixture_id == fixture.pk]
    return fixture, tables, [side.entry for side in fixture.sides.all()]


def played_stones(table: Table, entry: Entry) -> dict[int, int]:
    """An entry's played result at a table by board; the seats of a pair show the same."""
    table.refresh_from_db()
    seat = min(seats_of(table, entry))
    return {result.board: result.stones for result in table.results if result.seat == seat}


def scores_of(fixture: Fixture, entry: Entry) -> dict[int, Fraction]:
    return {score.board: score.value for score in board_scores(fixture=fixture, entry=entry)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("preset", "options", "entries"),
    [
        ("kakkuri", {"seats": 3}, 3),
        ("kakkuri", {"seats": 5}, 5),
        ("kakeya6", {}, 3),
        ("etori.simple6", {}, 3),
    ],
)
def test_a_forfeit_costs_two_stones_a_board_which_the_others_share(
    preset: str, options: dict[str, int], entries: int
) -> None:
    tournament = begun(entries, preset=preset, ruleset=options, boards_per_round=BOARDS)
    fixture, tables, met = first_fixture(tournament)
    loser, others = met[0], met[1:]
    lost = tables[0]
    seats = seats_of(lost, loser)
    for table in tables:
        play_table(table, seats if table == lost else frozenset())
    play_out(tournament)
    fixture.refresh_from_db()
    assert (tournament.state, fixture.state) == ("final", "forfeited")
    assert tournament_audit(tournament) == []
    # One seat of a pair that forfeits is enough; only the seats that did are marked.
    marked = TableSeat.objects.filter(table__fixture=fixture, forfeited=True)
    assert set(marked.values_list("table", "seat")) == {(lost.pk, seat) for seat in seats}
    total = sum(played_stones(lost, loser).values())
    stands = total < -2 * BOARDS
    for entry in met:
        for board in range(1, BOARDS + 1):
            counted = [
                Fraction(played_stones(table, entry)[board])
                if table != lost or stands
                else Fraction(-2 if entry == loser else Fraction(2, len(others)))
                for table in tables
            ]
            assert scores_of(fixture, entry)[board] == sum(counted) / len(tables)


def test_two_that_forfeit_the_same_table_pay_each_other_too() -> None:
    tournament = begun(3, preset="kakkuri", ruleset={"seats": 3}, boards_per_round=BOARDS)
    fixture, tables, (first, second, third) = first_fixture(tournament)
    for table in tables:
        play_table(table, seats_of(table, first) | seats_of(table, second))
    play_out(tournament)
    assert tournament_audit(tournament) == []
    # Each gets -2 for itself and +1 of the other's; the third gets +1 twice.
    shares = {first: -1, second: -1, third: 2}
    for entry, share in shares.items():
        for board in range(1, BOARDS + 1):
            counted = []
            for table in tables:
                worse = all(sum(played_stones(table, bad).values()) < -2 * BOARDS for bad in (first, second))
                counted.append(played_stones(table, entry)[board] if worse else share)
            assert scores_of(fixture, entry)[board] == Fraction(sum(counted), len(tables))


def test_a_fault_that_is_mended_changes_no_result_and_is_shown() -> None:
    tournament = begun(5, preset="kakkuri", ruleset={"seats": 5}, boards_per_round=BOARDS)
    fixture, tables, met = first_fixture(tournament)
    erring = met[2]
    for table in tables:
        play_table(table, faulty=seats_of(table, erring))
    play_out(tournament)
    fixture.refresh_from_db()
    assert (tournament.state, fixture.state) == ("final", "settled")
    assert tournament_audit(tournament) == []
    verdicts = set(TableSeat.objects.filter(table__fixture=fixture, entry=erring).values_list("verdict"))
    assert verdicts == {("ILLEGAL_ACTION",)}
    others = TableSeat.objects.filter(table__fixture=fixture).exclude(entry=erring)
    assert set(others.values_list("verdict", flat=True)) == {"OK"}


def test_a_forfeited_game_board_costs_the_starting_stones() -> None:
    tournament = begun(
        3,
        preset="kakkuri.league",
        ruleset={"seats": 3, "hands": 2},
        board_kind="game",
        boards_per_round=1,
    )
    fixture, tables, met = first_fixture(tournament)
    for table in tables:
        play_table(table, seats_of(table, met[0]))
    play_out(tournament)
    assert tournament_audit(tournament) == []
    # Two deals cannot cost 20 stones: the forfeit replaces what was played.
    assert [scores_of(fixture, entry)[1] for entry in met] == [-20, 10, 10]


def test_meiji_forfeits_twelve_points_a_game() -> None:
    tournament = begun(2, preset="etori.meiji", board_kind="game", boards_per_round=1)
    fixture, tables, (loser, winner) = first_fixture(tournament)
    play_table(tables[0], seats_of(tables[0], loser))
    play_table(tables[1])
    play_out(tournament)
    assert tournament_audit(tournament) == []
    assert (scores_of(fixture, loser)[1], scores_of(fixture, winner)[1]) == (-12, 12)
