"""Double elimination: two losses eliminate.

Losers of the winners' bracket continue in the losers' bracket, whose rounds alternate between matches of
entries already in it, and matches against entries that come down, each time in a different order, so that
entries do not meet again soon. The winners of both brackets meet in the grand final; if the winner of the
losers' bracket wins it, a second match decides (option ``reset``). See also ``league/brackets.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from league.brackets import BracketMatch, EntrantSource, bracket_order
from league.elimination import REPLAYS, Elimination, bracket_rounds
from league.options import BooleanOption, Options
from league.stage import Caption

WINNERS, LOSERS, FINALS = Caption("winners_bracket"), Caption("losers_bracket"), Caption("grand_final")


class DoubleElimination(Elimination):
    """Options ``reset`` (default true) and ``replays`` (1)."""

    key = "double_elimination"
    title = "Double elimination"
    summary = "Knockout in which an entry is out after its second loss; the two brackets meet in a final."
    options = Options(
        key,
        [
            BooleanOption(
                "reset", True, "a second grand final if the winner of the losers' bracket wins the first"
            ),
            REPLAYS,
        ],
    )

    def bracket(self, entries: int, options: Mapping[str, object]) -> tuple[BracketMatch, ...]:
        """Return the matches step by step, within a step those of the winners' bracket first."""
        return _BracketBuilder(bracket_rounds(entries), self.options.boolean(options, "reset")).matches()

    def start(self, entries: int) -> int:
        return _in_winners(1)

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int | None:
        """Return two for every halving of the field; None if replays or a second grand final may follow."""
        self.validate(options, entries=entries, sides=sides)
        may_grow = self.replays(options) or self.options.boolean(options, "reset")
        return None if may_grow else 2 * bracket_rounds(entries)

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        """Return two per entry other than the winner, one more for the reset, with all replays."""
        self.validate(options, entries=entries, sides=sides)
        matches = 2 * (entries - 1) + self.options.boolean(options, "reset")
        return matches * (1 + self.replays(options))


# Progress in quarters of a round of the losers' bracket: eliminated in it, advanced to it, or still in the
# winners' bracket above it.
def _eliminated_in(losers_round: int) -> int:
    return 4 * losers_round


def _in_losers(losers_round: int) -> int:
    return 4 * losers_round + 1


def _in_winners(winners_round: int) -> int:
    return 4 * _down(winners_round) + 2


def _down(winners_round: int) -> int:
    """Return the round of the losers' bracket that takes the losers of this round."""
    return max(1, 2 * winners_round - 2)


class _BracketBuilder:
    """Builds the matches for a field that ``rounds`` halvings reduce to one entry."""

    def __init__(self, rounds: int, reset: bool) -> None:
        self.rounds = rounds
        self.losers_rounds = 2 * rounds - 2
        self.reset = reset
        self.list: list[BracketMatch] = []

    def matches(self) -> tuple[BracketMatch, ...]:
        top = [EntrantSource("seed", seed) for seed in bracket_order(1 << self.rounds)]
        top, down = self._winners_round(1, top)
        low: list[EntrantSource] = []
        if self.losers_rounds == 0:
            low = down
        for number in range(2, self.rounds + 1):
            # During each round of the winners' bracket the losers play each other, then the entries that
            # came down from it.
            top, losers = self._winners_round(number, top)
            low = self._losers_round(2 * number - 3, low or down)
            opponents = _reordered_losers(losers, number)
            low = self._losers_round(
                2 * number - 2,
                [source for pair in zip(low, opponents, strict=True) for source in pair],
            )
        self._finals(top[0], low[0])
        return tuple(self.list)

    def _add(
        self,
        step: int,
        section: Caption,
        column: Caption,
        name: Caption,
        sources: Sequence[EntrantSource],
        won: int,
        lost: int,
        decider_of: int | None = None,
    ) -> int:
        pair = (sources[0], sources[1])
        self.list.append(BracketMatch(step, section, column, name, pair, won, lost, decider_of))
        return len(self.list) - 1

    def _winners_round(
        self, number: int, sources: list[EntrantSource]
    ) -> tuple[list[EntrantSource], list[EntrantSource]]:
        is_last = number == self.rounds
        placed = [
            self._add(
                max(1, 2 * number - 2),
                WINNERS,
                Caption("final") if is_last and number > 1 else Caption("round", number),
                Caption("winners_match", index // 2 + 1, number),
                sources[index : index + 2],
                won=_in_winners(number + 1) if not is_last else _in_losers(self.losers_rounds + 1) + 1,
                lost=_in_losers(_down(number)) if self.losers_rounds else _in_losers(1),
            )
            for index in range(0, len(sources), 2)
        ]
        return [EntrantSource("winner", number) for number in placed], [
            EntrantSource("loser", n) for n in placed
        ]

    def _losers_round(self, number: int, sources: list[EntrantSource]) -> list[EntrantSource]:
        placed = [
            self._add(
                number + 1,
                LOSERS,
                Caption("final") if number == self.losers_rounds else Caption("round", number),
                Caption("losers_match", index // 2 + 1, number),
                sources[index : index + 2],
                won=_in_losers(number + 1),
                lost=_eliminated_in(number),
            )
            for index in range(0, len(sources), 2)
        ]
        return [EntrantSource("winner", match) for match in placed]

    def _finals(self, top: EntrantSource, low: EntrantSource) -> None:
        reached = self.losers_rounds + 1
        step = 2 * self.rounds
        first = self._add(
            step,
            FINALS,
            FINALS,
            Caption("grand_final_match"),
            (top, low),
            _eliminated_in(reached + 1),
            _eliminated_in(reached),
        )
        if self.reset:
            self._add(
                step + 1,
                FINALS,
                Caption("second_match"),
                Caption("second_grand_final"),
                (top, low),
                _eliminated_in(reached + 1),
                _eliminated_in(reached),
                decider_of=first,
            )


def _reordered_losers(losers: list[EntrantSource], winners_round: int) -> list[EntrantSource]:
    """Return the entries that come down, reversed or with the halves of the bracket exchanged."""
    if winners_round % 2 == 0:
        return losers[::-1]
    half = len(losers) // 2
    return losers[half:] + losers[:half]


FORMAT = DoubleElimination()
