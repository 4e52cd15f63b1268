"""Every entry holds every hand once over the tables of a fixture."""

import re
from collections import Counter

import pytest

from league.errors import SeatingError
from league.rotation import Lineup, TableSeat, circular_orders, mixed_rotations, rotations, seatings

PAIRS = [(1, 3), (2, 4)]
THREE_PAIRS = [(1, 4), (2, 5), (3, 6)]
AYA, BEN, CHIE = Lineup("aya", ("a1",)), Lineup("ben", ("b1",)), Lineup("chie", ("c1",))


def test_two_sides_give_two_tables_with_sides_exchanged():
    assert rotations([AYA, BEN], PAIRS) == [
        (
            TableSeat(1, "aya", "a1"),
            TableSeat(2, "ben", "b1"),
            TableSeat(3, "aya", "a1"),
            TableSeat(4, "ben", "b1"),
        ),
        (
            TableSeat(1, "ben", "b1"),
            TableSeat(2, "aya", "a1"),
            TableSeat(3, "ben", "b1"),
            TableSeat(4, "aya", "a1"),
        ),
    ]


def test_the_first_named_version_of_a_pair_takes_the_lower_seat_at_both_tables():
    first, second = rotations([Lineup("aya", ("low", "high")), BEN], PAIRS)
    assert [(p.seat, p.version) for p in first if p.entry == "aya"] == [(1, "low"), (3, "high")]
    assert [(p.seat, p.version) for p in second if p.entry == "aya"] == [(2, "low"), (4, "high")]


def test_three_pairs_have_each_role_once():
    tables = rotations([AYA, BEN, CHIE], THREE_PAIRS)
    assert len(tables) == 3
    for entry in ("aya", "ben", "chie"):
        held = [tuple(p.seat for p in table if p.entry == entry) for table in tables]
        assert sorted(held) == THREE_PAIRS


@pytest.mark.parametrize("order", circular_orders(3))
def test_in_either_order_each_of_three_pairs_has_each_role_and_cards_once(order):
    """Cards and roles (dealing, leading, resting) belong to the seats: 1 and 4, 2 and 5, 3 and 6."""
    tables = rotations([(AYA, BEN, CHIE)[place] for place in order], THREE_PAIRS)
    assert len(tables) == 3
    for entry in ("aya", "ben", "chie"):
        assert sorted(tuple(p.seat for p in table if p.entry == entry) for table in tables) == THREE_PAIRS
    for table in tables:
        assert [place.seat for place in table] == [1, 2, 3, 4, 5, 6]
        assert [place.entry for place in table[:3]] == [place.entry for place in table[3:]]


def test_over_both_orders_each_of_three_pairs_sits_right_of_each_other_as_often():
    right = Counter(
        (table[seat].entry, table[(seat + 1) % 3].entry)
        for order in circular_orders(3)
        for table in rotations([(AYA, BEN, CHIE)[place] for place in order], THREE_PAIRS)
        for seat in range(3)
    )
    assert right == {(a, b): 3 for a in ("aya", "ben", "chie") for b in ("aya", "ben", "chie") if a != b}


@pytest.mark.parametrize("n", range(2, 9))
def test_over_a_cycle_of_orders_singles_hold_every_seat_and_neighbour_equally_often(n):
    entries = [Lineup(f"e{k}", (f"v{k}",)) for k in range(n)]
    sides = [(seat,) for seat in range(1, n + 1)]
    orders = circular_orders(n)
    held, right = Counter(), Counter()
    for order in orders:
        tables = rotations([entries[place] for place in order], sides)
        assert len(tables) == n
        for table in tables:
            assert [place.seat for place in table] == list(range(1, n + 1))
            assert all(place.version == place.entry.replace("e", "v") for place in table)
            held.update((place.entry, place.seat) for place in table)
            right.update((table[at - 1].entry, table[at].entry) for at in range(n))
    assert set(held.values()) == {len(orders)}
    assert len(held) == n * n
    assert len(set(right.values())) == 1
    assert len(right) == n * (n - 1)


def test_a_pair_of_versions_keeps_its_seats_apart_at_every_table_of_three_pairs():
    tables = rotations([Lineup("aya", ("low", "high")), BEN, CHIE], THREE_PAIRS)
    for table, (low, high) in zip(tables, [(1, 4), (2, 5), (3, 6)], strict=True):
        assert {p.seat: p.version for p in table if p.entry == "aya"} == {low: "low", high: "high"}


@pytest.mark.parametrize("n", range(2, 9))
def test_everybody_sits_everywhere_once_and_neighbours_stay(n):
    tables = seatings(n)
    assert len(tables) == n
    for side in range(n):
        assert sorted(table[side] for table in tables) == list(range(n))
    for table in tables:
        assert [(table[(side + 1) % n] - table[side]) % n for side in range(n)] == [1] * n


@pytest.mark.parametrize(
    ("lineups", "sides", "message"),
    [
        ([AYA], PAIRS, "1 entries"),
        ([AYA, BEN, CHIE], PAIRS, "3 entries"),
        ([AYA, AYA], PAIRS, "itself"),
        ([AYA, Lineup("ben", ())], PAIRS, "ben has 0"),
        ([AYA, Lineup("ben", ("x", "y", "z"))], PAIRS, "ben has 3"),
        ([AYA, Lineup("ben", ("x", "y"))], [(1,), (2,)], "ben has 2"),
        ([AYA], [(1,)], "two sides or more"),
    ],
)
def test_entries_that_do_not_fit_the_table_are_refused(lineups, sides, message):
    with pytest.raises(SeatingError, match=re.escape(message)):
        rotations(lineups, sides)


FOUR = [("aya", "a1"), ("ben", "b1"), ("chie", "c1"), ("dai", "d1")]


def test_mixed_partners_stay_together_and_their_sides_are_exchanged():
    assert mixed_rotations(FOUR, PAIRS) == [
        (
            TableSeat(1, "aya", "a1"),
            TableSeat(2, "chie", "c1"),
            TableSeat(3, "ben", "b1"),
            TableSeat(4, "dai", "d1"),
        ),
        (
            TableSeat(1, "chie", "c1"),
            TableSeat(2, "aya", "a1"),
            TableSeat(3, "dai", "d1"),
            TableSeat(4, "ben", "b1"),
        ),
    ]


def test_three_mixed_sides_have_each_role_once():
    six = [*FOUR, ("emi", "e1"), ("fumi", "f1")]
    tables = mixed_rotations(six, THREE_PAIRS)
    assert len(tables) == 3
    for first, other in (("aya", "ben"), ("chie", "dai"), ("emi", "fumi")):
        held = [tuple(p.seat for p in table if p.entry in (first, other)) for table in tables]
        assert sorted(held) == THREE_PAIRS
        lower = [min(p for p in table if p.entry in (first, other)).entry for table in tables]
        assert set(lower) == {first}


@pytest.mark.parametrize(
    ("players", "sides", "message"),
    [
        (FOUR[:3], PAIRS, "3 players"),
        ([*FOUR[:3], ("aya", "a2")], PAIRS, "aya, ben, chie, aya"),
        (FOUR[:3], [(1, 3), (2,)], "[1, 2]"),
    ],
)
def test_players_that_do_not_fill_the_seats_are_refused(players, sides, message):
    with pytest.raises(SeatingError, match=re.escape(message)):
        mixed_rotations(players, sides)
