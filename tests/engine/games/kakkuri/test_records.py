"""Records of Kakkuri: every option is written, replayed and compared.

Source: docs/contracts.md#record.
"""

import json
import random
from itertools import pairwise

import pytest

from engine import Board, RecordError, RecordWriter, replay
from engine.games.kakkuri.ruleset import CHOICES, SWITCHES
from engine.lines import format_line
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE, PLAIN, eager, mixed
from tests.engine.games.kakkuri.positions import board_with
from tests.refusals import refusal
from tests.strategies import play

OPTIONS = [{name: value} for name, values in CHOICES.items() for value in values]
OPTIONS += [{name: value} for name in SWITCHES for value in (True, False)]


def record(ruleset, boards, players):
    """The record of a table, with the states of its boards."""
    seats = range(1, ruleset.seats + 1)
    writer = RecordWriter(KAKKURI, ruleset, {seat: f"{seat:064x}" for seat in seats})
    games = []
    for board in boards:
        states = play(KAKKURI, ruleset, board, players).states
        writer.start_board(board, states[0])
        for before, state in pairwise(states):
            writer.add(before, state)
        writer.end_board(states[-1])
        games.append(states)
    return writer.end((), dict.fromkeys(seats, "OK")), games


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", ["deal", "game"])
@pytest.mark.parametrize("seats", [2, 5, 8])
@pytest.mark.parametrize("options", OPTIONS, ids=[f"{k}={v}" for o in OPTIONS for k, v in o.items()])
def test_a_record_of_every_option_replays(options, seats, kind):
    ruleset = PLAIN.replace(seats=seats, hands=3, **options)
    rng = random.Random(f"{options} {seats}")
    boards = [Board(kind, number, f"seed {number}") for number in (4, 9)]
    data, games = record(ruleset, boards, mixed(rng))
    replayed = replay(data)
    assert replayed.ruleset == ruleset
    assert [board.outcome for board in replayed.boards] == [states[-1].outcome() for states in games]
    states = [state for states in games for state in states]
    for step, state in zip(replayed.steps(), states, strict=True):
        assert step.state.observe(1) == state.observe(1)
        assert step.state.happened_since(None) == state.happened_since(None)


def test_given_decks_replay_from_the_record():
    hands = {1: "4H 5D 6S 7C 8H 9D", 2: ""}
    ruleset = LEAGUE.replace(seats=2)
    data, _ = record(ruleset, [board_with(hands, box="3S")], eager(random.Random(1)))
    assert replay(data, decks_from_seed=False).boards[0].outcome.stones == {1: 2, 2: -2}
    assert "line 3" in str(refusal(RecordError, replay, data))


def lines(data):
    return [json.loads(line) for line in data.splitlines()]


def not_naming(data, option):
    """The record with one option not named on its first line."""
    table, *rest = lines(data)
    del table["ruleset"][option]
    return b"".join(map(format_line, [table, *rest]))


def test_a_record_that_lacks_an_option_is_refused_by_name():
    data, _ = record(LEAGUE.replace(seats=3), [Board("deal", 3, "lacks")], mixed(random.Random(3)))
    for option in LEAGUE.as_dict():
        with pytest.raises(RecordError, match=f"option '{option}'"):
            replay(not_naming(data, option))


def test_the_lines_of_a_deal_of_eight():
    ruleset = PLAIN.replace(seats=8)
    data, _ = record(ruleset, [Board("deal", 3, "eight")], mixed(random.Random(8)))
    table, board, deal, *rest = lines(data)
    assert table["ruleset"] == ruleset.as_dict()
    assert (board["e"], set(deal)) == ("board", {"e", "deal", "dealer", "deck", "box8"})
    assert (deal["dealer"], len(deal["deck"]), len(deal["box8"])) == (3, 48, 6)
    kinds = [line["e"] for line in rest]
    assert kinds[:9] == ["act"] * 7 + ["out", "turned"]
    assert {line["phase"] for line in rest[:7]} == {"fuwaru"}
    assert kinds[-3:] == ["deal_end", "result", "end"]
    assert set(rest[-3]) == {"e", "deal", "how", "stones", "winner"}
    for at, line in enumerate(rest):
        assert (line.get("action") == "TURN") == (
            at > 8 and rest[min(at + 1, len(rest) - 1)]["e"] == "turned"
        )


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("deal", "dealer", 2),
        ("deal", "box8", ["3C", "AS", "2S", "3S", "4S", "5S"]),
        ("out", "seat", 9),
        ("turned", "card", "XX"),
        ("deal_end", "how", "guri" * 2),
        ("deal_end", "winner", []),
        ("deal_end", "stones", {str(seat): 0 for seat in range(1, 9)}),
    ],
)
def test_a_record_that_tells_something_else_is_refused(kind, field, value):
    data, _ = record(PLAIN.replace(seats=8), [Board("deal", 3, "eight")], mixed(random.Random(8)))
    parsed = lines(data)
    at = next(n for n, line in enumerate(parsed) if line["e"] == kind)
    parsed[at][field] = value
    forged = "".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in parsed)
    with pytest.raises(RecordError, match=f"field '{field}' of '{kind}'"):
        replay(forged)


def test_an_illegal_act_is_refused_with_its_line():
    data, _ = record(LEAGUE, [Board("deal", 3, "seven")], mixed(random.Random(8)))
    parsed = lines(data)
    at = next(n for n, line in enumerate(parsed) if line["e"] == "act")
    parsed[at]["action"] = "SWAP"
    forged = "".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in parsed)
    with pytest.raises(RecordError, match=f"line {at + 1}: illegal action 'SWAP'"):
        replay(forged)
