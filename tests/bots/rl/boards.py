"""Boards played at random, position by position."""

from __future__ import annotations

import random

from bots.rl.layouts import layout, preset_of
from engine import Board, preset_named


def rules_of(name, **options):
    """The game and the ruleset of an environment, with short games."""
    game, ruleset = preset_named(preset_of(name))
    length = "hands" if ruleset.as_dict().get("hands") else "hand_cap"
    return game, game.ruleset(ruleset.preset, {length: 2} | options)


def positions(name, kind="game", number=1, seed="s", **options):
    """Every state of a random board of an environment, the end included."""
    game, ruleset = rules_of(name, **options)
    chance = random.Random(f"{name} {kind} {number} {seed}")
    state = game.start(ruleset, Board(kind, number, seed))
    yield state
    while state.to_act:
        seat = state.to_act[0]
        state = state.apply(seat, chance.choice(state.legal(seat)))
        yield state


def parts(name, encoded):
    """The fields of an encoded observation by name."""
    return {field.name: layout(name).part(encoded, field.name) for field in layout(name).fields}
