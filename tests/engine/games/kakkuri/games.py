"""Rulesets, players and whole boards of Kakkuri for the tests here."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from engine import Board
from engine.games.kakkuri import GAME as KAKKURI
from engine.games.kakkuri.ruleset import CHOICES, SWITCHES
from tests.strategies import Played, play

PLAIN = KAKKURI.presets["kakkuri"]
LEAGUE = KAKKURI.presets["kakkuri.league"]


def rulesets():
    """Every option; games end within four deals."""
    options = {name: st.sampled_from(values) for name, values in CHOICES.items()}
    options |= {name: st.booleans() for name in SWITCHES}
    options |= {"seats": st.integers(2, 8), "stones": st.integers(1, 9), "hands": st.integers(1, 4)}
    return st.fixed_dictionaries(options).map(lambda chosen: PLAIN.replace(**chosen))


def uniform(rng):
    """Any legal action."""
    return lambda state, seat: rng.choice(state.legal(seat))


def stalling(rng):
    """Passes and turns up cards as long as it may, never drops."""

    def choose(state, seat):
        legal = state.legal(seat)
        for word in ("PASS", "TURN", "KEEP", "GIVE"):
            if word in legal and rng.random() < 0.95:
                return word
        return rng.choice([action for action in legal if action != "DROP"])

    return choose


def nibbling(rng):
    """Plays one card a turn whenever it can, then passes; never drops."""

    def choose(state, seat):
        legal = state.legal(seat)
        singles = [action for action in legal if "@" in action and "+" not in action]
        if singles and state.observe(seat)["played_this_turn"] == 0:
            return rng.choice(singles)
        return next((word for word in ("PASS", "TURN") if word in legal), legal[-1])

    return choose


def eager(rng):
    """Always plays the longest meld it can, never drops."""

    def choose(state, seat):
        legal = state.legal(seat)
        return legal[-1] if "@" in legal[-1] else rng.choice([a for a in legal if a != "DROP"])

    return choose


def declaring(rng):
    """Declares sansoku whenever it may, plays whenever it can, never drops."""

    def choose(state, seat):
        legal = state.legal(seat)
        if "SANSOKU" in legal:
            return "SANSOKU"
        return rng.choice([action for action in legal if "@" in action] or [a for a in legal if a != "DROP"])

    return choose


PLAYERS = (uniform, stalling, nibbling, eager)


def mixed(rng):
    """Every seat plays in a way of its own."""
    kinds = {}

    def choose(state, seat):
        if seat not in kinds:
            kinds[seat] = rng.choice(PLAYERS)(rng)
        return kinds[seat](state, seat)

    return choose


@st.composite
def played(draw, kinds=("deal", "game"), rules=None) -> Played:
    """A whole board under any options, every seat with its own way of playing."""
    ruleset = draw(rulesets() if rules is None else rules)
    board = Board(draw(st.sampled_from(kinds)), draw(st.integers(1, 40)), draw(st.text("abcdef", max_size=8)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    return play(KAKKURI, ruleset, board, mixed(rng))
