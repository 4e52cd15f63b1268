"""Standings: ranks, values, and the value that decided, whatever the order of fixtures.

Each tie-break is applied to the entries that are still level.

Source: docs/contracts.md#scores-standings-ratings.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from league.errors import StandingsError
from league.scoring import DRAW, LOSS, WIN, FixtureOutcome, bye_points, duel_points

SCORINGS: Mapping[str, str] = {
    "match_points": "2 for a win, 1 for a draw, against every other side of the fixture; a bye is a win, "
    "with more than two sides a draw with each of the others",
    "board_score": "sum of board scores in stones",
}
TIE_BREAKS: Mapping[str, str] = {
    "head_to_head": "match points among those level, if all of them met equally often",
    "buchholz": "sum of the opponents' scores, once for every meeting; of several who make a side their mean",
    "sonneborn_berger": "scores of those beaten, and half the scores of those drawn with",
    "board_score_difference": "board scores won less board scores lost",
    "wins": "opponents beaten; with two sides byes included",
    "lot": "drawn from the tournament's secret; the lower one comes first",
}

HEAD_TO_HEAD, HEAD_TO_HEAD_AGAIN = "head_to_head", "head_to_head_2"
"""The tie-break that may be listed twice, and the name of its value the second time."""

ASCENDING_VALUES = frozenset({"lot", "place"})

Value = Fraction | str | None
"""A number, the lot as hex, or None if the tie-break was not needed or does not apply."""


@dataclasses.dataclass(frozen=True)
class StandingsRow:
    """Row of one entry."""

    entry: str
    rank: int
    """From 1; equal if no value separates the entries, which never happens with a lot."""
    values: Mapping[str, Value]
    """The score and all tie-breaks, in the order they are applied, named by ``value_names``."""
    decided_by: str
    """The first value that separates it from the row above; empty at the top and for a shared rank."""
    played: int
    """Fixtures that count, including byes."""
    # By opponent: a fixture of n entries holds n-1 of these for each.
    wins: int
    draws: int
    losses: int
    match_points: Fraction
    board_score: Fraction

    def values_json(self) -> dict[str, str | None]:
        """Return the values as text: fractions as ``7`` or ``7/2``."""
        return {name: None if value is None else str(value) for name, value in self.values.items()}


@dataclasses.dataclass
class _Tally:
    """Totals of one entry's fixtures, in whole numbers, because fractions are much slower."""

    board_score: int = 0
    """In parts of a stone (see ``_common_parts``)."""
    match_points: int = 0
    played: int = 0
    results: dict[int, int] = dataclasses.field(default_factory=lambda: {WIN: 0, DRAW: 0, LOSS: 0})
    # One item per meeting. Lists instead of tuples, which the garbage collector would traverse.
    opponents: list[str] = dataclasses.field(default_factory=list)
    points: list[int] = dataclasses.field(default_factory=list)
    """Match points against the opponent's side."""
    sizes: list[int] = dataclasses.field(default_factory=list)
    """Number of entries on that side."""
    drawn_with_nobody: int = 0
    """Draws from byes with more than two sides; each counts as a draw with an opponent of the same score."""


def value_names(tie_breaks: Iterable[str]) -> list[str]:
    """Return the names of the values of these tie-breaks; ``head_to_head_2`` for the second ``head_to_head``.

    >>> value_names(["head_to_head", "wins", "head_to_head"])
    ['head_to_head', 'wins', 'head_to_head_2']
    """
    names: list[str] = []
    for name in tie_breaks:
        names.append(HEAD_TO_HEAD_AGAIN if name == HEAD_TO_HEAD and name in names else name)
    return names


def repeated_tie_break(tie_breaks: Iterable[str]) -> str | None:
    """Return a tie-break that is listed too often: ``head_to_head`` may be listed twice, all others once."""
    counts = Counter(tie_breaks)
    return next((name for name, n in counts.items() if n > (2 if name == HEAD_TO_HEAD else 1)), None)


