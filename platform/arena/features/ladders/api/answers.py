"""Ladders, their seasons and rounds, and who is placed on them."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.answers.entries import EnteredVersion, version_named
from arena.api.base.shapes import answer_from
from arena.competition.event_options import BOARD_KINDS
from arena.features.ladders.models import Ladder, LadderRound, LadderSeason, Placement
from arena.features.ratings.api.answers import FiguresOut, MissingOut, missing_out


class LadderSeasonOut(TypedDict):
    """A stretch of time whose rounds are rated together."""

    id: str
    ladder: str
    name: str
    begins_at: datetime.datetime
    ends_at: datetime.datetime
    state: Annotated[str, LadderSeason.State]
    rounds: Annotated[int, "That count."]
    list: Annotated[
        str | None, "Its list of ratings, for /ratings?list=; null before its first round counts."
    ]
    archived_at: datetime.datetime | None


class FinalLineOut(FiguresOut):
    """A line of a final table: a line of the list of ratings as it was when the season was archived."""

    version: Annotated[str, "Its id."]
    reasons: list[MissingOut]


class LadderSeasonWholeOut(LadderSeasonOut):
    """A season with its final table."""

    final: Annotated[list[FinalLineOut], "Empty until it is archived."]


class LadderOut(TypedDict):
    """Where versions play the rules of a preset for as long as they stay."""

    id: str
    name: Annotated[str, "Preset, and seats where there is a choice of them, such as ``kakkuri.league:5``."]
    game: str
    preset: str
    board_kind: Annotated[str, tuple(BOARD_KINDS.items())]
    seats: int
    boards: int
    cpu_s_per_day: int
    state: Annotated[str, Ladder.State]
    placed: Annotated[int, "Versions on it now."]
    season: Annotated[LadderSeasonOut | None, "The one that runs; null before the first round."]
    created_at: datetime.datetime


class PlacementOut(TypedDict):
    """A version on a ladder, from the day it was put there until it left."""

    id: str
    ladder: str
    player: str
    version: EnteredVersion
    since: datetime.datetime
    left_at: datetime.datetime | None
    left_reason: Annotated[str | None, Placement.Left]


class PairReasonOut(TypedDict):
    """What a meeting of two would tell, as it was expected when the round was drawn."""

    version: str
    other: str
    difference: Annotated[float, "Of their strengths, in stones a board."]
    error: Annotated[float, "The standard error of that."]
    gain: Annotated[float, "Chance of the wrong order, times the error, by what it costs."]


class PairingOut(TypedDict):
    """Who meets at a fixture, and why."""

    versions: Annotated[list[str], "Ids, in the order of sides."]
    kind: Annotated[str, LadderRound.Kind]
    pairs: list[PairReasonOut]


class LadderRoundOut(TypedDict):
    """A round of a ladder, the tournament it is, and the reasons of its fixtures."""

    id: str
    ladder: str
    season: str
    number: int
    kind: Annotated[str, LadderRound.Kind]
    state: Annotated[str, LadderRound.State]
    reason: Annotated[str, "Why it was dropped; may be empty."]
    tournament: str
    drawn_at: datetime.datetime
    ended_at: datetime.datetime | None
    contenders: Annotated[list[str], "Ids of the versions that were on the ladder."]
    contenders_digest: str
    left_over: Annotated[list[str], "Those without a fixture: first in the next."]
    pairings: list[PairingOut]


def season_out(season: LadderSeason, _: Request) -> LadderSeasonOut:
    """A season of ``seasons_of``."""
    return answer_from(
        LadderSeasonOut,
        season,
        ladder=season.ladder.public_id,
        rounds=getattr(season, "counted", None) or 0,
        list=getattr(season, "list_id", None),
    )


def season_whole_out(season: LadderSeason, request: Request) -> LadderSeasonWholeOut:
    """A season with its final table."""
    final = [answer_from(FinalLineOut, line, reasons=missing_out(line["reasons"])) for line in season.final]
    return {**season_out(season, request), "final": final}


def ladder_out(ladder: Ladder, request: Request) -> LadderOut:
    """A ladder of ``ladders``."""
    running = next(iter(getattr(ladder, "running", ())), None)
    return answer_from(
        LadderOut,
        ladder,
        placed=getattr(ladder, "placed", None) or 0,
        season=None if running is None else season_out(running, request),
    )


def placement_out(placement: Placement, _: Request) -> PlacementOut:
    """A placement of ``placements_of``."""
    placement.version.bot = placement.bot
    return answer_from(
        PlacementOut,
        placement,
        ladder=placement.ladder.public_id,
        player=placement.bot.owner.handle,
        version=version_named(placement.version),
        left_reason=placement.left_reason or None,
    )


def round_out(round_: LadderRound, _: Request) -> LadderRoundOut:
    """A round of ``rounds_of``."""
    return answer_from(
        LadderRoundOut,
        round_,
        ladder=round_.ladder.public_id,
        season=round_.season.public_id,
        tournament=round_.tournament.public_id,
        pairings=[
            answer_from(
                PairingOut, pairing, pairs=[answer_from(PairReasonOut, pair) for pair in pairing["pairs"]]
            )
            for pairing in round_.pairings
        ],
    )
