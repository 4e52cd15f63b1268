"""A board of Kakeya at one moment: trump proposals, lead declarations, tricks, payment, the next deal."""

from __future__ import annotations

from operator import add

from engine.cards import KAKEYA_PACK, SUIT_NAMES
from engine.errors import IllegalAction
from engine.game import Action, Event, Observation, Outcome, Past, Seat, State, cells_since
from engine.games.kakeya.deal import Deal, Said, Setting, deal_out, deal_result
from engine.games.kakeya.events import act_event, deal_cell, deal_end_cell, event_of, result_told, trick_event
from engine.games.kakeya.notation import (
    DEFER,
    IKU,
    KEEP,
    LEAD_DECLARATIONS,
    LEAD_TALK,
    PREFER,
    TRUMP_PROPOSALS,
    parse_action,
)
from engine.games.kakeya.observation import observed_text
from engine.games.kakeya.options import GAME_KEY
from engine.games.kakeya.position import KakeyaPosition
from engine.games.kakeya.rotation import resolve_trump
from engine.games.kakeya.scoring import PICTURE_MASK, PICTURES_IN_ALL

RULES_VERSION = 1
TRICKS = 13
TRICK_SIZE = 4

TRUMP = "trump"
LEAD = "lead"
PLAY = "play"
OVER = "over"

_BIT = KAKEYA_PACK.bit
_SUIT_MASK = KAKEYA_PACK.suit_mask
_listed, _listed_suit = KAKEYA_PACK.listed, KAKEYA_PACK.listed_suit
_PICTURE = {card: bit & PICTURE_MASK for card, bit in _BIT.items()}


