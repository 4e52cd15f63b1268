"""Swiss: every round brings together entries of like score that have not met.

Nobody meets anybody twice; of an odd number the lowest entry that had no bye has one; owners are kept
apart while another round can be drawn; both sides come to everybody about equally often. A void fixture
counts as never drawn. If a round cannot be drawn without a second meeting or a second bye, the stage ends
there. How it is done: ``league/pairing.py``.
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
    """Options ``rounds`` (by default what ``default_rounds`` says) and ``owners_apart`` (true)."""

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
        """Two sides, 2 to 1,000 entries, and no more rounds than opponents, a bye being one."""
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
        """The option, or else ``default_rounds``."""
        self.validate(options, entries=entries, sides=sides)
        rounds = self.options.integer(options, "rounds")
        return default_rounds(entries) if rounds is None else rounds

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        """Everybody, or all but one, in every round."""
        return entries // 2 * self.round_count(entries, options, sides=sides)

    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """The best pairing of those still in, the highest first, the bye last.

        None after the last round, while a fixture is being played, and if no round can be drawn.
        """
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
        """All fixtures are done, and all rounds were opened or no other can be drawn."""
        if not stage.all_done:
            return False
        if self._is_over(stage):
            return True
        # Drawing takes seconds in a large field; there a round is nearly always surely possible.
        return not is_round_guaranteed(*remaining_field(stage)) and self.next_round(stage) is None

    def display(self, stage: StageState) -> StageLayout:
        """One section, a column for each round drawn."""
        return StageLayout("table", (DisplaySection(Caption(self.key), drawn_columns(stage.rounds)),))

    def _is_over(self, stage: StageState) -> bool:
        rounds = self.round_count(len(stage.entries), stage.options, sides=stage.sides)
        return len(stage.rounds) >= rounds or len(stage.present) < 2


def default_rounds(entries: int) -> int:
    """The default number of rounds of a stage.

    Halving the field to one takes ceil(log2) rounds; two more tell the places behind the first apart. Up
    to half as many rounds as entries can always be drawn, however the pairings fall.

    >>> [usual_rounds(entries) for entries in (2, 3, 4, 8, 16, 64, 256, 1000)]
    [1, 2, 2, 4, 6, 8, 10, 12]
    """
    return min((entries - 1).bit_length() + 2, (entries + 1) // 2)


def remaining_field(stage: StageState) -> tuple[list[PairingEntry], dict[int, frozenset[int]]]:
    """Those still in, and for each the entries it met, all by place among the entries.

    Void fixtures and byes are passed over as if never drawn: they give no score and no meeting.
    """
    place = {entry: number for number, entry in enumerate(stage.entries)}
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
                had_bye.add(place[fixture.entries[0]])
                score[place[fixture.entries[0]]] += 0 if by_board_score else WIN
                continue
            upper, lower = (place[entry] for entry in fixture.entries)
            met[upper].add(lower)
            met[lower].add(upper)
            for number, side in ((upper, 1), (lower, -1)):
                first[number] += side
                last[number] = side
            if fixture.totals is not None:
                mine, theirs = (fixture.totals[entry] for entry in fixture.entries)
                if by_board_score:
                    score[upper] += mine
                    score[lower] += theirs
                else:
                    points = duel_points(mine, theirs)
                    score[upper] += points
                    score[lower] += WIN - points
    present = [place[entry] for entry in stage.present]
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
    return players, {number: frozenset(others) for number, others in met.items()}


FORMAT = Swiss()
