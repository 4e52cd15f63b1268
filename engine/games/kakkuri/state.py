"""States of a Kakkuri board: the dealer, blind swaps, turns, payment, the next deal."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import IllegalAction
from engine.game import Action, Event, Observation, Outcome, Past, Seat, State, cells_since
from engine.games.kakkuri.deal import Deal, Setting
from engine.games.kakkuri.events import (
    act_cell,
    act_event,
    deal_cell,
    deal_end_cell,
    event_of,
    out_cell,
    turned_cell,
    utazu_cell,
)
from engine.games.kakkuri.melds import HIGHEST
from engine.games.kakkuri.notation import (
    DEAL,
    DEAL_ANSWERS,
    DROP,
    GIVE,
    KEEP,
    PASS,
    SWAP,
    SWAP_ANSWERS,
    TURN,
    WORDS,
    parse_action,
)
from engine.games.kakkuri.observation import observation_of, observation_text
from engine.games.kakkuri.position import KakkuriPosition
from engine.games.kakkuri.refusals import broken_rule
from engine.games.kakkuri.scoring import DEAD, GURI, LONE, ORDINARY, UTAZU, ending
from engine.games.kakkuri.standing import Standing
from engine.games.kakkuri.turns import (
    DECLARED,
    FREE,
    MELD,
    MUST_TURN,
    PAIRED,
    RETURN,
    TOUCHED,
    TURNED,
    UNTOUCHED,
    WORDS_AFTER_MELD,
    WORDS_IN,
    followers,
    may_pass,
    may_turn,
)
from engine.seats import seat_right_of

_new = object.__new__

DEALING = "deal"
SWAPPING = "fuwaru"
TURNS = "turn"
OVER = "over"


class KakkuriState(KakkuriPosition):
    """A position together with the rules that apply to it."""

    __slots__ = ()

    @classmethod
    def start(cls, setting: Setting) -> KakkuriState:
        """Return the first state: of a game, or of one deal whose dealer follows from its board number."""
        ruleset = setting.ruleset
        stones = (0, *(ruleset.stones,) * ruleset.seats)
        return cls._dealt(Deal(setting, 1, setting.first_dealer(), stones, ()), None)._continued()

    @classmethod
    def _dealt(cls, deal: Deal, past: Past) -> KakkuriState:
        """Start a deal with unseen cards: the seats may swap in turn, or look at once."""
        past = deal_cell(past, deal.number, deal.dealer, deal.deck, deal.box8)
        standing = Standing.of(deal.hands)
        if deal.setting.ruleset.fuwaru:
            return cls(deal, SWAPPING, followers(standing.active)[deal.dealer], past, standing)
        return cls.looked(deal, standing, past)

    @classmethod
    def looked(cls, deal: Deal, standing: Standing, past: Past) -> KakkuriState:
        """Return the state after the look (docs/rules/kakkuri.md#looking, #start-and-turn-order)."""
        starter = deal.dealer
        out = standing.out
        if out:
            past = out_cell(past, out)
            standing = standing.without(out)
            if starter == out:
                (starter,) = followers(standing.active)[out]
        winner = standing.holder_of_three_aces
        if winner:
            past = utazu_cell(past, winner)
            ended = ending(deal.setting.ruleset, UTAZU, winner, standing)
            return cls(deal, OVER, (), deal_end_cell(past, deal.number, ended), standing, ended=ended)
        card = deal.box[0]
        standing = standing.turning()
        follow = deal.melds.values[card]
        return cls(deal, TURNS, (starter,), turned_cell(past, card), standing, follow, starter)

    def _continued(self) -> KakkuriState:
        """Return this state, or if it ends a deal that is not the last, the first decision after it."""
        state = self
        while state.ended and not state.deal.is_last(state.ended):
            deal = state.deal.following(state.ended)
            if deal.deck:
                state = self._dealt(deal, state.past)
            else:
                state = KakkuriState(deal, DEALING, (deal.dealer,), state.past, Standing.of(deal.hands))
        return state

    @property
    def situation(self) -> str:
        return f"{self.deal.setting.ruleset.preset}, deal {self.deal.number}, {self.phase}"

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Source: docs/rules/kakkuri.md#players-stones-dealer, #fuwaru, #what-may-follow, #sansoku, #turns"""
        if seat not in self.to_act:
            return ()
        if self.phase != TURNS:
            return SWAP_ANSWERS if self.phase == SWAPPING else DEAL_ANSWERS
        turn, standing, played = self.turn, self.standing, self.played
        dealt = standing.hands[seat]
        if turn >= MELD:
            words_allowed = WORDS_AFTER_MELD
        else:
            words_allowed = WORDS_IN[turn][TOUCHED] if dealt & played else self._words(seat)
        follow = self.follow
        if turn & (MUST_TURN | FREE):
            if turn & MUST_TURN:
                return words_allowed
            follow = HIGHEST
        hand = dealt & ~played
        melds = self.deal.melds
        sansoku = standing.sansoku
        if sansoku and sansoku >> seat & 1:
            return words_allowed + melds.listed_pairs(hand, follow)
        if follow < HIGHEST:
            # What ``listed`` does, without the call: this line runs at most decisions.
            return words_allowed + melds.after[follow][hand & melds.after_cards[follow]]
        return words_allowed + melds.listed(hand, follow)

    def _words(self, seat: Seat) -> tuple[Action, ...]:
        hand = self.standing.hands[seat]
        if hand & self.played:
            return WORDS_IN[self.turn][TOUCHED]
        may_declare = self.deal.melds.is_pairs(hand) and not self.standing.sansoku >> seat & 1
        return WORDS_IN[self.turn][PAIRED if may_declare else UNTOUCHED]

    def apply(self, seat: Seat, action: Action) -> KakkuriState:
        if self.phase != TURNS:
            return self._answered(seat, action)
        if self.to_act[0] != seat:
            raise self._refusal(seat, action)
        deal = self.deal
        turn, standing = self.turn, self.standing
        meld = deal.melds.by_text.get(action)
        if meld is None:
            # Half of all actions are passes; this is ``may_pass``, without the call.
            if action != PASS or (turn & (RETURN | TURNED) == RETURN and turn < MELD):
                return self._after_word(seat, action)
            if deal.pass_penalty and turn < MELD:
                standing = standing.paying(seat)
            return self._next_turn(seat, (self.past, act_event, TURNS, seat, action), standing)
        cards, value, follows, is_pair = meld
        dealt = standing.hands[seat]
        if (
            cards & ~(dealt & ~self.played)
            or not follows >> (HIGHEST if turn & FREE else self.follow) & 1
            or is_pair != (standing.sansoku >> seat & 1)
            or turn & MUST_TURN
            or (is_pair and not deal.melds.is_pairs(dealt & ~self.played & ~cards))
        ):
            raise self._refusal(seat, action)
        played = self.played | cards
        # Filled here, since a call of the constructor for every action would cost a tenth of a deal.
        after = _new(KakkuriState)
        after.deal = deal
        after.phase = TURNS
        after.to_act = self.to_act
        after.past = (self.past, act_event, TURNS, seat, action)
        after.standing = standing
        after.follow = value
        after.last = seat
        after.played = played
        after.opened = self.opened
        after.turn = (turn & ~FREE) + MELD
        after.ended = None
        if dealt & ~played:
            return after
        return after._won(ORDINARY if dealt & self.opened else GURI, seat)

    def _after_word(self, seat: Seat, action: Action) -> KakkuriState:
        """Return the state after a word in a turn, if it is legal; a pass that reaches this is illegal."""
        deal, turn, standing, follow = self.deal, self.turn, self.standing, self.follow
        past: Past = (self.past, act_event, TURNS, seat, action)
        if turn >= MELD or action not in self._words(seat):
            raise self._refusal(seat, action)
        if action == DROP:
            return self._next_turn(seat, past, standing.dropping(seat))
        if action == TURN:
            card = deal.box[standing.turned]
            past = turned_cell(past, card)
            follow = deal.melds.values[card]
            turn = (turn | TURNED) & ~MUST_TURN
            standing = standing.turning()
        else:
            turn |= DECLARED
            standing = standing._replace(sansoku=standing.sansoku | 1 << seat)
        return KakkuriState(
            deal, TURNS, self.to_act, past, standing, follow, self.last, self.played, self.opened, turn
        )

    def _next_turn(self, seat: Seat, past: Past, standing: Standing) -> KakkuriState:
        """Return the state after ``seat`` ended its turn without going out (docs/rules/kakkuri.md#turns)."""
        deal, played, last, turn = self.deal, self.played, self.last, 0
        active = standing.active
        following = followers(active)[seat]
        how = None
        if not active & active - 1:
            how = LONE
        elif not active >> last & 1:
            # The last to play has dropped: the next seat takes its place, in an ordinary turn.
            (last,) = following
        elif following[0] == last:
            ruleset = deal.setting.ruleset
            if standing.turned < len(deal.box):
                turn = RETURN | MUST_TURN if ruleset.turn_forced else RETURN
            elif ruleset.box_empty == "dead":
                how = DEAD
            else:
                turn = RETURN | FREE
        after = _new(KakkuriState)
        after.deal = deal
        after.phase = TURNS
        after.to_act = following
        after.past = past
        after.standing = standing
        after.follow = self.follow
        after.last = last
        after.played = after.opened = played
        after.turn = turn
        after.ended = None
        return after if how is None else after._won(how, following[0])

    def _won(self, how: str, winner: Seat) -> KakkuriState:
        """End this deal: return the start of the next deal of a game, or the end of the board."""
        deal, standing = self.deal, self.standing
        ended = ending(deal.setting.ruleset, how, winner, standing)
        past = deal_end_cell(self.past, deal.number, ended)
        over = KakkuriState(
            deal, OVER, (), past, standing, self.follow, self.last, self.played, self.opened, 0, ended
        )
        return over._continued()

    def _answered(self, seat: Seat, action: Action) -> KakkuriState:
        """Return the state after an answer outside a turn: swapping an unseen hand, passing on the deal."""
        if action not in self.legal(seat):
            raise self._refusal(seat, action)
        deal, standing = self.deal, self.standing
        past = act_cell(self.past, self.phase, seat, action)
        if self.phase == DEALING:
            right = seat_right_of(seat, deal.setting.ruleset.seats)
            if action == GIVE and right != deal.dealer:
                return KakkuriState(deal, DEALING, (right,), past, standing)
            dealer = seat if action == DEAL else deal.dealer
            return self._dealt(deal.dealt_by(dealer), past)._continued()
        if action == SWAP:
            standing = standing.swapped(seat, deal.dealer)
        following = followers(standing.active)[seat]
        if following[0] == deal.dealer:
            return self.looked(deal, standing, past)._continued()
        return KakkuriState(deal, SWAPPING, following, past, standing)

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        """Return the error for a forbidden action. Raise ``NotationError`` if the text is not an action."""
        parse_action(action)
        if self.phase == OVER:
            rule = "the board is over"
        elif seat not in self.to_act:
            rule = "it is not this seat's turn"
        elif self.phase != TURNS:
            rule = f"answer one of {', '.join(self.legal(seat))}"
        else:
            rule = broken_rule(self, seat, action)
        return IllegalAction(action, seat, rule, self.situation)

    def fallback(self, seat: Seat) -> Action:
        """Source: docs/rules/kakkuri.md#fallback-actions."""
        if self.phase != TURNS:
            return KEEP if self.phase == SWAPPING else DEAL
        if may_pass(self.turn):
            return PASS
        return TURN if may_turn(self.turn) else next(a for a in self.legal(seat) if a not in WORDS)

    def observe(self, seat: Seat) -> Observation:
        return observation_of(self, seat)

    def observe_text(self, seat: Seat, legal: tuple[Action, ...] | None = None) -> str:
        return observation_text(self, seat, self.legal(seat) if legal is None else legal)

    def outcome(self) -> Outcome | None:
        if not self.ended:
            return None
        deal = self.deal
        start = deal.setting.ruleset.stones
        stones = (stones - start for stones in deal.stones_after(self.ended.stones))
        results = (*deal.results, self.ended.stones)
        return Outcome(_by_seat(stones), tuple(map(_by_seat, results)))

    def happened_since(self, previous: State | None) -> list[Event]:
        earlier = previous.past if isinstance(previous, KakkuriState) else None
        return [event_of(cell) for cell in cells_since(self.past, earlier)]


def _by_seat(numbers: Iterable[int]) -> dict[Seat, int]:
    return {seat: number for seat, number in enumerate(numbers) if seat}
