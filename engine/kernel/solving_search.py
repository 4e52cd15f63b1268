# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Search of endings with all hands open: does side 0 still take a given number of pictures?

Uncompiled, this file gives the same answers after the same number of nodes. Cards are bits of a word as in
``solving_suits``. A search returns the answer (bit 63 means yes) and, in the bits of the cards, *the cards
it rests on by rank*: the lowest such card of each suit. A position has the same answer if the same players
hold the cards down to that card, and below it each player holds equally many (partition search, Ginsberg
1996). Pictures are the top cards of a suit. Therefore, the number of pictures that each player holds of a
suit is part of the key, and a picture beats a lower card of its suit whatever their ranks.

Source: docs/rules/kakeya.md#play; docs/solver.md describes ordering, bounds and tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.limits import LimitChecker
from engine.kernel.position import PLAYERS, Position
from engine.kernel.solving_bounds import Bounds
from engine.kernel.solving_last import LastTricks
from engine.kernel.solving_lookup import Lookup
from engine.kernel.solving_order import MoveOrder
from engine.kernel.solving_replies import ReplyTable
from engine.kernel.solving_suits import Suits
from engine.kernel.solving_table import MAX_BUCKETS, TranspositionTable

BOUNDS = 1
TABLE = 2
PATTERNS = 4
EQUIVALENCE = 8
ORDER = 16
ALL_FEATURES = BOUNDS | TABLE | PATTERNS | EQUIVALENCE | ORDER
"""Features of a search; none of them changes an answer."""

_YES = 1 << 63
_DECIDED = 1 << 62
_CARDS = (1 << 62) - 1
_LANE = 0x1FFF
_SUIT = 8192
_MIN_STORED_TRICKS = 3
"""Minimum tricks left of positions in the transposition table; searching others again is faster."""
_MAX_UNSCORED_TRICKS = 3
"""Maximum tricks left at which cards are tried unscored; one more for the last two cards of a trick."""
_MIN_EARLY_TRICKS = 9
"""Minimum tricks left at which deciding cards go to ``early_replies``, also by rough key."""
# Masks to count bits in groups of two, four and eight.
_TWOS = 0x5555555555555555
_FOURS = 0x3333333333333333
_EIGHTS = 0x0F0F0F0F0F0F0F0F
_SUM = 0x0101010101010101


def _count(mask: int) -> int:
    # C compilers replace these lines by the popcount instruction, without a branch for 0.
    mask -= mask >> 1 & _TWOS
    mask = (mask & _FOURS) + (mask >> 2 & _FOURS)
    return (mask + (mask >> 4) & _EIGHTS) * _SUM >> 56 & 255


