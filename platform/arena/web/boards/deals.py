"""The lists of an event's deals: where play decided most, and how much luck the same cards took out."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from arena.competition.models import Tournament
from arena.standings.luck import Luck, TooFew, luck_found
from arena.standings.swings import Swing, biggest_swings, boards_decided, hardest_boards
from arena.web.base.figures import exact
from arena.web.base.labels import entry_label
from arena.web.drawing.sides import SideName, side_names

LISTED = 20
"""Boards in each list."""


@dataclasses.dataclass(frozen=True)
class DealLine:
    """A board in a list."""

    board_set: str
    stage: int
    round: int
    board: int
    fixture: str
    winners: tuple[SideName, ...]
    others: tuple[SideName, ...]
    value: str
    """The largest board score."""
    mean: str
    """The mean size of the board scores, to hundredths."""
    part: str
    """Length of the bar of ``mean``, percent of the longest."""
    fixtures: int


@dataclasses.dataclass(frozen=True)
class LuckLine:
    """The factor by which duplicate play shrank the variance, in figures to be read."""

    factor: str
    """To hundredths; so is its interval."""
    low: str
    high: str
    spread: str
    """Standard deviation of a board score, in stones to hundredths: as it was,"""
    spread_without: str
    """and as it would have been."""
    boards: int


@dataclasses.dataclass(frozen=True)
class Deals:
    """Both lists of an event, and its luck."""

    swings: tuple[DealLine, ...]
    hardest: tuple[DealLine, ...]
    boards: int
    """Boards on which anybody gained anything."""
    luck: LuckLine | None
    """None while it cannot be told."""
    too_few: TooFew | None
    """Why it cannot, once anything was played."""


def deals_of(tournament: Tournament) -> Deals:
    """The lists of an event, of closed rounds alone. Six queries."""
    luck = luck_found(tournament)
    return Deals(
        _lines(biggest_swings([tournament], LISTED)),
        _lines(hardest_boards([tournament], LISTED)),
        boards_decided(tournament),
        _luck_line(luck) if isinstance(luck, Luck) else None,
        luck if isinstance(luck, TooFew) else None,
    )


def _luck_line(luck: Luck) -> LuckLine:
    return LuckLine(
        factor=f"{luck.factor:.2f}",
        low=f"{luck.low:.2f}",
        high=f"{luck.high:.2f}",
        spread=f"{luck.spread:.2f}",
        spread_without=f"{luck.spread_without:.2f}",
        boards=luck.boards,
    )


def _lines(swings: Sequence[Swing]) -> tuple[DealLine, ...]:
    most = max((swing.mean for swing in swings), default=Fraction(1))
    sides = [side for swing in swings for side in (swing.winners, swing.others)]
    names = side_names([[entry_label(entry) for entry in side] for side in sides])
    return tuple(
        DealLine(
            board_set=swing.board_set,
            stage=swing.stage,
            round=swing.round,
            board=swing.board,
            fixture=swing.fixture,
            winners=winners,
            others=others,
            value=exact(swing.value, signed=True),
            mean=f"{float(swing.mean):.2f}",
            part=f"{100 * float(swing.mean / most):.1f}",
            fixtures=swing.fixtures,
        )
        for swing, winners, others in zip(swings, names[::2], names[1::2], strict=True)
    )
