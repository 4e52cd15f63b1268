# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Playouts of one deal of Kakkuri. Uncompiled, this file gives the same results.

Actions are counted in the order of the engine. Playout *i* of a seed draws from SplitMix64 started at
``mix(seed + (i + 1) * GOLDEN)``, so it does not depend on the other playouts. If *n* > 1 actions are legal,
it takes number ``(draw >> 32) * n >> 32``.

Source: docs/rules/kakkuri.md#what-may-follow, #sansoku, #turns, #payment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.cards import KAKKURI_PACK
from engine.game import Action
from engine.games.kakkuri.melds import HIGHEST, WILDS
from engine.games.kakkuri.notation import DROP, KEEP, PASS, SANSOKU, SWAP, TURN
from engine.games.kakkuri.scoring import GURI, ORDINARY, PAYMENTS, UTAZU
from engine.games.kakkuri.turns import DECLARED, FREE, MELD, MUST_TURN, RETURN, TURNED
from engine.kernel.position import KernelError
from engine.kernel.shedding_outlook import outlook
from engine.kernel.shedding_plan import HandPlans
from engine.kernel.shedding_position import SheddingPosition, SheddingRules

_ALL = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_WILDS = KAKKURI_PACK.mask(WILDS)
_RANKS = (1 << 12) - 1
_THREE_ACES = KAKKURI_PACK.mask(["AS", "AD", "AH"])
_THREE_OF_CLUBS = KAKKURI_PACK.bit["3C"]
_RETURN, _TURNED, _DECLARED = RETURN, TURNED, DECLARED
_FREE, _MUST_TURN, _MELD = FREE, MUST_TURN, MELD
_HIGHEST = HIGHEST
_P_NONE, _P_ORDINARY, _P_GURI, _P_UTAZU = 0, PAYMENTS[ORDINARY], PAYMENTS[GURI], PAYMENTS[UTAZU]
_W_MELD, _W_PASS, _W_TURN, _W_DROP, _W_SANSOKU, _W_SWAP, _W_KEEP = range(7)
_STONE, _PAIRS = 4096, 9
_MAX_WORTH, _MAX_POT = 1 << 20, 64
"""Nothing is worth so much; plans count no more stones of the pot."""
_WORD_TEXTS = ("", PASS, TURN, DROP, SANSOKU, SWAP, KEEP)

Row = tuple[int, int, list[int]]
"""Number of cards, value, and all melds of that size and value, as masks in canonical order."""


# Repeated from playing_deal: C compilers inline functions only within a module.
def _mixed(z: int) -> int:
    z = (z ^ (z >> 30)) * _MIX_1 & _ALL
    z = (z ^ (z >> 27)) * _MIX_2 & _ALL
    return z ^ (z >> 31)


def _count(mask: int) -> int:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