class KakeyaState(KakeyaPosition):
    """See ``engine.game.State``: a position, and what the rules make of it."""

    __slots__ = ()

    @classmethod
    def start(cls, setting: Setting) -> KakeyaState:
        """The first state of a board: a whole game, or one deal under the conditions of its number."""
        ruleset, board, variant = setting.ruleset, setting.board, setting.variant
        stones = (ruleset.stones or 0,) * len(setting.sides)
        if board.kind == "game":
            roles, turn, trump = variant.first(ruleset, board.seed)
            return cls._open(Deal(setting, 1, turn, roles, trump, stones, ()), None)
        roles, turn, trump = variant.of_board(ruleset, board.number)
        return cls._begin(deal_out(setting, 1, turn, roles, trump, stones), None)

    @classmethod
    def _open(cls, deal: Deal, past: Past) -> KakeyaState:
        """A deal of a game before its cards: the pair entitled to it is asked for trumps."""
        if deal.setting.ruleset.trump_fixed or not deal.setting.variant.may_change_trump:
            return cls._begin(deal.dealt(deal.trump, ()), past)
        return cls.at(deal, TRUMP, deal.roles.trump_right, (), past, (0,) * len(deal.sides))

    @classmethod
    def _begin(cls, deal: Deal, past: Past) -> KakeyaState:
        """Cards are dealt; the leaders are asked who leads."""
        protocol = deal.setting.variant.lead_protocol(deal.setting.ruleset)
        past = deal_cell(past, deal)
        captured = (0,) * len(deal.sides)
        if protocol == "decider":
            return cls.at(deal, PLAY, (deal.decider,), (), past, captured)
        asked = deal.roles.leaders if protocol == "simultaneous" else (deal.decider,)
        return cls.at(deal, LEAD, asked, (), past, captured)

    @property
    def situation(self) -> str:
        """See ``State.situation``."""
        words = f"{self.deal.setting.ruleset.preset}, deal {self.deal.number}"
        return f"{words}, trick {len(self.tricks) + 1}" if self.phase == PLAY else f"{words}, {self.phase}"

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """See ``State.legal``.

        Source: docs/rules/kakeya.md#trump-decision, #opening-lead, #play.
        """
        if seat not in self.to_act:
            return ()
        if self.phase == PLAY:
            deal = self.deal
            hand = deal.hands[seat] & self.unplayed
            if self.trick:
                follow = hand & self.led
                if follow:
                    free = hand & deal.free
                    return _listed(follow | free) if free else _listed_suit(follow)
            return _listed(hand)
        if self.phase == TRUMP:
            return TRUMP_PROPOSALS
        return LEAD_DECLARATIONS if self.deal.setting.ruleset.lead_protocol == "simultaneous" else LEAD_TALK

    def apply(self, seat: Seat, action: Action) -> KakeyaState:
        """See ``State.apply``."""
        if self.phase != PLAY:
            return self._answered(seat, action)
        deal = self.deal
        try:
            bit = _BIT[action]
        except KeyError:
            raise self._refusal(seat, action) from None
        unplayed, trick = self.unplayed, self.trick
        if self.to_act[0] != seat or not bit & deal.hands[seat] & unplayed:
            raise self._refusal(seat, action)
        if trick:
            led = self.led
            if not bit & led and deal.hands[seat] & unplayed & led and not bit & deal.free:
                raise self._refusal(seat, action)
        else:
            led = _SUIT_MASK[action[1]]
        power = deal.powers[led][action]
        # Filled here, since a call of ``at`` for every card would cost a tenth of a deal.
        state = KakeyaState()
        state.deal = deal
        state.phase = PLAY
        state.to_act = deal.followers[seat]
        state.said = self.said
        state.past = (self.past, act_event, PLAY, seat, action)
        state.captured = self.captured
        state.unplayed = unplayed ^ bit
        trick += (action,)  # Half the cost of (*trick, action), here and for the tricks.
        state.trick = trick
        state.led = led
        if power > self.best:
            state.best, state.strongest = power, seat
        else:
            state.best, state.strongest = self.best, self.strongest
        state.tricks = self.tricks
        return state if len(trick) < TRICK_SIZE else state._with_trick_done()

    def _with_trick_done(self) -> KakeyaState:
        """This state, which nobody has seen yet, its four cards gone to their winner; or a state after it."""
        deal, winner = self.deal, self.strongest
        first, second, third, fourth = self.trick
        pictures = _PICTURE[first] | _PICTURE[second] | _PICTURE[third] | _PICTURE[fourth]
        if pictures:
            taken = list(self.captured)
            taken[deal.side_of[winner]] |= pictures
            self.captured = tuple(taken)
        # The seat after the last one to play is the one that led.
        tricks = self.tricks
        tricks += ((self.to_act[0], self.trick, winner),)
        self.tricks = tricks
        n = len(tricks)
        self.past = (self.past, trick_event, n, pictures.bit_count(), winner)
        self.trick, self.led, self.best, self.strongest = (), 0, 0, 0
        if n == TRICKS or (deal.stops_early and _all_taken(self.captured)):
            return self._with_deal_done()
        self.to_act = (winner,)
        return self

    def _with_deal_done(self) -> KakeyaState:
        """This state, which nobody has seen yet, at the end of its board; or the start of the next deal."""
        deal = self.deal
        setting = deal.setting
        result = deal_result(deal, self.captured)
        self.past = deal_end_cell(self.past, deal, self.captured, result)
        if setting.board.kind == "game":
            following = deal.following(result)
            if not setting.variant.is_last(setting.ruleset, deal.number, following.stones):
                return self._open(following, self.past)
        self.phase, self.to_act = OVER, ()
        return self

    def _answered(self, seat: Seat, action: Action) -> KakeyaState:
        """The state after one answer to a trump or lead question; hidden until the last one is in."""
        if action not in self.legal(seat):
            raise self._refusal(seat, action)
        said = tuple(sorted((*self.said, (seat, action))))
        waiting = tuple([other for other in self.to_act if other != seat])
        deal = self.deal
        if waiting:
            return KakeyaState.at(deal, self.phase, waiting, said, self.past, self.captured)
        past = self.past
        for other, answer in said:
            past = (past, act_event, self.phase, other, answer)
        if self.phase == TRUMP:
            pair = deal.roles.trump_right
            trump = resolve_trump(deal.trump, dict(said), pair, deal.turn)
            return self._begin(deal.dealt(trump, said), past)
        return KakeyaState.at(deal, PLAY, (self._first_leader(said),), said, past, self.captured)

    def _first_leader(self, said: Said) -> Seat:
        """Who leads after these declarations.

        Source: docs/rules/kakeya.md#opening-lead.
        """
        decider = self.deal.decider
        leaders = self.deal.roles.leaders
        if self.deal.setting.ruleset.lead_protocol == "iku_koi":
            return decider if said[0][1] == IKU else next(s for s in leaders if s != decider)
        eager = [seat for seat, answer in said if answer == PREFER]
        return eager[0] if len(eager) == 1 else decider

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        """Why this action is not allowed.

        Raises:
            NotationError: it is no action at all.
        """
        parse_action(action)
        if self.phase == OVER:
            rule = "the board is over"
        elif seat not in self.to_act:
            rule = "it is not this seat's turn"
        elif self.phase != PLAY:
            rule = f"answer one of {', '.join(self.legal(seat))}"
        elif action not in _BIT:
            rule = "play a card"
        elif not _BIT[action] & self.deal.hands[seat] & self.unplayed:
            rule = "this card is not in the hand"
        else:
            rule = f"must follow {SUIT_NAMES[self.trick[0][1]]}"
        return IllegalAction(action, seat, rule, self.situation)

    def fallback(self, seat: Seat) -> Action:
        """See ``State.fallback``."""
        if self.phase == TRUMP:
            return KEEP
        if self.phase == LEAD:
            return DEFER if self.deal.setting.ruleset.lead_protocol == "simultaneous" else IKU
        return self.legal(seat)[0]

    def observe(self, seat: Seat) -> Observation:
        """See ``State.observe``; every field is described in docs/bot-protocol.md.

        While a simultaneous decision is open, ``to_act`` lists every seat asked, answered or not.
        """
        deal = self.deal
        setting, roles = deal.setting, deal.roles
        partners = deal.sides[deal.side_of[seat]]
        asked = self.to_act
        if self.phase != PLAY and self.said and asked:
            asked = tuple(sorted((*asked, *(s for s, _ in self.said))))
        order = deal.seating.order
        first = order.index(self.to_act[0]) - len(self.trick) if self.trick else 0
        return {
            "game": GAME_KEY,
            "preset": setting.ruleset.preset,
            "rules_version": RULES_VERSION,
            "seat": seat,
            "seats": setting.ruleset.seats,
            "active": list(roles.active),
            "direction": setting.ruleset.direction,
            "to_act": list(asked),
            "phase": self.phase,
            "deal": deal.number,
            "stones": {str(s): stones for s, stones in deal.by_seat(self._stones())},
            "legal": list(self.legal(seat)),
            "hand": list(_listed(deal.hands[seat] & self.unplayed)),
            "partner": partners[1] if partners[0] == seat else partners[0],
            "dealers": list(roles.dealers),
            "dealer": roles.dealer,
            "leaders": list(roles.leaders),
            "trump": deal.trump,
            "rensho": deal.rensho,
            "proposals": {str(s): said for s, said in deal.proposals},
            "declarations": {str(s): said for s, said in self.said} if self.phase in (PLAY, OVER) else {},
            "trick": [[order[first + i], card] for i, card in enumerate(self.trick)],
            "tricks": [
                {"leader": leader, "cards": list(cards), "winner": won} for leader, cards, won in self.tricks
            ],
            "pictures": {str(side[0]): list(_listed(mask)) for side, mask in deal.of_playing(self.captured)},
        }

    def observe_text(self, seat: Seat, legal: tuple[Action, ...] | None = None) -> str:
        """See ``State.observe_text``."""
        if self.phase == PLAY:
            return observed_text(self, seat, self.legal(seat) if legal is None else legal)
        return super().observe_text(seat)

    def outcome(self) -> Outcome | None:
        """See ``State.outcome``."""
        if self.phase != OVER:
            return None
        deal = self.deal
        start = deal.setting.ruleset.stones or 0
        results = (*deal.results, result_told(self.past).stones)
        return Outcome(
            stones={seat: stones - start for seat, stones in deal.by_seat(self._stones())},
            deals=tuple(dict(deal.by_seat(result)) for result in results),
        )

    def happened_since(self, previous: State | None) -> list[Event]:
        """See ``State.happened_since``."""
        earlier = previous.past if isinstance(previous, KakeyaState) else None
        return [event_of(cell) for cell in cells_since(self.past, earlier)]

    def _stones(self) -> tuple[int, ...]:
        """Stones by pair as they stand now."""
        stones = self.deal.stones
        if self.phase != OVER:
            return stones
        return tuple(map(add, stones, result_told(self.past).stones))


def _all_taken(captured: tuple[int, ...]) -> bool:
    """Whether no picture is left to play for."""
    return sum(map(int.bit_count, captured)) == PICTURES_IN_ALL
