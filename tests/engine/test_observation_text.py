"""The text of an observation is the observation, whatever shortcut a game takes to write it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Board
from engine.game import json_text
from tests.chance import examples
from tests.strategies import PRESETS, play, played_presets, random_choice


def texts_agree(board, order):
    for state in order:
        for seat in range(1, board.game.seats(board.ruleset) + 1):
            text = json_text(state.observe(seat))
            assert state.observe_text(seat) == text
            assert state.observe_text(seat, state.legal(seat)) == text


@examples(30)
@given(played_presets(), st.randoms(use_true_random=False))
def test_the_text_is_the_observation_in_whatever_order_states_are_asked(board, rng):
    order = list(board.states[:150])
    rng.shuffle(order)
    texts_agree(board, order)


@examples(10)
@given(played_presets(kinds=("deal",)), st.integers(0, 2**32))
def test_two_lines_of_play_from_one_deal_do_not_mix(board, seed):
    rng = random.Random(seed)
    for _ in range(3):
        state = board.states[0]
        while state.to_act:
            for seat in state.to_act:
                state = state.apply(seat, rng.choice(state.legal(seat)))
            texts_agree(board, [state])


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset"), PRESETS, ids=[ruleset.preset for _, ruleset in PRESETS])
@pytest.mark.parametrize("kind", ["deal", "game"])
def test_every_preset_writes_what_it_observes_and_actions_need_no_escaping(game, ruleset, kind):
    board = play(game, ruleset, Board(kind, 2, "text"), random_choice(random.Random(2)))
    texts_agree(board, board.states[:400])
    actions = {a for state in board.states for seat in state.to_act for a in state.legal(seat)}
    assert all(json_text(action) == f'"{action}"' for action in actions)
