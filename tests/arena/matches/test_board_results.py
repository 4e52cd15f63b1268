"""Results of a table and scores of an entry, stored as one text each."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from arena.matches.board_results import BoardResult, format_results, parse_board, parse_results
from arena.standings.board_values import format_values, parse_values, value_on, value_parts
from referee.contract import Verdict

SEATS = st.lists(
    st.tuples(st.integers(-(2**15), 2**15 - 1), st.sampled_from(sorted(map(str, Verdict)))),
    min_size=1,
    max_size=8,
)


@given(st.integers(1, 400), st.lists(SEATS, max_size=20), st.randoms())
def test_results_are_read_as_they_were_written(
    first: int, boards: list[list[tuple[int, str]]], order: Random
) -> None:
    results = [
        BoardResult(board, seat, stones, verdict)
        for board, seats in enumerate(boards, first)
        for seat, (stones, verdict) in enumerate(seats, 1)
    ]
    text = format_results(order.sample(results, len(results)))
    assert parse_results(text, first) == results
    for board in range(first - 1, first + len(boards) + 1):
        assert parse_board(text, first, board) == [each for each in results if each.board == board]


def test_only_other_verdicts_than_ok_take_space() -> None:
    results = [BoardResult(7, 1, 2, "OK"), BoardResult(7, 2, -2, "CRASHED"), BoardResult(8, 2, 0, "OK")]
    assert format_results(results) == "2,-2:CRASHED/,0"
    assert parse_results("2,-2:CRASHED/,0", 7) == results


def test_results_of_two_pairs_are_written_once() -> None:
    results = [BoardResult(1, seat, (-1) ** seat, "OK") for seat in range(1, 5)]
    assert format_results(results) == "-1,1*2"
    assert parse_results("-1,1*2", 1) == parse_results("-1,1,-1,1", 1) == results


@given(st.dictionaries(st.integers(1, 60), st.fractions(max_denominator=5040)))
def test_scores_are_exact(values: dict[int, Fraction]) -> None:
    text = format_values(values)
    assert parse_values(text) == values
    assert {board: Fraction(*value) for board, *value in value_parts(text)} == values
    assert all(value_on(text, board) == values.get(board) for board in range(62))
