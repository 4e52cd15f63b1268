"""Possible hidden cards of an observation of Kakeya or Etori, and states made from them.

Certain: cards played, hand sizes, suits that a seat did not follow (playing a free Rensho proves nothing),
and, if the last card dealt turns trumps, that its seat was dealt that suit. Declarations prove nothing.

Source: docs/rules/common.md#what-a-player-sees; docs/rules/kakeya.md#play, #trump-decision, D10;
docs/rules/etori.md#decisions, D21.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cards import KAKEYA_PACK, SUITS, Card, Suit
from engine.errors import ObservationError
from engine.game import Board, Hands, Observation, Seat, Side, Worlds
from engine.games.kakeya.deal import Deal, Setting, Trick, masks_of
from engine.games.kakeya.events import deal_cell
from engine.games.kakeya.notation import LEAD, PLAY, TRICK_SIZE, TRICKS, TRUMP
from engine.games.kakeya.rotation import Roles
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import PICTURE_MASK, trick_powers
from engine.games.kakeya.state import KakeyaState
from engine.games.kakeya.variants import VARIANTS
from engine.hidden import HiddenCards, check_observed, void_refusal
from engine.spread import Spread

if TYPE_CHECKING:
    from random import Random

_BOARDS = range(1, 25)
"""Deal boards that together have every combination of roles, trumps and precedence."""

_BIT = KAKEYA_PACK.bit
_SUIT_MASK = KAKEYA_PACK.suit_mask


class KakeyaWorlds(Worlds):
    """Possible hidden cards. Creation takes about 100 microseconds, a draw 20, a state 15."""

    __slots__ = (
        "_captured",
        "_checked",
        "_hidden",
        "_known",
        "_observation",
        "_played",
        "_said",
        "_setting",
        "_spread",
        "_to_act",
        "_trick",
        "_tricks",
        "_turned",
        "_turned_spread",
        "_void",
    )

    def __init__(self, ruleset: KakeyaRuleset, sides: tuple[Side, ...], observation: Observation) -> None:
        self._observation = observation
        self._setting = Setting(ruleset, Board("deal", 1, ""), sides, VARIANTS[ruleset.variant])
        phase = observation["phase"]
        if phase not in (TRUMP, LEAD, PLAY):
            raise ObservationError(f"nobody is asked in phase {phase!r}: give the observation of a request")
        proposals = _answers(observation["proposals"])
        stones = tuple(observation["stones"][str(side[0])] for side in sides)
        roles, turn = _conditions(self._setting, observation)
        self._known = Deal(
            self._setting, observation["deal"], turn, roles, observation["trump"], stones, (), proposals
        )
        self._said = _answers(observation["declarations"])
        self._to_act: tuple[Seat, ...] = tuple(observation["to_act"])
        self._read_plays(observation)
        self._hidden = self._read_hidden(observation)
        self._turned = self._turned_suit()
        self._turned_spread: Spread | None = None
        self._spread = self._spread_of(self._hidden.cards, self._hidden.sizes)
        if not self._spread.total or (self._turned and not self._weights()[1]):
            raise ObservationError("no deal of the unseen cards agrees with the suits that were not followed")
        self._checked = False

    def _read_plays(self, observation: Observation) -> None:
        """Parse the tricks: played cards, suits not followed, captured pictures."""
        deal = self._known
        order = deal.seating.order
        self._played: dict[Seat, list[Card]] = {seat: [] for seat in order}
        self._void = dict.fromkeys(order, 0)
        captured = [0] * len(deal.sides)
        tricks: list[Trick] = []
        for trick in observation["tricks"]:
            cards = tuple(trick["cards"])
            best = self._note(trick["leader"], cards)
            if len(cards) != TRICK_SIZE or best[1] != trick["winner"]:
                raise ObservationError(f"trick {len(tricks) + 1} was not won so: it went to seat {best[1]}")
            captured[deal.side_of[best[1]]] |= KAKEYA_PACK.mask(cards) & PICTURE_MASK
            tricks.append((trick["leader"], cards, best[1]))
            self._to_act = (best[1],)
        trick = observation["trick"]
        self._trick = tuple(card for _, card in trick)
        if trick:
            leader = trick[0][0]
            self._note(leader, self._trick)
            self._to_act = (order[(order.index(leader) + len(trick)) % TRICK_SIZE],)
        self._captured, self._tricks = tuple(captured), tuple(tricks)

    def _note(self, leader: Seat, cards: tuple[Card, ...]) -> tuple[int, Seat]:
        """Record the cards of a trick; return its highest power so far and the seat that has it."""
        deal = self._known
        order, led = deal.seating.order, cards[0][1]
        powers = trick_powers(deal.trump, deal.rensho)[led]
        start = order.index(leader)
        best = (0, 0)
        for k, card in enumerate(cards):
            seat = order[(start + k) % TRICK_SIZE]
            self._played[seat].append(card)
            if card[1] != led and not _BIT[card] & deal.free:
                self._void[seat] |= _SUIT_MASK[led]
            if powers[card] > best[0]:
                best = (powers[card], seat)
        return best

    def _read_hidden(self, observation: Observation) -> HiddenCards:
        seat, own = observation["seat"], tuple(observation["hand"])
        is_dealt = observation["phase"] != TRUMP
        if not is_dealt and (own or self._tricks or self._trick):
            raise ObservationError("trumps are decided before cards are dealt, but there are cards")
        sizes = {other: TRICKS - len(cards) for other, cards in self._played.items()}
        if is_dealt and sizes.pop(seat) != len(own):
            raise ObservationError(f"seat {seat} does not hold as many cards as it has not played")
        played = [card for cards in self._played.values() for card in cards]
        visible = KAKEYA_PACK.mask((*played, *own))
        if visible.bit_count() != len(played) + len(own):
            raise ObservationError("a card is seen twice in the observation")
        return HiddenCards(KAKEYA_PACK, seat, own, visible, sizes)

    def _turned_suit(self) -> Suit:
        """Return the suit turned by the last card dealt, if another seat was dealt it, or ''."""
        deal = self._known
        if deal.setting.ruleset.meiji_trump != "turn_last" or deal.seating.by_pile[-1] == self._hidden.seat:
            return ""
        return deal.trump

    def _spread_of(self, cards: tuple[Card, ...], sizes: dict[Seat, int]) -> Spread:
        groups: dict[tuple[int, ...], list[Card]] = {}
        allowed = {
            suit: tuple(seat for seat in sizes if not self._void[seat] & _SUIT_MASK[suit]) for suit in SUITS
        }
        for card in cards:
            groups.setdefault(allowed[card[1]], []).append(card)
        return Spread(groups, sizes)

    def _weights(self) -> tuple[int, int]:
        """Count deals with the turned card played, and with it still held, once per possible last card."""
        seat = self._known.seating.by_pile[-1]
        played = sum(card[1] == self._turned for card in self._played[seat]) * self._spread.total
        candidates = [card for card in self._hidden.cards if card[1] == self._turned]
        if not candidates or self._void[seat] & _SUIT_MASK[self._turned] or not self._hidden.sizes[seat]:
            return played, played
        if self._turned_spread is None:
            # They are alike, so it does not matter which of them is taken out.
            cards = tuple(card for card in self._hidden.cards if card != candidates[0])
            self._turned_spread = self._spread_of(
                cards, self._hidden.sizes | {seat: self._hidden.sizes[seat] - 1}
            )
        return played, played + len(candidates) * self._turned_spread.total

    def draw(self, rng: Random) -> dict[Seat, tuple[Card, ...]]:
        hands = self._draw_turned(rng) if self._turned else self._spread.draw(rng)
        if self._hidden.own:
            hands[self._hidden.seat] = self._hidden.own
        return hands

    def _draw_turned(self, rng: Random) -> dict[Seat, tuple[Card, ...]]:
        played, total = self._weights()
        if self._turned_spread is None or rng.randrange(total) < played:
            return self._spread.draw(rng)
        hands = self._turned_spread.draw(rng)
        candidates = [card for card in self._hidden.cards if card[1] == self._turned]
        last = rng.choice(candidates)
        # Drawn without the first of them, which stands for whichever lies elsewhere.
        hands = {
            seat: tuple(candidates[0] if card == last else card for card in cards)
            for seat, cards in hands.items()
        }
        seat = self._known.seating.by_pile[-1]
        hands[seat] = (*hands[seat], last)
        return hands

    def state(self, hands: Hands) -> KakeyaState:
        hidden = self._hidden
        masks = hidden.masks(hands)
        for seat, mask in masks.items():
            wrong = mask & self._void[seat]
            if wrong:
                card = KAKEYA_PACK.listed(wrong)[0]
                raise void_refusal(card, seat, card[1])
        state = self._state(self._deck(hands))
        if not self._checked:
            check_observed(state, self._observation)
            self._checked = True
        return state

    def _deck(self, hands: Hands) -> tuple[Card, ...]:
        """Return a deck from which these hands are dealt."""
        hidden = self._hidden
        deck = [""] * len(KAKEYA_PACK)
        by_pile = self._known.seating.by_pile
        for pile, seat in enumerate(by_pile):
            hand = hidden.own if seat == hidden.seat and hidden.own else hands[seat]
            cards = [*self._played[seat], *hand]
            if seat == by_pile[-1] and self._setting.ruleset.meiji_trump == "turn_last":
                cards.sort(key=lambda card: card[1] == self._known.trump)
                if cards[-1][1] != self._known.trump:
                    raise ObservationError(
                        f"seat {seat} was dealt no trump, but the last card: it turned trumps"
                    )
            deck[pile :: len(by_pile)] = cards
        return tuple(deck)

    def _state(self, deck: tuple[Card, ...]) -> KakeyaState:
        known = self._known
        phase, zeros = self._observation["phase"], (0,) * len(known.sides)
        if phase == TRUMP:
            setting = self._setting._replace(board=Board("deal", 1, "", (deck,)))
            before = Deal(setting, known.number, known.turn, known.roles, known.trump, known.stones, ())
            return KakeyaState.create(before, TRUMP, self._to_act, (), None, zeros)
        deal = Deal(
            self._setting,
            *(known.number, known.turn, known.roles, known.trump, known.stones, (), known.proposals),
            masks_of(deck),
        )
        past = deal_cell(None, deal)
        if phase == LEAD:
            return KakeyaState.create(deal, LEAD, self._to_act, (), past, zeros)
        unplayed = self._hidden.mask | self._hidden.own_mask
        return KakeyaState.create(
            deal,
            PLAY,
            self._to_act,
            self._said,
            past,
            self._captured,
            unplayed,
            self._trick,
            self._tricks,
        )


def _answers(by_seat: dict[str, str]) -> tuple[tuple[Seat, str], ...]:
    return tuple(sorted((int(seat), answer) for seat, answer in by_seat.items()))


def _conditions(setting: Setting, observation: Observation) -> tuple[Roles, int]:
    """Return the roles that matter in this deal, and the turn, which determines precedence.

    A deal board does not show its number. While the lead is open, roles and trumps determine precedence
    within a pair. With fixed trumps and four players they do not: the lower seat is assumed, as in a first
    deal.
    """
    number, leaders = observation["deal"], tuple(observation["leaders"])
    active = tuple(observation["active"])
    dealers, dealer = tuple(observation["dealers"]), observation["dealer"]
    deciders = tuple(observation["to_act"])
    playing = [side for side in setting.sides if side[0] in active]
    opponents = next(side for side in playing if leaders[0] not in side)
    trump_right = deciders if observation["phase"] == TRUMP else ()
    roles = Roles(active, dealers, leaders, trump_right, opponents, dealer)
    if observation["phase"] != LEAD:
        return roles, number
    if len(deciders) == 1:
        pair = Deal(setting, number, 1, roles, observation["trump"], (), ()).decider
        return roles, 1 if pair == deciders[0] else 2
    if number == 1 and not observation["proposals"]:
        observed = (dealers, leaders, dealer, observation["trump"])
        for board in _BOARDS:
            of_board, turn, trump = setting.variant.of_board(setting.ruleset, board)
            if (of_board.dealers, of_board.leaders, of_board.dealer, trump) == observed:
                return roles, turn
    return roles, number
