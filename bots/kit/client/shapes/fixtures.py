"""Shapes of the API: addresses under fixtures. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from bots.kit.client.shapes.basic import TableBrief
from bots.kit.client.shapes.shared import Side

AdjudicationKind: TypeAlias = Literal["forfeit", "draw", "void", "lift"]


class Adjudication(TypedDict):
    """A ruling on what counts of a fixture; the last one holds."""

    id: str
    number: int
    kind: AdjudicationKind
    entries: list[str]
    """Those that forfeit."""
    reason: str
    by: str | None
    """Null: the system, as when an entry leaves."""
    at: str


class AdjudicationIn(TypedDict):
    """What is to count of a fixture."""

    kind: AdjudicationKind
    """forfeit: by the entries named; draw: every board 0; void: for nobody; lift: as played. * `forfeit` -
    as if some entries had forfeited every table * `draw` - every board counts 0 * `void` - counts for
    nobody * `lift` - as played after all."""
    entries: NotRequired[list[str]]
    """Ids of the entries that forfeit; for forfeit alone."""
    reason: str
    """For all to read."""


class FixtureDetail(TypedDict):
    """A fixture with board scores and rulings; scores are null while sealed."""

    id: str
    tournament: str
    stage: int
    round: int
    number: int
    state: str
    reason: str
    done_at: str | None
    board_set: str
    is_sealed: bool
    """Whether results stay closed to the asker for now."""
    same_owner: bool
    """Two of its entries have an owner in common."""
    sides: list[Side]
    tables: list[TableBrief]
    scores: list[Score] | None
    adjudications: list[Adjudication]


class Score(TypedDict):
    """A board score: the mean of an entry's results over the rotation, in stones, forfeits applied."""

    board: int
    entry: str
    value: str
    """An exact fraction: n or n/d."""
