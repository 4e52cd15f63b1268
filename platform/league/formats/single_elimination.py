"""Single elimination: one loss eliminates; seeded so that the best two can only meet in the final.

Byes go to the best seeds. Entries from one group of the previous stage do not meet in the first round if
possible. See also ``league/brackets.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

from league.brackets import BracketMatch, EntrantSource, bracket_order
from league.elimination import REPLAYS, Elimination, bracket_rounds
from league.options import BooleanOption, Options
from league.stage import Caption

NAMES = {1: "final", 2: "semi_final", 4: "quarter_final"}
"""Codes of rounds by their number of matches."""


def round_name(matches: int) -> Caption:
    return Caption(NAMES[matches]) if matches in NAMES else Caption("round_of", 2 * matches)


def match_name(matches: int, number: int) -> Caption:
    """Return the name of one match of such a round; numbers from 1."""
    if matches in NAMES:
        return Caption(f"{NAMES[matches]}_match", number)
    return Caption("round_of_match", number, 2 * matches)


class SingleElimination(Elimination):
    """Options ``third_place`` (default false) and ``replays`` (1)."""

    key = "single_elimination"
    title = "Single elimination"
    summary = "Knockout: whoever loses a fixture is out."
    options = Options(
        key,
        [
            BooleanOption("third_place", False, "the losers of the semi-finals play for the third place"),
            REPLAYS,
        ],
    )

    def bracket(self, entries: int, options: Mapping[str, object]) -> tuple[BracketMatch, ...]:
        """Return the matches round by round; the third-place match is in the round of the final."""
        rounds = bracket_rounds(entries)
        order = bracket_order(1 << rounds)
        matches: list[BracketMatch] = []
        sources = [EntrantSource("seed", seed) for seed in order]
        for step in range(1, rounds + 1):
            count = len(sources) // 2
            is_final = step == rounds
            first = len(matches)
            for number in range(count):
                matches.append(
                    BracketMatch(
                        step,
                        Caption("bracket"),
                        round_name(count),
                        match_name(count, number + 1),
                        (sources[2 * number], sources[2 * number + 1]),
                        won=2 * step + (2 if is_final else 3),
                        lost=2 * step,
                    )
                )
            sources = [EntrantSource("winner", number) for number in range(first, len(matches))]
        if self.has_third_place(entries, options):
            before = len(matches) - 3  # the semi-finals come before the final
            matches.append(
                BracketMatch(
                    rounds,
                    Caption("third_place"),
                    Caption("third_place"),
                    Caption("third_place_match"),
                    (EntrantSource("loser", before), EntrantSource("loser", before + 1)),
                    won=2 * rounds - 1,
                    lost=2 * rounds - 2,
                )
            )
        return tuple(matches)

    def start(self, entries: int) -> int:
        return 3

    def has_third_place(self, entries: int, options: Mapping[str, object]) -> bool:
        """Return whether the option is set and there are two semi-finals with losers."""
        return entries >= 4 and self.options.boolean(options, "third_place")

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int | None:
        """Return one for every halving of the field; None if level matches may be replayed."""
        self.validate(options, entries=entries, sides=sides)
        return None if self.replays(options) else bracket_rounds(entries)

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        """Return one per entry other than the winner, and one for the third place, with all replays."""
        self.validate(options, entries=entries, sides=sides)
        return (entries - 1 + self.has_third_place(entries, options)) * (1 + self.replays(options))


FORMAT = SingleElimination()
