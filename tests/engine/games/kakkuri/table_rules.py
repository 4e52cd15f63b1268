"""A second, plain model of docs/rules/kakkuri.md: one conversation, cards as text, nothing of the engine.

``conversation`` is a generator. It says who is asked and what may be answered, is sent the answer, and
writes what happened into its ``Table``. Nothing is fast here and nothing is remembered in two ways.
"""

from __future__ import annotations

import contextlib
import hashlib
from itertools import combinations

PACK = [rank + suit for suit in "SHDC" for rank in "A23456789JQK"]
WILD = ["2D", "AC"]
WORDS = ["PASS", "TURN", "DROP", "SANSOKU", "SWAP", "KEEP", "DEAL", "GIVE"]


class Random:
    """The stream of docs/rules/common.md#seeded-dealing, a word at a time."""

    def __init__(self, seed, deal, purpose):
        self.label = f"jcg1|kakkuri|{seed}|{deal}|{purpose}".encode()
        self.words = []
        self.block = 0

    def below(self, n):
        while True:
            if not self.words:
                digest = hashlib.sha256(self.label + self.block.to_bytes(8, "big")).digest()
                self.words = [int.from_bytes(digest[i : i + 8], "big") for i in range(0, 32, 8)]
                self.block += 1
            word = self.words.pop(0)
            if word < 2**64 - 2**64 % n:
                return word % n

    def shuffled(self, cards):
        cards = list(cards)
        for i in range(len(cards) - 1, 0, -1):
            j = self.below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return cards


class Over(Exception):
    """The deal has ended."""


class Possible:
    """What a hand may be laid down as."""

    def __init__(self, rules):
        self.rules = rules
        self.value_of = {card: "A23456789".find(card[0]) + 1 for card in PACK}
        for value, rank in enumerate(rules.court_order, start=10):
            self.value_of.update({rank + suit: value for suit in "SHDC"})

    # What may follow, by trying everything.

    def fits(self, value, after):
        return after == 12 or value == after + 1 or (value == after and after in (1, 2))

    def melds(self, hand, is_sansoku, after):
        """Everything that may be laid down from a hand on ``after``, in canonical order."""
        found = []
        for value in range(1, 13):
            natural = [card for card in hand if self.value_of[card] == value]
            if is_sansoku:
                if self.fits(value, after):
                    found += [(pair, value) for pair in self.pairs(hand, value)]
                continue
            may_be = [card for card in hand if card in natural or card in WILD]
            for count in (1, 3):
                for cards in combinations(may_be, count):
                    wilds = sorted(set(cards) & set(WILD), key=PACK.index)
                    plain = sorted(set(cards) - set(WILD), key=PACK.index)
                    if count == 1 and wilds and self.rules.wild_mode == "reset":
                        if value == 12:
                            found.append((tuple(cards), value))
                    elif self.fits(value, after):
                        found.append(((*plain, *wilds), value))
        found.sort(key=lambda meld: (len(meld[0]), meld[1], [PACK.index(card) for card in meld[0]]))
        return ["+".join(cards) + f"@{value}" for cards, value in found]

    # Sansoku, by trying every way to put the cards two and two.

    def pair_values(self, first, other):
        """The values these two cards may be a pair of."""
        if self.value_of[first] == self.value_of[other]:
            printed = {self.value_of[first]}
        else:
            printed = set()
        if not self.rules.wild_in_sansoku:
            return printed
        wilds = {first, other} & set(WILD)
        if len(wilds) == 2:
            return set(range(1, 13))
        if len(wilds) == 1:
            return {self.value_of[card] for card in (first, other) if card not in WILD}
        return printed

    def is_split(self, cards):
        """Whether the cards can be laid out as pairs, with none left over."""
        if not cards:
            return True
        first, *others = cards
        return any(
            self.pair_values(first, other) and self.is_split([card for card in others if card != other])
            for other in others
        )

    def pairs(self, hand, value):
        """The pairs of this value that leave cards which can be laid out as pairs, as written."""
        for pair in combinations(sorted(hand, key=PACK.index), 2):
            if value in self.pair_values(*pair) and self.is_split([c for c in hand if c not in pair]):
                if any(self.value_of[card] != value for card in pair):
                    pair = sorted(pair, key=lambda card: (card in WILD, PACK.index(card)))
                yield tuple(pair)

    def is_three_pairs(self, hand):
        return len(hand) == 6 and self.is_split(hand)