class SheddingDeal:
    """A deal that playouts play repeatedly; its steps are those of the engine's ``KakkuriState``."""

    def __init__(
        self,
        by_follow: tuple[tuple[Row, ...], ...],
        values: tuple[int, ...],
        texts: dict[Any, Action],
        rules: SheddingRules,
    ) -> None:
        self.texts = texts
        self.row_start = [0] * 28
        self.row_size = [0] * 160
        self.row_value = [0] * 160
        self.row_cards = [0] * 160
        self.row_first = [0] * 161
        self.masks = [0] * 1600
        self.values = list(values)
        self.rules = rules
        self.plans: Any = None
        self.policy = self.word = self.cards = self.value = 0
        self.hands_0 = [0] * 9
        self.paid_0 = [0] * 9
        self.box = [0] * 48
        self.hands = [0] * 9
        self.paid = [0] * 9
        self.stones = [0] * 9
        self.totals = [0] * 9
        self.squares = [0] * 9
        row = first = 0
        for number, rows in enumerate(by_follow):
            self.row_start[number] = row
            for size, value, masks in rows:
                self.row_size[row], self.row_value[row], self.row_first[row] = size, value, first
                for mask in masks:
                    self.row_cards[row] |= mask
                    if size > 1:
                        self.masks[first] = mask
                        first += 1
                row += 1
                self.row_first[row] = first
        self.row_start[len(by_follow)] = row

    def load(self, position: SheddingPosition) -> None:
        rules = position.rules
        self.seats = len(position.hands) - 1
        for s in range(self.seats + 1):
            self.hands_0[s] = position.hands[s]
            self.paid_0[s] = position.paid[s]
        self.box_size = len(position.box)
        for k in range(self.box_size):
            self.box[k] = position.box[k]
        self.dealer = position.dealer
        self.active_0 = position.active
        self.seat_0 = position.seat
        self.follow_0 = position.follow
        self.last_0 = position.last
        self.opened_0 = position.opened
        self.sansoku_0 = position.sansoku
        self.turn_0 = position.turn
        self.out_0 = position.out
        self.swapping_0 = position.is_swapping
        self.wild_pairs = rules.wild_in_sansoku
        self.pass_penalty = rules.pass_penalty
        self.turn_forced = rules.turn_forced
        self.dropped_pay = rules.dropped_pay
        self.dead_box = rules.box_empty == "dead"
        self.is_planned = False
        self._begin()

    def follow_policy(self, policy: int) -> None:
        """Set the policy: 0 for random actions, 1 for plans. Plans depend on the loaded position."""
        self.policy = policy
        if not policy or self.is_planned:
            return
        self.is_planned = True
        if self.plans is None:
            self.plans = HandPlans(self.rules)
        seats = range(1, self.seats + 1)
        hand_size = sum([_count(self.hands_0[s]) for s in seats if self.active_0 >> s & 1])
        pot = sum([self.paid_0[s] for s in seats])
        active = _count(self.active_0)
        paying = self.seats - (self.out_0 > 0) if self.dropped_pay else active
        hand_size = (hand_size + active // 2) // active
        self.plans.load(outlook(active - 1, hand_size), active - 1, paying - 1, min(pot, _MAX_POT))

    def policy_index(self) -> int:
        self.follow_policy(1)
        self._begin()
        self._decide()
        action = self._picked_action()
        return self.legal().index(action)

    def legal(self) -> tuple[Action, ...]:
        self._begin()
        return tuple(self._action_at(index) for index in range(self._legal()))

    def replayed(
        self, actions: Sequence[Action]
    ) -> tuple[tuple[tuple[Action, ...], ...], tuple[int, ...] | None]:
        self._begin()
        legal_before = []
        for number, action in enumerate(actions):
            legal: tuple[Action, ...] = ()
            if not self.is_over:
                legal = tuple([self._action_at(index) for index in range(self._legal())])
            if action not in legal:
                allowed = ", ".join(legal) or "nothing: the deal is over"
                raise KernelError(f"action {number} is {action}; legal is {allowed}")
            legal_before.append(legal)
            self._pick(legal.index(action))
            self._apply()
        return tuple(legal_before), self._result() if self.is_over else None

    def _result(self) -> tuple[int, ...]:
        return tuple([self.stones[s] for s in range(self.seats + 1)])

    def run(self, index: int, first: int, n: int, seed: int, policy: int) -> None:
        """Run ``n`` playouts after legal action ``index``, unless it is -1; ``sums`` returns the results."""
        self.follow_policy(policy)
        self._run(index, first, n, seed)

    def sums(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        seats = range(self.seats + 1)
        return tuple([self.totals[s] for s in seats]), tuple([self.squares[s] for s in seats])

    def line(self, number: int, seed: int, policy: int) -> tuple[tuple[Action, ...], tuple[int, ...]]:
        self.follow_policy(policy)
        self._begin()
        self.chance = _mixed(seed + (number + 1) * _GOLDEN & 0xFFFFFFFFFFFFFFFF)
        actions = []
        while not self.is_over:
            self._decide()
            actions.append(self._picked_action())
            self._apply()
        return tuple(actions), self._result()

    def _action_at(self, index: int) -> Action:
        self._pick(index)
        return self._picked_action()

    def _picked_action(self) -> Action:
        return self.texts[self.cards, self.value] if self.word == 0 else _WORD_TEXTS[self.word]

    def _begin(self) -> None:
        for s in range(self.seats + 1):
            self.hands[s] = self.hands_0[s]
            self.paid[s] = self.paid_0[s]
        self.active = self.active_0
        self.seat = self.seat_0
        self.follow = self.follow_0
        self.last = self.last_0
        self.opened = self.opened_0
        self.sansoku = self.sansoku_0
        self.turn = self.turn_0
        self.out = self.out_0
        self.swapping = self.swapping_0
        self.turned = 0
        self.is_over = False

    def _draw(self, n: int) -> int:
        self.chance = self.chance + _GOLDEN & _ALL
        return (_mixed(self.chance) >> 32) * n >> 32

    def _run(self, index: int, first: int, n: int, seed: int) -> None:
        for s in range(self.seats + 1):
            self.totals[s] = 0
            self.squares[s] = 0
        i = first
        until = first + n
        while i < until:
            self._begin()
            self.chance = _mixed(seed + (i + 1) * _GOLDEN & _ALL)
            if index >= 0:
                self._pick(index)
                self._apply()
            self._play_out()
            for s in range(1, self.seats + 1):
                stones = self.stones[s]
                self.totals[s] += stones
                self.squares[s] += stones * stones
            i += 1

    def _play_out(self) -> None:
        while not self.is_over:
            self._decide()
            self._apply()

    def _decide(self) -> None:
        if self.policy:
            self._pick_by_plan()
        else:
            legal = self._legal()
            self._pick(self._draw(legal) if legal > 1 else 0)

    def _pick_by_plan(self) -> None:
        """Pick the most valuable action, by the hand of the seat alone."""
        if self.swapping:
            self.word = _W_KEEP
            return
        allowed, seat = self._allowed_words(), self.seat
        worth = self._weigh(seat + _PAIRS if self.sansoku >> seat & 1 else seat, allowed)
        word, cards, value = self.word, self.cards, self.value
        if allowed >> _W_SANSOKU & 1 and self._weigh(seat + _PAIRS, allowed) > worth:
            word = _W_SANSOKU
        elif allowed >> _W_DROP & 1 and worth < 0:
            word = _W_DROP
        self.word, self.cards, self.value = word, cards, value

    def _weigh(self, slot: int, allowed: int) -> int:
        """Pick the best of passing, turning and melding by this slot's table. Return its worth in 4096ths."""
        plans, hand = self.plans, self.hands[self.seat]
        is_whole = self.opened >> self.seat & 1 == 0
        if hand & ~plans.hands[slot]:
            plans._build_table(slot, hand)
        subset = plans._to_bits(slot, hand)
        plans.is_stopped = self.turn >= _MELD or not is_whole
        plans.cost = _STONE if self.pass_penalty and self.turn < _MELD else 0
        worth = -_MAX_WORTH
        if allowed >> _W_PASS & 1:
            self.word = _W_PASS
            worth = plans._worth_of_stopping(slot, subset, self.follow)
        if allowed >> _W_TURN & 1:
            turned = 0
            for value in range(1, _HIGHEST + 1):
                stopped = plans._worth_of_stopping(slot, subset, value)
                meld = plans._worth_of_melding(slot, subset, value, is_whole)
                turned += meld if meld > stopped else stopped
            if turned > worth * _HIGHEST:
                self.word, worth = _W_TURN, turned // _HIGHEST
        if not self.turn & _MUST_TURN:
            plans._choose_meld(slot, subset, _HIGHEST if self.turn & _FREE else self.follow, is_whole)
            if plans.worth >= 0 and plans.worth > worth:
                self.word, worth = _W_MELD, plans.worth
                self.cards, self.value = plans._to_cards(slot, plans.cards), plans.value
        return worth

    def _next_seat(self, seat: int) -> int:
        s = seat
        while True:
            s = s + 1 if s < self.seats else 1
            if self.active >> s & 1:
                return s

    def _is_pairs(self, hand: int) -> bool:
        if not self.wild_pairs:
            halves = hand ^ (hand >> 24)
            return not (halves ^ (halves >> 12)) & _RANKS
        naturals = hand & ~_WILDS
        halves = naturals ^ (naturals >> 24)
        return _count((halves ^ (halves >> 12)) & _RANKS) <= _count(hand & _WILDS)

    def _allowed_words(self) -> int:
        turn = self.turn
        if turn >= _MELD:
            return 1 << _W_PASS
        allowed = 0
        if not turn & _RETURN or turn & _TURNED:
            allowed |= 1 << _W_PASS
        if turn & (_RETURN | _TURNED | _FREE) == _RETURN:
            allowed |= 1 << _W_TURN
        if not self.opened >> self.seat & 1:
            if not turn & (_TURNED | _DECLARED):
                allowed |= 1 << _W_DROP
            hand = self.hands[self.seat]
            if not self.sansoku >> self.seat & 1 and self._is_pairs(hand):
                allowed |= 1 << _W_SANSOKU
        return allowed

    def _meld_rows(self) -> int:
        """Return the index into ``row_start`` of the rows of melds that may be played."""
        follow = _HIGHEST if self.turn & _FREE else self.follow
        return follow + _HIGHEST + 1 if self.sansoku >> self.seat & 1 else follow

    def _legal(self) -> int:
        if self.swapping:
            return 2
        allowed = self._allowed_words()
        count = _count(allowed)
        if self.turn & _MUST_TURN:
            return count
        hand = self.hands[self.seat]
        rows = self._meld_rows()
        for row in range(self.row_start[rows], self.row_start[rows + 1]):
            size = _count(hand & self.row_cards[row])
            if self.row_size[row] == 1:
                count += size
            elif size >= self.row_size[row]:
                for k in range(self.row_first[row], self.row_first[row + 1]):
                    mask = self.masks[k]
                    if not mask & ~hand and (self.row_size[row] != 2 or self._is_pairs(hand & ~mask)):
                        count += 1
        return count

    def _pick(self, index: int) -> None:
        if self.swapping:
            self.word = _W_KEEP if index else _W_SWAP
            return
        allowed = self._allowed_words()
        for bit in range(_W_PASS, _W_SANSOKU + 1):
            if allowed >> bit & 1:
                if index == 0:
                    self.word = bit
                    return
                index -= 1
        self.word = _W_MELD
        hand = self.hands[self.seat]
        rows = self._meld_rows()
        for row in range(self.row_start[rows], self.row_start[rows + 1]):
            matching = hand & self.row_cards[row]
            size = _count(matching)
            self.value = self.row_value[row]
            if self.row_size[row] == 1:
                if index < size:
                    while index:
                        matching &= matching - 1
                        index -= 1
                    self.cards = matching & ~(matching - 1)
                    return
                index -= size
            elif size >= self.row_size[row]:
                for k in range(self.row_first[row], self.row_first[row + 1]):
                    mask = self.masks[k]
                    if not mask & ~hand and (self.row_size[row] != 2 or self._is_pairs(hand & ~mask)):
                        if index == 0:
                            self.cards = mask
                            return
                        index -= 1

    def _apply(self) -> None:
        seat = self.seat
        bit = 1 << seat
        if self.word == _W_MELD:
            hand = self.hands[seat] & ~self.cards
            self.hands[seat] = hand
            self.follow = self.value
            self.last = seat
            self.turn = (self.turn & ~_FREE) | _MELD
            if not hand:
                self._settle(_P_ORDINARY if self.opened & bit else _P_GURI, seat)
        elif self.word == _W_PASS:
            if self.turn >= _MELD:
                self.opened |= bit
            elif self.pass_penalty:
                self.paid[seat] += 1
            self._next_turn()
        elif self.word == _W_TURN:
            self.follow = self.values[self.box[self.turned]]
            self.turned += 1
            self.turn = (self.turn | _TURNED) & ~_MUST_TURN
        elif self.word == _W_DROP:
            self.paid[seat] += 1
            self.active &= ~bit
            self._next_turn()
        elif self.word == _W_SANSOKU:
            self.turn |= _DECLARED
            self.sansoku |= bit
        else:
            if self.word == _W_SWAP:
                hand = self.hands[seat]
                self.hands[seat] = self.hands[self.dealer]
                self.hands[self.dealer] = hand
            self.seat = self._next_seat(seat)
            if self.seat == self.dealer:
                self._look()

    def _next_turn(self) -> None:
        seat = self.seat
        following = self._next_seat(seat)
        self.seat = following
        self.turn = 0
        if not self.active & (self.active - 1):
            self._settle(_P_NONE, following)
        elif not self.active >> self.last & 1:
            self.last = following
        elif following == self.last:
            if self.turned < self.box_size:
                self.turn = _RETURN | _MUST_TURN if self.turn_forced else _RETURN
            elif self.dead_box:
                self._settle(_P_NONE, 0)
            else:
                self.turn = _RETURN | _FREE

    def _look(self) -> None:
        """Let all seats look: put out a seat of eight, end the deal on three aces, turn the start card."""
        self.swapping = False
        if self.seats == 8:
            for s in range(1, 9):
                if self.hands[s] & _THREE_OF_CLUBS:
                    self.out = s
            self.active &= ~(1 << self.out)
            if self.seat == self.out:
                self.seat = self._next_seat(self.seat)
        for s in range(1, self.seats + 1):
            if self.active >> s & 1 and self.hands[s] & _THREE_ACES == _THREE_ACES:
                self._settle(_P_UTAZU, s)
                return
        self.follow = self.values[self.box[0]]
        self.turned = 1
        self.last = self.seat

    def _settle(self, due: int, winner: int) -> None:
        """Pay ``due`` stones per paying seat, and the pot, to the winner; winner 0 means a dead deal."""
        self.is_over = True
        if winner == 0:
            for s in range(self.seats + 1):
                self.stones[s] = 0
            return
        paying = self.active
        if due == _P_GURI and self.dropped_pay:
            paying = ((1 << (self.seats + 1)) - 2) & ~(1 << self.out)
        pot = 0
        for s in range(1, self.seats + 1):
            if s != winner:
                stones = self.paid[s]
                if paying >> s & 1:
                    stones += due
                self.stones[s] = -stones
                pot += stones
        self.stones[winner] = pot
        self.stones[0] = 0
