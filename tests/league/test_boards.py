"""A set is cut into as few tables as stay under the CPU cap, all alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.rotation import TABLE_CPU_MS, table_chunks

KAKEYA4_CPU_MS = 500 + 14 * 20


def test_sixteen_deal_boards_of_four_seats_are_one_table():
    assert table_chunks(boards=16, seats=4, cpu_ms_per_board=KAKEYA4_CPU_MS) == [(1, 16)]


def test_sizes_differ_by_one_at_most():
    assert table_chunks(boards=41, seats=4, cpu_ms_per_board=KAKEYA4_CPU_MS) == [(1, 14), (15, 14), (29, 13)]


def test_exactly_the_cap_is_too_much():
    assert table_chunks(boards=2, seats=2, cpu_ms_per_board=15_000) == [(1, 1), (2, 1)]


def test_a_board_over_the_cap_gets_a_table_of_its_own():
    assert table_chunks(boards=3, seats=4, cpu_ms_per_board=20_000) == [(1, 1), (2, 1), (3, 1)]


def test_boards_that_cost_nothing_are_not_cut():
    assert table_chunks(boards=500, seats=4, cpu_ms_per_board=0) == [(1, 500)]


@given(st.integers(1, 300), st.integers(2, 8), st.integers(0, 30_000))
def test_chunks_cover_every_board_once_and_stay_under_the_cap(boards, seats, cpu_ms):
    chunks = table_chunks(boards=boards, seats=seats, cpu_ms_per_board=cpu_ms)
    assert [b for first, count in chunks for b in range(first, first + count)] == list(range(1, boards + 1))
    sizes = {count for _, count in chunks}
    assert max(sizes) - min(sizes) <= 1
    assert all(count == 1 or count * seats * cpu_ms < TABLE_CPU_MS for count in sizes)
    fewer = len(chunks) - 1
    assert fewer == 0 or -(-boards // fewer) * seats * cpu_ms >= TABLE_CPU_MS


@pytest.mark.parametrize(("boards", "seats", "cpu_ms"), [(0, 4, 1), (1, 0, 1), (1, 4, -1)])
def test_nonsense_is_refused(boards, seats, cpu_ms):
    with pytest.raises(ValueError, match="cut"):
        table_chunks(boards=boards, seats=seats, cpu_ms_per_board=cpu_ms)
