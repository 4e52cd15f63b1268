"""Plans how to play out its own hand, and weighs the plan against the chances of the opponents. Stateless.

All values are in stones. The worth of a turn is the worth of its best end. Going out wins a stone from each
seat in the deal (two for guri) plus the pot; any other end is worth what the remaining cards promise:

- own hand (``HandPlan``): the worth of every hand that can be left (at most 64, cards of one value being
  equivalent) is the worth of its best turn at each value, weighted by the chance of that value;
- opponents (``Opponents``), seat by seat until the next turn: the chance that each can follow, from the
  unseen cards and its number of cards (less where it passed before), the chance that it then goes out,
  and the value that it leaves.
"""

from __future__ import annotations

from bots.sdk import Bot, KakkuriHand, KakkuriView, Request, next_values

VALUES = range(1, 13)
KING = 12

GO_ON = (1.0, 0.36, 0.25, 0.16, 0.08, 0.06)
"""Chance that a seat that plays a card can play all others in the same turn, by the number of these."""
RUNS_ON = 0.3
"""Chance that a seat that plays a card below the king also plays the next value."""
AFTER_PASS = 0.4
"""Factor on the chance that a seat plays on a value at which it passed before."""
GURI_LATER = 1.2
"""Mean stones paid to an untouched seat that goes out in a later round; sometimes it is guri."""
DROPPING = -1.05
"""Worth of dropping: the stone that it costs, and a margin for the error of the other estimates."""
NEVER = -1000.0
"""Worth below every real worth."""


class KakkuriRules(Bot):
    name = "kakkuri_rules"

    def act(self, request: Request) -> str:
        view = KakkuriView(request)
        if view.phase != "turn":
            # No seat has looked at its cards, so all hands are equal; the dealer plays first.
            return "DEAL" if "DEAL" in view.words else "KEEP"
        if len(view.legal) == 1:
            return view.legal[0]
        worth = worth_by_action(view)
        return max(view.legal, key=worth.__getitem__)


def worth_by_action(view: KakkuriView) -> dict[str, float]:
    table = Opponents(view)
    plan = HandPlan(table, view.search)
    follow = view.to_follow or KING
    worth = {}
    for word in view.words:
        if word == "PASS":
            worth[word] = plan.passed(follow)
        elif word == "TURN":
            worth[word] = plan.turned()
        elif word == "DROP":
            worth[word] = table.dropping
        else:
            pairs = HandPlan(table, view.sansoku_search)
            ends = [pairs.moved(follow)]
            if "PASS" in view.words:
                ends.append(pairs.passed(follow))
            if "TURN" in view.words:
                ends.append(pairs.turned())
            worth[word] = max(ends)
    for meld in view.melds:
        left = [card for card in view.hand if card not in meld.cards]
        worth[meld.text] = plan.left(view.search.key(left), meld.value)
    return worth


class TurnOutlook:
    def __init__(self, expected_loss: float, chances: list[float], back: float) -> None:
        self.lost = expected_loss
        """Expected stones lost to opponents who went out."""
        self.chances = chances
        """Chance of each value to follow in an ordinary turn; item 0 is unused."""
        self.back = back


