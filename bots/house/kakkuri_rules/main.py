"""Plans a way out of its own hand and weighs it against what the others may do. Keeps no state.

Everything is counted in stones. A turn is worth what its best end is worth: going out pays a stone
from each seat still in, two for the whole hand at once (guri), and the pot; any other end is worth
what the cards left promise. Two searches tell that, both small:

- its own hand (``HandPlan``): every hand that can be left, cards of one value being alike at most 64, is
  worth what its best turn is worth at each value, by how likely that value is then to be followed;
- the others (``Opponents``), seat by seat until its next turn: how likely each can follow, from the cards
  not seen yet and the number it holds (less where it has passed before), how likely it then goes out,
  and which value it leaves.

So it keeps wilds for the gap that they close, breaks a hand that could make guri only when playing on
is worth more, leaves values that few can follow, turns up a box card when that is worth more than what
it can play, declares sansoku when pairs are worth more than single cards, and drops when its hand is
worth less than the stone that costs.
"""

from __future__ import annotations

from bots.sdk import Bot, KakkuriHand, KakkuriView, Request, next_values

VALUES = range(1, 13)
KING = 12

GO_ON = (1.0, 0.36, 0.25, 0.16, 0.08, 0.06)
"""How likely a seat that plays a card can play all its others too, by how many others there are."""
RUNS_ON = 0.3
"""How likely a seat that plays a card, not a king, plays the next value as well."""
AFTER_PASS = 0.4
"""How much less likely a seat plays on a value on which it has passed before."""
GURI_LATER = 1.2
"""Stones paid to a seat with its whole hand if it goes out in a later round: at times it is guri."""
DROPPING = -1.05
"""What dropping is worth: it costs a stone, and a little more for the doubt about every other figure."""
NEVER = -1000.0
"""Less than anything is worth."""


class KakkuriRules(Bot):
    """Makes the turn that is worth most."""

    name = "kakkuri_rules"

    def act(self, request: Request) -> str:
        """See ``Bot.act``."""
        view = KakkuriView(request)
        if view.phase != "turn":
            # Nobody has looked at a card, so no hand is better than another; to deal is to play first.
            return "DEAL" if "DEAL" in view.words else "KEEP"
        if len(view.legal) == 1:
            return view.legal[0]
        worth = worth_by_action(view)
        return max(view.legal, key=worth.__getitem__)


def worth_by_action(view: KakkuriView) -> dict[str, float]:
    """What each legal action is worth, in stones."""
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
    """What may have happened when this seat's next turn comes."""

    def __init__(self, lost: float, chances: list[float], back: float) -> None:
        self.lost = lost
        """Stones lost to others who went out, times their chances."""
        self.chances = chances
        """By value, the chance that it is to be followed in an ordinary turn; item 0 unused."""
        self.back = back
        """The chance of a return turn."""


class Opponents:
    """The others: what they pay, and what they may do before this seat's next turn."""

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
            # Then a stone saves nothing: who drops pays it and may have to pay for guri all the same.
            self.dropping = NEVER
            payers_of_guri += len(observation["dropped"])
        self.gain = {False: len(self.others) + pot, True: 2 * payers_of_guri + pot}
        """Stones won by going out, and by guri."""
        unseen = len(view.unseen) or 1
        counts, wilds = view.unseen_by_value, view.unseen_wilds
        self.box: list[tuple[int, float]] = []
        """Value and chance of the next box card; empty if there is none."""
        if observation["box_size"]:
            printed = {**counts, 1: counts[1] + ("AC" in view.unseen), 2: counts[2] + ("2D" in view.unseen)}
            self.box = [(value, count / unseen) for value, count in printed.items() if count]
        fitting = {value: [(v, counts[v] + wilds / 12) for v in next_values(value)] for value in VALUES}
        self.fit = {
            value: min(sum(counts[v] for v in next_values(value)) + wilds, unseen) / unseen
            for value in VALUES
        }
        """By value to follow, the part of the unseen cards that fits."""
        first = {value: shares(found) for value, found in fitting.items()}
        self.landing = {value: self._landing(first, value) for value in VALUES}
        """By value to follow, the values a seat that plays leaves, with their chances."""
        self.held = {seat: view.cards_left(seat) for seat in self.others}
        self.passed = {seat: view.passed_at(seat) for seat in self.others}
        self.untouched = {seat for seat in self.others if not view.has_played(seat)}
        self._outlooks: dict[tuple[int, bool], TurnOutlook] = {}
        # Any later round: from whatever value, against hands a card smaller.
        start = [0.0] * 13
        for value in VALUES:
            for landed, chance in self.landing[value]:
                start[landed] += chance / 12
        later = self._round([0.0] * 13, start, None, 1)
        self.later_chance = sum(later.chances)
        self.later_lost = later.lost
        self.later = [chance / (self.later_chance or 1.0) for chance in later.chances]
        """By value, the chance that it is to be followed in a turn after the next."""

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
        """What may happen after a turn that ends at ``value``; ``is_last``: the turn comes back here."""
        found = self._outlooks.get((value, is_last))
        if found is None:
            fresh = [0.0] * 13
            fresh[value] = 1.0
            last = self.view.seat if is_last else self.view.last
            found = self._outlooks[value, is_last] = self._round(fresh, [0.0] * 13, last, 0)
        return found

    def _round(self, fresh: list[float], moved: list[float], last: int | None, fewer: int) -> TurnOutlook:
        """Everybody else's turns. ``fresh``: chances by value while nobody has played since ``last`` did."""
        lost = 0.0
        for seat in self.others:
            if seat == last and any(fresh):
                came_back = sum(fresh)
                fresh = [0.0] * 13
                # Its return turn: it turns up a card, or leads what it likes.
                for value, chance in self.box or ([] if self.is_dead_on_empty else [(KING, 1.0)]):
                    fresh[value] += came_back * chance
            held = max(self.held[seat] - fewer, 1)
            new_fresh, new_moved = [0.0] * 13, [0.0] * 13
            for value in VALUES:
                before = fresh[value] + moved[value]
                if not before:
                    continue
                plays = 1 - (1 - self.fit[value]) ** held
                if value in self.passed[seat]:
                    plays *= AFTER_PASS
                goes_out = plays * GO_ON[held - 1]
                price = (GURI_LATER if fewer else 2.0) if seat in self.untouched else 1.0
                lost += before * goes_out * price
                new_fresh[value] += fresh[value] * (1 - plays)
                new_moved[value] += moved[value] * (1 - plays)
                stays_in = before * (plays - goes_out)
                for landed, chance in self.landing[value]:
                    new_moved[landed] += stays_in * chance
            fresh, moved = new_fresh, new_moved
        if last == self.view.seat:
            return TurnOutlook(lost, moved, sum(fresh))
        return TurnOutlook(lost, [a + b for a, b in zip(fresh, moved, strict=True)], 0.0)