def standings(
    entries: Iterable[str],
    fixtures: Iterable[FixtureOutcome],
    *,
    scoring: str = "match_points",
    tie_breaks: Sequence[str] = tuple(TIE_BREAKS),
    lots: Mapping[str, str] | None = None,
    draw_margin: Fraction | int = 0,
    sides: int = 2,
    progress: Mapping[str, int] | None = None,
    groups: Sequence[Sequence[str]] = (),
) -> list[StandingsRow]:
    """Return the rows of all entries, best first. Void and unfinished fixtures do not count.

    ``sides`` of a fixture determine the value of a bye. ``progress`` of each entry, if any, comes before the
    score. ``groups`` are the entries of each group: all first of a group are ranked before all second.
    ``lots`` has every entry's lot (``league.fairness.lot``) if ``tie_breaks`` contains it. The second
    ``head_to_head`` compares the entries that are level by then. Raise ``StandingsError`` for an unknown
    scoring or tie-break, a missing lot, or a duplicate or unknown entry.
    """
    names = sorted(entries)
    _check(names, scoring, tie_breaks, lots or {})
    _check_parts(names, progress, groups)
    counted = list(fixtures)
    parts = _common_parts(counted, Fraction(draw_margin))
    tallies = _tally(names, counted, Fraction(draw_margin), sides, parts)
    unit = parts if scoring == "board_score" else 1
    score = {name: Fraction(getattr(tally, scoring), unit) for name, tally in tallies.items()}
    fixed: dict[str, Mapping[str, Value]] = {
        scoring: score,
        "board_score_difference": {n: Fraction(t.board_score, parts) for n, t in tallies.items()},
        **_opponents_values(tallies, {n: getattr(t, scoring) for n, t in tallies.items()}, unit),
        "wins": {n: Fraction(t.results[WIN]) for n, t in tallies.items()},
        "lot": {n: (lots or {}).get(n) for n in names},
    }
    if progress is not None:
        fixed["progress"] = {name: Fraction(progress[name]) for name in names}
    criteria = (*(() if progress is None else ("progress",)), scoring, *value_names(tie_breaks))
    values: dict[str, dict[str, Value]] = {
        name: {
            name_of_value: fixed[name_of_value][name] if name_of_value in fixed else None
            for name_of_value in criteria
        }
        for name in names
    }

    def split(group: list[str], criterion: str) -> list[list[str]]:
        if criterion in (HEAD_TO_HEAD, HEAD_TO_HEAD_AGAIN):
            for name, points in _head_to_head(group, tallies).items():
                values[name][criterion] = points
        return _ordered(
            group, lambda name: values[name][criterion], lowest_first=criterion in ASCENDING_VALUES
        )

    if groups:
        for number, group in enumerate(groups, 1):
            for name, position, decided_by in _rank(sorted(group), criteria, split):
                played = max(1, tallies[name].played)
                values[name] = {
                    "group": Fraction(number),
                    "place": Fraction(position),
                    "place_by": decided_by or None,
                    "score_per_fixture": score[name] / played,
                    **values[name],
                }
        # Entries of different groups have not met, and groups may differ in size, so the score per fixture
        # comes first and head-to-head is left out.
        between = tuple(
            name_of_value
            for name_of_value in criteria
            if name_of_value not in (HEAD_TO_HEAD, HEAD_TO_HEAD_AGAIN)
        )
        criteria = ("place", "score_per_fixture", *between)
    return [
        StandingsRow(
            entry=name,
            rank=rank,
            values=values[name],
            decided_by=decided_by,
            played=tallies[name].played,
            wins=tallies[name].results[WIN],
            draws=tallies[name].results[DRAW],
            losses=tallies[name].results[LOSS],
            match_points=Fraction(tallies[name].match_points),
            board_score=Fraction(tallies[name].board_score, parts),
        )
        for name, rank, decided_by in _rank(names, criteria, split)
    ]


def _check_parts(
    names: Sequence[str], progress: Mapping[str, int] | None, groups: Sequence[Sequence[str]]
) -> None:
    """Require progress for every entry and one group per entry, if there are any."""
    if progress is not None:
        for name in names:
            if name not in progress:
                raise StandingsError(f"entry {name} has no progress")
    grouped = Counter(name for group in groups for name in group)
    if groups:
        entered = set(names)
        for name in sorted(entered | set(grouped)):
            if name not in entered or grouped[name] != 1:
                raise StandingsError(f"entry {name} must be entered and in one group, not in {grouped[name]}")


def _check(names: Sequence[str], scoring: str, tie_breaks: Sequence[str], lots: Mapping[str, str]) -> None:
    if scoring not in SCORINGS:
        raise StandingsError(f"unknown scoring {scoring!r}; scorings: {', '.join(SCORINGS)}")
    for tie_break in tie_breaks:
        if tie_break not in TIE_BREAKS:
            raise StandingsError(f"unknown tie-break {tie_break!r}; tie-breaks: {', '.join(TIE_BREAKS)}")
    repeated = repeated_tie_break(tie_breaks)
    if repeated is not None:
        often = "three times" if repeated == HEAD_TO_HEAD else "twice"
        raise StandingsError(f"a tie-break is named {often}: {', '.join(tie_breaks)}")
    if len(set(names)) != len(names):
        raise StandingsError(f"an entry is entered twice: {', '.join(names)}")
    if "lot" in tie_breaks:
        for name in names:
            if name not in lots:
                raise StandingsError(f"entry {name} has no lot")


def _common_parts(fixtures: Iterable[FixtureOutcome], draw_margin: Fraction) -> int:
    """Return the parts of a stone in which the margin and every total are whole numbers."""
    denominators = {draw_margin.denominator}
    for fixture in fixtures:
        denominators.update(total.denominator for total in (fixture.totals or {}).values())
    return math.lcm(*denominators)