class Search:
    def __init__(self, features: int = ALL_FEATURES, max_buckets: int = MAX_BUCKETS) -> None:
        self.features = features
        self.suits = Suits()
        self.table = TranspositionTable(max_buckets)
        self.lookup = Lookup(self.suits, self.table)
        self.bounds = Bounds(self.suits)
        self.last = LastTricks(self.suits)
        self.order = MoveOrder(self.suits, features & ORDER)
        self.replies, self.early_replies = ReplyTable(), ReplyTable()
        self.deciding = [1] * 16
        self.probed, self.probed_best, self.probed_need = [0] * 16, [0] * 16, [0] * 16
        self.has_target = 0
        self.probes_ahead = 0
        self.nodes = 0
        self.error: BaseException | None = None

    def load(self, position: Position) -> None:
        self.suits.load(position)
        self.bounds.load()
        self.table.clear()
        self.replies.clear()
        self.early_replies.clear()

    def move_to(self, position: Position) -> None:
        """Turn to a position that play leads to from the loaded one, and keep what is known so far."""
        cards = sum(position.hands)
        for card in position.trick:
            cards |= 1 << card
        self.suits.keep(cards)

    def same_run(self, player: int, card: int) -> int:
        return self.suits.same_run(player, card)

    def reaches(self, trick: Sequence[int], turn: int, need: int, target: int | None) -> bool:
        """Return whether side 0 takes ``need`` or more of the pictures left, including those of the trick.

        With a ``target``, the question is whether the number of pictures is one of its bits, and ``need`` is
        0. A stopped search sets ``stopped``; its answer is meaningless.
        """
        self.has_target = target is not None
        # Answers with a target have other keys.
        self.probes_ahead = self.features & TABLE and not self.has_target
        self.target = target or 0
        if self.has_target:
            # Stored answers hold for one target only.
            self.table.clear()
        left = self.suits.all_cards
        player = turn - len(trick)
        winner = turn
        size = lane = 0
        unit = 1
        best = played = 0
        for number in trick:
            card = unit << self.suits.numbers[number]
            if size == 0:
                lane = self._lane(card)
            if size == 0 or self._beats(card, best, lane):
                best = card
                winner = player & 3
            played |= card
            size += 1
            player += 1
        if size in (0, PLAYERS):
            taken = 0 if winner & 1 else _count(played & self.suits.pictures)
            answer = self._search_position(left & ~played, winner, need - taken)
        elif not self.has_target and not 0 < need <= _count(left & self.suits.pictures):
            return need <= 0
        else:
            tricks = _count(left & self.suits.own[player - size & 3])
            self.order.set_strongest(left, turn, size, lane, tricks)
            answer = self._search_trick(
                left, self._tops(left), turn, size, played, best, winner, lane, need, 0
            )
        return answer & _YES != 0

    @property
    def bucket_count(self) -> int:
        return self.table.size

    def start(self, limit_checker: LimitChecker) -> None:
        self.limit_checker = limit_checker
        self.nodes = 0
        self.stopped = 0
        self.error = None
        self.next_poll = 0

    def poll_limits(self) -> None:
        """Check the limits, and make room in the table until the next check."""
        try:
            self.nodes -= 1
            more = min(self.limit_checker.allowed_nodes(self.nodes), self.table.free_buckets())
            self.next_poll = self.nodes + more
            if more > 0:
                self.nodes += 1
            else:
                self.stopped = 1
        except BaseException as error:  # An interrupt too: C functions pass no exceptions on.
            self.error = error
            self.stopped = 1

    def _tops(self, left: int) -> int:
        if not self.features & EQUIVALENCE:
            return left
        tops = self.suits.tops[3 * _SUIT + (left >> 48 & _LANE)]
        tops = tops << 16 | self.suits.tops[2 * _SUIT + (left >> 32 & _LANE)]
        tops = tops << 16 | self.suits.tops[_SUIT + (left >> 16 & _LANE)]
        return tops << 16 | self.suits.tops[left & _LANE]

    def _search_position(self, left: int, player: int, need: int) -> int:
        pictures = _count(left & self.suits.pictures)
        if self.has_target:
            every = (2 << pictures) - 1
            goal = self.target >> -need & every
            if goal == 0:
                return 0
            if goal == every:
                return _YES
        else:
            if need <= 0:
                return _YES
            if need > pictures:
                return 0
        self.nodes += 1
        if self.nodes > self.next_poll:
            self.poll_limits()
        if self.stopped:
            return 0
        hand = left & self.suits.own[player]
        if hand & (hand - 1) == 0:
            return self._last_trick(left, player, need, pictures)
        tricks = _count(hand)
        if tricks == 2 and self.features & BOUNDS and not self.has_target:
            return self.last.answer(left, player, need, pictures)
        if tricks >= _MIN_STORED_TRICKS and self.features & TABLE:
            return self._search_stored(left, player, tricks, need, pictures)
        answer = self._sure(left, player, need, pictures)
        if answer:
            return answer & ~_DECIDED
        return self._search_lead(left, player, tricks, need, pictures, 0)

    def _sure(self, left: int, player: int, need: int, pictures: int) -> int:
        if self.features & BOUNDS and not self.has_target:
            return self.bounds.sure(left, player, need, pictures)
        return 0

    def _search_lead(self, left: int, player: int, tricks: int, need: int, pictures: int, hint: int) -> int:
        if self.features & BOUNDS and not self.has_target:
            answer = self.bounds.cash(left, player, need, pictures)
            if answer:
                return answer & ~_DECIDED
        tops = self._tops(left)
        return self._search_trick(left, tops, player, 0, 0, 0, player, 0, need, hint)

    def _search_stored(self, left: int, player: int, tricks: int, need: int, pictures: int) -> int:
        needed = 1 if self.has_target else need
        self.lookup.prepare(0, left, player, tricks, 1 - need if self.has_target else 0)
        answer = self._sure(left, player, need, pictures)
        if answer:
            return answer & ~_DECIDED
        known = self.lookup.probe(0, needed)
        if known & _DECIDED:
            return known & _YES | self.lookup.lowest(left, known & 0xFFFF)
        # Copied: the search below reuses lookup 0.
        lengths = self.lookup.lengths[0]
        pictures_key = self.lookup.pictures_key[0]
        low_owners = self.lookup.low_owners[0]
        high_owners = self.lookup.high_owners[0]
        hint = known & self.suits.own[player] & left
        self.deciding[tricks] = 1
        answer = self._search_lead(left, player, tricks, need, pictures, hint)
        if self.stopped:
            return 0
        depths = self.lookup.depths(left, answer & _CARDS if self.features & PATTERNS else left)
        # The card that decided, or the first one tried.
        hint = _count(self.deciding[tricks] - 1)
        self.table.store(
            lengths,
            pictures_key,
            low_owners,
            high_owners,
            depths,
            needed,
            1 if answer & _YES else 0,
            pictures,
            hint,
        )
        return answer

    def _probe_last_cards(
        self,
        left: int,
        legal: int,
        player: int,
        trick: int,
        best: int,
        winner: int,
        lane: int,
        need: int,
        tricks: int,
    ) -> int:
        """Return an answer if the table knows a last card of the trick that decides for its player.

        Otherwise, return the cards that the failing answers rest on; ``unknown`` gets cards without an
        answer.
        """
        side = player & 1
        cards = 0
        count = 0
        self.unknown = 0
        # Prefetch the buckets of all cards before the first probe.
        while legal:
            card = legal & (~legal + 1)
            legal ^= card
            now_best = best
            now_winner = winner
            if self._beats(card, best, lane):
                now_best = card
                now_winner = player
            played = trick | card
            needed = need
            if now_winner & 1 == 0:
                needed -= _count(played & self.suits.pictures)
            if 0 < needed <= _count(left & ~played & self.suits.pictures):
                self.lookup.prepare(count, left & ~played, now_winner, tricks - 1, 0)
                self.probed[count] = card
                self.probed_best[count] = now_best
                self.probed_need[count] = needed
                count += 1
                continue
            answer = (_YES if needed <= 0 else 0) | self._rests_on(played, now_best)
            if (answer >> 63) ^ side:
                return answer | _DECIDED
            cards |= answer & _CARDS
        for number in range(count):
            card = self.probed[number]
            answer = self.lookup.probe(number, self.probed_need[number])
            if not answer & _DECIDED:
                self.unknown |= card
                continue
            played = trick | card
            answer = answer & (_YES | _DECIDED) | self.lookup.lowest(left & ~played, answer & 0xFFFF)
            answer |= self._rests_on(played, self.probed_best[number])
            if (answer >> 63) ^ side:
                return answer
            cards |= answer & _CARDS
        return cards

    def _last_trick(self, left: int, player: int, need: int, pictures: int) -> int:
        best = left & self.suits.own[player]
        lane = self._lane(best)
        winner = player
        for back in range(1, 4):
            other = player + back & 3
            card = left & self.suits.own[other]
            if self._beats(card, best, lane):
                best = card
                winner = other
        taken = 0 if winner & 1 else pictures
        if self.has_target:
            answer = self.target >> (taken - need) & 1
        else:
            answer = 1 if taken >= need else 0
        return (_YES if answer else 0) | self._rests_on(left, best)

    def _rests_on(self, trick: int, best: int) -> int:
        """Return the winning card if it beat another of its suit by rank alone, else 0."""
        if best == self.suits.rensho:
            return 0
        lane = _LANE << 16 * self._lane(best)
        same_kind = (
            trick & lane & (self.suits.pictures if best & self.suits.pictures else ~self.suits.pictures)
        )
        return best if same_kind & ~best else 0

    def _lane(self, card: int) -> int:
        return _count(card - 1) >> 4

    def _beats(self, card: int, best: int, lane: int) -> int:
        if card == self.suits.rensho:
            return 1
        if best == self.suits.rensho:
            return 0
        if card <= _LANE:
            return 1 if best > _LANE or card < best else 0
        # A plain card must be of the suit led, like the best card then.
        return 1 if best > _LANE and card & _LANE << 16 * lane and card < best else 0

    def _search_trick(
        self,
        left: int,
        tops: int,
        player: int,
        size: int,
        trick: int,
        best: int,
        winner: int,
        lane: int,
        need: int,
        hint: int,
    ) -> int:
        """Answer with ``size`` cards in the trick; ``left`` and ``tops`` are from the start of the trick."""
        hand = left & self.suits.own[player]
        legal = hand
        tricks = _count(hand)
        if size:
            legal = hand & _LANE << 16 * lane
            legal = legal | hand & self.suits.free if legal else hand
        legal &= tops
        cards = 0
        if self.probes_ahead and size == 3 and tricks > _MIN_STORED_TRICKS and legal & (legal - 1):
            cards = self._probe_last_cards(left, legal, player, trick, best, winner, lane, need, tricks)
            if cards & _DECIDED:
                return cards & ~_DECIDED
            legal = self.unknown
        start = (tricks * 4 + size) * 16
        early = 0
        reply = 0
        key = 0
        rough_key = 0
        # With few tricks left, trying cards costs less than scoring them.
        is_scored = 0
        if tricks > _MAX_UNSCORED_TRICKS + (size >> 1):
            is_scored = 1
            if legal & (legal - 1) and self.features & ORDER:
                key = self.replies.key(hand, left & self.suits.own[player ^ 2], size, best, winner)
                if tricks < _MIN_EARLY_TRICKS:
                    reply = self.replies.card(key) & legal
                else:
                    rough_key = self.early_replies.rough_key(hand, _LANE << 16 * lane, size, best, winner)
                    reply = self.early_replies.card(key) & legal
                    if reply == 0:
                        reply = self.early_replies.card(rough_key) & legal
        elif size > 1:
            early = self._promising_cards(legal, player, best, winner, lane)
        side = player & 1
        count = 0
        first = 0
        failed = 0
        while legal:
            if reply:
                card = reply
                reply = 0
            elif hint & legal:
                card = hint
            elif is_scored and legal & (legal - 1):
                if count == 0:
                    count = self.order.score_cards(
                        legal, left, player, size, trick, best, winner, lane, need, tricks, start
                    )
                    while failed:
                        self.order.demote_suit(start, count, failed & (~failed + 1))
                        failed &= failed - 1
                card = self.order.next_card(start, count)
            else:
                # Also the last card that the order has left.
                card = early if early else legal & ~_LANE if legal & ~_LANE else legal
                card &= ~card + 1
                early &= ~card
            legal ^= card
            if first == 0:
                first = card
            led = lane
            if size == 0:
                led = self._lane(card)
                if is_scored and count == 0:
                    self.order.set_strongest(left, player, 0, led, tricks)
            now_best = best
            now_winner = winner
            if size == 0 or self._beats(card, best, led):
                now_best = card
                now_winner = player
            played = trick | card
            if size == 3:
                taken = 0 if now_winner & 1 else _count(played & self.suits.pictures)
                answer = self._search_position(left & ~played, now_winner, need - taken)
                answer |= self._rests_on(played, now_best)
            else:
                answer = self._search_trick(
                    left, tops, player + 1 & 3, size + 1, played, now_best, now_winner, led, need, 0
                )
            if self.stopped:
                return 0
            if (answer >> 63) ^ side:
                if size == 0:
                    self.deciding[tricks] = card
                if key and card != first:
                    if rough_key == 0:
                        self.replies.note(key, _count(card - 1))
                    else:
                        self.early_replies.note(rough_key, _count(card - 1))
                        self.early_replies.note(key, _count(card - 1))
                return answer
            cards |= answer & _CARDS
            if size == 0:
                if count > 2:
                    self.order.demote_suit(start, count, card)
                elif count == 0:
                    failed |= card
        if size == 0:
            self.deciding[tricks] = first
        if self.features & EQUIVALENCE:
            cards = self._whole_runs(cards, left, hand & ~tops, hand)
        return cards | (_YES if side else 0)

    def _promising_cards(self, legal: int, player: int, best: int, winner: int, lane: int) -> int:
        """Return the cards to try first: winners of the trick, or pictures if the partner is winning it."""
        wins = 0
        if best != self.suits.rensho:
            wins = (best - 1) & (_LANE | _LANE << 16 * lane) | self.suits.rensho
        return legal & wins if (winner ^ player) & 1 else legal & ~wins & self.suits.pictures

    def _whole_runs(self, cards: int, left: int, below_tops: int, hand: int) -> int:
        """Add the lower cards of the runs in which these cards end: only the top of a run was tried.

        That the other cards are not better rests on the whole run if it rests on any of its cards.
        """
        if below_tops == 0:
            return cards
        down = self.lookup.down_to(cards)
        if below_tops & ~down == 0:
            return cards
        for lane in range(4):
            suit = down >> 16 * lane & _LANE
            if suit == 0:
                continue
            # The lowest card that the answer rests on.
            card = (suit + 1) >> 1
            if not hand >> 16 * lane & card:
                continue
            below = left >> 16 * lane & _LANE & ~suit
            own_below = below_tops >> 16 * lane & _LANE
            while below:
                card = below & (~below + 1)
                if not own_below & card:
                    break
                cards |= card << 16 * lane
                below ^= card
        return cards
