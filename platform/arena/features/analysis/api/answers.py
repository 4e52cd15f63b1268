"""Responses: notes, accuracy of a version, costly plays, solved positions."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.features.analysis.models import CostlyPlay, SolvedPosition
from arena.features.analysis.positions import RequestedPosition
from arena.features.analysis.selectors import VersionAccuracy
from arena.features.analysis.solving import UNSOLVED

SOLVE_STATES = ("done", "working", "too_long")


class NotesOut(TypedDict):
    """Solver notes on a table: ``rensho-notes/2``."""

    format: str
    record_sha256: str
    game: str
    preset: str
    solver: Annotated[str, "Version of all methods together."]
    limits: Annotated[dict[str, Any], "Limits of the analysis: nodes, deals."]
    deals: Annotated[list[dict[str, Any]], "By deal, in the order of play: docs/views.md."]


class AccuracyOut(TypedDict):
    """How often, and by how much, a version's plays cost stones with all hands open."""

    version: str
    tables: Annotated[int, "Analysed tables at which it made a decision."]
    boards: int
    decisions: Annotated[int, "Plays whose legal cards differ in double-dummy value."]
    cost: Annotated[float | None, "Mean double-dummy cost of a decision, in stones."]
    low: Annotated[float | None, "Lower end of the 95% interval of cost; null below two boards."]
    high: float | None
    agreement: Annotated[float | None, "Share of the decisions that cost nothing."]


class CostlyPlayOut(TypedDict):
    """A play or declaration that cost stones."""

    table: str
    board: int
    deal: int
    seat: int
    version: str
    bot: str
    position: Annotated[str, "Position after it: /tables/{table}?at={position}."]
    action: str
    kind: Annotated[str, CostlyPlay.Kind]
    cost: Annotated[float, "Stones: double-dummy cost; average loss in Kakkuri and for kind average."]


class CostlyPlaysOut(TypedDict):
    """The costliest plays of a tournament, at most 100."""

    plays: list[CostlyPlayOut]


class SolveOut(TypedDict):
    """The value of each legal card of a position, exact with all hands open."""

    state: Annotated[str, SOLVE_STATES]
    seat: Annotated[int, "Seat to play."]
    side: Annotated[list[int], "Seats of the first playing side."]
    values: Annotated[
        dict[str, list[str]] | None,
        "Legal cards by value in stones to the first playing side; null unless done.",
    ]


def accuracy_out(sample: VersionAccuracy, _: Request) -> AccuracyOut:
    accuracy = sample.accuracy
    low, high = accuracy.interval if accuracy and accuracy.interval else (None, None)
    return {
        "version": sample.version.public_id,
        "tables": sample.tables,
        "boards": accuracy.boards if accuracy else 0,
        "decisions": accuracy.decisions if accuracy else 0,
        "cost": accuracy.cost if accuracy else None,
        "low": low,
        "high": high,
        "agreement": accuracy.agreement if accuracy else None,
    }


def costly_play_out(play: CostlyPlay, _: Request) -> CostlyPlayOut:
    """Return a row of ``costly_plays``."""
    return build_shape(
        CostlyPlayOut,
        play,
        table=play.analysis.table.public_id,
        version=play.version.public_id,
        bot=play.version.bot.name,
    )


def solve_out(requested: RequestedPosition, row: SolvedPosition) -> SolveOut:
    is_done = row.state == SolvedPosition.State.DONE
    return {
        "state": "working" if row.state in UNSOLVED else row.state,
        "seat": requested.seat,
        "side": list(requested.side),
        "values": row.values if is_done else None,
    }
