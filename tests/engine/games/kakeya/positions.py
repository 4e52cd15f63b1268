"""Positions in the middle of a deal, built from a few cards a seat."""

from __future__ import annotations

from engine import Board, game_named
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.deal import Deal, Setting
from engine.games.kakeya.rotation import paired_roles, pile_order
from engine.games.kakeya.state import PLAY, TRICKS, KakeyaState

KAKEYA = game_named("kakeya")
PLAIN = KAKEYA.presets["kakeya4"]
DEALERS_2_4 = paired_roles(dealers=(2, 4), leaders=(1, 3), others=(2, 4), trump_right=(2, 4))


def deck_for(hands, order):
    """The deck that deals each seat 13 cards as given; ``order`` is the seats by pile."""
    return tuple(hands[order[k % 4]][k // 4] for k in range(52))


def filled_hands(hands):
    """13 cards a seat: those given (text), then others of the pack in order."""
    given = {seat: text.split() for seat, text in hands.items()}
    rest = [card for card in KAKEYA_PACK.cards if not any(card in hand for hand in given.values())]
    for seat in (1, 2, 3, 4):
        hand = given.setdefault(seat, [])
        while len(hand) < 13:
            hand.append(rest.pop(0))
    return given


def position(
    trump, hands, leader=1, ruleset=PLAIN, *, kind="deal", number=1, stones=(5, 5), captured=("", "")
):
    """Seats hold just these cards and ``leader`` is to lead; all others lie in finished tricks.

    ``captured`` names the pictures each pair has taken so far; 2&4 deal.
    """
    order = pile_order(DEALERS_2_4, number, ruleset.direction)
    deck = deck_for(filled_hands(hands), order)
    setting = Setting(ruleset, Board(kind, 1, "position"), ((1, 3), (2, 4)))
    deal = Deal(setting, number, number, DEALERS_2_4, trump, stones, (), (), deck)
    held = KAKEYA_PACK.mask(card for text in hands.values() for card in text.split())
    gone = tuple((1, (), 1) for _ in range(TRICKS - len(hands[leader].split())))
    played = ((1 << 52) - 1) & ~held
    taken = tuple(KAKEYA_PACK.mask(text.split()) for text in captured)
    return KakeyaState(deal, PLAY, (leader,), (), None, taken, played, tricks=gone)


def play_out(state, actions):
    """The state after ``actions``, "seat:action" separated by spaces."""
    for text in actions.split():
        seat, action = text.split(":")
        state = state.apply(int(seat), action)
    return state
