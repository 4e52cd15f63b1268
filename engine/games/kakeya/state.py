"""States of a Kakeya board: trump proposals, lead declarations, tricks, payment, the next deal."""

from __future__ import annotations

from operator import add

from engine.cards import KAKEYA_PACK, SUIT_NAMES, Card
from engine.errors import IllegalAction
from engine.game import Action, Event, Observation, Outcome, Past, Seat, State, cells_since
from engine.games.kakeya.deal import Answers, Deal, Setting, deal_out, deal_result
from engine.games.kakeya.events import (
    act,
    answers_cell,
    deal_cell,
    deal_end_cell,
    events_of,
    last_result,
    plays,
    plays_cell,
    skipped_plays,
    trick_plays,
)
from engine.games.kakeya.notation import (
    DEFER,
    IKU,
    KEEP,
    LEAD,
    LEAD_DECLARATIONS,
    LEAD_TALK,
    OVER,
    PLAY,
    PREFER,
    TRICK_SIZE,
    TRICKS,
    TRUMP,
    TRUMP_PROPOSALS,
    parse_action,
)
from engine.games.kakeya.observation import observation_text
from engine.games.kakeya.options import GAME_KEY
from engine.games.kakeya.position import NOT_LED, KakeyaPosition
from engine.games.kakeya.rotation import resolve_trump
from engine.games.kakeya.scoring import PICTURE_MASK, PICTURES_IN_ALL

RULES_VERSION = 1

_BIT = KAKEYA_PACK.bit
_LED_BY = {card: KAKEYA_PACK.suit_listing[card[1]] for card in KAKEYA_PACK.cards}
_listed = KAKEYA_PACK.listed


