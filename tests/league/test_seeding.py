"""Who goes on to the next stage, and in which order."""

import pytest

from league.seeding import order_by_seed, qualified_entries

TABLE = [("a", {"group": "1"}), ("b", {"group": "2"}), ("c", {"group": "2"}), ("d", {"group": "1"})]


@pytest.mark.parametrize(
    ("qualify", "gone", "order"),
    [
        (None, (), "abcd"),
        (2, (), "ab"),
        (9, (), "abcd"),
        (2, ("a",), "bc"),
        (None, ("b", "d"), "ac"),
        (3, ("a", "b", "c", "d"), ""),
    ],
)
def test_the_first_of_those_still_in_go_on_in_their_order(qualify, gone, order):
    assert qualified_entries(TABLE, qualify, gone)[0] == tuple(order)


def test_they_bring_their_groups_along():
    assert qualified_entries(TABLE, 3)[1] == {"a": 1, "b": 2, "c": 2}
    assert qualified_entries([("a", {}), ("b", {"group": None})], None)[1] == {}


def test_seeds_come_first_then_lots():
    lots = {"a": "9", "b": "3", "c": "5", "d": "1"}
    assert order_by_seed([("a", 2), ("b", None), ("c", 1), ("d", None)], lots) == ("c", "a", "d", "b")
    assert order_by_seed([("a", 1), ("b", 1)], lots) == ("b", "a")
