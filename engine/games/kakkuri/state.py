"""A board of Kakkuri at one moment: who deals, blind swaps, turns, payment, the next deal."""

from __future__ import annotations

from engine.cards import KAKKURI_PACK
from engine.errors import IllegalAction
from engine.game import Action, Event, Observation, Outcome, Seat, State
from engine.games.kakkuri.deal import Deal, Setting
from engine.games.kakkuri.events import (
    act_cell,
    deal_cell,
    deal_end_cell,
    event_of,
    out_cell,
    turned_cell,
    utazu_cell,
)
from engine.games.kakkuri.melds import HIGHEST, is_three_pairs
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
from engine.games.kakkuri.observation import observed
from engine.games.kakkuri.refusals import refusal
from engine.games.kakkuri.scoring import DEAD, GURI, LONE, ORDINARY, UTAZU, Ending, ending
from engine.games.kakkuri.turns import (
    DECLARED,
    FREE,
    MELD,
    MUST_TURN,
    RETURN,
    TURNED,
    followers,
    may_pass,
    may_turn,
    seat_out,
    words,
)
from engine.history import Past, cells_since
from engine.seats import seat_right_of

DEALING = "deal"
SWAPPING = "fuwaru"
TURNS = "turn"
OVER = "over"

_THREE_ACES = KAKKURI_PACK.mask(["AS", "AD", "AH"])