class HandPlan:
    """What hands are worth, own hand first of all, in stones."""

    def __init__(self, table: Opponents, search: KakkuriHand) -> None:
        view = table.view
        self.table = table
        self.search = search
        self.hand = search.key(view.hand)
        has_played = view.observation["played_this_turn"] > 0
        self.is_guri_turn = view.is_unbroken
        """Whether going out in this turn is guri."""
        self.is_unbroken = view.is_unbroken and not has_played
        """Whether it would still be if this turn ended now."""
        self.is_last = has_played or view.last == view.seat
        self._kept: dict[tuple[int, bool], float] = {}
        self._moved_later: dict[tuple[int, int, bool], float] = {}
        self._left: dict[tuple[int, int], float] = {}

    def passed(self, follow: int) -> float:
        """Ending the turn here, at this value."""
        ended = self._ended(self.hand, follow, self.is_unbroken, is_last=self.is_last)
        return ended - self.table.pass_cost

    def turned(self) -> float:
        """Turning up a box card, and then the best of playing and passing."""
        return sum(chance * max(self.passed(value), self.moved(value)) for value, chance in self.table.box)

    def moved(self, follow: int) -> float:
        """The best meld on this value."""
        steps = self.search.steps(self.hand, follow)
        return max((self.left(left, value) for left, value, _, _ in steps), default=NEVER)

    def left(self, key: int, value: int) -> float:
        """Having played down to these cards in this turn, the last meld being of this value."""
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
        """The turn has ended with these cards left and this value to follow."""
        outlook = self.table.outlook(value, is_last=is_last)
        worth = -outlook.lost
        for follow in VALUES:
            if outlook.chances[follow]:
                worth += outlook.chances[follow] * self._turn_later(key, follow, is_unbroken)
        if outlook.back:
            worth += outlook.back * self._return_later(key, value, is_unbroken)
        return worth

    def _return_later(self, key: int, value: int, is_unbroken: bool) -> float:
        """A return turn of a later round."""
        if self.table.box:
            turned = sum(
                chance * self._turn_later(key, follow, is_unbroken) for follow, chance in self.table.box
            )
            return max(turned, self._melds_later(key, value, is_unbroken))
        return 0.0 if self.table.is_dead_on_empty else self._melds_later(key, KING, is_unbroken)

    def _turn_later(self, key: int, follow: int, is_unbroken: bool) -> float:
        """An ordinary turn of a later round: the best of playing and passing."""
        return max(self._keeping(key, is_unbroken), self._melds_later(key, follow, is_unbroken))

    def _melds_later(self, key: int, follow: int, is_unbroken: bool) -> float:
        """The best meld in a turn of a later round, or ``NEVER``."""
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
        """Ending a later turn with these cards: the worth x that solves x = lost + chances of the best of
        playing and x again."""
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
    """The weights by value as parts of one; equal parts if all are 0."""
    total = sum(weight for _, weight in weights)
    if not total:
        return [(value, 1 / len(weights)) for value, _ in weights]
    return [(value, weight / total) for value, weight in weights if weight]


if __name__ == "__main__":
    KakkuriRules().run()
