"""API answers for rating lists, their lines, and changes of lines."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.api.answers.entries import EnteredVersion, entered_version
from arena.api.base.shapes import build_shape
from arena.competition.event_options import BOARD_KINDS
from arena.features.ratings.models import Line, Rating, RatingChange, RatingList


class RatingListOut(TypedDict):
    """A list of comparable versions: those that played the same rules in a season."""

    id: str
    kind: Annotated[str, RatingList.Kind]
    game: str
    preset: str
    board_kind: Annotated[str, tuple(BOARD_KINDS.items())]
    seats: int
    season: str
    ladder_season: str
    sets: int
    fixtures: int
    boards: int
    rated: int
    unrated: int
    unexplained_sd: float
    revision: int
    computed_at: datetime.datetime | None
    digest: str
    reference: Annotated[
        str | None, "Id of the version that ``difference`` is relative to; null if it is not rated."
    ]
    reference_partner: Annotated[str, "Column of the reference's line; empty without one."]


class MissingOut(TypedDict):
    """A requirement that a version does not meet yet."""

    code: Annotated[
        str, "fixtures, boards, degrees, few_fixtures_of_all, not_connected, not_estimable or alone."
    ]
    actual: float
    required: float


class FiguresOut(TypedDict):
    """The figures of a line."""

    partner: Annotated[str, Line.Partner]
    estimate: Annotated[
        float | None,
        "Stones per board relative to the average rated line of the list; null if not comparable yet.",
    ]
    low: Annotated[float | None, "Lower end of the 95% interval of ``estimate``, relative to the average."]
    high: float | None
    standard_error: Annotated[float | None, "Standard error of ``estimate``."]
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    fixtures: int
    boards: int
    degrees: int
    difference: Annotated[
        float | None,
        "Strength minus the reference bot's, in stones per board, as on pages; null without a reference.",
    ]
    difference_low: Annotated[float | None, "Lower end of the 95% interval of ``difference``."]
    difference_high: float | None
    difference_error: Annotated[
        float | None, "Standard error of ``difference``; 0 for the reference bot's own line."
    ]


class LineOut(FiguresOut):
    """A line with the id, preset and season of its list."""

    list: str
    preset: str
    season: str


class RatingOut(LineOut):
    """A version in a list: its strength in stones per board relative to the average, or the missing
    requirements.
    """

    player: str
    version: EnteredVersion
    reasons: Annotated[list[MissingOut], "Missing requirements; empty with an estimate."]


class RatingChangeOut(LineOut):
    """A line after a board set was closed or rescored."""

    created_at: datetime.datetime
    cause: Annotated[str, RatingChange.Cause]
    board_set: str | None
    tournament: str | None
    reference: Annotated[
        str | None,
        "Id of the version that ``difference`` was relative to; null without one, also before 1.1.0.",
    ]
    reasons: Annotated[list[MissingOut], "Missing requirements; empty with an estimate."]


def rating_list_out(rating_list: RatingList, _: Request) -> RatingListOut:
    reference = rating_list.reference
    return build_shape(RatingListOut, rating_list, reference=reference.public_id if reference else None)


def rating_out(line: Rating, _: Request) -> RatingOut:
    """Answer for a row of ``lines``."""
    return build_shape(
        RatingOut,
        line,
        **_list_of(line),
        player=line.version.bot.owner.handle,
        version=entered_version(line.version),
        reasons=missing_out(line.reasons),
    )


def rating_change_out(change: RatingChange, _: Request) -> RatingChangeOut:
    """Answer for a row of ``changes_of``."""
    board_set = change.board_set
    return build_shape(
        RatingChangeOut,
        change,
        **_list_of(change),
        board_set=board_set.public_id if board_set else None,
        tournament=board_set.round.stage.tournament.public_id if board_set else None,
        reference=change.reference.public_id if change.reference else None,
        reasons=missing_out(change.reasons),
    )


def missing_out(reasons: Iterable[Mapping[str, Any]]) -> list[MissingOut]:
    return [build_shape(MissingOut, reason) for reason in reasons]


def _list_of(line: Rating | RatingChange) -> dict[str, str]:
    rating_list = line.list
    return {"list": rating_list.public_id, "preset": rating_list.preset, "season": rating_list.season}
