"""Season table: points for places in its tournaments, of which the best count, in any order of tournaments.

Source: docs/seasons.md.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from league.errors import StandingsError


@dataclasses.dataclass(frozen=True)
class SeasonRules:
    """Points of each place, and the number of tournaments that count."""

    points: tuple[int, ...] = (10, 8, 6, 5, 4, 3, 2, 1)
    """Points of the first place, the second, and so on; later places get none."""
    drop_worst_every: int = 4
    """Number of tournaments for each one whose worst result does not count; 0: all count."""

    def counting(self, tournaments: int) -> int:
        """Return how many of this number of tournaments count for each competitor.

        >>> SeasonRules().counting(3), SeasonRules().counting(10)
        (3, 8)
        """
        return tournaments - tournaments // self.drop_worst_every if self.drop_worst_every else tournaments


class FinalStanding(NamedTuple):
    """A row of the final standings of a stage."""

    entry: str
    competitor: str
    """Recipient of the points; the same name in every tournament."""
    rank: int
    is_by_lot: bool = False
    """Whether only the lot separates it from the row above."""
    has_left: bool = False
    """Whether it left the tournament before the end: it keeps its place and gets no points."""


class SeasonPlace(NamedTuple):
    """A competitor's place in a tournament."""

    entry: str
    competitor: str
    place: int
    """The best of the places that are shared."""
    shared_by: int
    """Number of entries that share this place and the following ones; 1: not shared."""
    points: Fraction


class SeasonTournament(NamedTuple):
    tournament: str
    """Public id."""
    placed: tuple[SeasonPlace, ...]


class SeasonResult(NamedTuple):
    """Result of a competitor in one tournament."""

    tournament: str
    place: int
    points: Fraction
    counts: bool
    """Whether it is among the best results of the competitor."""


class SeasonRow(NamedTuple):
    rank: int
    """From 1; equal for equal points and places."""
    competitor: str
    points: Fraction
    results: tuple[SeasonResult, ...]
    """In the order of the tournaments; tournaments without points are omitted."""


def tournament_places(
    stages: Sequence[Sequence[FinalStanding]], rules: SeasonRules
) -> tuple[SeasonPlace, ...]:
    """Return places and points of a tournament, best first; ``stages`` are final standings, last stage first.

    Entries of a later stage are placed before entries that did not reach it. Entries that only the lot
    separates share their places and the mean of their points. A stage may be truncated after the last place
    with points. Raise ``StandingsError`` for a duplicate rank or entry.
    """
    order: list[tuple[FinalStanding, bool]] = []
    known: set[str] = set()
    for stage in stages:
        rows = sorted(stage, key=lambda finish: finish.rank)
        if len({row.rank for row in rows}) < len(rows) or len({row.entry for row in rows}) < len(rows):
            raise StandingsError("a rank or an entry is twice in the standings of a stage")
        above = 0
        for row in rows:
            if row.entry in known:
                continue
            # Level with the row above only if that row is placed in this stage as well.
            order.append((row, row.is_by_lot and above == row.rank - 1 and above > 0))
            above = row.rank
        known |= {row.entry for row in rows}
    groups: list[list[FinalStanding]] = []
    for row, is_level in order:
        if is_level:
            groups[-1].append(row)
        else:
            groups.append([row])
    placed = []
    first_place = 1
    for group in groups:
        worth = [
            rules.points[place_number - 1] if place_number <= len(rules.points) else 0
            for place_number in range(first_place, first_place + len(group))
        ]
        points = Fraction(sum(worth), len(group))
        placed += [
            SeasonPlace(row.entry, row.competitor, first_place, len(group), points)
            for row in group
            if points and not row.has_left
        ]
        first_place += len(group)
    return tuple(placed)


def season_table(tournaments: Iterable[SeasonTournament], rules: SeasonRules) -> tuple[SeasonRow, ...]:
    """Return the table after these tournaments, best first: all competitors with points.

    Equal points are separated by more first places, then more second places and so on, over the tournaments
    that count; equal competitors share the rank, in the order of names. The better of two entries of a
    competitor counts. Raise ``StandingsError`` for a duplicate tournament.
    """
    given = list(tournaments)
    if len({tournament.tournament for tournament in given}) < len(given):
        raise StandingsError("a tournament is twice in a season")
    counting = rules.counting(len(given))
    results: dict[str, list[SeasonResult]] = defaultdict(list)
    for tournament in given:
        best: dict[str, SeasonPlace] = {}
        for placed in tournament.placed:
            if placed.competitor not in best or placed.points > best[placed.competitor].points:
                best[placed.competitor] = placed
        for competitor, placed in best.items():
            results[competitor].append(
                SeasonResult(tournament.tournament, placed.place, placed.points, False)
            )
    rows = []
    for competitor, got in results.items():
        ranked = sorted(got, key=lambda result: (-result.points, result.place, result.tournament))
        counted = {result.tournament for result in ranked[:counting]}
        marked = tuple(result._replace(counts=result.tournament in counted) for result in got)
        points = sum((result.points for result in marked if result.counts), Fraction())
        by_place = Counter(result.place for result in marked if result.counts)
        countback = tuple(-by_place[place_number] for place_number in range(1, len(rules.points) + 1))
        rows.append(((-points, countback), competitor, points, marked))
    rows.sort(key=lambda row: (row[0], row[1]))
    table: list[SeasonRow] = []
    keys: list[tuple[Fraction, tuple[int, ...]]] = []
    for number, (key, competitor, points, marked) in enumerate(rows, 1):
        rank = table[-1].rank if keys and keys[-1] == key else number
        keys.append(key)
        table.append(SeasonRow(rank, competitor, points, marked))
    return tuple(table)
