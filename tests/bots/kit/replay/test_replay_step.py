"""Stepping through a record: where each key leads, and the real thing in a terminal of its own."""

import os

import pytest

from bots.kit.replay.step import KEYS, next_index
from bots.kit.replay.stops import board_stops
from engine import replay
from tests.bots.kit.replay.records import random_record
from tests.bots.kit.terminal import END, PATIENCE_S, Terminal

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def data():
    return random_record("kakkuri", kind="game", boards=2, options={"hands": 2, "seats": 4})


@pytest.fixture(scope="module")
def stops(data):
    replayed = replay(data)
    return [stop for board in replayed.boards for stop in board_stops(replayed, board, None)]


def test_next_and_previous_stay_within_the_record(stops):
    assert next_index(stops, 0, "next") == 1
    assert next_index(stops, 1, "previous") == 0
    assert next_index(stops, 0, "previous") == 0
    assert next_index(stops, len(stops) - 1, "next") == len(stops) - 1
    assert next_index(stops, 5, "first") == 0
    assert next_index(stops, 5, "last") == len(stops) - 1
    assert next_index(stops, 5, "") == 5


def test_deals_and_boards_are_entered_at_their_beginning(stops):
    second = next_index(stops, 3, "next deal")
    assert (stops[second].board, stops[second].deal, stops[second - 1].deal) == (1, 2, 1)
    assert next_index(stops, second, "previous deal") == 0
    board = next_index(stops, 3, "next board")
    assert (stops[board].board, stops[board - 1].board) == (2, 1)
    assert next_index(stops, board, "next board") == board
    assert next_index(stops, board + 2, "previous board") == board
    assert next_index(stops, second, "next deal") == board


def test_every_key_means_a_move():
    assert {KEYS[key] for key in "npdDbBgGq"} == {
        *("next", "previous", "next deal", "previous deal", "next board", "previous board"),
        *("first", "last", "quit"),
    }


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_is_stepped_through_by_keys(tmp_path, data, stops, columns):
    path = tmp_path / "r"
    path.write_bytes(data)
    terminal = Terminal(["replay", str(path)], columns)
    first = terminal.until(END)
    assert f"kakkuri · board 1 · deal 1 · step 1 of {len(stops)}" in first
    assert "Seat 1" in first
    assert max(map(len, first.splitlines())) <= columns
    assert "step 2 of" in terminal.press("n")
    assert "step 3 of" in terminal.press("\x1b[C"), "the right arrow"
    assert "step 2 of" in terminal.press("p")
    assert "board 1 · deal 2 ·" in terminal.press("d")
    assert "board 2 · deal 1 ·" in terminal.press("b")
    last = terminal.press("G")
    assert f"step {len(stops)} of" in last
    assert "Board 2: stones" in last
    assert len(last.splitlines()) <= 24
    assert terminal.close() == 0


def test_a_seat_is_stepped_through_with_its_own_hand_alone(tmp_path):
    path = tmp_path / "r"
    path.write_bytes(random_record("kakeya4"))
    terminal = Terminal(["replay", "--step", "--seat", "2", str(path)], 80)
    first = terminal.until(END)
    assert first.count("13 cards") == 3
    assert "Seat 2 (you)" in first
    assert terminal.close() == 0


def test_all_prints_everything_in_a_terminal_too(tmp_path, data):
    path = tmp_path / "r"
    path.write_bytes(data)
    terminal = Terminal(["replay", "--all", str(path)], 80)
    out = terminal.until(None)
    assert "q quit" not in out
    assert "Board 2: stones" in out
    os.close(terminal.ours)
    assert terminal.process.wait(PATIENCE_S) == 0
