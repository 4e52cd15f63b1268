"""A second, plain model of RULES.md 2.4-2.10: it hears events and checks each, with none of the engine."""

from __future__ import annotations

ORDER = "23456789TJQKA"
FACES = "JQKA"


class Table:
    """Follows a board of four-player Kakeya from its events alone, the decks included."""

    def __init__(self, ruleset, kind):
        self.rules = ruleset
        self.kind = kind
        self.stones = {1: ruleset.stones, 2: ruleset.stones}
        self.trump = ruleset.trump_fixed or "S"
        self.dealers, self.leaders = [2, 4], [1, 3]
        self.deals_begun = self.deals_ended = 0
        self.said = {}

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
        if self.kind == "deal":
            self.dealers, self.leaders, self.trump = event["dealers"], event["leaders"], event["trump"]
            self.odd = None
        else:
            assert not self.over()
            self.odd = self.deals_begun % 2 == 1
            if not self.rules.trump_fixed:
                self.trump = self.decided_trump()
        assert [event["dealers"], event["leaders"], event["trump"]] == [
            self.dealers,
            self.leaders,
            self.trump,
        ]
        self.said, self.tricks, self.trick = {}, [], []
        self.piles = [event["deck"][i::4] for i in range(4)]
        self.rensho = "AC" if self.trump == "S" else "AS"
        self.hands = None

    def decided_trump(self):
        assert sorted(self.said) == self.dealers
        changes = {seat: suit for seat, suit in self.said.items() if suit not in ("KEEP", self.trump)}
        if len(changes) == 2:
            return changes[self.precedence(self.dealers)]
        return next(iter(changes.values()), self.trump)

    def precedence(self, pair):
        return min(pair) if self.odd else max(pair)

    def deal_out(self, taker):
        self.hands = {}
        for place in range(4):
            self.hands[(taker - 1 + place) % 4 + 1] = list(self.piles[(3 + place) % 4])
        return taker % 4 + 1

    def begin(self, seat, card):
        """The first card of a deal shows who leads; on deal boards also who took the kirijimai."""
        if self.odd is None:
            taker = next(
                t for t in self.dealers if self.leads(self.deal_out(t)) == seat and card in self.hands[seat]
            )
        else:
            taker = self.precedence(self.dealers)
        decider = self.deal_out(taker)
        assert seat == self.leads(decider)
        self.turn = seat
        self.first = [*self.hands[1], *self.hands[3]]

    def leads(self, decider):
        if self.rules.lead_protocol == "decider":
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
        if self.trick:
            led = self.trick[0][1][1]
            assert card[1] == led or all(held[1] != led for held in self.hands[seat])
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.turn = seat % 4 + 1

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
        assert all(hand == [] for hand in self.hands.values())
        taken = {1: 0, 2: 0}
        for winner, pictures in self.tricks:
            taken[1 if winner % 2 else 2] += pictures
        if taken[1] == taken[2]:
            won = 2 if self.rensho in self.first else 1
        else:
            won = 1 if taken[1] > taken[2] else 2
        dealt = (
            self.first
            if won == 1
            else [card for pile in self.piles for card in pile if card not in self.first]
        )
        aces = {card for card in dealt if card[0] == "A"}
        category = "N" if not aces else "R" if aces & {self.rensho, "A" + self.trump} else "O"
        due = self.due(category, taken[won])
        lost = 3 - won
        due = due if self.rules.debt else min(due, self.stones[lost])
        self.stones[won] += due
        self.stones[lost] -= due
        change = {str(seat): due if seat % 2 == won % 2 else -due for seat in (1, 2, 3, 4)}
        winners = [1, 3] if won == 1 else [2, 4]
        assert event == {
            "e": "deal_end",
            "deal": self.deals_begun,
            "category": category,
            "pictures": {"1": taken[1], "2": taken[2]},
            "stones": change,
            "winner": winners,
        }
        self.leaders, self.dealers = winners, [2, 4] if won == 1 else [1, 3]
        self.said = {}

    def due(self, category, pictures):
        nakayoshi = self.rules.schedule == "nakayoshi"
        if pictures == 16:
            assert category == "R"
            return 4
        if pictures >= 12:
            return {"N": 4, "O": 3 if nakayoshi else 2, "R": 2}[category]
        return {"N": 3 if nakayoshi else 4, "O": 2, "R": 1}[category]

    def over(self):
        return min(self.stones.values()) <= 0 or self.deals_ended == self.rules.hand_cap

    def stones_won(self):
        assert self.kind == "deal" or self.over()
        return {seat: self.stones[1 if seat % 2 else 2] - self.rules.stones for seat in (1, 2, 3, 4)}
