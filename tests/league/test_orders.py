"""Circular orders: everybody is everybody's right neighbour equally often over a cycle."""

from collections import Counter

import pytest

from league.errors import SeatingError
from league.orders import circular_orders
from league.rotation import circular_orders as as_rotation_offers_it

SIZES = range(2, 9)


def neighbours(order):
    return list(zip(order, (*order[1:], order[0]), strict=True))


@pytest.mark.parametrize(("n", "count"), [(2, 1), (3, 2), (4, 6), (5, 4), (6, 10), (7, 6), (8, 7)])
def test_a_cycle_has_one_order_less_than_entries_and_twice_that_for_four_and_six(n, count):
    assert len(circular_orders(n)) == count


@pytest.mark.parametrize("n", SIZES)
def test_every_ordered_pair_of_neighbours_is_equally_frequent(n):
    counts = Counter(pair for order in circular_orders(n) for pair in neighbours(order))
    assert set(counts) == {(a, b) for a in range(n) for b in range(n) if a != b}
    assert set(counts.values()) == {2 if n in (4, 6) else 1}


@pytest.mark.parametrize("n", SIZES)
def test_every_order_is_a_circular_permutation_and_none_comes_twice(n):
    orders = circular_orders(n)
    assert all(order[0] == 0 and sorted(order) == list(range(n)) for order in orders)
    assert len(set(orders)) == len(orders)


@pytest.mark.parametrize("n", SIZES)
def test_the_first_order_is_the_natural_one(n):
    assert circular_orders(n)[0] == tuple(range(n))


@pytest.mark.parametrize("n", [4, 6])
def test_where_pairs_come_twice_each_order_is_followed_by_its_reverse(n):
    orders = circular_orders(n)
    for order, back in zip(orders[::2], orders[1::2], strict=True):
        assert back == (0, *order[:0:-1])


@pytest.mark.parametrize("n", [-1, 0, 1, 9])
def test_other_sizes_are_refused(n):
    with pytest.raises(SeatingError, match=f"not {n}"):
        circular_orders(n)


def test_rotation_offers_the_orders():
    assert as_rotation_offers_it is circular_orders
