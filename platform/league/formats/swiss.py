"""Swiss: every round pairs entries of similar score that have not met.

With an odd number, the lowest entry that had no bye gets one. Entries of one owner are kept apart while
possible, and every entry plays both sides about equally often. A void fixture counts as never drawn. If a
round cannot be drawn without a second meeting or bye, the stage ends. The algorithm is in
``league/pairing.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction

from league.display import drawn_columns
from league.errors import FormatError
from league.options import BooleanOption, IntegerOption, Options
from league.pairing import PairingEntry, is_round_guaranteed, pair_round
from league.scoring import WIN, duel_points
from league.stage import Caption, DisplaySection, Format, Pairing, StageLayout, StageState

MAX_ENTRIES = 1000
MAX_ROUNDS = 100
ROUNDS_MEANING = (
    "rounds; unless given, two more than halving the field to one takes, but no more than surely can be drawn"
)
ROUNDS = IntegerOption("rounds", 1, MAX_ROUNDS, None, ROUNDS_MEANING)


class Swiss(Format):
    """Options ``rounds`` (default ``default_rounds``) and ``owners_apart`` (default true)."""

    key = "swiss"
    title = "Swiss"
    summary = "Every round brings together entries of like score that have not met. For large fields."
    needs_results = True
    options = Options(
        key,
        [
            ROUNDS,
            BooleanOption(
                "owners_apart", True, "entries of one owner meet only if no other round can be drawn"
            ),
        ],
    )

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Require two sides, 2 to 1,000 entries, and no more rounds than opponents, counting a bye as one."""
        self.options.check(options)
        self.require_duels(sides, entries, MAX_ENTRIES)
        if entries is None:
            return
        most = entries - 1 + entries % 2
        rounds = self.options.integer(options, "rounds")
        if rounds is not None and rounds > most:
            raise FormatError(
                f"rounds of swiss must be 1 to {most} with {entries} entries, not {rounds}: none meet twice"
            )

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        self.validate(options, entries=entries, sides=sides)
        rounds = self.options.integer(options, "rounds")
        return default_rounds(entries) if rounds is None else rounds

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        return entries // 2 * self.round_count(entries, options, sides=sides)

    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """Return the best pairing, the highest first, the bye last; None if no round can be drawn (yet)."""
        if not stage.all_done or self._is_over(stage):
            return None
        players, met = remaining_field(stage)
        drawn = pair_round(players, met, owners_apart=self.options.boolean(stage.options, "owners_apart"))
        if drawn is None:
            return None
        entries = stage.entries
        return (
            *((entries[first], entries[second]) for first, second in drawn.pairs),
            *((entries[bye],) for bye in drawn.byes),
        )

    def is_complete(self, stage: StageState) -> bool:
        """Return whether all fixtures are done, and all rounds were opened or no other can be drawn."""
        if not stage.all_done:
            return False
        if self._is_over(stage):
            return True
        # Drawing takes seconds in a large field, where a round is almost always guaranteed.
        return not is_round_guaranteed(*remaining_field(stage)) and self.next_round(stage) is None

    def display(self, stage: StageState) -> StageLayout:
        return StageLayout("table", (DisplaySection(Caption(self.key), drawn_columns(stage.rounds)),))

    def _is_over(self, stage: StageState) -> bool:
        rounds = self.round_count(len(stage.entries), stage.options, sides=stage.sides)
        return len(stage.rounds) >= rounds or len(stage.present) < 2


def default_rounds(entries: int) -> int:
    """Return ceil(log2) rounds and two more, which separate the lower places.

    Up to half as many rounds as entries can always be drawn, whatever the pairings.

    >>> [default_rounds(entries) for entries in (2, 3, 4, 8, 16, 64, 256, 1000)]
    [1, 2, 2, 4, 6, 8, 10, 12]
    """
    return min((entries - 1).bit_length() + 2, (entries + 1) // 2)


def remaining_field(stage: StageState) -> tuple[list[PairingEntry], dict[int, frozenset[int]]]:
    """Return the entries that have not left, and whom each has met, by seed; void fixtures do not count."""
    position = {entry: number for number, entry in enumerate(stage.entries)}
    by_board_score = stage.scoring == "board_score"
    score = defaultdict[int, int | Fraction](int)
    first, last = defaultdict[int, int](int), defaultdict[int, int](int)
    met: dict[int, set[int]] = defaultdict(set)
    had_bye: set[int] = set()
    for drawn in stage.rounds:
        for fixture in drawn:
            if fixture.is_void:
                continue
            if fixture.is_bye:
                had_bye.add(position[fixture.entries[0]])
                score[position[fixture.entries[0]]] += 0 if by_board_score else WIN
                continue
            upper, lower = (position[entry] for entry in fixture.entries)
            met[upper].add(lower)
            met[lower].add(upper)
            for number, side in ((upper, 1), (lower, -1)):
                first[number] += side
                last[number] = side
            if fixture.totals is not None:
                upper_total, lower_total = (fixture.totals[entry] for entry in fixture.entries)
                if by_board_score:
                    score[upper] += upper_total
                    score[lower] += lower_total
                else:
                    points = duel_points(upper_total, lower_total)
                    score[upper] += points
                    score[lower] += WIN - points
    present = [position[entry] for entry in stage.present]
    level = {value: number for number, value in enumerate(sorted({score[p] for p in present}, reverse=True))}
    players = [
        PairingEntry(
            entry=number,
            level=level[score[number]],
            first=first[number],
            last=last[number],
            had_bye=number in had_bye,
            owner=stage.owners.get(stage.entries[number]),
        )
        for number in present
    ]
    return players, {number: frozenset(opponents) for number, opponents in met.items()}


FORMAT = Swiss()