class KakkuriState(State):
    """See ``engine.game.State``. The attributes are the whole truth, to be read only.

    A slots class, cards and seats as masks: bit *i* for card *i* of the pack, bit *s* for seat *s*.
    """

    __slots__ = (
        "active",
        "deal",
        "ended",
        "follow",
        "hands",
        "last",
        "opened",
        "paid",
        "past",
        "phase",
        "played",
        "sansoku",
        "to_act",
        "turn",
        "turned",
    )

    phase: str
    """One of ``deal``, ``fuwaru``, ``turn``, ``over``."""
    to_act: tuple[Seat, ...]
    hands: tuple[int, ...]
    """Cards by seat after the swaps so far, played ones included; item 0 unused."""
    played: int
    """Cards played in this deal."""
    opened: int
    """Cards played before this turn began."""
    follow: int
    """The value to follow; 0 before the start card."""
    last: Seat
    """L, the last to play, to whom the turn comes back; 0 before the start card."""
    turn: int
    """What has been done in this turn, see ``turns``."""
    turned: int
    """How many cards have been turned up from the box."""
    active: int
    """Seats still in this deal."""
    sansoku: int
    """Seats that have declared three pairs."""
    paid: tuple[int, ...]
    """Stones laid into the pot by each seat, item 0 unused."""
    ended: Ending | None
    """How the deal ended, if it has."""

    def __init__(
        self,
        deal: Deal,
        phase: str,
        to_act: tuple[Seat, ...],
        past: Past,
        hands: tuple[int, ...],
        active: int,
        paid: tuple[int, ...],
        played: int = 0,
        opened: int = 0,
        follow: int = 0,
        last: Seat = 0,
        turn: int = 0,
        turned: int = 0,
        sansoku: int = 0,
        ended: Ending | None = None,
    ) -> None:
        self.deal = deal
        self.phase = phase
        self.to_act = to_act
        self.past = past
        self.hands = hands
        self.active = active
        self.paid = paid
        self.played = played
        self.opened = opened
        self.follow = follow
        self.last = last
        self.turn = turn
        self.turned = turned
        self.sansoku = sansoku
        self.ended = ended

    @classmethod
    def start(cls, setting: Setting) -> KakkuriState:
        """The first state of a board: a game, or one deal whose dealer follows from its number."""
        ruleset = setting.ruleset
        stones = (0, *(ruleset.stones,) * ruleset.seats)
        return cls._dealt(Deal(setting, 1, setting.first_dealer(), stones, ()), None)._going_on()

    @classmethod
    def _dealt(cls, deal: Deal, past: Past) -> KakkuriState:
        """Cards are dealt, unseen: the seats may swap in turn, or look at once."""
        past = deal_cell(past, deal)
        if not deal.setting.ruleset.fuwaru:
            return cls._looked(deal, deal.hands, past)
        everybody = _everybody(deal)
        asked = followers(everybody)[deal.dealer]
        return cls(deal, SWAPPING, asked, past, deal.hands, everybody, _nothing(deal))

    @classmethod
    def _looked(cls, deal: Deal, hands: tuple[int, ...], past: Past) -> KakkuriState:
        """Everybody looks: three of clubs of eight seats, three aces, start card. Source: RULES.md 5.4, 5.5."""
        active = _everybody(deal)
        starter = deal.dealer
        out = seat_out(hands)
        if out:
            past = out_cell(past, out)
            active ^= 1 << out
            if starter == out:
                (starter,) = followers(active)[out]
        paid = _nothing(deal)
        for seat, hand in enumerate(hands):
            if hand & _THREE_ACES == _THREE_ACES and active >> seat & 1:
                won = ending(deal.setting.ruleset, UTAZU, seat, paid, active, 0)
                past = deal_end_cell(utazu_cell(past, seat), deal, won)
                return cls(deal, OVER, (), past, hands, active, paid, ended=won)
        card = deal.box[0]
        past = turned_cell(past, card)
        follow = deal.melds.values[card]
        return cls(deal, TURNS, (starter,), past, hands, active, paid, follow=follow, last=starter, turned=1)

    def _going_on(self) -> KakkuriState:
        """This state, or if it ends a deal that is not the last, the first decision after it."""
        state = self
        while state.ended and not state.deal.is_last(state.ended):
            deal = state.deal.following(state.ended)
            if deal.deck:
                state = self._dealt(deal, state.past)
            else:
                # Nobody is in the deal yet and nothing is on the table: the winner is asked who deals.
                nothing = _nothing(deal)
                state = KakkuriState(
                    deal, DEALING, (deal.dealer,), state.past, nothing, _everybody(deal), nothing
                )
        return state

    @property
    def situation(self) -> str:
        """See ``State.situation``."""
        return f"{self.deal.setting.ruleset.preset}, deal {self.deal.number}, {self.phase}"

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """See ``State.legal``. Source: RULES.md 5.1, 5.3, 5.6-5.8."""
        if seat not in self.to_act:
            return ()
        if self.phase != TURNS:
            return SWAP_ANSWERS if self.phase == SWAPPING else DEAL_ANSWERS
        turn = self.turn
        dealt = self.hands[seat]
        hand = dealt & ~self.played
        has_declared = self.sansoku >> seat & 1
        may_declare = hand == dealt and not has_declared and is_three_pairs(hand)
        said = words(turn, is_untouched=hand == dealt, may_declare=may_declare)
        if turn & MUST_TURN:
            return said
        follow = HIGHEST if turn & FREE else self.follow
        melds = self.deal.melds
        return said + (melds.listed_pairs(hand, follow) if has_declared else melds.listed(hand, follow))

    def apply(self, seat: Seat, action: Action) -> KakkuriState:
        """See ``State.apply``."""
        if self.phase != TURNS:
            return self._answered(seat, action)
        if self.to_act[0] != seat:
            raise self._refusal(seat, action)
        meld = self.deal.melds.by_text.get(action)
        if meld is None:
            return self._said(seat, action)
        cards, value, follows, is_pair = meld
        turn = self.turn
        dealt = self.hands[seat]
        if (
            cards & ~(dealt & ~self.played)
            or not follows >> (HIGHEST if turn & FREE else self.follow) & 1
            or is_pair != bool(self.sansoku >> seat & 1)
            or turn & MUST_TURN
        ):
            raise self._refusal(seat, action)
        played = self.played | cards
        past = act_cell(self.past, TURNS, seat, action)
        if not dealt & ~played:
            how = ORDINARY if dealt & self.opened else GURI
            return self._won(how, seat, past, self.active, self.paid, played)
        return KakkuriState(
            self.deal,
            TURNS,
            self.to_act,
            past,
            self.hands,
            self.active,
            self.paid,
            played,
            self.opened,
            value,
            seat,
            (turn & ~FREE) + MELD,
            self.turned,
            self.sansoku,
        )

    def _said(self, seat: Seat, action: Action) -> KakkuriState:
        """The state after a word in a turn."""
        deal, turn = self.deal, self.turn
        follow, turned, sansoku = self.follow, self.turned, self.sansoku
        if action == PASS and may_pass(turn):
            return self._passed(seat)
        past = act_cell(self.past, TURNS, seat, action)
        if action == TURN and may_turn(turn):
            card = deal.box[turned]
            past = turned_cell(past, card)
            follow = deal.melds.values[card]
            turned += 1
            turn = (turn | TURNED) & ~MUST_TURN
        elif action not in self.legal(seat):
            raise self._refusal(seat, action)
        elif action == DROP:
            return self._dropped(seat, past)
        else:
            sansoku |= 1 << seat
            turn |= DECLARED
        return KakkuriState(
            deal,
            TURNS,
            self.to_act,
            past,
            self.hands,
            self.active,
            self.paid,
            self.played,
            self.opened,
            follow,
            self.last,
            turn,
            turned,
            sansoku,
        )

    def _passed(self, seat: Seat) -> KakkuriState:
        """The state after the end of a turn."""
        past = act_cell(self.past, TURNS, seat, PASS)
        paid = self.paid
        if self.turn < MELD and self.deal.setting.ruleset.pass_penalty:
            paid = _one_more(paid, seat)
        following = followers(self.active)[seat]
        return self._next_turn(following, following[0] == self.last, past, self.active, paid, self.last)

    def _dropped(self, seat: Seat, past: Past) -> KakkuriState:
        """The state after a seat has laid its hand down. Source: RULES.md 5.8."""
        paid = _one_more(self.paid, seat)
        active = self.active ^ 1 << seat
        following = followers(active)[seat]
        if not active & (active - 1):
            return self._won(LONE, following[0], past, active, paid, self.played)
        if seat == self.last:
            return self._next_turn(following, False, past, active, paid, following[0])
        return self._next_turn(following, following[0] == self.last, past, active, paid, self.last)

    def _next_turn(
        self,
        to_act: tuple[Seat, ...],
        is_return: bool,
        past: Past,
        active: int,
        paid: tuple[int, ...],
        last: Seat,
    ) -> KakkuriState:
        """The state in which the next seat begins its turn."""
        deal = self.deal
        turn = 0
        if is_return:
            ruleset = deal.setting.ruleset
            if self.turned < len(deal.box):
                turn = RETURN | MUST_TURN if ruleset.turn_forced else RETURN
            elif ruleset.box_empty == "dead":
                return self._won(DEAD, 0, past, active, paid, self.played)
            else:
                turn = RETURN | FREE
        return KakkuriState(
            deal,
            TURNS,
            to_act,
            past,
            self.hands,
            active,
            paid,
            self.played,
            self.played,
            self.follow,
            last,
            turn,
            self.turned,
            self.sansoku,
        )

    def _won(
        self, how: str, winner: Seat, past: Past, active: int, paid: tuple[int, ...], played: int
    ) -> KakkuriState:
        """The state after the end of the deal: the next deal of a game, or the end."""
        deal = self.deal
        dropped = _everybody(deal) & ~active & ~(1 << seat_out(self.hands))
        ended = ending(deal.setting.ruleset, how, winner, paid, active, dropped)
        past = deal_end_cell(past, deal, ended)
        state = KakkuriState(
            deal,
            OVER,
            (),
            past,
            self.hands,
            active,
            paid,
            played,
            self.opened,
            self.follow,
            self.last,
            0,
            self.turned,
            self.sansoku,
            ended,
        )
        return state._going_on()

    def _answered(self, seat: Seat, action: Action) -> KakkuriState:
        """The state after an answer outside a turn: swap or keep an unseen hand, deal or hand the deal on."""
        if action not in self.legal(seat):
            raise self._refusal(seat, action)
        past = act_cell(self.past, self.phase, seat, action)
        deal = self.deal
        if self.phase == DEALING:
            right = seat_right_of(seat, deal.setting.ruleset.seats)
            if action == GIVE and right != deal.dealer:
                return KakkuriState(deal, DEALING, (right,), past, self.hands, self.active, self.paid)
            dealer = seat if action == DEAL else deal.dealer
            return self._dealt(deal.dealt_by(dealer), past)._going_on()
        hands = self.hands
        if action == SWAP:
            swapped = list(hands)
            swapped[seat], swapped[deal.dealer] = hands[deal.dealer], hands[seat]
            hands = tuple(swapped)
        following = followers(self.active)[seat]
        if following[0] == deal.dealer:
            return self._looked(deal, hands, past)._going_on()
        return KakkuriState(deal, SWAPPING, following, past, hands, self.active, self.paid)

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
        elif self.phase != TURNS:
            rule = f"answer one of {', '.join(self.legal(seat))}"
        else:
            rule = refusal(self, seat, action)
        return IllegalAction(action, seat, rule, self.situation)

    def fallback(self, seat: Seat) -> Action:
        """See ``State.fallback``. Source: RULES.md 6.1, 6.2."""
        if self.phase != TURNS:
            return KEEP if self.phase == SWAPPING else DEAL
        legal = self.legal(seat)
        if PASS in legal:
            return PASS
        return TURN if TURN in legal else next(action for action in legal if action not in WORDS)

    def observe(self, seat: Seat) -> Observation:
        """See ``State.observe``; every field is described in docs/bot-protocol.md."""
        return observed(self, seat)

    def observe_text(self, seat: Seat) -> str:
        """See ``State.observe_text``."""
        return self.deal.texts.observed(self, seat)

    def outcome(self) -> Outcome | None:
        """See ``State.outcome``."""
        if not self.ended:
            return None
        deal = self.deal
        results = (*deal.results, self.ended.stones)
        start = deal.setting.ruleset.stones
        return Outcome(
            stones={seat: stones - start for seat, stones in _by_seat(deal.stones_after(self.ended.stones))},
            deals=tuple(dict(_by_seat(result)) for result in results),
        )

    def happened_since(self, previous: State | None) -> list[Event]:
        """See ``State.happened_since``."""
        earlier = previous.past if isinstance(previous, KakkuriState) else None
        return [event_of(cell) for cell in cells_since(self.past, earlier)]


def _everybody(deal: Deal) -> int:
    """All seats as a mask."""
    return (1 << deal.setting.ruleset.seats + 1) - 2


def _nothing(deal: Deal) -> tuple[int, ...]:
    """Nothing for each seat."""
    return (0,) * (deal.setting.ruleset.seats + 1)


def _one_more(paid: tuple[int, ...], seat: Seat) -> tuple[int, ...]:
    """The pot with one more stone of this seat."""
    return (*paid[:seat], paid[seat] + 1, *paid[seat + 1 :])


def _by_seat(numbers: tuple[int, ...]) -> list[tuple[Seat, int]]:
    """Numbers with an unused item 0, by seat."""
    return [(seat, number) for seat, number in enumerate(numbers) if seat]
