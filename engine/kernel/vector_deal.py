# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Many boards of Kakeya or Etori at once, one per row. Uncompiled, this file gives the same results.

A step plays one action in each row, and writes the observation and the legal actions of the next seat. The
rules come as tables, made from the engine by ``engine.kernel.vector``. Observations have the layout
``kakeya_v0`` of ``bots.rl.layouts``.

Players are 0 to 3 in turn order, by the pile that they get. Seats and pairs count from 0, except in
``seats``. Board *i* of a seed draws from SplitMix64 started at ``mix(seed + (i + 1) * GOLDEN)``, so it does
not depend on the other rows. A number below *n* is ``(draw >> 32) * n >> 32``.

Source: docs/rules/kakeya.md#trump-decision, #dealing, #opening-lead, #play, #end-of-a-game;
docs/rules/etori.md#meiji-etori.
"""

from __future__ import annotations

from typing import Any

try:
    import cython  # type: ignore[import-untyped]
except ImportError:
    from engine.kernel import uncompiled as cython

from engine.cards import KAKEYA_PACK, SUITS
from engine.games.kakeya.notation import IKU, KEEP, PREFER, TRICKS
from engine.games.kakeya.scoring import PICTURE_MASK
from engine.kernel.position import PLAYERS, SUIT_MASKS
from engine.kernel.vector_layout import ACTIONS, IMAGE, OBSERVATION, VectorRules, offsets

_ALL = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_ONE = 1
_PICTURES = PICTURE_MASK
_CARDS = len(KAKEYA_PACK)
_SUITS = len(SUITS)
_RANKS = _CARDS // _SUITS
_LOWEST_PICTURE = 9
_RANK_PICTURES = 4
_PICTURE_COUNT = _SUITS * _RANK_PICTURES
_PLAYERS, _TRICKS = PLAYERS, TRICKS

# Phases, then indices in ``PROTOCOLS`` and ``TRUMP_RULES``.
_PHASES = 3
_TRUMP, _LEAD, _PLAY = range(_PHASES)
_SIMULTANEOUS, _IKU_KOI = 0, 1
_TURNED, _DRAWN, _IN_TURN = 1, 2, 3
_CYCLE = 3

_PREFER, _IKU, _KEEP = map(ACTIONS.index, (PREFER, IKU, KEEP))
_ACTIONS = len(ACTIONS)
_DECLARATIONS = 4
_PROPOSALS = 1 + _SUITS
_NONE = 255
"""No answer yet; no seat."""
_LEGAL_PROPOSALS = (_ONE << _ACTIONS) - (_ONE << _KEEP)
_LEGAL_DECLARATIONS = 3 * (_ONE << _PREFER)
_LEGAL_TALK = 3 * (_ONE << _IKU)

# Width and columns of the table of roles; width of the table of first conditions.
_ROLE, _START = 14, 3
_DECIDER, _TRUMP_A, _TRUMP_B, _PRIORITY, _DEALERS, _LEADERS, _ACTIVE, _NEXT = range(4, 12)

_AT_HAND, _AT_TRICK, _AT_FINISHED, _AT_VOIDS, _AT_TRUMP, _AT_RENSHO = offsets(OBSERVATION)[:6]
_AT_PICTURES, _AT_PHASE, _AT_DECLARATIONS, _AT_PROPOSALS, _AT_LEADER = offsets(OBSERVATION)[6:11]
_AT_ACTIVE, _AT_SCALARS, _AT_STONES, _AT_DEALS, _SIZE = offsets(OBSERVATION)[11:]
_IN_HANDS, _IN_FINISHED, _IN_VOIDS, _IN_PICTURES, _IN_DECLARATIONS, _IN_PROPOSALS, _IMAGE = offsets(IMAGE)
_STONES_ZERO, _MOST = 128, 255


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


def _set_ones(values: memoryview, offset: int, mask: int) -> None:
    """Set a byte for each bit of the mask."""
    while mask:
        values[offset + _count((mask & ~(mask - 1)) - 1)] = 1
        mask &= mask - 1


def _clear(values: memoryview, offset: int, size: int) -> None:
    for k in range(offset, offset + size):
        values[k] = 0


def _copy(values: memoryview, to: int, source: memoryview, start: int, size: int) -> None:
    for k in range(size):
        values[to + k] = source[start + k]


class VectorDeals:
    """Boards by row, and the caller's buffers, to which ``reset`` and ``step`` write."""

    def __init__(self, rules: VectorRules, rows: int, buffers: tuple[Any, ...]) -> None:
        self.rows = rows
        self.seats_at_table, self.pairs = rules.seats, rules.seats // 2
        self.is_game = rules.is_game
        self.asks_trump = rules.asks_trump
        self.protocol = rules.protocol
        self.trump_rule = rules.trump_rule
        self.direction = rules.direction
        self.first_stones = rules.stones
        self.most_deals = rules.most_deals
        self.ends_without_stones = rules.ends_without_stones
        self.has_debt = rules.has_debt
        self.stops_early = rules.stops_early
        self.is_free = rules.is_free
        self.roles, self.starts = memoryview(rules.roles), memoryview(rules.starts)
        self.start_count = len(rules.starts) // _START
        self.powers, self.values = memoryview(rules.powers), memoryview(rules.values)
        self.rensho = [0] * 4
        self.cycle = [0] * 3
        self.suits = [0] * 4
        self.deck = [0] * 52
        self.suit_of = [0] * 52
        self.pair_of = [0] * 6
        for seat in range(6):
            self.pair_of[seat] = seat % self.pairs
        for card in range(_CARDS):
            self.suit_of[card] = card // _RANKS
        for suit in range(_SUITS):
            self.rensho[suit] = rules.rensho[suit]
            self.suits[suit] = SUIT_MASKS[suit]
        for turn in range(_CYCLE):
            self.cycle[turn] = rules.cycle[turn]
        self.observations, self.masks, self.rewards, self.dones, self.seats, self.boards = buffers
        self.legal, self.chance = [memoryview(bytearray(8 * rows)).cast("Q") for _ in range(2)]
        self.hands = memoryview(bytearray(32 * rows)).cast("Q")
        self.captured = memoryview(bytearray(16 * rows)).cast("Q")
        self.role = memoryview(bytearray(2 * rows)).cast("H")
        self.number, self.turn = [memoryview(bytearray(4 * rows)).cast("i") for _ in range(2)]
        self.stones = memoryview(bytearray(12 * rows)).cast("i")
        self.phase, self.trump, self.player, self.aces, self.size, self.tricks, self.is_rensho_played = [
            memoryview(bytearray(rows)) for _ in range(7)
        ]
        self.trick, self.declared = [memoryview(bytearray(4 * rows)) for _ in range(2)]
        self.proposed = memoryview(bytearray(2 * rows))
        # Fields that seats may see, hidden hands included, in bytes by player (``IMAGE``).
        self.image = memoryview(bytearray(_IMAGE * rows))
        self.actions: Any = None
        self.seed = self.wrong = 0

    def reset(self, seed: int) -> None:
        """Start board *i* of the seed in row *i*."""
        self.seed = seed
        with cython.nogil:
            self._reset()

    def step(self, actions: Any) -> int:
        """Play an action in each row. Return -1, or the first row whose action is illegal: no row changed."""
        self.actions = actions
        with cython.nogil:
            self._step()
        return self.wrong

    def legal_actions(self) -> tuple[int, ...]:
        """Return the legal actions of the row that ``step`` has returned."""
        legal = self.legal[self.wrong]
        return tuple([action for action in range(_ACTIONS) if legal >> action & 1])

    def _reset(self) -> None:
        _clear(self.observations, 0, self.rows * _SIZE)
        row = 0
        while row < self.rows:
            self.boards[row] = row
            self._clear_result(row)
            self._begin(row)
            self._observe(row)
            row += 1

    def _step(self) -> None:
        self.wrong = self._first_wrong()
        if self.wrong >= 0:
            return
        row = 0
        while row < self.rows:
            self._clear_result(row)
            action = self.actions[row]
            if self.phase[row] == _PLAY:
                self._play(row, action)
            elif self.phase[row] == _LEAD:
                self._declare(row, action)
            else:
                self._propose(row, action)
            self._observe(row)
            row += 1

    def _first_wrong(self) -> int:
        row = 0
        while row < self.rows:
            number = self.actions[row]
            if number < 0 or number >= _ACTIONS or self.legal[row] >> number & 1 == 0:
                return row
            row += 1
        return -1

    def _clear_result(self, row: int) -> None:
        self.dones[row] = 0
        for seat in range(self.seats_at_table):
            self.rewards[row * self.seats_at_table + seat] = 0

    def _below(self, row: int, n: int) -> int:
        self.chance[row] = self.chance[row] + _GOLDEN & _ALL
        return (_mixed(self.chance[row]) >> 32) * n >> 32

    def _begin(self, row: int) -> None:
        """Start the board that ``boards`` has for the row."""
        self.chance[row] = _mixed(self.seed + (self.boards[row] + 1) * _GOLDEN & _ALL)
        start = 0
        if not self.is_game:
            # Deal boards take the first conditions in turn, as their numbers do.
            start = self.boards[row] % self.start_count
        elif self.start_count > 1:
            start = self._below(row, self.start_count)
        start *= _START
        self.role[row] = self.starts[start]
        self.trump[row] = self.starts[start + 1]
        self.turn[row] = self.starts[start + 2]
        self.number[row] = 1
        for pair in range(3):
            self.stones[3 * row + pair] = self.first_stones
        self._open(row)

    def _open(self, row: int) -> None:
        """Start a deal, before its cards are dealt."""
        for player in range(_PLAYERS):
            self.hands[4 * row + player] = 0
            self.declared[4 * row + player] = _NONE
        self.captured[2 * row] = self.captured[2 * row + 1] = 0
        self.proposed[2 * row] = self.proposed[2 * row + 1] = _NONE
        self.is_rensho_played[row] = 0
        self.size[row] = 0
        self.tricks[row] = 0
        _clear(self.image, row * _IMAGE, _IMAGE)
        if not self.asks_trump:
            self._deal(row)
            return
        self.phase[row] = _TRUMP
        self.seats[row] = 1 + self.roles[self.role[row] * _ROLE + _TRUMP_A]
        self.legal[row] = _LEGAL_PROPOSALS

    def _propose(self, row: int, action: int) -> None:
        role = self.role[row] * _ROLE
        first, second = self.roles[role + _TRUMP_A], self.roles[role + _TRUMP_B]
        if self.proposed[2 * row] == _NONE:
            self.proposed[2 * row] = action - _KEEP
            self.seats[row] = 1 + second
            return
        self.proposed[2 * row + 1] = action - _KEEP
        trump, other = self._proposed_trump(row, 0), self._proposed_trump(row, 1)
        if trump == self.trump[row] or (other != self.trump[row] and self.roles[role + _PRIORITY] != first):
            trump = other
        self.trump[row] = trump
        self._deal(row)
        for player in range(_PLAYERS):
            seat = self.roles[role + player]
            if seat in (first, second):
                member = 0 if seat == first else 1
                answer = self.proposed[2 * row + member]
                self._mark(row * _IMAGE + _IN_PROPOSALS, player, _PLAYERS, _PROPOSALS, answer)

    def _proposed_trump(self, row: int, member: int) -> int:
        proposal = self.proposed[2 * row + member]
        return proposal - 1 if proposal else self.trump[row]

    def _deal(self, row: int) -> None:
        """Shuffle and deal. Then the leaders declare, or the decider leads."""
        for k in range(_CARDS):
            self.deck[k] = k
        k = _CARDS - 1
        while k > 0:
            other = self._below(row, k + 1)
            card = self.deck[k]
            self.deck[k] = self.deck[other]
            self.deck[other] = card
            k -= 1
        for k in range(_CARDS):
            self.hands[4 * row + (k & 3)] |= _ONE << self.deck[k]
            self.image[row * _IMAGE + _IN_HANDS + (k & 3) * _CARDS + self.deck[k]] = 1
        if self.trump_rule == _TURNED:
            self.trump[row] = self.suit_of[self.deck[_CARDS - 1]]
        elif self.trump_rule == _DRAWN:
            self.trump[row] = self._below(row, _SUITS)
        elif self.trump_rule == _IN_TURN:
            self.trump[row] = self.cycle[(self.turn[row] - 1) % _CYCLE]
        hand = self.hands[4 * row] | self.hands[4 * row + 2]
        aces = 0
        for suit in range(_SUITS):
            aces |= (hand >> suit * _RANKS + _RANKS - 1 & 1) << suit
        self.aces[row] = aces
        decider = self.roles[self.role[row] * _ROLE + _DECIDER]
        if self.protocol == _SIMULTANEOUS:
            self.phase[row] = _LEAD
            self.legal[row] = _LEGAL_DECLARATIONS
            self._ask(row, self._lower_leader(row, decider))
        elif self.protocol == _IKU_KOI:
            self.phase[row] = _LEAD
            self.legal[row] = _LEGAL_TALK
            self._ask(row, decider)
        else:
            self._lead(row, decider)

    def _ask(self, row: int, player: int) -> None:
        self.player[row] = player
        self.seats[row] = 1 + self.roles[self.role[row] * _ROLE + player]

    def _lower_leader(self, row: int, decider: int) -> int:
        role, partner = self.role[row] * _ROLE, decider ^ 2
        return decider if self.roles[role + decider] < self.roles[role + partner] else partner

    def _declare(self, row: int, action: int) -> None:
        player = self.player[row]
        partner = player ^ 2
        answer = self.declared[4 * row + partner]
        leader = self.roles[self.role[row] * _ROLE + _DECIDER]
        self.declared[4 * row + player] = action - _PREFER
        if self.protocol == _IKU_KOI:
            if action != _IKU:
                leader = partner
        elif answer == _NONE:
            self._ask(row, partner)
            return
        elif answer != action - _PREFER:
            leader = player if action == _PREFER else partner
        for k in range(_PLAYERS):
            if self.declared[4 * row + k] != _NONE:
                image = row * _IMAGE + _IN_DECLARATIONS
                self._mark(image, k, _PLAYERS, _DECLARATIONS, self.declared[4 * row + k])
        self._lead(row, leader)

    def _lead(self, row: int, player: int) -> None:
        self.phase[row] = _PLAY
        self.size[row] = 0
        self._ask(row, player)
        self.legal[row] = self.hands[4 * row + player]

    def _play(self, row: int, card: int) -> None:
        player, size, first, image = self.player[row], self.size[row], 4 * row, row * _IMAGE
        suit, rensho = self.suit_of[card], self.rensho[self.trump[row]]
        led = suit if size == 0 else self.suit_of[self.trick[first]]
        if card == rensho:
            self.is_rensho_played[row] = 1
        if suit != led and not (self.is_free and card == rensho):
            self._mark(image + _IN_VOIDS, player, _PLAYERS, _SUITS, led)
        self.image[image + _IN_HANDS + player * _CARDS + card] = 0
        self.hands[first + player] ^= _ONE << card
        self.trick[first + size] = card
        if size == 3:
            self._end_trick(row, player + 1 & 3, led)
            return
        self.size[row] = size + 1
        player = player + 1 & 3
        self._ask(row, player)
        hand = self.hands[first + player]
        follow = hand & self.suits[led]
        if follow and self.is_free:
            follow |= hand & _ONE << rensho
        self.legal[row] = follow if follow else hand

    def _end_trick(self, row: int, leader: int, led: int) -> None:
        cards, best, winner, image = 0, -1, leader, row * _IMAGE
        powers = (self.trump[row] * _SUITS + led) * _CARDS
        for k in range(_PLAYERS):
            card = self.trick[4 * row + k]
            cards |= _ONE << card
            self._mark(image + _IN_FINISHED, leader + k & 3, _PLAYERS, _CARDS, card)
            power = self.powers[powers + card]
            if power > best:
                best = power
                winner = leader + k & 3
        cards &= _PICTURES
        self.captured[2 * row + (winner & 1)] |= cards
        while cards:
            card = _count((cards & ~(cards - 1)) - 1)
            cards &= cards - 1
            suit = self.suit_of[card]
            card -= _LOWEST_PICTURE + suit * (_RANKS - _RANK_PICTURES)
            self._mark(image + _IN_PICTURES, winner & 1, 2, _PICTURE_COUNT, card)
        self.tricks[row] += 1
        is_over = self.stops_early and self.captured[2 * row] | self.captured[2 * row + 1] == _PICTURES
        if is_over or self.tricks[row] == _TRICKS:
            self._end_deal(row)
        else:
            self._lead(row, winner)

    def _end_deal(self, row: int) -> None:
        role = self.role[row] * _ROLE
        # The two pairs that play.
        own, other = self.pair_of[self.roles[role]], self.pair_of[self.roles[role + 1]]
        pictures = _count(self.captured[2 * row])
        value = self.values[(self.trump[row] * 16 + self.aces[row]) * 17 + pictures]
        result = 0 if value > 0 else 1 if value < 0 else 2
        if not self.has_debt:
            value = min(value, self.stones[3 * row + other])
            value = max(value, -self.stones[3 * row + own])
        self.stones[3 * row + own] += value
        self.stones[3 * row + other] -= value
        for seat in range(self.seats_at_table):
            if self.pair_of[seat] == own:
                self.rewards[row * self.seats_at_table + seat] = value
            elif self.pair_of[seat] == other:
                self.rewards[row * self.seats_at_table + seat] = -value
        if self.is_game and not self._is_last(row):
            self.role[row] = self.roles[role + _NEXT + result]
            self.number[row] += 1
            self.turn[row] = self.number[row]
            self._open(row)
            return
        self.dones[row] = 1
        self.boards[row] += self.rows
        self._begin(row)

    def _is_last(self, row: int) -> bool:
        if self.number[row] == self.most_deals:
            return True
        if self.ends_without_stones:
            for pair in range(self.pairs):
                if self.stones[3 * row + pair] <= 0:
                    return True
        return False

    def _observe(self, row: int) -> None:
        """Write the observation and the legal actions of the seat to act."""
        role, offset, seat = self.role[row] * _ROLE, row * _SIZE, self.seats[row] - 1
        phase, trump, size, first = self.phase[row], self.trump[row], self.size[row], 4 * row
        _clear(self.masks, row * _ACTIONS, _ACTIONS)
        _set_ones(self.masks, row * _ACTIONS, self.legal[row])
        # Nothing is known by player while trumps are open, so any player will do for a resting seat.
        player = self.player[row] if phase != _TRUMP else 0
        self._observe_image(offset, row * _IMAGE, player)
        _clear(self.observations, offset + _AT_TRICK, _AT_FINISHED - _AT_TRICK)
        for k in range(size):
            self.observations[offset + _AT_TRICK + k * _CARDS + self.trick[first + k]] = 1
        for k in range(_SUITS):
            self.observations[offset + _AT_TRUMP + k] = k == trump
        self.observations[offset + _AT_RENSHO] = self.hands[first + player] >> self.rensho[trump] & 1
        self.observations[offset + _AT_RENSHO + 1] = self.is_rensho_played[row]
        for k in range(_PHASES):
            self.observations[offset + _AT_PHASE + k] = k == phase
        leader = 4 - size & 3 if phase == _PLAY else _NONE
        for k in range(_PLAYERS):
            self.observations[offset + _AT_LEADER + k] = k == leader
        self._observe_table(row, offset, role, seat)

    def _observe_image(self, offset: int, image: int, player: int) -> None:
        _copy(self.observations, offset + _AT_HAND, self.image, image + _IN_HANDS + player * _CARDS, _CARDS)
        self._copy_parts(offset + _AT_FINISHED, image + _IN_FINISHED, player, _PLAYERS, _CARDS)
        self._copy_parts(offset + _AT_VOIDS, image + _IN_VOIDS, player, _PLAYERS, _SUITS)
        self._copy_parts(offset + _AT_PICTURES, image + _IN_PICTURES, player & 1, 2, _PICTURE_COUNT)
        self._copy_parts(offset + _AT_DECLARATIONS, image + _IN_DECLARATIONS, player, _PLAYERS, _DECLARATIONS)
        if self.asks_trump:
            self._copy_parts(offset + _AT_PROPOSALS, image + _IN_PROPOSALS, player, _PLAYERS, _PROPOSALS)

    def _copy_parts(self, offset: int, image: int, first: int, parts: int, size: int) -> None:
        _copy(self.observations, offset, self.image, image + first * size, parts * size)

    def _mark(self, image: int, part: int, parts: int, size: int, element: int) -> None:
        """Set an element of a part, and of the copy of the part."""
        self.image[image + part * size + element] = 1
        if part < parts - 1:
            self.image[image + (part + parts) * size + element] = 1

    def _observe_table(self, row: int, offset: int, role: int, seat: int) -> None:
        other = seat
        for k in range(self.seats_at_table):
            self.observations[offset + _AT_ACTIVE + k] = self.roles[role + _ACTIVE] >> other & 1
            if k < self.pairs:
                stones = self.stones[3 * row + self.pair_of[other]] + _STONES_ZERO
                self.observations[offset + _AT_STONES + k] = max(1, min(stones, _MOST))
            other += self.direction
            if other < 0:
                other += self.seats_at_table
            elif other == self.seats_at_table:
                other = 0
        pair = self.pair_of[seat]
        self.observations[offset + _AT_SCALARS] = self.tricks[row]
        self.observations[offset + _AT_SCALARS + 1] = self.size[row]
        self.observations[offset + _AT_SCALARS + 2] = min(self.number[row], _MOST)
        self.observations[offset + _AT_DEALS] = pair == self.roles[role + _DEALERS]
        self.observations[offset + _AT_DEALS + 1] = pair == self.roles[role + _LEADERS]
