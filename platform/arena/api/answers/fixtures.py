"""Responses: rounds and fixtures, without what is sealed."""

from __future__ import annotations

import datetime
from operator import itemgetter
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.answers.entries import EntryName, entry_name_of
from arena.api.base.shapes import build_shape
from arena.competition.models import Round
from arena.matches.fixture_selectors import ENDED_STATE
from arena.matches.models import Adjudication, Fixture, Table
from arena.matches.selectors import is_sealed_for


class RoundOut(TypedDict):
    """A round. Its boards are sealed until it is closed."""

    id: str
    stage: int
    number: int
    state: Annotated[str, Round.State]
    board_set: str
    boards: int
    opened_at: datetime.datetime | None
    closed_at: datetime.datetime | None


class SideOut(EntryName):
    """An entry of a fixture. A fixture with a single entry is a bye."""

    position: Annotated[int, "From 0, in the order of the pairing."]
    side: Annotated[int, "From 0. Equals position, unless several entries form a side, as in a movement."]


class TableBrief(TypedDict):
    """The progress of a table, which is visible while the boards are sealed."""

    id: str
    rotation: int
    first_board: int
    board_count: int
    state: Annotated[str, Table.State]
    boards_done: int


class ScoreOut(TypedDict):
    """A board score: the average of an entry's results over the rotation, in stones, after forfeits."""

    board: int
    entry: str
    value: Annotated[str, "An exact fraction: n or n/d."]


class AdjudicationOut(TypedDict):
    """An adjudication of a fixture. The last one counts."""

    id: str
    number: int
    kind: Annotated[str, Adjudication.Kind]
    entries: Annotated[list[str], "Ids of the entries that forfeit."]
    reason: str
    by: Annotated[str | None, "Username; null: the system, for example when an entry leaves."]
    created_at: datetime.datetime


class FixtureOut(TypedDict):
    """A fixture. While its boards are sealed, an ended fixture is ``done`` and ``done_at`` is null."""

    id: str
    tournament: str
    stage: int
    round: int
    number: int
    state: str
    reason: str
    done_at: datetime.datetime | None
    board_set: str
    is_sealed: Annotated[bool, "Whether results are still hidden from you."]
    same_owner: Annotated[bool, "Whether two of its entries have the same owner."]
    sides: list[SideOut]
    tables: list[TableBrief]


class FixtureDetail(FixtureOut):
    """A fixture with board scores and adjudications. ``scores`` is null while sealed."""

    scores: list[ScoreOut] | None
    adjudications: list[AdjudicationOut]


def round_out(round_: Round, _: Request) -> RoundOut:
    """Return a round with loaded stage and board set."""
    board_set = round_.board_set
    return build_shape(
        RoundOut,
        round_,
        stage=round_.stage.number,
        board_set=board_set.public_id,
        boards=board_set.boards,
    )


def fixture_out(fixture: Fixture, request: Request) -> FixtureOut:
    """Return a fixture of ``fixtures_listed`` with the fields that the viewer may see."""
    board_set = fixture.board_set
    is_sealed = is_sealed_for(board_set, request.user)
    is_hidden = is_sealed and fixture.state in Fixture.DONE
    return {
        "id": fixture.public_id,
        "tournament": fixture.tournament.public_id,
        "stage": board_set.round.stage.number,
        "round": board_set.round.number,
        "number": fixture.number,
        "state": ENDED_STATE if is_hidden else fixture.state,
        "reason": "" if is_hidden else fixture.reason,
        "done_at": None if is_sealed else fixture.done_at,
        "board_set": board_set.public_id,
        "is_sealed": is_sealed,
        "same_owner": fixture.same_owner,
        "sides": [
            {**entry_name_of(side.entry), "position": side.position, "side": side.side}
            for side in fixture.sides.all()
        ],
        "tables": [build_shape(TableBrief, table) for table in fixture.tables.all()],
    }


def fixture_detail_out(fixture: Fixture, request: Request) -> FixtureDetail:
    """Return a fixture of ``fixture_detail`` with the fields that the viewer may see."""
    summary = fixture_out(fixture, request)
    scores: list[ScoreOut] = [
        {"board": board, "entry": score.entry.public_id, "value": str(value)}
        for score in fixture.totals.all()
        for board, value in score.boards.items()
    ]
    scores.sort(key=itemgetter("board"))
    return {
        **summary,
        "scores": None if summary["is_sealed"] else scores,
        "adjudications": [adjudication_out(ruling) for ruling in fixture.adjudications.all()],
    }


def adjudication_out(ruling: Adjudication) -> AdjudicationOut:
    by = None if ruling.actor is None else ruling.actor.username
    return build_shape(AdjudicationOut, ruling, by=by)
