# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Bounds on pictures without a search, for positions between two tricks.

If a side is sure of some tricks, its opponents win at most the other tricks, with at most one card of every
hand in each, and none of the sure pictures. docs/solver.md has the proofs.
"""

from __future__ import annotations

from engine.kernel.solving_suits import Suits

_YES = 1 << 63
_DECIDED = 1 << 62
_LANE = 0x1FFF
_PLAYER_BITS = 7
"""Bits per player in ``trumps_take``: 4 for tricks, then 3 for pictures."""
_RENSHO_BITS = 28
_NO_LIMIT = 13
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


def _nth(lane: int, n: int) -> int:
    while n > 1:
        lane &= lane - 1
        n -= 1
    return lane & (~lane + 1)


def _min(a: int, b: int) -> int:
    return a if a < b else b


def _max(a: int, b: int) -> int:
    return a if a > b else b


def _positive(a: int) -> int:
    return a if a > 0 else 0


def _falls(rounds: int, hand: int, pictures: int) -> int:
    """Return how many pictures a hand must follow with after it runs out of lower cards."""
    length = _count(hand)
    return _positive(_min(rounds, length) - length + _count(hand & pictures))


def _run(own: int, opposing: int) -> int:
    return _count(own & ((opposing & (~opposing + 1)) - 1)) if opposing else _count(own)


class Bounds:
    """Answers by what is sure: 0 if nothing is decided, else bits 62 and 63, and the cards it rests on."""

    def __init__(self, suits: Suits) -> None:
        self.suits = suits
        self.trumps_take = [0] * 8192
        """By trumps left: tricks and pictures that each player takes with its trumps against any play.

        The bits from 28 are for a plain Rensho in hand: a trick and a picture more for its holder, and a
        higher trump against the opponents.
        """
        self.plain_rensho = 0
        """Rensho, if it is not a trump; else 0."""
        self.pictures = [0] * 4
        self.leads = [0] * 4
        """Rounds that the leader wins with its highest cards, by lane."""
        self.partner_leads = [0] * 4
        """Rounds that its partner wins after them, by lane."""

    def load(self) -> None:
        for player in range(4):
            self.pictures[player] = self.suits.own[player] & self.suits.pictures
        # A Rensho of trumps is an ordinary highest trump.
        self.plain_rensho = self.suits.rensho if self.suits.rensho_lane else 0
        first = 0
        if self.plain_rensho:
            first = 1 | 1 << 4
            first = first << _RENSHO_BITS + _PLAYER_BITS * self.suits.rensho_holder
        self.trumps_take[0] = first
        for number in range(_count(self.suits.all_cards & _LANE)):
            self._fill(number)

    def _fill(self, number: int) -> None:
        """Extend ``trumps_take`` by the sets with trump ``number``, from the sets of higher trumps."""
        card = 1
        card = card << number
        owner = 0
        while not self.suits.own[owner] & card:
            owner += 1
        own = self.suits.own[owner]
        opposing = self.suits.own[owner + 1 & 3] | self.suits.own[owner + 3 & 3]
        is_picture = 1 if card & self.suits.pictures else 0
        shift = _PLAYER_BITS * owner
        # From the highest on, each trump of a hand loses to an unused higher trump of the opponents.
        against = 0
        if self.plain_rensho:
            against = 1 if (self.suits.rensho_holder ^ owner) & 1 else 0
            if self.suits.rensho_holder == owner:
                against = -1
        for above in range(card):
            word = self.trumps_take[above]
            free = _count(above & own) - _count(above & opposing)
            free_pictures = _count(above & own & self.suits.pictures)
            free_pictures -= _count(above & opposing & self.suits.pictures)
            more = 0
            if word >> shift & 15 == free:
                more = 1
            if is_picture and word >> shift + 4 & 7 == free_pictures:
                more |= 16
            if self.plain_rensho:
                with_rensho = 0
                if word >> shift + _RENSHO_BITS & 15 == free - against:
                    with_rensho = 1
                if is_picture and word >> shift + _RENSHO_BITS + 4 & 7 == free_pictures - against:
                    with_rensho |= 16
                more |= with_rensho << _RENSHO_BITS
            self.trumps_take[above | card] = word + (more << shift)

    def sure(self, left: int, player: int, need: int, pictures: int) -> int:
        """Answer by what the trumps of a side and Rensho take against any play."""
        word = self.trumps_take[left & _LANE]
        if left & self.plain_rensho:
            word >>= _RENSHO_BITS
        tricks = _count(left & self.suits.own[player])
        of_0 = _count(left & self.pictures[0])
        of_1 = _count(left & self.pictures[1])
        of_2 = _count(left & self.pictures[2])
        of_3 = _count(left & self.pictures[3])
        # Maximum of side 1, one card from each hand in each trick that it may win; then of side 0.
        tricks_left = tricks - _max(word & 15, word >> 2 * _PLAYER_BITS & 15)
        most = _min(tricks_left, of_0 - (word >> 4 & 7)) + _min(
            tricks_left, of_2 - (word >> 2 * _PLAYER_BITS + 4 & 7)
        )
        if pictures - most - _min(tricks_left, of_1) - _min(tricks_left, of_3) >= need:
            return _YES | _DECIDED | self._rests_on(left, word, 0)
        word >>= _PLAYER_BITS
        tricks_left = tricks - _max(word & 15, word >> 2 * _PLAYER_BITS & 15)
        most = _min(tricks_left, of_1 - (word >> 4 & 7)) + _min(
            tricks_left, of_3 - (word >> 2 * _PLAYER_BITS + 4 & 7)
        )
        if most + _min(tricks_left, of_0) + _min(tricks_left, of_2) < need:
            return _DECIDED | self._rests_on(left, word, 1)
        return 0

    def _rests_on(self, left: int, word: int, side: int) -> int:
        partner = word >> 2 * _PLAYER_BITS
        tricks = word & 15
        partner_tricks = partner & 15
        of_mine = 0
        of_partner = 0
        if left & self.plain_rensho:
            of_mine = 1 if self.suits.rensho_holder == side else 0
            of_partner = 1 if self.suits.rensho_holder == side + 2 else 0
        cards = self._trumps_down_to(
            left, side, tricks - of_mine if tricks >= partner_tricks else 0, (word >> 4 & 7) - of_mine
        )
        return cards | self._trumps_down_to(
            left,
            side + 2,
            partner_tricks - of_partner if partner_tricks > tricks else 0,
            (partner >> 4 & 7) - of_partner,
        )

    def _trumps_down_to(self, left: int, player: int, tricks: int, pictures: int) -> int:
        """Return the lowest trump that a player needs for its sure tricks and pictures, without Rensho."""
        own = self.suits.own[player]
        opposing = (self.suits.own[player + 1 & 3] | self.suits.own[player + 3 & 3]) & left & _LANE
        if opposing == 0:
            return 0
        beaten_by = 0
        if left & self.plain_rensho:
            beaten_by = (self.suits.rensho_holder ^ player) & 1
        if opposing & self.suits.pictures == 0:
            # Opponents without pictures beat no picture by rank.
            pictures = 0
        pictures_beaten_by = beaten_by
        trumps = left & _LANE
        lowest = 0
        while trumps and (tricks > 0 or pictures > 0):
            card = trumps & (~trumps + 1)
            trumps ^= card
            if card & own:
                lowest = card
                if beaten_by:
                    beaten_by -= 1
                else:
                    tricks -= 1
                if card & self.suits.pictures:
                    if pictures_beaten_by:
                        pictures_beaten_by -= 1
                    else:
                        pictures -= 1
            elif card & opposing:
                beaten_by += 1
                pictures_beaten_by += 1
        return lowest

    def cash(self, left: int, player: int, need: int, pictures: int) -> int:
        """Answer by the tricks that the leader's side takes at once with the highest cards of both hands."""
        holder = 4
        if left & self.suits.rensho:
            holder = self.suits.rensho_holder
            if self.suits.free and (holder ^ player) & 1:
                return 0
        planned = self._plan(left, player, holder)
        if planned == 0:
            return 0
        answer = self._answer_of_plan(left, player, holder, need, pictures)
        if answer == 1 and planned == 2:
            self._drop_partner_leads()
            answer = self._answer_of_plan(left, player, holder, need, pictures)
        return answer if answer & _DECIDED else 0

    def _plan(self, left: int, player: int, holder: int) -> int:
        """Set the rounds to lead. Return 0 for none, 2 if the partner gets the lead, else 1."""
        partner = player ^ 2
        after = player + 1 & 3
        before = player + 3 & 3
        of_leader = self.suits.own[player]
        of_partner = self.suits.own[partner]
        of_after = self.suits.own[after]
        of_before = self.suits.own[before]
        sides = of_leader | of_partner
        after_ruffs = 0
        before_ruffs = 0
        after_ruffs_late = 0
        before_ruffs_late = 0
        is_crossed = 0
        is_last = 0
        led = 0
        led_by_partner = 0
        for lane in range(4):
            suit = left & _LANE << 16 * lane
            top = suit & (~suit + 1)
            self.leads[lane] = 0
            self.partner_leads[lane] = 0
            if lane and not top & sides:
                continue
            own = suit & of_leader
            partners = suit & of_partner
            after_length = _count(suit & of_after)
            before_length = _count(suit & of_before)
            count = 0
            if top & own:
                count = _run(own, suit ^ own)
                for _ in range(count):
                    suit &= suit - 1
                top = suit & (~suit + 1)
            more = 0
            if top & partners:
                # The partner follows to the earlier rounds.
                more = _positive(_min(_run(partners & suit, suit & ~partners), _count(partners) - count))
            # An opponent who could ruff has to follow suit.
            most = _NO_LIMIT
            late = _NO_LIMIT
            if after_ruffs or (lane == 0 and holder == after):
                most = after_length
            if before_ruffs or (lane == 0 and holder == before):
                most = _min(most, before_length)
            if after_ruffs_late or (lane == 0 and holder == after):
                late = after_length
            if before_ruffs_late or (lane == 0 and holder == before):
                late = _min(late, before_length)
            if count > most:
                count = most
                more = 0
            is_rensho = 1 if lane and lane == self.suits.rensho_lane else 0
            if is_rensho and holder == player and count == 0:
                # Rensho wins even if ruffed. No card follows it, so the plan ends here.
                count = 1
                more = 0
                is_last = 1
            if more and count < most and _count(own) > count:
                is_crossed = 1
            if count + more > late:
                more = late - count if late > count else 0
            if is_rensho and holder == partner and more == 0:
                more = 1
            self.leads[lane] = count
            self.partner_leads[lane] = more
            led |= count
            led_by_partner |= more
            if lane == 0:
                after_ruffs = 1 if after_length > count or holder == after else 0
                before_ruffs = 1 if before_length > count or holder == before else 0
                after_ruffs_late = 1 if after_length > count + more or holder == after else 0
                before_ruffs_late = 1 if before_length > count + more or holder == before else 0
        if is_crossed and not is_last:
            return 2
        if led_by_partner:
            self._drop_partner_leads()
        return 1 if led else 0

    def _drop_partner_leads(self) -> None:
        for lane in range(4):
            self.partner_leads[lane] = 0

    def _answer_of_plan(self, left: int, player: int, holder: int, need: int, pictures: int) -> int:
        """Answer by the planned rounds; 1 if a hand cannot keep the cards that the plan needs."""
        partner = player ^ 2
        of_leader = self.suits.own[player]
        of_partner = self.suits.own[partner]
        of_after = self.suits.own[player + 1 & 3]
        of_before = self.suits.own[player + 3 & 3]
        sides = of_leader | of_partner
        word = self.trumps_take[left & _LANE]
        if left & self.plain_rensho:
            word >>= _RENSHO_BITS
        sure = word >> _PLAYER_BITS * player
        partner_sure = word >> _PLAYER_BITS * partner
        tricks = sure & 15
        partner_tricks = partner_sure & 15
        sure_pictures = sure >> 4 & 7
        partner_pictures = partner_sure >> 4 & 7
        reserved = 0
        if self.suits.rensho_lane:
            if holder == player:
                # Rensho is one of the planned rounds.
                tricks -= 1
                sure_pictures -= 1
            if holder == partner:
                partner_pictures -= 1
                if self.partner_leads[self.suits.rensho_lane]:
                    partner_tricks -= 1
                else:
                    reserved = 1
        rounds = 0
        voids = 0
        partner_voids = 0
        after_falls = 0
        before_falls = 0
        taken = 0
        partner_taken = 0
        cards = 0
        for lane in range(4):
            own_rounds = self.leads[lane]
            count = own_rounds + self.partner_leads[lane]
            if count == 0:
                continue
            suit = left & _LANE << 16 * lane
            in_suit = suit & self.suits.pictures
            own = suit & of_leader
            partners = suit & of_partner
            in_hand = _count(own & in_suit)
            in_partners = _count(partners & in_suit)
            if lane:
                rounds += count
                taken += _min(count, in_hand)
                partner_taken += _min(count, in_partners)
            after_falls += _falls(count, suit & of_after, in_suit)
            before_falls += _falls(count, suit & of_before, in_suit)
            length = _count(partners)
            if own_rounds > length:
                partner_voids += own_rounds - length
            length = _count(own) - own_rounds
            if self.partner_leads[lane] > length:
                voids += self.partner_leads[lane] - length
            # If the side has all pictures of a suit, their owners do not matter.
            if count > _count(in_suit) or sides & in_suit != in_suit:
                cards |= _nth(suit, count)
        if voids or partner_voids:
            spare = 0
            spare_pictures = 0
            partner_spare = -reserved
            partner_spare_pictures = -reserved
            for lane in range(1, 4):
                count = self.leads[lane] + self.partner_leads[lane]
                suit = left & _LANE << 16 * lane
                spare += _positive(_count(suit & of_leader) - count)
                partner_spare += _positive(_count(suit & of_partner) - count)
                suit &= self.suits.pictures
                spare_pictures += _positive(_count(suit & of_leader) - count)
                partner_spare_pictures += _positive(_count(suit & of_partner) - count)
            if voids > spare or partner_voids > partner_spare:
                return 1
            taken += _min(voids, spare_pictures)
            partner_taken += _min(partner_voids, partner_spare_pictures)
        trumps = left & _LANE & self.suits.pictures
        count = self.leads[0] + self.partner_leads[0]
        in_hand = _min(count, _count(trumps & of_leader))
        if sure_pictures <= in_hand:
            taken += in_hand
            sure_pictures = 0
        in_partners = _min(count, _count(trumps & of_partner))
        if partner_pictures <= in_partners:
            partner_taken += in_partners
            partner_pictures = 0
        taken += sure_pictures
        partner_taken += partner_pictures + reserved
        won = _max(count, _max(tricks, partner_tricks))
        tricks_left = _count(left & of_leader) - rounds - won
        pictures_left = left & self.suits.pictures
        got = pictures - _min(tricks_left, _count(pictures_left & of_leader) - taken)
        got -= _min(tricks_left, _count(pictures_left & of_partner) - partner_taken)
        got -= _min(tricks_left, _count(pictures_left & of_after) - after_falls)
        got -= _min(tricks_left, _count(pictures_left & of_before) - before_falls)
        if player & 1:
            if pictures - got >= need:
                return 0
            cards |= _DECIDED
        else:
            if got < need:
                return 0
            cards |= _YES | _DECIDED
        # Count sure trump tricks of the hand with more of them, beyond the planned rounds.
        partner_tricks = partner_tricks - reserved if partner_tricks > _max(count, tricks) else 0
        tricks = tricks if tricks == won and won > count else 0
        cards |= self._trumps_down_to(left, player, tricks, sure_pictures)
        return cards | self._trumps_down_to(left, partner, partner_tricks, partner_pictures)
