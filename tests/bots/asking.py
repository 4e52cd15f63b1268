"""Real requests for bots: from the engine, through the wire, at positions with chosen cards."""

from __future__ import annotations

import json
from importlib import import_module

from bots.sdk import KAKKURI_PACK, PACK, KakeyaView, KakkuriView, Request
from engine import Board, preset_named
from engine.wire import Tokens, hello_line, request_line

TOKENS = Tokens("5a" * 32)
CLOCK = {"start_ms": 3000, "bank_ms": 500, "increment_ms": 20, "decision_cap_ms": 2000}
PILE_SEATS = (3, 4, 1, 2)
"""Deal board 1: which seat gets each pile; 2&4 deal, seat 3 decides who leads, spades are trumps."""
HOUSE = {
    "kakeya_random": "KakeyaRandom",
    "kakeya_greedy": "KakeyaGreedy",
    "kakeya_rules": "KakeyaRules",
    "kakeya_ismcts": "KakeyaIsmcts",
    "kakeya_pimc": "KakeyaPimc",
    "kakkuri_random": "KakkuriRandom",
    "kakkuri_greedy": "KakkuriGreedy",
    "kakkuri_rules": "KakkuriRules",
    "kakkuri_search": "KakkuriSearch",
}
SEARCHES = {
    "kakeya_ismcts": {"simulations": 20, "worlds": 3},
    "kakeya_pimc": {"solve_from": 5, "worlds": 2, "nodes": 1000},
    "kakkuri_search": {"deals": 24},
}
"""Of bots that search, the parameters that make them quick."""


def house_of(game):
    """The house bots of a game, by name."""
    return [name for name in HOUSE if name.startswith(game)]


def house_class(name):
    return getattr(import_module(f"bots.house.{name}.main"), HOUSE[name])


def house_bot(name):
    bot = house_class(name)()
    if name in SEARCHES:
        bot._parameters = {**bot.parameters, **SEARCHES[name]}
    return bot


def rules_of(preset, options=None):
    game, _ = preset_named(preset)
    return game, game.ruleset(preset, options)


def hello_for(preset, seat, options=None):
    """What a bot on this seat is told first."""
    game, ruleset = rules_of(preset, options)
    return hello_line(game, ruleset, seat, clock=CLOCK, rng=TOKENS.rng(seat))


def line_for(state, seat, count=1, bank_ms=500):
    return request_line(
        TOKENS.request_id(seat, count),
        state.phase,
        state.legal(seat),
        state.observe(seat),
        bank_ms=bank_ms,
        increment_ms=20,
    )


def request_for(state, seat, ruleset=None):
    return Request(json.loads(line_for(state, seat)), ruleset)


def view_for(state, seat, ruleset=None):
    return KakeyaView(request_for(state, seat, ruleset))


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


def position(hands, plays=(), *, number=1, options=None):
    """Deal board 1 with these cards, after these cards were played; seat 3 leads the first trick."""
    game, ruleset = rules_of("kakeya4", options)
    state = game.start(ruleset, Board("deal", number, "seed", (deck_with(hands),)))
    while state.phase == "lead":
        state = state.apply(state.to_act[0], "DEFER")
    for card in plays:
        state = state.apply(state.to_act[0], card)
    return state


def kakkuri_position(hands, box, actions="", *, options=None):
    """A deal of Kakkuri, seat 1 the dealer and first to act, after these actions of whoever's turn it was.

    ``hands``: cards by seat, as text, filled up in canonical order with cards nobody named; ``box``: its
    first cards, the start card on top; ``actions``: text, in order.
    """
    seats = len(hands)
    game, ruleset = rules_of("kakkuri.league", {"seats": seats, **(options or {})})
    held = {seat: text.split() for seat, text in hands.items()}
    named = {card for cards in held.values() for card in cards} | set(box.split())
    rest = [card for card in KAKKURI_PACK if card not in named]
    order = [*range(2, seats + 1), 1]
    full = {seat: held[seat] + [rest.pop() for _ in range(6 - len(held[seat]))] for seat in order}
    deck = [card for half in (slice(0, 3), slice(3, 6)) for seat in order for card in full[seat][half]]
    state = game.start(ruleset, Board("deal", 1, "seed", ((*deck, *box.split(), *rest),)))
    for action in actions.split():
        state = state.apply(state.to_act[0], action)
    return state


def kakkuri_view(state, seat=None, options=None):
    """The view of a seat, by default the one to act."""
    seat = seat or state.to_act[0]
    return KakkuriView(request_for(state, seat, options))


def play_board(bots, preset="kakeya4", kind="deal", number=1, seed="s", options=None, bank_ms=500):
    """Every decision of a board with these bots by seat: (line, answer), then the last state."""
    game, ruleset = rules_of(preset, options)
    for seat, bot in bots.items():
        bot.reply_to(hello_for(preset, seat, options))
    state = game.start(ruleset, Board(kind, number, seed))
    said = []
    while to_act := state.to_act:
        answers = []
        for seat in to_act:
            line = line_for(state, seat, len(said) + 1, bank_ms)
            answers.append((seat, answer_to(bots[seat], line)))
            said.append((line, answers[-1][1]))
        for seat, action in answers:
            state = state.apply(seat, action)
    return said, state
