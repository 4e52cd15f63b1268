"""Forfeits and waiting by opponent: who is found, and that chance is not."""

import math
import random
from itertools import combinations

import pytest

from league.rating.opponents import (
    BoardReference,
    Encounter,
    SeatIdle,
    delayed_boards,
    findings_by_entry,
    findings_by_opponent,
)
from league.rating.significance import hypergeometric_tail
from tests.league.rating.fields import names


def rounds_by_lot(rng, *, count=20, rounds=24, rate=0.02, friends=(), friend="e000"):
    """Everybody forfeits now and then by chance; friends forfeit whenever they meet their friend."""
    found = []
    for number in range(rounds):
        order = rng.sample(names(count), count)
        for at in range(0, count, 2):
            pair = order[at : at + 2]
            boards = {entry: (1, 2) for entry in pair if rng.random() < rate}
            for entry in pair:
                if entry in friends and friend in pair:
                    boards[entry] = (1, 2, 3)
            found.append(
                Encounter(f"f{number:02}{at:02}", f"s{number:02}", tuple((e,) for e in pair), boards)
            )
    return found


def duels(*given):
    """(entry, opponent, whether it did it)."""
    return [
        Encounter(f"f{at:02}", f"s{at:02}", ((entry,), (other,)), {entry: (1, 4)} if did else {})
        for at, (entry, other, did) in enumerate(given)
    ]


def test_forfeits_against_one_opponent_worked_by_hand():
    # Four of a's twelve fixtures were forfeited, all four with b: 1 of the 495 ways to choose.
    others = [("a", f"x{at}", False) for at in range(8)]
    (found,) = findings_by_opponent(duels(*[("a", "b", True)] * 4, *others))
    assert (found.kind, found.entry, found.other) == ("against", "a", "b")
    assert (found.seen, found.meetings) == (4, 4)
    assert found.expected == pytest.approx(4 * 4 / 12)
    assert found.p == pytest.approx(1 / math.comb(12, 4))
    # Nine tests: a against each of its opponents; the others never forfeit.
    assert found.q == pytest.approx(9 / 495)
    assert found.boards == tuple(
        BoardReference(f"s{at:02}", f"f{at:02}", board) for at in range(4) for board in (1, 4)
    )


def test_friends_who_forfeit_are_found_within_64_boards_of_a_pair():
    rng = random.Random(1)
    hits = 0
    for _ in range(10):
        friends = duels(*[("e001", "e000", True)] * 8)
        field = [
            *rounds_by_lot(rng, rounds=30),
            *(one._replace(fixture="g" + one.fixture) for one in friends),
        ]
        found = findings_by_opponent(field)
        hits += any(one.kind == "against" and one.entry == "e001" and one.other == "e000" for one in found)
    assert hits == 10


def test_several_friends_who_forfeit_once_each_are_found_together():
    rng = random.Random(2)
    friends = ["e001", "e002", "e003"]
    field = rounds_by_lot(rng, rounds=19, friends=friends, rate=0.0)
    found = [one for one in findings_by_opponent(field) if one.kind == "received"]
    assert [(one.entry, one.other) for one in found] == [(None, "e000")]
    met = [one for one in field if {"e000"} < {e for side in one.sides for e in side} and one.boards]
    assert found[0].seen == len(met)
    assert {board.fixture for board in found[0].boards} == {one.fixture for one in met}


def test_forfeits_by_chance_are_hardly_ever_found():
    rng = random.Random(3)
    assert (
        sum(
            len(findings_by_opponent(rounds_by_lot(rng, rate=rate)))
            for rate in (0.02, 0.2)
            for _ in range(10)
        )
        <= 3
    )


def test_who_always_forfeits_does_so_against_nobody():
    assert findings_by_opponent(duels(*[("a", f"x{at % 3}", True) for at in range(30)])) == ()


def test_order_changes_nothing():
    rng = random.Random(4)
    field = rounds_by_lot(rng, friends=["e001", "e002"], rounds=40)
    assert findings_by_opponent(field)
    assert findings_by_opponent(rng.sample(field, len(field))) == findings_by_opponent(field)