class Table:
    """What lies on the table, and all that has happened at it."""

    def __init__(self, rules, kind, number, seed, decks=()):
        self.rules, self.kind, self.number, self.seed, self.decks = rules, kind, number, seed, decks
        self.seats = list(range(1, rules.seats + 1))
        self.stones = dict.fromkeys(self.seats, rules.stones)
        self.events = []
        self.deal = 0
        self.phase = "over"
        self.possible = Possible(rules)
        self.value_of = self.possible.value_of
        self.clear()

    def clear(self):
        self.hands = {seat: [] for seat in self.seats}
        self.box, self.turned, self.plays, self.passes = [], [], [], []
        self.dropped, self.out, self.sansoku = [], [], []
        self.laid = dict.fromkeys(self.seats, 0)
        self.follow = self.last = None
        self.is_return = self.has_turned = False
        self.melds_now = 0
        self.box8 = None

    def tell(self, kind, **fields):
        self.events.append({"e": kind, **fields})

    def right(self, seat):
        return seat % len(self.seats) + 1

    def round_from(self, seat):
        return [(seat + i - 1) % len(self.seats) + 1 for i in range(len(self.seats))]

    def still_in(self):
        return [seat for seat in self.seats if seat not in self.dropped + self.out]

    def next_in(self, seat):
        return next(s for s in self.round_from(self.right(seat)) if s in self.still_in())

    def act(self, phase, seat, action):
        self.tell("act", phase=phase, seat=seat, action=action)

    # The end of a deal.

    def pay(self, how, winner):
        """Source: docs/rules/kakkuri.md#payment."""
        pot = sum(self.laid.values())
        won = {seat: -laid for seat, laid in self.laid.items()}
        if how == "dead":
            won = dict.fromkeys(self.seats, 0)
        else:
            won[winner] += pot
            each = {"ordinary": 1, "guri": 2, "utazu": 3, "lone": 0}[how]
            payers = self.still_in()
            if how == "guri" and self.rules.dropped_pay:
                payers = payers + self.dropped
            for seat in payers:
                won[seat] -= each
                won[winner] += each
        assert sum(won.values()) == 0
        for seat in self.seats:
            self.stones[seat] += won[seat]
        self.results.append(won)
        self.tell(
            "deal_end",
            deal=self.deal,
            how=how,
            stones={str(seat): won[seat] for seat in self.seats},
            winner=[winner] if winner else [],
        )
        self.laid = dict.fromkeys(self.seats, 0)
        self.is_return = self.has_turned = False
        self.melds_now = 0
        self.winner = winner
        raise Over

    # The conversation.

    def conversation(self):
        self.results = []
        dealer = self.first_dealer()
        while True:
            self.clear()
            self.deal += 1
            if self.deal > 1 and self.winner:
                dealer = self.winner
                if self.rules.deal_pass:
                    dealer = yield from self.who_deals(self.winner)
            self.dealer = dealer
            with contextlib.suppress(Over):
                yield from self.one_deal(dealer)
            broke = self.rules.bankruptcy == "stop" and min(self.stones.values()) <= 0
            if self.kind == "deal" or self.deal == self.rules.hands or broke:
                self.phase = "over"
                return

    def first_dealer(self):
        if self.kind == "deal":
            return (self.number - 1) % len(self.seats) + 1
        luck = Random(self.seed, 1, "dealer")
        if self.rules.first_dealer == "random":
            return luck.below(len(self.seats)) + 1
        while True:
            pack = list(PACK)
            drawn = {}
            for seat in self.seats:
                card = pack[luck.below(len(pack))]
                pack.remove(card)
                drawn[seat] = self.value_of[card]
            highest = [seat for seat in self.seats if drawn[seat] == max(drawn.values())]
            lowest = [seat for seat in self.seats if drawn[seat] == min(drawn.values())]
            if len(highest) == 1:
                return highest[0]
            if len(lowest) == 1:
                return lowest[0]

    def who_deals(self, winner):
        self.phase = "deal"
        self.dealer = winner
        for seat in self.round_from(winner):
            answer = yield seat, ["DEAL", "GIVE"]
            self.act("deal", seat, answer)
            if answer == "DEAL":
                return seat
        return winner

    def one_deal(self, dealer):
        if self.deal <= len(self.decks):
            deck = list(self.decks[self.deal - 1])
        else:
            deck = Random(self.seed, self.deal, "deal").shuffled(PACK)
        fields = {"deal": self.deal, "dealer": dealer, "deck": list(deck)}
        for _ in range(2):
            for seat in self.round_from(self.right(dealer)):
                self.hands[seat] += deck[:3]
                del deck[:3]
        self.box = deck
        if len(self.seats) == 8:
            (shuffled,) = (sorted(h, key=PACK.index) for h in self.hands.values() if "3C" in h)
            self.box8 = fields["box8"] = Random(self.seed, self.deal, "box8").shuffled(shuffled)
        self.tell("deal", **fields)
        if self.rules.fuwaru:
            yield from self.swaps(dealer)
        self.phase = "turn"
        starter = dealer
        if len(self.seats) == 8:
            (out,) = (seat for seat in self.seats if "3C" in self.hands[seat])
            self.tell("out", seat=out)
            self.out = [out]
            self.hands[out] = []
            self.box = list(self.box8)
            if out == dealer:
                starter = self.next_in(dealer)
        for seat in self.seats:
            if {"AS", "AD", "AH"} <= set(self.hands[seat]):
                self.tell("utazu", seat=seat)
                self.pay("utazu", seat)
        self.turn_up()
        yield from self.turns(starter)

    def swaps(self, dealer):
        self.phase = "fuwaru"
        for seat in self.round_from(self.right(dealer))[:-1]:
            answer = yield seat, ["SWAP", "KEEP"]
            self.act("fuwaru", seat, answer)
            if answer == "SWAP":
                self.hands[seat], self.hands[dealer] = self.hands[dealer], self.hands[seat]

    def turn_up(self):
        card = self.box.pop(0)
        self.turned.append(card)
        self.tell("turned", card=card)
        self.follow = self.value_of[card]

    def turns(self, starter, back=False):
        """The pseudo-code of docs/rules/kakkuri.md#turns."""
        current = self.last = starter
        while True:
            if back and not self.box and self.rules.box_empty == "dead":
                self.pay("dead", None)
            yield from self.one_turn(current, back)
            if len(self.still_in()) == 1:
                self.pay("lone", self.still_in()[0])
            following = self.next_in(current)
            if current in self.dropped and current == self.last:
                self.last, back = following, False
            else:
                back = following == self.last
            current = following

    def one_turn(self, seat, back):
        self.is_return, self.has_turned, self.melds_now = back, False, 0
        free = back and not self.box
        touched_before = len(self.hands[seat]) < 6
        declared_now = False
        while True:
            must_turn = back and self.box and self.rules.turn_forced
            melds = self.possible.melds(
                self.hands[seat], seat in self.sansoku, 12 if free and not self.melds_now else self.follow
            )
            if self.melds_now:
                legal = ["PASS", *melds]
            else:
                legal = []
                if not back or self.has_turned:
                    legal.append("PASS")
                if back and self.box and not self.has_turned:
                    legal.append("TURN")
                untouched = len(self.hands[seat]) == 6
                if untouched and not self.has_turned and not declared_now:
                    legal.append("DROP")
                if untouched and seat not in self.sansoku and self.possible.is_three_pairs(self.hands[seat]):
                    legal.append("SANSOKU")
                if not must_turn or self.has_turned:
                    legal += melds
            answer = yield seat, legal
            self.act("turn", seat, answer)
            if answer == "PASS":
                self.passes.append([seat, self.follow])
                if self.rules.pass_penalty and not self.melds_now:
                    self.laid[seat] += 1
                return
            if answer == "DROP":
                self.laid[seat] += 1
                self.dropped = sorted([*self.dropped, seat])
                self.hands[seat] = []
                return
            if answer == "TURN":
                self.has_turned = True
                self.turn_up()
            elif answer == "SANSOKU":
                declared_now = True
                self.sansoku = sorted([*self.sansoku, seat])
            else:
                cards, value = answer.split("@")
                for card in cards.split("+"):
                    self.hands[seat].remove(card)
                self.follow, self.last = int(value), seat
                self.melds_now += 1
                self.plays.append([seat, answer])
                if not self.hands[seat]:
                    self.pay("ordinary" if touched_before else "guri", seat)

    def view(self, seat):
        """What the game itself adds to an observation; nothing that ``seat`` may not know."""
        unseen = self.phase in ("deal", "fuwaru")
        return {
            "active": self.still_in(),
            "phase": self.phase,
            "deal": self.deal,
            "stones": {str(s): self.stones[s] - self.laid[s] for s in self.seats},
            "hand": [] if unseen else sorted(self.hands[seat], key=PACK.index),
            "hand_sizes": {str(s): len(self.hands[s]) for s in self.seats},
            "box_size": len(self.box),
            "follow": self.follow,
            "last": self.last,
            "return_turn": self.is_return,
            "turned": self.turned,
            "turned_this_turn": self.has_turned,
            "played_this_turn": self.melds_now,
            "plays": self.plays,
            "passes": self.passes,
            "dropped": self.dropped,
            "out": self.out,
            "sansoku": self.sansoku,
            "pot": sum(self.laid.values()),
            "dealer": self.dealer,
        }
