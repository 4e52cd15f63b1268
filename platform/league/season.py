"""The table of a season: points for places in its events, of which the best count.

A function of the final standings of the events alone, in any order of events.

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
    """How places become points, and which events count."""

    points: tuple[int, ...] = (10, 8, 6, 5, 4, 3, 2, 1)
    """Of the first place, the second, and so on; later places get none."""
    one_dropped_of: int = 4
    """The worst of every so many events of the season does not count; 0: all count."""

    def counting(self, events: int) -> int:
        """How many of so many events count for each competitor.

        >>> SeasonRules().counting(3), SeasonRules().counting(10)
        (3, 8)
        """
        return events - events // self.one_dropped_of if self.one_dropped_of else events


class FinalStanding(NamedTuple):
    """A line of the final standings of a stage."""

    entry: str
    competitor: str
    """Who gets the points: the same name in every event."""
    rank: int
    is_by_lot: bool = False
    """Only the lot told it from the line above."""
    has_left: bool = False
    """It left the event before the end: it keeps its place and gets no points."""


class SeasonPlace(NamedTuple):
    """A competitor's place in an event."""

    entry: str
    competitor: str
    place: int
    """Of those who share it the best."""
    shared_by: int
    """How many share this place and those after it; 1: nobody else."""
    points: Fraction


class SeasonEvent(NamedTuple):
    """An event that is over, and who got points in it."""

    event: str
    """Its public id."""
    placed: tuple[SeasonPlace, ...]


class SeasonResult(NamedTuple):
    """What a competitor got in one event."""

    event: str
    place: int
    points: Fraction
    counts: bool
    """It is among the best of the competitor."""


class SeasonRow(NamedTuple):
    """A competitor's line."""

    rank: int
    """From 1; equal for those with equal points and places."""
    competitor: str
    points: Fraction
    results: tuple[SeasonResult, ...]
    """In the order of the events; events without points are left out."""


def event_places(stages: Sequence[Sequence[FinalStanding]], rules: SeasonRules) -> tuple[SeasonPlace, ...]:
    """Who gets how many points in an event, best first; ``stages`` are its final standings, the last first.

    Whoever came into a later stage is placed before those who did not. Those whom only the lot parts share
    their places, and each gets the mean of their points. A stage may be given as far as its lines matter:
    up to the rank of the last place with points, and as long as the lot goes on.

    Raises:
        StandingsError: a rank or an entry of a stage twice.
    """
    order: list[tuple[FinalStanding, bool]] = []
    seen: set[str] = set()
    for stage in stages:
        rows = sorted(stage, key=lambda finish: finish.rank)
        if len({row.rank for row in rows}) < len(rows) or len({row.entry for row in rows}) < len(rows):
            raise StandingsError("a rank or an entry is twice in the standings of a stage")
        above = 0
        for row in rows:
            if row.entry in seen:
                continue
            # Level with the line above only if that one is placed here as well.
            order.append((row, row.is_by_lot and above == row.rank - 1 and above > 0))
            above = row.rank
        seen |= {row.entry for row in rows}
    groups: list[list[FinalStanding]] = []
    for row, is_level in order:
        if is_level:
            groups[-1].append(row)
        else:
            groups.append([row])
    placed = []
    place = 1
    for group in groups:
        worth = [
            rules.points[at - 1] if at <= len(rules.points) else 0 for at in range(place, place + len(group))
        ]
        points = Fraction(sum(worth), len(group))
        placed += [
            SeasonPlace(row.entry, row.competitor, place, len(group), points)
            for row in group
            if points and not row.has_left
        ]
        place += len(group)
    return tuple(placed)


def season_table(events: Iterable[SeasonEvent], rules: SeasonRules) -> tuple[SeasonRow, ...]:
    """The table after these events, best first: all competitors with points.

    Equal points are parted by more first places, then more second ones and so on, over the events that
    count; who is equal in all shares the rank and stands in the order of names. A competitor who was placed
    twice in an event, by two entries, gets the points of the better one.

    Raises:
        StandingsError: an event twice.
    """
    given = list(events)
    if len({event.event for event in given}) < len(given):
        raise StandingsError("an event is twice in a season")
    counting = rules.counting(len(given))
    results: dict[str, list[SeasonResult]] = defaultdict(list)
    for event in given:
        best: dict[str, SeasonPlace] = {}
        for placed in event.placed:
            if placed.competitor not in best or placed.points > best[placed.competitor].points:
                best[placed.competitor] = placed
        for competitor, placed in best.items():
            results[competitor].append(SeasonResult(event.event, placed.place, placed.points, False))
    rows = []
    for competitor, got in results.items():
        ranked = sorted(got, key=lambda result: (-result.points, result.place, result.event))
        kept = {result.event for result in ranked[:counting]}
        marked = tuple(result._replace(counts=result.event in kept) for result in got)
        points = sum((result.points for result in marked if result.counts), Fraction())
        by_place = Counter(result.place for result in marked if result.counts)
        countback = tuple(-by_place[place] for place in range(1, len(rules.points) + 1))
        rows.append(((-points, countback), competitor, points, marked))
    rows.sort(key=lambda row: (row[0], row[1]))
    found: list[SeasonRow] = []
    keys: list[tuple[Fraction, tuple[int, ...]]] = []
    for number, (key, competitor, points, marked) in enumerate(rows, 1):
        rank = found[-1].rank if keys and keys[-1] == key else number
        keys.append(key)
        found.append(SeasonRow(rank, competitor, points, marked))
    return tuple(found)