class Opponents:
    def __init__(self, view: KakkuriView) -> None:
        observation = view.observation
        ruleset = view.ruleset
        self.view = view
        self.others = view.others
        self.is_dead_on_empty = ruleset.get("box_empty") == "dead"
        self.pass_cost = 1.0 if ruleset.get("pass_penalty") and not observation["played_this_turn"] else 0.0
        pot: int = observation["pot"]
        payers_of_guri = len(self.others)
        self.dropping = DROPPING
        if ruleset.get("dropped_pay"):
            # Dropping saves nothing: a dropped seat has paid its stone and still pays for guri.
            self.dropping = NEVER
            payers_of_guri += len(observation["dropped"])
        self.gain = {False: len(self.others) + pot, True: 2 * payers_of_guri + pot}
        """Stones won by going out, by whether it is guri."""
        unseen = len(view.unseen) or 1
        counts, wilds = view.unseen_by_value, view.unseen_wilds
        self.box: list[tuple[int, float]] = []
        """Value and chance of the next box card; empty if the box is empty."""
        if observation["box_size"]:
            printed = {**counts, 1: counts[1] + ("AC" in view.unseen), 2: counts[2] + ("2D" in view.unseen)}
            self.box = [(value, count / unseen) for value, count in printed.items() if count]
        fitting = {value: [(v, counts[v] + wilds / 12) for v in next_values(value)] for value in VALUES}
        self.fit = {
            value: min(sum(counts[v] for v in next_values(value)) + wilds, unseen) / unseen
            for value in VALUES
        }
        """Share of the unseen cards that fits, by value to follow."""
        first = {value: shares(weights) for value, weights in fitting.items()}
        self.landing = {value: self._landing(first, value) for value in VALUES}
        """Values that a seat that plays leaves, with their chances, by value to follow."""
        self.held = {seat: view.cards_left(seat) for seat in self.others}
        self.passed = {seat: view.passed_at(seat) for seat in self.others}
        self.untouched = {seat for seat in self.others if not view.has_played(seat)}
        self._outlooks: dict[tuple[int, bool], TurnOutlook] = {}
        # Later rounds: from any value, against hands with one card less.
        start = [0.0] * 13
        for value in VALUES:
            for landed, chance in self.landing[value]:
                start[landed] += chance / 12
        later = self._round([0.0] * 13, start, None, 1)
        self.later_chance = sum(later.chances)
        self.later_lost = later.lost
        self.later = [chance / (self.later_chance or 1.0) for chance in later.chances]
        """Chance of each value to follow in a turn after the next."""

    @staticmethod
    def _landing(first: dict[int, list[tuple[int, float]]], value: int) -> list[tuple[int, float]]:
        landed = [0.0] * 13
        for middle, chance in first[value]:
            goes_on = 1.0 if middle == KING else RUNS_ON
            landed[middle] += chance * (1 - goes_on)
            for end, further in first[middle]:
                landed[end] += chance * goes_on * further
        return [(v, chance) for v, chance in enumerate(landed) if chance]

    def outlook(self, value: int, *, is_last: bool) -> TurnOutlook:
        """Return the outlook after a turn that ends at ``value``; with ``is_last``, the return
        turn is ours.
        """
        outlook = self._outlooks.get((value, is_last))
        if outlook is None:
            fresh = [0.0] * 13
            fresh[value] = 1.0
            last = self.view.seat if is_last else self.view.last
            outlook = self._outlooks[value, is_last] = self._round(fresh, [0.0] * 13, last, 0)
        return outlook

    def _round(self, fresh: list[float], moved: list[float], last: int | None, fewer: int) -> TurnOutlook:
        """Simulate the opponents' turns; ``fresh``: chances by value while no seat has played
        since ``last``.
        """
        expected_loss = 0.0
        for seat in self.others:
            if seat == last and any(fresh):
                came_back = sum(fresh)
                fresh = [0.0] * 13
                # On its return turn, the seat turns up a card, or leads freely.
                for value, chance in self.box or ([] if self.is_dead_on_empty else [(KING, 1.0)]):
                    fresh[value] += came_back * chance
            hand_size = max(self.held[seat] - fewer, 1)
            new_fresh, new_moved = [0.0] * 13, [0.0] * 13
            for value in VALUES:
                before = fresh[value] + moved[value]
                if not before:
                    continue
                plays = 1 - (1 - self.fit[value]) ** hand_size
                if value in self.passed[seat]:
                    plays *= AFTER_PASS
                goes_out = plays * GO_ON[hand_size - 1]
                price = (GURI_LATER if fewer else 2.0) if seat in self.untouched else 1.0
                expected_loss += before * goes_out * price
                new_fresh[value] += fresh[value] * (1 - plays)
                new_moved[value] += moved[value] * (1 - plays)
                stays_in = before * (plays - goes_out)
                for landed, chance in self.landing[value]:
                    new_moved[landed] += stays_in * chance
            fresh, moved = new_fresh, new_moved
        if last == self.view.seat:
            return TurnOutlook(expected_loss, moved, sum(fresh))
        return TurnOutlook(expected_loss, [a + b for a, b in zip(fresh, moved, strict=True)], 0.0)