class KakeyaState(KakeyaPosition):
    """A position together with the rules that apply to it."""

    __slots__ = ()

    @classmethod
    def start(cls, setting: Setting) -> KakeyaState:
        """Return the first state of a game, or of one deal under the conditions of its board number."""
        ruleset, board, variant = setting.ruleset, setting.board, setting.variant
        stones = (ruleset.stones or 0,) * len(setting.sides)
        if board.kind == "game":
            roles, turn, trump = variant.first(ruleset, board.seed)
            return cls._open(Deal(setting, 1, turn, roles, trump, stones, ()), None)
        roles, turn, trump = variant.of_board(ruleset, board.number)
        return cls._begin(deal_out(setting, 1, turn, roles, trump, stones), None)

    @classmethod
    def _open(cls, deal: Deal, past: Past) -> KakeyaState:
        """Start a deal of a game before its cards: the pair with the trump right makes proposals, if any."""
        if deal.setting.ruleset.trump_fixed or not deal.setting.variant.may_change_trump:
            return cls._begin(deal.dealt(deal.trump, ()), past)
        return cls.create(deal, TRUMP, deal.roles.trump_right, (), past, (0,) * len(deal.sides))

    @classmethod
    def _begin(cls, deal: Deal, past: Past) -> KakeyaState:
        """Start a deal whose cards are dealt: the leaders declare, if the protocol asks them."""
        protocol = deal.setting.variant.lead_protocol(deal.setting.ruleset)
        past = deal_cell(past, deal)
        captured = (0,) * len(deal.sides)
        if protocol == "decider":
            return cls.create(deal, PLAY, (deal.decider,), (), past, captured)
        deciders = deal.roles.leaders if protocol == "simultaneous" else (deal.decider,)
        return cls.create(deal, LEAD, deciders, (), past, captured)

    @property
    def situation(self) -> str:
        deal_name = f"{self.deal.setting.ruleset.preset}, deal {self.deal.number}"
        return (
            f"{deal_name}, trick {len(self.tricks) + 1}"
            if self.phase == PLAY
            else f"{deal_name}, {self.phase}"
        )

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Source: docs/rules/kakeya.md#trump-decision, #opening-lead, #play."""
        playable = self.playable
        if playable:
            if self.to_act[0] != seat:
                return ()
            if self.is_of_suit:
                _, shift, listing = self.led
                return listing[playable >> shift] or _listed(playable)
            return _listed(playable)
        if seat not in self.to_act:
            return ()
        if self.phase == TRUMP:
            return TRUMP_PROPOSALS
        return LEAD_DECLARATIONS if self.deal.setting.ruleset.lead_protocol == "simultaneous" else LEAD_TALK

    def apply(self, seat: Seat, action: Action) -> KakeyaState:
        playable = self.playable
        if not playable:
            return self._answered(seat, action)
        try:
            bit = _BIT[action]
        except KeyError:
            raise self._refusal(seat, action) from None
        if not bit & playable or self.to_act[0] != seat:
            raise self._refusal(seat, action)
        trick = self.trick + (action,)  # noqa: RUF005 - half the cost of (*trick, action)
        if len(trick) == TRICK_SIZE:
            return self._with_trick(trick, self.unplayed ^ bit)
        # Filled here, since a call of ``create`` for every card would cost a tenth of a deal.
        deal = self.deal
        state = KakeyaState()
        state.deal = deal
        state.phase = PLAY
        state.to_act, hand = deal.next_hands[seat]
        state.said = self.said
        state.past = self.past
        state.captured = self.captured
        state.tricks = self.tricks
        state.trick = trick
        state.unplayed = unplayed = self.unplayed ^ bit
        state.led = led = self.led if self.trick else _LED_BY[action]
        hand &= unplayed
        follow = hand & led[0]
        if not follow:
            state.playable = hand
            state.is_of_suit = False
        elif deal.free:
            state.playable = follow | hand & deal.free
            state.is_of_suit = False
        else:
            state.playable = follow
            state.is_of_suit = True
        return state

    def _with_trick(self, trick: tuple[Card, ...], unplayed: int) -> KakeyaState:
        deal, captured = self.deal, self.captured
        first, second, third, fourth = trick
        strengths = deal.strengths[self.led[0]]
        highest, b, c, d = strengths[first], strengths[second], strengths[third], strengths[fourth]
        pictures = (highest | b | c | d) & PICTURE_MASK
        index = 0
        if b > highest:
            highest, index = b, 1
        if c > highest:
            highest, index = c, 2
        if d > highest:
            index = 3
        order = deal.rounds_ended[self.to_act[0]]
        winner = order[index]
        if pictures:
            taken = list(captured)
            taken[deal.side_of[winner]] |= pictures
            captured = tuple(taken)
        tricks = self.tricks + ((order[0], trick, winner),)  # noqa: RUF005 - as in ``apply``
        state = KakeyaState()
        state.deal = deal
        state.said = self.said
        state.past = self.past
        state.captured = captured
        state.tricks = tricks
        state.trick = ()
        state.unplayed = unplayed
        state.led = NOT_LED
        state.is_of_suit = False
        if len(tricks) == TRICKS or (deal.stops_early and _no_pictures_remain(captured)):
            return state._with_deal_done()
        state.phase = PLAY
        state.to_act = (winner,)
        state.playable = deal.hands[winner] & unplayed
        return state

    def _with_deal_done(self) -> KakeyaState:
        """End the deal: return this new state as the end of its board, or the start of the next deal."""
        deal = self.deal
        setting = deal.setting
        result = deal_result(deal, self.captured)
        past = plays_cell(self.past, deal, self.tricks)
        self.past = deal_end_cell(past, deal, self.captured, result)
        if setting.board.kind == "game":
            following = deal.following(result)
            if not setting.variant.is_last(setting.ruleset, deal.number, following.stones):
                return self._open(following, self.past)
        self.phase, self.to_act, self.playable = OVER, (), 0
        return self

    def _answered(self, seat: Seat, action: Action) -> KakeyaState:
        """Return the state after a trump or lead answer, which stays hidden until all answers are given."""
        if action not in self.legal(seat):
            raise self._refusal(seat, action)
        answers: Answers = ((seat, action),)
        if self.said:
            answers = tuple(sorted(self.said + answers))
        deal = self.deal
        if len(self.to_act) > 1:
            waiting = tuple([other for other in self.to_act if other != seat])
            return KakeyaState.create(deal, self.phase, waiting, answers, self.past, self.captured)
        past = answers_cell(self.past, self.phase, answers)
        if self.phase == TRUMP:
            pair = deal.roles.trump_right
            trump = resolve_trump(deal.trump, dict(answers), pair, deal.turn)
            return self._begin(deal.dealt(trump, answers), past)
        return KakeyaState.create(deal, PLAY, (self._first_leader(answers),), answers, past, self.captured)

    def _first_leader(self, declarations: Answers) -> Seat:
        """Return the seat that leads after these declarations. Source: docs/rules/kakeya.md#opening-lead."""
        decider = self.deal.decider
        leaders = self.deal.roles.leaders
        if self.deal.setting.ruleset.lead_protocol == "iku_koi":
            return decider if declarations[0][1] == IKU else next(s for s in leaders if s != decider)
        eager = [seat for seat, answer in declarations if answer == PREFER]
        return eager[0] if len(eager) == 1 else decider

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        """Return the error for a forbidden action. Raise ``NotationError`` if the text is not an action."""
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
        if self.phase == TRUMP:
            return KEEP
        if self.phase == LEAD:
            return DEFER if self.deal.setting.ruleset.lead_protocol == "simultaneous" else IKU
        return self.legal(seat)[0]

    def observe(self, seat: Seat) -> Observation:
        """Return the observation; in a simultaneous decision, ``to_act`` has all seats, answered or not."""
        deal = self.deal
        setting, roles = deal.setting, deal.roles
        partners = deal.sides[deal.side_of[seat]]
        to_act = self.to_act
        if self.phase != PLAY and self.said and to_act:
            to_act = tuple(sorted((*to_act, *(s for s, _ in self.said))))
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
            "to_act": list(to_act),
            "phase": self.phase,
            "deal": deal.number,
            "stones": {str(s): stones for s, stones in deal.by_seat(self._stones()).items()},
            "legal": list(self.legal(seat)),
            "hand": list(_listed(deal.hands[seat] & self.unplayed)),
            "partner": partners[1] if partners[0] == seat else partners[0],
            "dealers": list(roles.dealers),
            "dealer": roles.dealer,
            "leaders": list(roles.leaders),
            "trump": deal.trump,
            "rensho": deal.rensho,
            "proposals": {str(s): answer for s, answer in deal.proposals},
            "declarations": {str(s): answer for s, answer in self.said} if self.phase in (PLAY, OVER) else {},
            "trick": [[order[first + i], card] for i, card in enumerate(self.trick)],
            "tricks": [
                {"leader": leader, "cards": list(cards), "winner": won} for leader, cards, won in self.tricks
            ],
            "pictures": {str(side[0]): list(_listed(mask)) for side, mask in deal.of_playing(self.captured)},
        }

    def observe_text(self, seat: Seat, legal: tuple[Action, ...] | None = None) -> str:
        if self.phase == PLAY:
            return observation_text(self, seat, self.legal(seat) if legal is None else legal)
        return super().observe_text(seat)

    def outcome(self) -> Outcome | None:
        if self.phase != OVER:
            return None
        deal = self.deal
        start, before = deal.setting.ruleset.stones or 0, deal.stones
        last = last_result(self.past).stones
        brought = deal.by_seat(last)
        if not deal.results and before.count(start) == len(before):  # As on every deal board.
            return Outcome(brought, (brought.copy(),))
        won = [had - start + stones for had, stones in zip(before, last, strict=True)]
        return Outcome(deal.by_seat(won), (*map(deal.by_seat, deal.results), brought))

    def happened_since(self, previous: State | None) -> list[Event]:
        past, played = self.past, 0
        earlier = None
        if isinstance(previous, KakeyaState):
            earlier = previous.past
            if earlier is past:
                trick = self.trick
                if previous.tricks is self.tricks and len(trick) == len(previous.trick) + 1:  # Mostly.
                    return [act(PLAY, previous.to_act[0], trick[-1])]
                return self._plays_since(previous.cards_played)
            played = previous.cards_played
        events = events_of(cells_since(past, earlier), played)
        return events + self._plays_since(skipped_plays(past)) if self.phase == PLAY else events

    def _plays_since(self, played: int) -> list[Event]:
        tricks, trick, deal = self.tricks, self.trick, self.deal
        events = plays(deal, tricks, played)
        if trick:
            events += trick_plays(deal, self.leader, trick, max(played - TRICK_SIZE * len(tricks), 0))
        return events

    def _stones(self) -> tuple[int, ...]:
        stones = self.deal.stones
        if self.phase != OVER:
            return stones
        return tuple(map(add, stones, last_result(self.past).stones))


def _no_pictures_remain(captured: tuple[int, ...]) -> bool:
    return sum(map(int.bit_count, captured)) == PICTURES_IN_ALL
