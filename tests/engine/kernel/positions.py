"""Positions of the kernel for tests."""

from engine import Board
from engine.games.kakeya.notation import PLAY
from engine.kernel import position_of
from tests.engine.games.kakeya.positions import KAKEYA


def at_the_lead(ruleset, seed, number=1):
    """The state in which a deal's first card is led."""
    state = KAKEYA.start(ruleset, Board("deal", number, seed))
    while state.phase != PLAY:
        state = state.apply(state.to_act[0], state.fallback(state.to_act[0]))
    return state


def played_on(state, rng, cards):
    """The state after so many random cards."""
    for _ in range(cards):
        seat = state.to_act[0]
        state = state.apply(seat, rng.choice(state.legal(seat)))
    return state


def some_position(rng, cards=0, preset="kakeya4"):
    """A position of a random deal after so many random cards."""
    state = at_the_lead(KAKEYA.presets[preset], f"kernel {rng.random()}")
    return position_of(played_on(state, rng, cards))
