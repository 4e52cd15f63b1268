"""Lines of best play: complete, worth the value of their first position, and bounded."""

import threading

import pytest

from engine.kernel import Limits, is_compiled, legal_cards, play, solve, solve_line
from tests.engine.kernel.brute import brute_value
from tests.engine.kernel.played import PRESETS, played_deal, played_ending

LATER_CARDS = 12 if is_compiled else 36


def positions_of(position, cards):
    """Each position of the line; the last has no card left."""
    yield position
    for card in cards:
        position = play(position, card)
        yield position


def test_every_position_of_a_line_has_the_value_of_the_first():
    for seed in range(300 if is_compiled else 20):
        position, _ = played_ending(f"line {seed}")
        line = solve_line(position)
        *before, last = positions_of(position, line.cards)
        assert {brute_value(here) for here in before} == {line.answer.low}
        assert not legal_cards(last)


@pytest.mark.parametrize("number", range(len(PRESETS)))
def test_a_line_of_every_preset_and_question(number):
    position, _ = played_deal("line", number, LATER_CARDS + number)
    for ask in ("stones", "winner", "pictures"):
        line = solve_line(position, ask)
        assert line.answer[:3] == solve(position, ask)[:3]
        *_, last = positions_of(position, line.cards)
        assert not legal_cards(last)
        assert solve(last, ask).low == line.answer.low


def test_a_limit_ends_a_line():
    position, _ = played_deal("line", 0, LATER_CARDS)
    whole = solve_line(position).cards
    limited = solve_line(position, limits=Limits(nodes=1)).cards
    assert len(limited) < len(whole)
    assert whole[: len(limited)] == limited
    stopped = threading.Event()
    stopped.set()
    line = solve_line(position, limits=Limits(cancel=stopped))
    assert (line.answer.state == "exact", line.cards) == (False, ())
