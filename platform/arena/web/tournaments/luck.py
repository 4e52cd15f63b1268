"""Panel of a final tournament: the averages if each board had been played from one seating only."""

from __future__ import annotations

from typing import NamedTuple

from arena.competition.entries.names import entries_by_key
from arena.competition.models import Stage, Tournament
from arena.standings.luck import SeatingDraws, stage_seating_draws
from arena.standings.selectors import ListedRow
from arena.web.base.figures import format_rounded
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.drawing.plots import Axis, Interval, build_axis
from arena.web.tournaments.leader import has_leader

MIN_ENTRIES = 2
MAX_LINES = 12
"""Maximum entries drawn, best average first."""
DRAWS_PER_CURVE = 5
"""Draws in one SVG path: a path for each would be a hundred elements."""


class LuckLine(NamedTuple):
    entry: EntryLabel
    mean: str
    low: str
    high: str
    best: int
    """Draws in which the entry has the best average."""
    x: float
    y: float
    """Position of the average over all tables, in percent of the drawing."""


class LuckPanel(NamedTuple):
    stage: int
    draws: int
    other_best: int
    variance_ratio: str
    """Empty with too few boards."""
    entries: int
    """Entries with boards, of which the first are drawn."""
    lines: tuple[LuckLine, ...]
    curves: tuple[str, ...]
    """Path data of ``DRAWS_PER_CURVE`` draws each: x in percent, y in lines."""
    duplicate: str
    axis: Axis


def build_luck_panel(tournament: Tournament, stage: Stage | None) -> LuckPanel | None:
    """Return the panel; None without a stage that has draws. One query more than ``stage_seating_draws``."""
    draws = stage_seating_draws(tournament, stage) if stage is not None else None
    if stage is None or draws is None or len(draws.entries) < MIN_ENTRIES:
        return None
    rows = draws.entries[:MAX_LINES]
    names = entries_by_key([int(row.entry) for row in rows])
    axis = build_axis([Interval(row.mean, min(row.draws), max(row.draws)) for row in rows])
    bests = best_counts(draws)
    lines = tuple(
        LuckLine(
            entry_label(names[int(row.entry)]),
            format_rounded(row.mean),
            format_rounded(min(row.draws)),
            format_rounded(max(row.draws)),
            best,
            axis.at(row.mean),
            round(100 * (number + 0.5) / len(rows), 2),
        )
        for number, (row, best) in enumerate(zip(rows, bests, strict=False))
    )
    paths = [f"M{_points([axis.at(row.draws[number]) for row in rows])}" for number in range(draws.draws)]
    curves = tuple(
        "".join(paths[start : start + DRAWS_PER_CURVE]) for start in range(0, len(paths), DRAWS_PER_CURVE)
    )
    ratio = f"{draws.variance_ratio:.1f}" if draws.variance_ratio is not None else ""
    duplicate = _points([line.x for line in lines])
    return LuckPanel(
        stage.number, draws.draws, draws.other_best, ratio, len(draws.entries), lines, curves, duplicate, axis
    )


def best_counts(draws: SeatingDraws) -> list[int]:
    """Return the draws in which each entry has the best average; entries with equal averages both count."""
    columns = zip(*(row.draws for row in draws.entries), strict=True)
    bests = [max(column) for column in columns]
    return [sum(mean >= best for mean, best in zip(row.draws, bests, strict=True)) for row in draws.entries]


def stage_with_one_table(stages: list[Stage], rows: dict[int, list[ListedRow]]) -> Stage | None:
    """Return the last stage whose entries all play for one order: neither a knockout nor groups."""
    fitting = (stage for stage in reversed(stages) if stage.pk in rows and has_leader(stage, rows[stage.pk]))
    return next(fitting, None)


def _points(values: list[float]) -> str:
    return " ".join(f"{value:.1f},{number + 0.5}" for number, value in enumerate(values))
