"""Plot of the places of the first entries after each round: a line per entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.competition.models import Stage
from arena.standings.past_standings import ranks_by_round
from arena.standings.selectors import ListedRow
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.wording import join_facts

MIN_ROUNDS = 2
MIN_ENTRIES = 3
MAX_LINES = 12
"""Maximum entries drawn, best place first."""
MAX_ROUNDS_DRAWN = 40
"""Maximum rounds drawn; of more, as many as fit at equal distances, with the first and the last."""


class PlaceLine(NamedTuple):
    entry: EntryLabel
    places: tuple[int, ...]
    """Place after each drawn round."""
    text: str
    """The places as text."""
    path: str
    """Path data: x from 0 to 100, y in rows; places below the last row are on a line beneath it."""


class PlacesPlot(NamedTuple):
    rounds: tuple[int, ...]
    """Numbers of the drawn rounds, at least ``MIN_ROUNDS``."""
    lines: tuple[PlaceLine, ...]
    """In the order of the last round."""
    is_cut: bool
    """Whether some places are below the drawn ones."""

    @property
    def last_round(self) -> int:
        return self.rounds[-1]

    @property
    def height(self) -> int:
        """Rows of the drawing."""
        return len(self.lines) + self.is_cut


def build_places(stage: Stage, rows: Sequence[ListedRow]) -> PlacesPlot | None:
    """Return the plot of the first rows of a stage; None with too few rounds or entries. At most four
    queries.
    """
    drawn = rows[:MAX_LINES]
    if len(drawn) < MIN_ENTRIES:
        return None
    return _plot(drawn, ranks_by_round(stage, [row.entry.key for row in drawn], MAX_ROUNDS_DRAWN))


def build_group_places(stage: Stage, groups: Mapping[int, Sequence[ListedRow]]) -> dict[int, PlacesPlot]:
    """Return the plot of each group by its number; groups with too few rounds or entries are missing.

    ``groups`` have all rows of their group, best place first. At most four queries.
    """
    drawn = {number: rows[:MAX_LINES] for number, rows in groups.items() if len(rows) >= MIN_ENTRIES}
    if not drawn:
        return {}
    entries = [row.entry.key for rows in drawn.values() for row in rows]
    ranks = ranks_by_round(stage, entries, MAX_ROUNDS_DRAWN, in_group=True)
    plots = {number: _plot(rows, ranks) for number, rows in drawn.items()}
    return {number: plot for number, plot in plots.items() if plot is not None}


def _plot(drawn: Sequence[ListedRow], ranks: Mapping[int, Mapping[int, int]]) -> PlacesPlot | None:
    """``ranks``: by round and entry. None with too few rounds."""
    if len(ranks) < MIN_ROUNDS:
        return None
    numbers = list(ranks)
    last = len(drawn)
    places = [tuple(ranks[number].get(row.entry.key, last + 1) for number in numbers) for row in drawn]
    is_cut = any(rank > last for of_entry in places for rank in of_entry)
    lines = tuple(
        PlaceLine(entry_label(row.entry), of_entry, places_text(of_entry, last), places_path(of_entry, last))
        for row, of_entry in zip(drawn, places, strict=True)
    )
    return PlacesPlot(tuple(numbers), lines, is_cut)


def places_text(places: Sequence[int], last: int) -> str:
    """Return the places; those below the last drawn one as ``>last``.

    >>> places_text([2, 4, 1], 3)
    '2, >3, 1'
    """
    return join_facts(f">{last}" if rank > last else rank for rank in places)


def places_path(places: Sequence[int], last: int) -> str:
    """Return the path through the places, with a horizontal piece at each round.

    >>> places_path([2, 1], 3)
    'M0 1.5H8L92 0.5H100'
    """
    step = 100 / (len(places) - 1)
    flat = min(8.0, step / 4)
    path = ""
    for number, rank in enumerate(places):
        x, y = step * number, min(rank, last + 1) - 0.5
        start = f"M{x:g} {y:g}" if not number else f"L{x - flat:.4g} {y:g}"
        path += start + f"H{min(100.0, x + flat):.4g}"
    return path
