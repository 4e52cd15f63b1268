"""Hypothesis strategies that draw rulesets, boards and whole games, for every game there is."""

from __future__ import annotations

import random
from typing import NamedTuple

from hypothesis import strategies as st

from engine import Board, Game, Ruleset, RulesetError, State, all_games

PRESETS = [(game, game.presets[name]) for game in all_games().values() for name in game.presets]

FEW_DEALS = 3
"""Deals of a game at most, where a test plays many games."""


def shortened(ruleset):
    """The same rules with games of ``FEW_DEALS`` deals at most, if the game has an option that says so."""
    options = ruleset.as_dict()
    for name in ("hands", "hand_cap"):
        if name in options and (options[name] is None or options[name] > FEW_DEALS):
            try:
                return ruleset.replace(**{name: FEW_DEALS})
            except RulesetError:
                continue  # the option exists but belongs to other presets
    return ruleset


SHORT_PRESETS = [(game, shortened(ruleset)) for game, ruleset in PRESETS]


class Played(NamedTuple):
    """A board from its first state to its last."""

    game: Game
    ruleset: Ruleset
    board: Board
    states: tuple[State, ...]
    """Every state, also those between the answers of one simultaneous decision."""

    @property
    def last(self) -> State:
        return self.states[-1]


seeds = st.text(alphabet="0123456789abcdef", min_size=1, max_size=16)


def boards(kinds=("deal", "game")):
    return st.builds(Board, st.sampled_from(kinds), st.integers(1, 64), seeds, st.just(()))


def play(game, ruleset, board, choose):
    """The board played to its end; ``choose(state, seat)`` gives each action."""
    states = [game.start(ruleset, board)]
    while states[-1].to_act:
        state = states[-1]
        for seat in state.to_act:
            state = state.apply(seat, choose(state, seat))
            states.append(state)
    return Played(game, ruleset, board, tuple(states))


def random_choice(rng):
    """A chooser for ``play`` that takes any legal action."""
    return lambda state, seat: rng.choice(state.legal(seat))


@st.composite
def played(draw, kinds=("deal", "game"), *, rulesets):
    """A whole board of Kakeya or Etori under these rulesets, played at random."""
    board, ruleset = draw(boards(kinds)), draw(rulesets)
    rng = random.Random(draw(st.integers(0, 2**32)))
    return play(all_games()["kakeya"], ruleset, board, random_choice(rng))


@st.composite
def played_presets(draw, kinds=("deal", "game")):
    """A whole board of any preset of any game, played at random; games are short."""
    game, ruleset = draw(st.sampled_from(SHORT_PRESETS))
    board = draw(boards(kinds))
    return play(game, ruleset, board, random_choice(random.Random(draw(st.integers(0, 2**32)))))
