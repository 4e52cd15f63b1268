"""API answers for ladders, seasons, rounds and placements."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.answers.entries import EnteredVersion, entered_version
from arena.api.base.shapes import build_shape
from arena.competition.event_options import BOARD_KINDS
from arena.features.ladders.models import Ladder, LadderRound, LadderSeason, Placement
from arena.features.ratings.api.answers import FiguresOut, MissingOut, missing_out
from arena.features.ratings.models import Rating


class LadderSeasonOut(TypedDict):
    """A period whose rounds are rated together."""

    id: str
    ladder: str
    name: str
    begins_at: datetime.datetime
    ends_at: datetime.datetime
    state: Annotated[str, LadderSeason.State]
    rounds: Annotated[int, "Number of counted rounds."]
    list: Annotated[
        str | None, "Id of the rating list, for /ratings?list=; null before the first counted round."
    ]
    archived_at: datetime.datetime | None


class FinalLineOut(FiguresOut):
    """A line of a final table: the line of the rating list at the time when the season was archived."""

    version: Annotated[str, "Id of the version."]
    reasons: list[MissingOut]


class LadderSeasonWholeOut(LadderSeasonOut):
    """A season with its final table."""

    final: Annotated[list[FinalLineOut], "Empty until the season is archived."]


class LadderOut(TypedDict):
    """A competition without an end, in which placed versions play the rules of a preset."""

    id: str
    name: Annotated[str, "Preset, with seats if it has several ladders, such as ``kakkuri.league:5``."]
    game: str
    preset: str
    board_kind: Annotated[str, tuple(BOARD_KINDS.items())]
    seats: int
    boards: int
    cpu_s_per_day: int
    state: Annotated[str, Ladder.State]
    placed: Annotated[int, "Number of placed versions."]
    season: Annotated[LadderSeasonOut | None, "The current season; null before the first round."]
    created_at: datetime.datetime


class PlacementOut(TypedDict):
    """A version on a ladder, from its placement until it left."""

    id: str
    ladder: str
    player: str
    version: EnteredVersion
    placed_at: datetime.datetime
    left_at: datetime.datetime | None
    left_reason: Annotated[str | None, Placement.LeftReason]


class PairReasonOut(TypedDict):
    """The expected information of a meeting, as computed for the draw."""

    version: str
    other: str
    difference: Annotated[float, "Difference of strengths, in stones per board."]
    error: Annotated[float, "Standard error of the difference."]
    gain: Annotated[float, "Probability of a wrong order, times the error, divided by the cost."]


class PairingOut(TypedDict):
    """The versions of a fixture, with the reason for the pairing."""

    versions: Annotated[list[str], "Ids in the order of sides."]
    kind: Annotated[str, LadderRound.Kind]
    pairs: list[PairReasonOut]


class LadderRoundOut(TypedDict):
    """A round of a ladder: its tournament, and the reasons for its fixtures."""

    id: str
    ladder: str
    season: str
    number: int
    kind: Annotated[str, LadderRound.Kind]
    state: Annotated[str, LadderRound.State]
    reason: Annotated[str, "Reason for dropping the round; may be empty."]
    tournament: str
    drawn_at: datetime.datetime
    ended_at: datetime.datetime | None
    contenders: Annotated[list[str], "Ids of the versions on the ladder at the draw."]
    contenders_digest: str
    unpaired: Annotated[list[str], "Ids without a fixture; the next round pairs them first."]
    pairings: list[PairingOut]


def season_out(season: LadderSeason, _: Request) -> LadderSeasonOut:
    """Answer for a row of ``seasons_of``."""
    return build_shape(
        LadderSeasonOut,
        season,
        ladder=season.ladder.public_id,
        rounds=getattr(season, "counted", None) or 0,
        list=getattr(season, "list_id", None),
    )


def season_whole_out(season: LadderSeason, request: Request) -> LadderSeasonWholeOut:
    # Tables archived before 1.1.0 have no differences.
    differences = dict.fromkeys(Rating.DIFFERENCE)
    final = [
        build_shape(FinalLineOut, differences | line, reasons=missing_out(line["reasons"]))
        for line in season.final
    ]
    return {**season_out(season, request), "final": final}


def ladder_out(ladder: Ladder, request: Request) -> LadderOut:
    """Answer for a row of ``ladders``."""
    running = next(iter(getattr(ladder, "running", ())), None)
    return build_shape(
        LadderOut,
        ladder,
        placed=getattr(ladder, "placed", None) or 0,
        season=None if running is None else season_out(running, request),
    )


def placement_out(placement: Placement, _: Request) -> PlacementOut:
    """Answer for a row of ``placements_of``."""
    placement.version.bot = placement.bot
    return build_shape(
        PlacementOut,
        placement,
        ladder=placement.ladder.public_id,
        player=placement.bot.owner.handle,
        version=entered_version(placement.version),
        left_reason=placement.left_reason or None,
    )


def round_out(round_: LadderRound, _: Request) -> LadderRoundOut:
    """Answer for a row of ``rounds_of``."""
    return build_shape(
        LadderRoundOut,
        round_,
        ladder=round_.ladder.public_id,
        season=round_.season.public_id,
        tournament=round_.tournament.public_id,
        pairings=[
            build_shape(
                PairingOut, pairing, pairs=[build_shape(PairReasonOut, pair) for pair in pairing["pairs"]]
            )
            for pairing in round_.pairings
        ],
    )
