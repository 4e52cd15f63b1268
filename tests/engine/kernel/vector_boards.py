"""Batches of boards compared with the engine, decision by decision."""

from __future__ import annotations

import random
from itertools import count

import numpy as np

from bots import rl
from bots.rl.boards import stones_won
from engine import Board
from engine.cards import KAKEYA_PACK, SUITS
from engine.games.kakeya.variants.simple import drawn_dealer
from engine.shuffle import Stream, stream_label
from tests.engine.games.kakeya.positions import KAKEYA

GOLDEN = 0x9E3779B97F4A7C15
SHORTEST_DEAL = 16
"""A deal that stops early has four tricks with all pictures."""


class Draws:
    """The numbers that a board of a seed draws."""

    def __init__(self, seed, board):
        self.chance = mixed_bits((seed + (board + 1) * GOLDEN) % 2**64)

    def below(self, n):
        self.chance = (self.chance + GOLDEN) % 2**64
        return (mixed_bits(self.chance) >> 32) * n >> 32

    def deck(self):
        deck = list(KAKEYA_PACK.cards)
        for k in range(len(deck) - 1, 0, -1):
            other = self.below(k + 1)
            deck[k], deck[other] = deck[other], deck[k]
        return tuple(deck)


def mixed_bits(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def engine_board(ruleset, kind, seed, board, steps):
    """The board of the engine with the cards of a board of a batch, for so many decisions."""
    draws = Draws(seed, board)
    draws_dealer = kind == "game" and ruleset.variant.startswith("etori")
    dealer = 1 + draws.below(ruleset.seats) if draws_dealer else None
    deals = 1 if kind == "deal" else min(ruleset.most_deals or steps, steps // SHORTEST_DEAL + 2)
    decks, trumps = [], []
    for _ in range(deals):
        decks.append(draws.deck())
        if ruleset.meiji_trump == "random":
            trumps.append(SUITS[draws.below(len(SUITS))])

    def draws_the_same(text):
        return (dealer is None or drawn_dealer(text, ruleset.seats) == dealer) and all(
            SUITS[Stream(stream_label("kakeya", text, deal, "trump")).below(len(SUITS))] == trump
            for deal, trump in enumerate(trumps, 1)
        )

    # The engine draws dealers and trumps from the text of the seed.
    text = next(text for text in map(str, count()) if draws_the_same(text))
    return Board(kind, board + 1, text, tuple(decks))


def differences(name, kind, rows, steps, seed, **options):
    """What differs between a batch and the engine, first difference only; random actions in each row."""
    env = rl.vector(name, rows, kind=kind, seed=seed, options=options)
    ruleset, layout = env.setting.rules.ruleset, env.layout
    chance = random.Random(f"{name} {kind} {seed}")
    changed = ruleset.as_dict()

    def started(board):
        return KAKEYA.start(ruleset, engine_board(ruleset, kind, seed, board, steps))

    boards = list(range(rows))
    states = [started(board) for board in boards]
    for step in range(steps):
        chosen = []
        for row, state in enumerate(states):
            seat = state.to_act[0]
            where = (
                f"{name} {kind} {options}, seed {seed}, board {boards[row]}, step {step}, {state.situation}"
            )
            legal = state.legal(seat)
            if (env.seats[row], env.boards[row]) != (seat, boards[row]):
                return [f"{where}: seat {env.seats[row]} on board {env.boards[row]}, not seat {seat}"]
            if not np.array_equal(env.masks[row], layout.mask(legal)):
                masked = [layout.actions[action] for action in np.flatnonzero(env.masks[row])]
                return [f"{where}: legal are {legal}, not {masked}"]
            encoded = layout.encode(state.observe(seat), changed)
            if not np.array_equal(env.observations[row], encoded):
                wrong = [
                    f.name
                    for f in layout.fields
                    if not np.array_equal(
                        layout.part(env.observations[row], f.name), layout.part(encoded, f.name)
                    )
                ]
                return [f"{where}: fields {wrong} of seat {seat}"]
            chosen.append(chance.choice(legal))
        env.step(np.array([layout.index[action] for action in chosen]))
        for row, (state, action) in enumerate(zip(states, chosen, strict=True)):
            after = state.apply(state.to_act[0], action)
            won = stones_won(state, after) or dict.fromkeys(env.setting.seats, 0)
            rewards = dict(zip(env.setting.seats, env.rewards[row].tolist(), strict=True))
            if rewards != won or env.dones[row] != (not after.to_act):
                return [f"board {boards[row]}, step {step}: rewards {rewards} for {won}, {env.dones[row]}"]
            if not after.to_act:
                boards[row] += rows
                after = started(boards[row])
            states[row] = after
    return []
