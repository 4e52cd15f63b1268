"""Possible hidden cards of an observation of Kakkuri, and states made from them.

Certain: cards played and turned up; hand sizes (a seat that dropped still has its six); seats that declared
sansoku hold pairs; no seat that looked held three aces; with eight seats, the three of clubs is in the box.
Passing and dropping prove nothing. Swaps change nothing, since no seat had looked.

Source: docs/rules/common.md#what-a-player-sees; docs/rules/kakkuri.md#looking, #sansoku, #turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cards import KAKKURI_PACK, Card
from engine.errors import ObservationError
from engine.game import Board, Hands, Observation, Past, Seat, Worlds
from engine.games.kakkuri.deal import HAND, Deal, Laid, Setting
from engine.games.kakkuri.deal_history import DealHistory
from engine.games.kakkuri.drawing import UTAZU, Drawing
from engine.games.kakkuri.events import deal_cell
from engine.games.kakkuri.melds import meld_table
from engine.games.kakkuri.notation import DROP
from engine.games.kakkuri.retracing import retrace_deal
from engine.games.kakkuri.ruleset import MAX_SEATS, KakkuriRuleset
from engine.games.kakkuri.standing import Standing
from engine.games.kakkuri.state import DEALING, SWAPPING, TURNS, KakkuriState
from engine.games.kakkuri.turns import DECLARED, FREE, MELD, MUST_TURN, RETURN, TURNED
from engine.hidden import HiddenCards, check_observed

if TYPE_CHECKING:
    from random import Random

BOX: Seat = 0
_OUT = "3C"


class KakkuriWorlds(Worlds):
    """Possible hidden cards. Creation takes about 100 microseconds, a draw 20, a state 20."""

    __slots__ = (
        *("_barred", "_checked", "_drawing", "_hidden", "_is_out_hidden", "_melds", "_observation", "_paid"),
        *("_played", "_ruleset", "_turned"),
    )

    def __init__(self, ruleset: KakkuriRuleset, observation: Observation) -> None:
        self._ruleset = ruleset
        self._observation = observation
        if observation["phase"] not in (DEALING, SWAPPING, TURNS):
            raise ObservationError("nobody is asked in this phase: give the observation of a request")
        self._melds = meld_table(
            ruleset.court_order, ruleset.wild_mode, wild_in_sansoku=ruleset.wild_in_sansoku
        )
        self._turned: tuple[Card, ...] = tuple(observation["turned"])
        self._played: dict[Seat, tuple[Card, ...]] = {}
        for player, meld in observation["plays"]:
            cards = KAKKURI_PACK.listed(self._melds.by_text[meld].cards)
            self._played[player] = self._played.get(player, ()) + cards
        self._hidden = self._read_hidden(observation)
        self._is_out_hidden = bool(observation["out"]) and _OUT in self._hidden.cards
        self._barred = self._read_barred(observation)
        sizes, cards = self._hidden.sizes, self._hidden.cards
        if self._is_out_hidden:
            sizes = sizes | {BOX: sizes[BOX] - 1}
            cards = tuple(card for card in cards if card != _OUT)
        self._drawing = Drawing(
            cards,
            sizes,
            declared=tuple(seat for seat in observation["sansoku"] if seat in sizes),
            barred=self._barred,
            are_wilds_wild=ruleset.wild_in_sansoku,
        )
        if min(sizes.values(), default=0) < 0 or not self._drawing.is_possible:
            raise ObservationError("no deal of the unseen cards agrees with what was declared and turned up")
        self._paid = self._read_paid(observation)
        self._checked = False

    def _read_hidden(self, observation: Observation) -> HiddenCards:
        seat, own = observation["seat"], tuple(observation["hand"])
        seats = range(1, self._ruleset.seats + 1)
        if observation["phase"] == TURNS:
            sizes = {other: observation["hand_sizes"][str(other)] for other in observation["active"]}
            if sizes.pop(seat) != len(own):
                raise ObservationError(f"seat {seat} does not hold as many cards as its hand size says")
            sizes |= dict.fromkeys(observation["dropped"], HAND)
            sizes[BOX] = observation["box_size"]
        else:
            # Nobody has looked, or nothing is dealt yet; with eight seats the box is one of the hands.
            sizes = dict.fromkeys(seats, HAND)
            if len(seats) < MAX_SEATS:
                sizes[BOX] = len(KAKKURI_PACK) - HAND * len(seats)
        played = [card for cards in self._played.values() for card in cards]
        visible = [*own, *self._turned, *played]
        mask = KAKKURI_PACK.mask(visible)
        if mask.bit_count() != len(visible):
            raise ObservationError("a card is seen twice in the observation")
        return HiddenCards(KAKKURI_PACK, seat, own, mask, sizes)

    def _read_barred(self, observation: Observation) -> tuple[Seat, ...]:
        """Return seats that may not hold all hidden aces of ``UTAZU``: they would have won at the look."""
        hidden = [card for card in UTAZU if card in self._hidden.cards]
        if observation["phase"] != TURNS or not hidden:
            return ()
        visible = {card for card in UTAZU if card not in hidden}
        return tuple(
            seat for seat in self._hidden.sizes if seat != BOX and visible <= {*self._played.get(seat, ())}
        )

    def _read_paid(self, observation: Observation) -> tuple[int, ...] | None:
        """Return stones paid to the pot by seat; None if only the course of the deal determines them."""
        seats = range(1, self._ruleset.seats + 1)
        if observation["deal"] == 1:
            return (0, *(self._ruleset.stones - observation["stones"][str(seat)] for seat in seats))
        if self._ruleset.pass_penalty and observation["pot"]:
            return None
        return (0, *(int(seat in observation["dropped"]) for seat in seats))

    def draw(self, rng: Random) -> dict[Seat, tuple[Card, ...]]:
        hands = self._drawing.draw(rng)
        if self._is_out_hidden:
            hands[BOX].insert(rng.randrange(len(hands[BOX]) + 1), _OUT)
        if self._hidden.own:
            hands[self._hidden.seat] = [*self._hidden.own]
        return {location: tuple(hands[location]) for location in sorted(hands)}

    def state(self, hands: Hands) -> KakkuriState:
        self._check(self._hidden.masks(hands))
        state = self._state(hands)
        if not self._checked:
            check_observed(state, self._observation)
            self._checked = True
        return state

    def _check(self, masks: dict[Seat, int]) -> None:
        """Raise ``ObservationError`` if these hidden hands are not among those that can be drawn."""
        for seat in self._observation["sansoku"]:
            if seat in masks and not self._melds.is_pairs(masks[seat]):
                raise ObservationError(f"seat {seat} has declared sansoku: it holds only pairs")
        aces = KAKKURI_PACK.mask(UTAZU) & self._hidden.mask
        for seat in self._barred:
            if aces and masks[seat] & aces == aces:
                raise ObservationError(
                    f"seat {seat} cannot have been dealt {', '.join(UTAZU)}: it would have won at once"
                )
        if self._is_out_hidden and not masks[BOX] & KAKKURI_PACK.bit[_OUT]:
            raise ObservationError(f"{_OUT} is in the box of eight seats: it made its holder's hand the box")

    def _state(self, hands: Hands) -> KakkuriState:
        observation = self._observation
        phase, to_act = observation["phase"], tuple(observation["to_act"])
        dealer = observation["dealer"]
        laid = self._laid(hands)
        setting = Setting.of(self._ruleset, Board("deal", 1, ""))._replace(laid=laid)
        paid = self._paid
        if paid is None:
            retraced_state = retrace_deal(self._deal(setting, dealer, self._ruleset.stones), observation)
            paid = self._paid = retraced_state.standing.paid
        stones = (0, *(observation["stones"][str(s)] + paid[s] for s in range(1, self._ruleset.seats + 1)))
        deal = Deal(setting, observation["deal"], dealer, stones, (), is_dealt=phase != DEALING)
        standing = Standing.of(deal.hands)
        if phase == DEALING:
            return KakkuriState(deal, DEALING, to_act, None, standing)
        past: Past = deal_cell(None, deal.number, dealer, deal.deck, deal.box8)
        if phase == SWAPPING:
            return KakkuriState(deal, SWAPPING, to_act, past, standing)
        active = sum(1 << seat for seat in observation["active"])
        sansoku = sum(1 << seat for seat in observation["sansoku"])
        standing = Standing(deal.hands, active, paid, len(self._turned), sansoku)
        melds = [self._melds.by_text[meld].cards for _, meld in observation["plays"]]
        opened = sum(melds[: len(melds) - observation["played_this_turn"]])
        return KakkuriState(
            deal,
            TURNS,
            to_act,
            past,
            standing,
            observation["follow"],
            observation["last"],
            sum(melds),
            opened,
            self._turn(),
        )

    def _deal(self, setting: Setting, dealer: Seat, stones: int) -> Deal:
        assert setting.laid is not None
        fresh = setting._replace(laid=setting.laid._replace(history=DealHistory()))
        return Deal(fresh, 1, dealer, (0, *(stones,) * self._ruleset.seats), ())

    def _turn(self) -> int:
        """Return the flags of the current turn, see ``turns``."""
        observation, ruleset = self._observation, self._ruleset
        turn: int = MELD * observation["played_this_turn"]
        if observation["turned_this_turn"]:
            turn |= TURNED
        elif observation["return_turn"] and not turn:
            if not observation["box_size"]:
                turn |= FREE
            elif ruleset.turn_forced:
                turn |= MUST_TURN
        if observation["return_turn"]:
            turn |= RETURN
        seat = observation["seat"]
        is_untouched = seat in observation["sansoku"] and seat not in self._played
        if is_untouched and turn & TURNED == 0 and DROP not in observation["legal"]:
            turn |= DECLARED
        return turn

    def _laid(self, hands: Hands) -> Laid:
        """Return the original location of all cards."""
        observation, own = self._observation, self._hidden.own
        full: list[tuple[Card, ...]] = [()]
        for seat in range(1, self._ruleset.seats + 1):
            hand = own if seat == observation["seat"] and own else tuple(hands.get(seat, ()))
            full.append(self._played.get(seat, ()) + hand)
        box = (*self._turned, *hands.get(BOX, ()))
        for out in observation["out"]:
            full[out] = box
        if self._ruleset.seats == MAX_SEATS and not observation["out"]:
            box = next(cards for cards in full if _OUT in cards)
        if observation["phase"] != TURNS:
            return Laid(tuple(full), box)
        return Laid(tuple(full), box, self._history())

    def _history(self) -> DealHistory:
        observation = self._observation
        plays = tuple((seat, meld) for seat, meld in observation["plays"])
        passes = tuple((seat, value) for seat, value in observation["passes"])
        return DealHistory(
            self._turned,
            plays,
            passes,
            observation["follow"],
            ",".join([f'"{card}"' for card in self._turned]),
            ",".join([f'[{seat},"{meld}"]' for seat, meld in plays]),
            ",".join([f"[{seat},{value}]" for seat, value in passes]),
        )
