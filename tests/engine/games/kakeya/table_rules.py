"""A second, plain model of the rules: it hears events and shares nothing with the engine.

Source: docs/rules/kakeya.md#rotation, #trump-decision, #dealing, #opening-lead, #play, #winner-of-a-deal,
#payment, #end-of-a-game; docs/rules/etori.md#simplified-etori, #meiji-etori.
"""

from __future__ import annotations

ORDER = "23456789TJQKA"
FACES = "JQKA"
ACES = {"AS", "AH", "AD", "AC"}


def due(schedule, category, pictures):
    """Stones a deal costs by the schedules that look at the aces."""
    nakayoshi = schedule == "nakayoshi"
    if pictures == 16:
        assert category == "R"
        return 4
    if pictures >= 12:
        return {"N": 4, "O": 3 if nakayoshi else 2, "R": 2}[category]
    return {"N": 3 if nakayoshi else 4, "O": 2, "R": 1}[category]


class Table:
    """Follows a board of any preset from its events alone, the decks included."""

    def __init__(self, ruleset, board):
        self.rules = ruleset
        self.preset = ruleset.preset
        self.board = board
        half = ruleset.seats // 2
        self.pairs = [[seat, seat + half] for seat in range(1, half + 1)]
        self.is_meiji = ruleset.preset == "etori.meiji"
        self.is_etori = ruleset.preset.startswith("etori")
        self.is_simple6 = ruleset.preset == "etori.simple6"
        self.stones = {pair[0]: ruleset.stones or 0 for pair in self.pairs}
        self.trump = ruleset.trump_fixed or "S"
        self.dealers, self.leaders = self.pairs[-1], self.pairs[-2]
        self.asked = self.dealers
        self.dealer = None
        self.dealt_by = {}
        self.deals_begun = self.deals_ended = 0
        self.said = {}

    def pair_of(self, seat):
        return next(pair for pair in self.pairs if seat in pair)

    def hear(self, event):
        getattr(self, "hear_" + event["e"])(event)

    def hear_act(self, event):
        if event["phase"] == "play":
            self.play(event["seat"], event["action"])
        else:
            self.said[event["seat"]] = event["action"]

    def hear_deal(self, event):
        self.deals_begun += 1
        assert event["deal"] == self.deals_begun
        assert self.deals_begun == 1 or self.board.kind == "game"
        assert not self.over()
        if self.is_etori:
            self.roles_of_etori(event)
        else:
            assert "dealer" not in event
            self.roles_of_kakeya(event)
        assert [event["dealers"], event["leaders"], event["trump"]] == [
            self.dealers,
            self.leaders,
            self.trump,
        ]
        self.said, self.tricks, self.trick = {}, [], []
        self.piles = [event["deck"][i::4] for i in range(4)]
        self.rensho = "AC" if self.trump == "S" and not self.is_meiji else "AS"
        resting = self.dealers if self.rules.seats == 6 else []
        self.active = [seat for seat in range(1, self.rules.seats + 1) if seat not in resting]
        self.hands = None

    def roles_of_kakeya(self, event):
        """On a deal board taken as told (test_roles has the table), in a game derived."""
        if self.board.kind == "deal":
            self.dealers, self.leaders, self.trump = event["dealers"], event["leaders"], event["trump"]
            assert not self.said
            assert self.trump == self.rules.trump_fixed or not self.rules.trump_fixed
            return
        if self.rules.trump_fixed:
            assert not self.said
            return
        assert sorted(self.said) == self.asked
        changes = {seat: suit for seat, suit in self.said.items() if suit not in ("KEEP", self.trump)}
        if len(set(changes.values())) == 2:
            self.trump = changes[min(self.asked) if self.deals_begun % 2 else max(self.asked)]
        else:
            self.trump = next(iter(changes.values()), self.trump)

    def roles_of_etori(self, event):
        if self.deals_begun == 1:
            self.dealer = event["dealer"]
            if self.is_simple6:
                self.leaders = self.first_leaders_of_simple6()
        assert event["dealer"] == self.dealer
        assert not self.said
        self.dealers = self.pair_of(self.dealer)
        self.dealt_by[self.dealers[0]] = self.dealer
        if not self.is_simple6:
            self.leaders = next(pair for pair in self.pairs if pair != self.dealers)
        self.trump = "S"
        if self.is_meiji:
            self.leaders = [self.after(self.dealer, [1, 2, 3, 4])]
            self.trump = self.trump_of_meiji(event)

    def first_leaders_of_simple6(self):
        """Of a game by the dealer drawn; of a deal board by its number, which gives the dealer too."""
        if self.board.kind == "game":
            against_the_play = (
                self.dealer % 6 + 1 if self.rules.direction == "left" else (self.dealer - 2) % 6 + 1
            )
            return self.pair_of(against_the_play)
        rounds, place = divmod(self.board.number - 1, 3)
        p1, p2, p3 = self.pairs
        assert self.dealer == (p3, p1, p2)[place][rounds % 2]
        return (p1, p2, p3)[place] if rounds % 2 else (p2, p3, p1)[place]

    def trump_of_meiji(self, event):
        if self.rules.trump_fixed:
            return self.rules.trump_fixed
        if self.rules.meiji_trump == "turn_last":
            return event["deck"][51][1]
        if self.rules.meiji_trump == "random":
            return event["trump"]
        past = self.deals_begun if self.board.kind == "game" else self.board.number
        return "HCD"[past % 3]

    def after(self, seat, seats):
        step = 1 if self.rules.direction == "right" else -1
        return seats[(seats.index(seat) + step) % len(seats)]

    def others(self):
        """The pair that plays against the leaders and takes the last pile."""
        if self.rules.seats == 4:
            return self.dealers
        return next(pair for pair in self.pairs if pair not in (self.dealers, self.leaders))

    def deal_out(self, taker):
        """Give the piles, the last to ``taker``; gives the decider."""
        self.hands, seat = {}, taker
        for pile in (3, 0, 1, 2):
            self.hands[seat] = list(self.piles[pile])
            seat = self.after(seat, self.active)
        return self.after(taker, self.active)

    def dole_out(self):
        """Cards one at a time to the four active seats from the resting dealer on; gives the decider."""
        self.hands, seat = {}, self.dealer
        everybody = [1, 2, 3, 4, 5, 6]
        while len(self.hands) < 4:
            seat = self.after(seat, everybody)
            if seat in self.active:
                self.hands[seat] = list(self.piles[len(self.hands)])
        return next(seat for seat in self.hands if seat in self.leaders)

    def begin(self, seat, card):
        """The first card of a deal shows who leads; on deal boards also who took the kirijimai."""
        if self.is_simple6:
            decider = self.dole_out()
        elif self.dealer:
            decider = self.deal_out(self.dealer)
        elif self.board.kind == "deal":
            takers = [t for t in self.others() if self.leads(self.deal_out(t)) == seat]
            decider = self.deal_out(next(t for t in takers if self.deal_out(t) and card in self.hands[seat]))
        else:
            pair = self.others()
            decider = self.deal_out(min(pair) if self.deals_begun % 2 else max(pair))
        assert seat == self.leads(decider)
        self.turn = seat
        self.dealt = {seat: list(hand) for seat, hand in self.hands.items()}

    def leads(self, decider):
        if self.rules.lead_protocol in (None, "decider"):
            return decider
        if self.rules.lead_protocol == "iku_koi":
            wants = self.said.get(decider) == "IKU"
            return decider if wants else next(s for s in self.leaders if s != decider)
        eager = [seat for seat in self.leaders if self.said[seat] == "PREFER"]
        return eager[0] if len(eager) == 1 else decider

    def play(self, seat, card):
        if self.hands is None:
            self.begin(seat, card)
        assert seat == self.turn
        assert card in self.hands[seat]
        if self.trick and not (self.rules.rensho_free and card == self.rensho):
            led = self.trick[0][1][1]
            assert card[1] == led or all(held[1] != led for held in self.hands[seat])
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.turn = self.after(seat, self.active)

    def hear_trick(self, event):
        assert len(self.trick) == 4
        led = self.trick[0][1][1]
        cards = [card for _, card in self.trick]
        if self.rensho in cards:
            best = self.rensho
        else:
            suit = self.trump if any(card[1] == self.trump for card in cards) else led
            best = max((card for card in cards if card[1] == suit), key=lambda card: ORDER.index(card[0]))
        winner = next(seat for seat, card in self.trick if card == best)
        pictures = sum(card[0] in FACES for card in cards)
        self.tricks.append((winner, pictures))
        assert event == {"e": "trick", "n": len(self.tricks), "pictures": pictures, "winner": winner}
        self.trick, self.turn = [], winner

    def hear_deal_end(self, event):
        self.deals_ended += 1
        taken = {pair[0]: 0 for pair in self.pairs if pair[0] in self.active}
        for winner, pictures in self.tricks:
            taken[self.pair_of(winner)[0]] += pictures
        if self.rules.early_stop:
            assert sum(taken.values()) == 16
            assert sum(pictures for _, pictures in self.tricks[:-1]) < 16
        else:
            assert all(hand == [] for hand in self.hands.values())
        winners, category, due = self.judged(taken)
        losers = [pair for pair in self.pairs if pair[0] in taken and pair != winners and winners]
        if self.rules.debt is False:
            due = min(due, self.stones[losers[0][0]])
        change = {str(seat): 0 for seat in range(1, self.rules.seats + 1)}
        for sign, pair in ((1, winners), *((-1, pair) for pair in losers)):
            change |= {str(seat): sign * due for seat in pair}
        for pair in self.pairs:
            self.stones[pair[0]] += change[str(pair[0])]
        assert event == {
            "e": "deal_end",
            "deal": self.deals_begun,
            "category": category,
            "pictures": {str(seat): pictures for seat, pictures in taken.items()},
            "stones": change,
            "winner": winners,
        }
        self.pass_on(winners, losers)

    def judged(self, taken):
        """Winners ([] for nobody), category and payment before anybody is too poor."""
        first, other = sorted(taken)
        if taken[first] != taken[other]:
            winners = self.pair_of(first if taken[first] > taken[other] else other)
        elif self.rules.meiji_score in ("win1", "difference"):
            return [], None, 0
        else:
            winners = self.pair_of(other if self.rensho in self.held(first) else first)
        pictures = taken[winners[0]]
        if self.rules.meiji_score in ("win1", "difference"):
            return winners, None, 1 if self.rules.meiji_score == "win1" else pictures - 8
        if self.rules.aces_timing == "remaining":
            return winners, None, 4
        aces = self.held(winners[0]) & ACES
        if self.rules.schedule == "asahi_tie_only":
            return winners, None, self.tie_only(pictures, ACES - aces)
        category = "N" if not aces else "R" if aces & {self.rensho, "A" + self.trump} else "O"
        return winners, category, due(self.rules.schedule, category, pictures)

    def held(self, seat):
        """Cards dealt to the pair of a seat."""
        return {card for member in self.pair_of(seat) for card in self.dealt[member]}

    def tie_only(self, pictures, losers_aces):
        if pictures > 8:
            return 1 if pictures < 12 else 2 if pictures < 16 else 4
        assert self.rensho in losers_aces
        return 4 if losers_aces == ACES else 2 if "A" + self.trump in losers_aces else 1

    def pass_on(self, winners, losers):
        """Roles of the next deal."""
        self.said = {}
        if self.is_meiji:
            self.dealer = self.after(self.dealer, [1, 2, 3, 4])
        elif self.is_etori:
            (losing,) = losers
            self.leaders = winners
            if self.rules.dealer_rotation == "left":
                self.dealer = self.dealer - 1 or 4
            else:
                again = self.dealt_by.get(losing[0]) == losing[0]
                self.dealer = losing[1] if again else losing[0]
        else:
            (losing,) = losers
            self.leaders = winners
            if self.rules.six_dealers != "previous_rest":
                self.dealers = losing
            self.asked = losing if self.rules.trump_right6 == "losers" else self.others()

    def over(self):
        if self.deals_ended and self.board.kind == "deal":
            return True
        if self.is_meiji:
            return self.deals_ended == self.rules.hands
        return min(self.stones.values()) <= 0 or self.deals_ended == self.rules.hand_cap

    def stones_won(self):
        assert self.over()
        start = self.rules.stones or 0
        return {seat: self.stones[self.pair_of(seat)[0]] - start for seat in range(1, self.rules.seats + 1)}
