"""A deal of Kakeya or Etori with all hands and the cards played so far, independent of any record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from analysis.position_errors import PositionError
from engine import IllegalAction, Seat, State
from engine.cards import KAKEYA_PACK, SUITS, Card, Suit
from engine.game import Board, deck_seed
from engine.games.kakeya import GAME
from engine.games.kakeya.deal import Deal, Setting, masks_of
from engine.games.kakeya.events import deal_cell
from engine.games.kakeya.notation import OVER, PLAY, TRICK_SIZE, TRICKS
from engine.games.kakeya.rotation import Roles
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.state import KakeyaState
from engine.games.kakeya.variants import VARIANTS
from engine.games.kakeya.variants.meiji import TRUMP_CYCLE

_BOARDS = range(1, 25)
"""Board numbers that cover all roles."""


class DealPosition(NamedTuple):
    """Plain values; ``states`` checks them. Two positions are equal if they describe the same play."""

    ruleset: KakeyaRuleset
    trump: Suit
    leader: Seat
    """Seat that leads to the first trick."""
    hands: Mapping[Seat, tuple[Card, ...]]
    """The 13 dealt cards of each seat that plays, in canonical order, by ascending seat."""
    plays: tuple[Card, ...]
    """Cards played so far, from the first lead."""
    stones: tuple[int, ...]
    """Stones of each side before the deal, in the order of their lowest seats."""

    def states(self) -> tuple[KakeyaState, ...]:
        """Return the state before the first card and after each play.

        Roles that do not affect the play (dealer, declarations) come from a deal board on which this seat
        leads. Raise ``PositionError`` if the rules do not allow the position.
        """
        states = [_first_state(self)]
        for number, card in enumerate(self.plays, start=1):
            state = states[-1]
            if not state.to_act:
                raise PositionError("deal_over", number=number, card=card, played=number - 1)
            seat = state.to_act[0]
            try:
                states.append(state.apply(seat, card))
            except IllegalAction:
                raise _illegal_play(state, number, card) from None
        return tuple(states)

    def state(self) -> KakeyaState:
        """Return the state after all plays. Raises as ``states``."""
        return self.states()[-1]


def _illegal_play(state: KakeyaState, number: int, card: Card) -> PositionError:
    seat = state.to_act[0]
    play: dict[str, object] = {
        "number": number,
        "trick": (number - 1) // TRICK_SIZE + 1,
        "card": card,
        "seat": seat,
    }
    if not KAKEYA_PACK.bit[card] & state.deal.hands[seat] & state.unplayed:
        return PositionError("not_in_hand", **play)
    return PositionError("must_follow", **play, suit=state.trick[0][1])


def deal_position(state: State) -> DealPosition:
    """Return the position of a state of Kakeya or Etori in phase ``play``, or after the last card."""
    if not isinstance(state, KakeyaState):
        raise PositionError("game")
    if state.phase not in (PLAY, OVER):
        raise PositionError("phase", phase=state.phase)
    deal = state.deal
    played = [card for _, cards, _ in state.tricks for card in cards]
    return DealPosition(
        deal.setting.ruleset,
        deal.trump,
        state.tricks[0][0] if state.tricks else state.leader,
        {seat: KAKEYA_PACK.listed(deal.hands[seat]) for seat in deal.roles.active},
        (*played, *state.trick),
        deal.stones,
    )


def deal_board(position: DealPosition, above: int = 0) -> Board | None:
    """Return a deal board with these hands and this trump, on which the leader's pair leads.

    Its number is the lowest above ``above`` whose conditions fit. On such a board the lead is declared, and
    both pairs have the preset's stones. None if these stones differ, or no number fits. Raises as ``states``.
    """
    ruleset, variant = position.ruleset, VARIANTS[position.ruleset.variant]
    first = position._replace(plays=()).state()
    if position.stones != (GAME.starting_stones(ruleset),) * len(GAME.sides(ruleset)):
        return None
    for number in range(above + 1, above + 1 + len(_BOARDS)):
        roles, turn, trump = variant.of_board(ruleset, number)
        if roles.active != tuple(sorted(position.hands)) or position.leader not in roles.leaders:
            continue
        setting = Setting(ruleset, Board("deal", number, ""), GAME.sides(ruleset), variant)
        known = Deal(setting, 1, turn, roles, trump, position.stones, ())
        try:
            board = Board("deal", number, deck_seed(_deck(position, known.seating.by_pile)))
        except PositionError:  # The seat with the last card has no trump; another seat may.
            continue
        state = GAME.start(ruleset, board)
        leads = state.to_act == (position.leader,) or state.phase != PLAY
        if leads and state.deal.trump == position.trump and state.deal.hands == first.deal.hands:
            return board
    return None


def check_hands(ruleset: KakeyaRuleset, hands: Mapping[Seat, tuple[Card, ...]]) -> None:
    """Raise ``PositionError`` unless two sides hold 13 cards per seat and every card once."""
    sides = GAME.sides(ruleset)
    playing = [side for side in sides if any(seat in hands for seat in side)]
    if len(playing) != 2:
        pairs = ", ".join("&".join(map(str, side)) for side in sides)
        raise PositionError("pairs", count=len(playing), pairs=pairs)
    owners: dict[Card, Seat] = {}
    for seat in sorted(seat for side in playing for seat in side):
        if seat not in hands:
            raise PositionError("seat_hand", seat=seat)
        for card in hands[seat]:
            if card in owners:
                raise PositionError("two_places", card=card, first=owners[card], second=seat)
            owners[card] = seat
    missing = [card for card in KAKEYA_PACK.cards if card not in owners]
    # Seats with too few cards first: their missing cards are the likely mistake.
    for seat, hand in sorted(hands.items(), key=lambda item: len(item[1])):
        if len(hand) != TRICKS:
            if missing:
                raise PositionError("hand_size_missing", seat=seat, count=len(hand), cards=" ".join(missing))
            raise PositionError("hand_size", seat=seat, count=len(hand))


def _first_state(position: DealPosition) -> KakeyaState:
    ruleset = position.ruleset
    check_hands(ruleset, position.hands)
    if position.leader not in position.hands:
        raise PositionError("leader_hand", seat=position.leader)
    sides = GAME.sides(ruleset)
    _check_stones(ruleset, position.stones, len(sides))
    roles, turn = _conditions(position)
    setting = Setting(ruleset, Board("deal", 1, ""), sides, VARIANTS[ruleset.variant])
    known = Deal(setting, 1, turn, roles, position.trump, position.stones, ())
    deck = _deck(position, known.seating.by_pile)
    deal = Deal(setting, 1, turn, roles, position.trump, position.stones, (), (), masks_of(deck))
    zeros = (0,) * len(sides)
    return KakeyaState.create(deal, PLAY, (position.leader,), (), deal_cell(None, deal), zeros)


def _check_stones(ruleset: KakeyaRuleset, stones: tuple[int, ...], sides: int) -> None:
    if len(stones) != sides:
        raise PositionError("stones_count", count=len(stones), sides=sides)
    if ruleset.debt is False and min(stones) < 1:
        raise PositionError("stones_debt", stones=min(stones))


def _conditions(position: DealPosition) -> tuple[Roles, int]:
    """Return the roles and turn of a deal board on which these seats play and the leader may lead."""
    ruleset = position.ruleset
    variant, sides = VARIANTS[ruleset.variant], GAME.sides(ruleset)
    trumps = possible_trumps(ruleset)
    if position.trump not in trumps:
        raise PositionError("trump", trump=position.trump, preset=ruleset.preset, trumps=", ".join(trumps))
    for number in _BOARDS:
        roles, turn, _ = variant.of_board(ruleset, number)
        if roles.active != tuple(sorted(position.hands)) or position.leader not in roles.leaders:
            continue
        if variant.lead_protocol(ruleset) != "decider":
            return roles, turn
        # The seat that deals, or the turn, determines which of the leaders decides.
        setting = Setting(ruleset, Board("deal", 1, ""), sides, variant)
        for dealer in dict.fromkeys((roles.dealer, *(roles.dealers if roles.dealer else ()))):
            for either in (turn, turn + 1):
                dealt = roles._replace(dealer=dealer)
                known = Deal(setting, 1, either, dealt, position.trump, position.stones, ())
                if known.decider == position.leader:
                    return dealt, either
    raise AssertionError("the boards cover all roles")


def possible_trumps(ruleset: KakeyaRuleset) -> tuple[Suit, ...]:
    if ruleset.trump_fixed:
        return (ruleset.trump_fixed,)
    return tuple(TRUMP_CYCLE) if ruleset.meiji_trump == "cycle_cdh" else tuple(SUITS)


def _deck(position: DealPosition, by_pile: tuple[Seat, ...]) -> tuple[Card, ...]:
    """Return a deck from which these hands are dealt."""
    deck = [""] * len(KAKEYA_PACK)
    for pile, seat in enumerate(by_pile):
        cards = list(position.hands[seat])
        if seat == by_pile[-1] and position.ruleset.meiji_trump == "turn_last":
            cards.sort(key=lambda card: card[1] == position.trump)
            if cards[-1][1] != position.trump:
                raise PositionError("last_card", seat=seat, trump=position.trump)
        deck[pile :: len(by_pile)] = cards
    return tuple(deck)