class HandPlan:
    """Worth of hands, the own hand first, in stones."""

    def __init__(self, table: Opponents, search: KakkuriHand) -> None:
        view = table.view
        self.table = table
        self.search = search
        self.hand = search.key(view.hand)
        has_played = view.observation["played_this_turn"] > 0
        self.is_guri_turn = view.is_unbroken
        self.is_unbroken = view.is_unbroken and not has_played
        """Whether going out would still be guri if this turn ended now."""
        self.is_last = has_played or view.last == view.seat
        self._kept: dict[tuple[int, bool], float] = {}
        self._moved_later: dict[tuple[int, int, bool], float] = {}
        self._left: dict[tuple[int, int], float] = {}

    def passed(self, follow: int) -> float:
        ended = self._ended(self.hand, follow, self.is_unbroken, is_last=self.is_last)
        return ended - self.table.pass_cost

    def turned(self) -> float:
        return sum(chance * max(self.passed(value), self.moved(value)) for value, chance in self.table.box)

    def moved(self, follow: int) -> float:
        steps = self.search.steps(self.hand, follow)
        return max((self.left(left, value) for left, value, _, _ in steps), default=NEVER)

    def left(self, key: int, value: int) -> float:
        """Return the worth of these cards after a meld of this value in this turn."""
        if not key:
            return float(self.table.gain[self.is_guri_turn])
        worth = self._left.get((key, value))
        if worth is None:
            worth = self._ended(key, value, False, is_last=True)
            for fewer, played, _, _ in self.search.steps(key, value):
                worth = max(worth, self.left(fewer, played))
            self._left[key, value] = worth
        return worth

    def _ended(self, key: int, value: int, is_unbroken: bool, *, is_last: bool) -> float:
        """Return the worth of these cards after the turn ended with this value to follow."""
        outlook = self.table.outlook(value, is_last=is_last)
        worth = -outlook.lost
        for follow in VALUES:
            if outlook.chances[follow]:
                worth += outlook.chances[follow] * self._turn_later(key, follow, is_unbroken)
        if outlook.back:
            worth += outlook.back * self._return_later(key, value, is_unbroken)
        return worth

    def _return_later(self, key: int, value: int, is_unbroken: bool) -> float:
        if self.table.box:
            turned = sum(
                chance * self._turn_later(key, follow, is_unbroken) for follow, chance in self.table.box
            )
            return max(turned, self._melds_later(key, value, is_unbroken))
        return 0.0 if self.table.is_dead_on_empty else self._melds_later(key, KING, is_unbroken)

    def _turn_later(self, key: int, follow: int, is_unbroken: bool) -> float:
        return max(self._keeping(key, is_unbroken), self._melds_later(key, follow, is_unbroken))

    def _melds_later(self, key: int, follow: int, is_unbroken: bool) -> float:
        """Return the worth of the best meld in a later round, or ``NEVER``."""
        worth = self._moved_later.get((key, follow, is_unbroken))
        if worth is None:
            worth = NEVER
            for left, value, _, _ in self.search.steps(key, follow):
                if left:
                    ended = max(self._keeping(left, False), self._melds_later(left, value, is_unbroken))
                else:
                    ended = float(self.table.gain[is_unbroken])
                worth = max(worth, ended)
            self._moved_later[key, follow, is_unbroken] = worth
        return worth

    def _keeping(self, key: int, is_unbroken: bool) -> float:
        """Return the x that solves x = expected maximum of playing and x, minus the expected loss."""
        worth = self._kept.get((key, is_unbroken))
        if worth is None:
            table = self.table
            melds = [self._melds_later(key, follow, is_unbroken) for follow in VALUES]
            chances = [table.later_chance * chance for chance in table.later[1:]]
            worth = -table.later_lost / (1 - table.later_chance) if table.later_chance < 1 else 0.0
            for _ in range(3):
                playing = [
                    (chance, meld) for chance, meld in zip(chances, melds, strict=True) if meld > worth
                ]
                gained = sum(chance * meld for chance, meld in playing)
                stays = table.later_chance - sum(chance for chance, _ in playing)
                worth = (gained - table.later_lost) / (1 - stays)
            self._kept[key, is_unbroken] = worth
        return worth


def shares(weights: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Normalise weights to a sum of 1; equal shares if all are 0."""
    total = sum(weight for _, weight in weights)
    if not total:
        return [(value, 1 / len(weights)) for value, _ in weights]
    return [(value, weight / total) for value, weight in weights if weight]


if __name__ == "__main__":
    KakkuriRules().run()