def _tally(
    names: Sequence[str], fixtures: Iterable[FixtureOutcome], draw_margin: Fraction, sides: int, parts: int
) -> dict[str, _Tally]:
    tallies = {name: _Tally() for name in names}
    margin = _to_parts(draw_margin, parts)
    for fixture in fixtures:
        for entry in fixture.entries:
            if entry not in tallies:
                raise StandingsError(f"entry {entry} plays a fixture but is not entered")
        if fixture.is_void or not fixture.is_done:
            continue
        if fixture.is_bye:
            tally = tallies[fixture.entries[0]]
            tally.played += 1
            tally.match_points += bye_points(sides)
            if sides == 2:
                tally.results[WIN] += 1
            else:
                tally.results[DRAW] += sides - 1
                tally.drawn_with_nobody += sides - 1
            continue
        totals = {entry: _to_parts(total, parts) for entry, total in (fixture.totals or {}).items()}
        met = fixture.sides
        for side in met:
            own_total = totals[side[0]]
            against = [
                (other, duel_points(own_total, totals[other[0]], margin))
                for other in met
                if other is not side
            ]
            for entry in side:
                tally = tallies[entry]
                tally.played += 1
                tally.board_score += totals[entry]
                for other, points in against:
                    tally.match_points += points
                    tally.results[points] += 1
                    tally.opponents += other
                    tally.points += [points] * len(other)
                    tally.sizes += [len(other)] * len(other)
    return tallies


def _to_parts(stones: Fraction, parts: int) -> int:
    return stones.numerator * (parts // stones.denominator)


def _opponents_values(
    tallies: Mapping[str, _Tally], score: Mapping[str, int], unit: int
) -> dict[str, dict[str, Value]]:
    """Return the tie-breaks from opponents' scores; ``score`` is in parts, ``unit`` of which make one."""
    buchholz: dict[str, Value] = {}
    sonneborn_berger: dict[str, Value] = {}
    for name, tally in tallies.items():
        # By the number of opponents on a side; each counts for its share of the side.
        met: Counter[int] = Counter({1: score[name] * tally.drawn_with_nobody})
        beaten: Counter[int] = Counter({1: score[name] * tally.drawn_with_nobody * DRAW})
        for other, points, size in zip(tally.opponents, tally.points, tally.sizes, strict=True):
            met[size] += score[other]
            beaten[size] += score[other] * points
        buchholz[name] = sum((Fraction(value, unit * size) for size, value in met.items()), Fraction())
        sonneborn_berger[name] = sum(
            (Fraction(value, unit * size * WIN) for size, value in beaten.items()), Fraction()
        )
    return {"buchholz": buchholz, "sonneborn_berger": sonneborn_berger}


def _head_to_head(group: Sequence[str], tallies: Mapping[str, _Tally]) -> dict[str, Fraction | None]:
    """Return match points within the group; None for all unless every two of them met equally often."""
    level = set(group)
    met = [Counter(other for other in tallies[name].opponents if other in level) for name in group]
    if (
        any(len(opponents) < len(group) - 1 for opponents in met)
        or len({n for opponents in met for n in opponents.values()}) != 1
    ):
        return dict.fromkeys(group)
    return {
        name: Fraction(
            sum(
                points
                for other, points in zip(tallies[name].opponents, tallies[name].points, strict=True)
                if other in level
            )
        )
        for name in group
    }


def _ordered(group: Sequence[str], value: Callable[[str], Value], *, lowest_first: bool) -> list[list[str]]:
    """Split the group by value, best part first; one part if the values are None."""
    parts: dict[Value, list[str]] = {}
    for name in group:
        parts.setdefault(value(name), []).append(name)
    if len(parts) == 1:
        return list(parts.values())
    # All values of one criterion have the same type, which the annotation cannot express.
    ordered = sorted(parts.items(), key=lambda part: part[0], reverse=not lowest_first)  # type: ignore[arg-type,return-value]
    return [names for _, names in ordered]


def _rank(
    names: list[str], criteria: Sequence[str], split: Callable[[list[str], str], list[list[str]]]
) -> list[tuple[str, int, str]]:
    """Return entry, rank and deciding criterion, best first."""

    def settle(group: list[str], index: int, first_rank: int, decided_by: str) -> list[tuple[str, int, str]]:
        if len(group) == 1 or index == len(criteria):
            return [(name, first_rank, decided_by if name == group[0] else "") for name in group]
        rows: list[tuple[str, int, str]] = []
        for number, part in enumerate(split(group, criteria[index])):
            rows += settle(part, index + 1, first_rank + len(rows), criteria[index] if number else decided_by)
        return rows

    return settle(names, 0, 1, "") if names else []