def test_tables_of_four_have_three_opponents_each():
    rng = random.Random(5)
    field = []
    for number in range(40):
        order = rng.sample(names(8), 8)
        for at in (0, 4):
            here = order[at : at + 4]
            boards = {"e001": (2,)} if {"e000", "e001"} <= set(here) else {}
            field.append(Encounter(f"f{number}{at}", "s", tuple((entry,) for entry in here), boards))
    found = findings_by_opponent(field)
    assert (found[0].kind, found[0].entry, found[0].other) == ("against", "e001", "e000")


def test_partners_are_no_opponents():
    field = [
        Encounter(f"f{at:02}", "s", (("e001", "e000" if at < 10 else "z"), (f"x{at}", f"y{at}")), boards)
        for at in range(40)
        for boards in [{"e001": (1,)} if at < 10 else {}]
    ]
    assert findings_by_opponent(field) == ()


def test_tails_are_counted_out():
    # Of 7 fixtures 3 are marked and 4 drawn; of 5 others 2 and 2.
    draws = [(7, 3, 4), (5, 2, 2)]
    ways = hits = 0
    for one in combinations(range(7), 4):
        for other in combinations(range(5), 2):
            ways += 1
            hits += sum(at < 3 for at in one) + sum(at < 2 for at in other) >= 3
    assert hypergeometric_tail(3, draws) == pytest.approx(hits / ways)
    assert hypergeometric_tail(0, draws) == pytest.approx(1)
    assert hypergeometric_tail(5, [*draws, (9, 0, 3)]) == pytest.approx(4 / 35 / 10)


# Waiting


def seats(rng, delays=(), slow=0.2):
    """Four seats of 40 answers; seat 1 is late by 20 ms where ``delays`` says so."""
    return [
        SeatIdle(
            entry,
            [
                (1 + at // 10, slow * (1 + rng.random()) + (20 if entry == "b" and at in delays else 0))
                for at in range(40)
            ],
        )
        for entry in "abcd"
    ]


def test_answers_that_come_late_without_cpu_time_are_waits():
    rng = random.Random(6)
    assert delayed_boards(seats(rng)) == {}
    assert delayed_boards(seats(rng, delays=(3, 4, 15, 39))) == {"b": (1, 2, 4)}
    # Two are an accident.
    assert delayed_boards(seats(rng, delays=(3, 15))) == {}


def test_a_slow_machine_is_not_waiting():
    assert delayed_boards(seats(random.Random(7), slow=30.0)) == {}
    assert delayed_boards(seats(random.Random(7), slow=30.0, delays=range(40))) == {}
    assert delayed_boards([]) == {}


def test_two_who_both_wait_do_not_hide_each_other():
    late = [(1, 25.0)] * 20
    prompt = [(1, 0.3)] * 20
    assert delayed_boards([SeatIdle("a", late), SeatIdle("b", late), SeatIdle("c", prompt)]) == {
        "a": (1,),
        "b": (1,),
    }
    # Seats of an entry are one bot's.
    assert delayed_boards([SeatIdle("a", late[:2]), SeatIdle("a", late[:1]), SeatIdle("c", prompt)]) == {
        "a": (1,)
    }


def test_few_waits_among_many_answers_are_none():
    some = [(1, 0.3)] * 197 + [(2, 25.0)] * 3
    assert delayed_boards([SeatIdle("a", some), SeatIdle("b", [(1, 0.3)])]) == {}
    assert delayed_boards([SeatIdle("a", some[50:]), SeatIdle("b", [(1, 0.3)])]) == {"a": (2,)}


def test_who_waits_more_than_others_is_found():
    rng = random.Random(8)
    field = [
        one._replace(boards={**one.boards, **({"e005": (7,)} if ("e005",) in one.sides else {})})
        for one in rounds_by_lot(rng, rate=0.05)
    ]
    (found,) = findings_by_entry(field)
    assert (found.kind, found.entry, found.other) == ("frequent", "e005", None)
    assert found.seen == found.meetings == 24
    assert found.p == pytest.approx(
        math.comb(480 - 24, sum(len(one.boards) for one in field) - 24)
        / math.comb(480, sum(len(one.boards) for one in field))
    )
    assert {board.board for board in found.boards} == {7}
    assert findings_by_entry([]) == findings_by_opponent([]) == ()
