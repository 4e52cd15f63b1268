"""What one seat sees of a casual table, and what it does not."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from arena.features.play.models import CasualTable
from arena.features.play.position import seat_position, seats_due_at, steps_after
from arena.features.play.services import open_table
from arena.tables.live.history import IllegalHistory, PositionHistory, position_history, rules_of
from engine.games import all_games
from tests.arena.features.play.tables import a_table, act, advance, aya, house, write
from tests.engine.added_game import on_the_path, written
from viewer.position_scene import deal_end

pytestmark = pytest.mark.django_db


def finished(table: CasualTable, seed: int = 1) -> CasualTable:
    """The table, played at random to its end in the person's absence."""
    course = position_history(table)
    rng = random.Random(seed)
    while not course.is_over:
        state = course.end.state
        for seat in state.to_act:
            course.add(seat, rng.choice(state.legal(seat)))
    write(table, course)
    return table


@pytest.mark.parametrize("preset", [name for game in all_games().values() for name in game.presets])
def test_a_seat_sees_what_the_rules_show_it_and_nothing_of_what_the_others_hold(preset: str) -> None:
    table = finished(a_table(preset=preset, seat=2, deals="4"))
    truth = position_history(table)
    for n in [0, *steps_after(table, 0)]:
        at = seat_position(table, n)
        stop = truth.by_length[n]
        assert at.n == n
        assert at.observation == stop.state.observe(2)
        # Nothing else of a hidden card: the rest is what the rules give this seat as events.
        known = [stop.state.events_since(None, 2)]
        if stop.after is not None:
            known.append(stop.after.events_since(None, 2))
        if stop.ended_board is not None:
            known.append(stop.ended_board.events_since(None, 2))
        assert all(any(event in events for events in known) for event in at.events)
        assert not at.is_mine
        assert at.legal == ()
    end = seat_position(table)
    assert end.is_over
    assert end.board == end.boards == 4
    assert end.stones_so_far == {
        seat: sum(result[seat] for result in truth.results) for seat in range(1, len(table.seats) + 1)
    }
    assert "seed" not in json.dumps([seat_position(table, n) for n in steps_after(table, 0)])


@pytest.mark.parametrize("preset", ["kakeya4.league", "kakeya6.league", "kakkuri"])
def test_within_a_game_the_end_of_each_deal_is_shown_too(preset: str) -> None:
    table = finished(a_table(preset=preset, deals="game"))
    course = position_history(table)
    ends = 0
    for n in steps_after(table, 0):
        at, stop = seat_position(table, n), course.by_length[n]
        end = next((event for event in at.events if event["e"] == "deal_end"), None)
        assert (at.ended is None) == (end is None or at.is_over)
        if at.ended is None:
            continue
        assert end is not None
        assert stop.before is not None
        ends += 1
        assert at.ended == stop.before.observe(table.seat)
        shown = deal_end(at.ended, at.events)
        ((seat, action),) = at.last
        before = stop.before.observe(table.seat)
        assert shown["deal"] == before["deal"] == end["deal"]
        assert shown["to_act"] == []
        cards = action.partition("@")[0].split("+")
        assert shown["hand"] == [card for card in before["hand"] if seat != table.seat or card not in cards]
        if "tricks" in before:
            assert shown["tricks"][-1]["cards"] == [card for _, card in [*before["trick"], (seat, action)]]
            assert {side: len(taken) for side, taken in shown["pictures"].items()} == end["pictures"]
        elif "@" in action:
            assert shown["plays"] == [*before["plays"], [seat, action]]
            assert shown["hand_sizes"][f"{seat}"] == before["hand_sizes"][f"{seat}"] - len(cards)
    assert ends > 1


@pytest.mark.parametrize("seat", [1, 3])
def test_any_game_is_seen_past_the_end_of_a_deal(tmp_path: Path, seat: int) -> None:
    with on_the_path(written(tmp_path)):
        deal = {"secret": b"-" * 32, "seed_id": "added", "bundles": [], "deals": "game"}
        table = CasualTable(game="highcard", preset="highcard", ruleset={}, seat=seat, seats=[], **deal)
        course = position_history(table)
        rng = random.Random(1)
        while not course.is_over:
            state = course.end.state
            for each in state.to_act:
                course.add(each, rng.choice(state.legal(each)))
        table.actions = [[each, action] for each, action in course.actions]
        ends = [at for at in (seat_position(table, n) for n in steps_after(table, 0)) if at.ended is not None]
        assert [at.ended and at.ended["deal"] for at in ends] == [1, 2, 3]
        assert [at.observation["deal"] for at in ends] == [2, 3, 4]


def test_the_end_of_a_deal_is_shown_at_the_beginning_of_the_next() -> None:
    table = finished(a_table(deals="4"))
    begins = [stop for stop in position_history(table).steps if stop.ended_board is not None]
    assert [stop.board_index for stop in begins] == [1, 2, 3]
    at = seat_position(table, begins[0].length)
    assert at.board == 2
    assert at.ended is not None
    assert at.stones_so_far
    assert {event["e"] for event in at.events} >= {"act", "deal_end", "deal"}


def test_declarations_of_several_seats_show_when_all_are_in() -> None:
    house()
    for number in range(40):
        table = open_table(aya(), preset="kakeya4", seat=2, opponents="random")
        course = PositionHistory(rules_of(table))
        if len(course.end.state.to_act) > 1 and table.seat in course.end.state.to_act:
            break
        CasualTable.objects.filter(pk=table.pk).update(state="failed")
        assert number < 39
    at = seat_position(table)
    act(aya(), table.public_id, 0, at.legal[0])
    table.refresh_from_db()
    waiting = seat_position(table)
    assert waiting.n == 0
    assert not waiting.is_mine
    assert waiting.observation == at.observation
    assert steps_after(table, 0) == []
    assert waiting.last == ()
    due = seats_due_at(table, 0)
    advance(table, most=1)
    assert table.length == len(due)
    assert steps_after(table, 0) == [len(due)]
    assert {seat for seat, _ in seat_position(table).last} == set(due)
    # Between two steps there is no position.
    assert seat_position(table, 1).n == 0
    assert seats_due_at(table, 1) == ()


def test_an_older_copy_of_the_row_is_still_seen_as_it_was() -> None:
    table = advance(a_table())
    old = CasualTable.objects.get(pk=table.pk)
    at = seat_position(table)
    act(aya(), table.public_id, at.n, at.legal[0])
    table = advance(table)
    newer = seat_position(table)
    assert newer.n > at.n
    assert seat_position(old).n == at.n
    assert seat_position(old).observation == at.observation
    assert seat_position(table) == newer


def test_actions_that_the_rules_do_not_allow_are_a_fault_of_ours() -> None:
    course = PositionHistory(rules_of(a_table()))
    seat = next(seat for seat in range(1, 5) if seat not in course.end.state.to_act[:1])
    with pytest.raises(IllegalHistory):
        course.add(seat, "2S")
