"""Positions in the middle of a deal, built from a few cards a seat."""

from __future__ import annotations

from engine import Board, game_named
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.deal import Deal, Setting, masks_of
from engine.games.kakeya.notation import PLAY, TRICKS
from engine.games.kakeya.rotation import paired_roles, pile_order
from engine.games.kakeya.state import KakeyaState
from engine.games.kakeya.variants import VARIANTS
from engine.games.kakeya.variants.meiji import meiji_roles
from engine.games.kakeya.variants.simple import etori_roles, resting_roles

KAKEYA = game_named("kakeya")
PLAIN = KAKEYA.presets["kakeya4"]
SIX = KAKEYA.presets["kakeya6"]
SIMPLE = KAKEYA.presets["etori.simple"]
SIMPLE6 = KAKEYA.presets["etori.simple6"]
MEIJI = KAKEYA.presets["etori.meiji"]
DEALERS_2_4 = paired_roles(dealers=(2, 4), leaders=(1, 3), opponents=(2, 4), trump_right=(2, 4))
RESTING_3_6 = paired_roles(dealers=(3, 6), leaders=(2, 5), opponents=(1, 4), trump_right=(3, 6))


def roles_of(ruleset):
    """2&4 deal or seat 2 does; of six, 3&6 deal and rest, or seat 3 does with its partner."""
    return {
        "kakeya4": DEALERS_2_4,
        "kakeya6": RESTING_3_6,
        "etori.simple": etori_roles(2, ()),
        "etori.simple6": resting_roles(3, (2, 5), ()),
        "etori.meiji": meiji_roles(2, ruleset.direction),
    }[ruleset.variant]


def deck_for(hands, order):
    """The deck that deals each seat 13 cards as given; ``order`` is the seats by pile."""
    return tuple(hands[order[k % 4]][k // 4] for k in range(52))


def filled_hands(hands, active=(1, 2, 3, 4)):
    """13 cards an active seat: those given (text), then others of the pack in order."""
    given = {seat: text.split() for seat, text in hands.items()}
    rest = [card for card in KAKEYA_PACK.cards if not any(card in hand for hand in given.values())]
    for seat in active:
        hand = given.setdefault(seat, [])
        while len(hand) < 13:
            hand.append(rest.pop(0))
    return given


def position(
    trump,
    hands,
    leader=1,
    ruleset=PLAIN,
    *,
    kind="deal",
    number=1,
    stones=None,
    captured=None,
    roles=None,
):
    """Seats hold just these cards and ``leader`` is to lead; all others lie in finished tricks.

    ``captured`` names the pictures each pair has taken so far.
    """
    roles = roles or roles_of(ruleset)
    sides = KAKEYA.sides(ruleset)
    order = pile_order(roles, number, ruleset.direction)
    deck = deck_for(filled_hands(hands, roles.active), order)
    setting = Setting(ruleset, Board(kind, 1, "position"), sides, VARIANTS[ruleset.variant])
    stones = stones or (KAKEYA.starting_stones(ruleset),) * len(sides)
    deal = Deal(setting, number, number, roles, trump, stones, (), (), masks_of(deck))
    held = KAKEYA_PACK.mask(card for text in hands.values() for card in text.split())
    gone = tuple((1, (), 1) for _ in range(TRICKS - len(hands[leader].split())))
    taken = tuple(KAKEYA_PACK.mask(text.split()) for text in captured or ("",) * len(sides))
    return KakeyaState.create(deal, PLAY, (leader,), (), None, taken, held, tricks=gone)


def play_out(state, actions):
    """The state after ``actions``, "seat:action" separated by spaces."""
    for text in actions.split():
        seat, action = text.split(":")
        state = state.apply(int(seat), action)
    return state


def events_of(state, kind, earlier=None):
    """The events of one kind since an earlier state, as the record tells them."""
    return [event.recorded() for event in state.happened_since(earlier) if event.kind == kind]
