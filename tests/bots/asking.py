"""Real requests for bots: from the engine, through the wire, at positions with chosen cards."""

from __future__ import annotations

import json
from importlib import import_module

from bots.sdk import PACK, KakeyaView, Request
from engine import Board, preset_named
from engine.wire import Tokens, request_line

TOKENS = Tokens("5a" * 32)
PILE_SEATS = (3, 4, 1, 2)
"""Deal board 1: which seat gets each pile; 2&4 deal, seat 3 decides who leads, spades are trumps."""
HOUSE = {"kakeya_random": "KakeyaRandom", "kakeya_greedy": "KakeyaGreedy", "kakeya_rules": "KakeyaRules"}


def house_class(name):
    return getattr(import_module(f"bots.house.{name}.main"), HOUSE[name])


def house_bot(name):
    return house_class(name)()


def line_for(state, seat, count=1):
    return request_line(
        TOKENS.request_id(seat, count),
        state.phase,
        state.legal(seat),
        state.observe(seat),
        bank_ms=500,
        increment_ms=20,
    )


def request_for(state, seat):
    return Request(json.loads(line_for(state, seat)))


def view_for(state, seat):
    return KakeyaView(request_for(state, seat))


def answer_to(bot, line):
    return json.loads(bot.reply_to(line))["action"]


def deck_with(hands):
    """A deck for deal board 1 that gives each seat at least these cards, the rest in canonical order."""
    given = {card for cards in hands.values() for card in cards}
    rest = [card for card in PACK if card not in given]
    full = {}
    for seat in PILE_SEATS:
        own = list(hands.get(seat, ()))
        full[seat] = own + [rest.pop(0) for _ in range(13 - len(own))]
    return tuple(full[seat].pop(0) for _ in range(13) for seat in PILE_SEATS)


def position(hands, plays=(), *, number=1):
    """Deal board 1 with these cards, after these cards were played; seat 3 leads the first trick."""
    game, ruleset = preset_named("kakeya4")
    state = game.start(ruleset, Board("deal", number, "seed", (deck_with(hands),)))
    while state.phase == "lead":
        state = state.apply(state.to_act[0], "DEFER")
    for card in plays:
        state = state.apply(state.to_act[0], card)
    return state


def play_board(bots, preset="kakeya4", kind="deal", number=1, seed="s"):
    """Every decision of a board with these bots by seat: (line, answer), then the last state."""
    game, ruleset = preset_named(preset)
    state = game.start(ruleset, Board(kind, number, seed))
    said = []
    while to_act := state.to_act:
        answers = []
        for seat in to_act:
            line = line_for(state, seat, len(said) + 1)
            answers.append((seat, answer_to(bots[seat], line)))
            said.append((line, answers[-1][1]))
        for seat, action in answers:
            state = state.apply(seat, action)
    return said, state
