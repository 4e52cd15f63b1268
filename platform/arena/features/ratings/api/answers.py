"""Lists of ratings, their lines, and how the lines came about."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.api.answers.entries import EnteredVersion, version_named
from arena.api.base.shapes import answer_from
from arena.competition.event_options import BOARD_KINDS
from arena.features.ratings.models import Line, Rating, RatingChange, RatingList


class RatingListOut(TypedDict):
    """Versions that are compared with each other: all who played the same rules in a season."""

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
    misfit: float
    revision: int
    made_at: datetime.datetime | None
    digest: str


class MissingOut(TypedDict):
    """What is missing before a version can be compared."""

    code: Annotated[
        str, "fixtures, boards, degrees, few_fixtures_of_all, not_connected, not_estimable or alone."
    ]
    have: float
    need: float


class FiguresOut(TypedDict):
    """The figures of a line."""

    partner: Annotated[str, Line.Partner]
    estimate: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    fixtures: int
    boards: int
    degrees: int


class LineOut(FiguresOut):
    """A line with its list."""

    list: str
    preset: str
    season: str


class RatingOut(LineOut):
    """A version in a list: its strength in stones a board against the average, or why there is none yet."""

    player: str
    version: EnteredVersion
    reasons: Annotated[list[MissingOut], "Empty where there is an estimate."]


class RatingChangeOut(LineOut):
    """What a line came to say after a board set was closed, or its scores were changed."""

    at: datetime.datetime
    cause: Annotated[str, RatingChange.Cause]
    board_set: str | None
    tournament: str | None
    reasons: Annotated[list[MissingOut], "Why there is no estimate any more."]


def rating_list_out(rating_list: RatingList, _: Request) -> RatingListOut:
    """A list of ratings."""
    return answer_from(RatingListOut, rating_list)


def rating_out(line: Rating, _: Request) -> RatingOut:
    """A line of ``lines``."""
    return answer_from(
        RatingOut,
        line,
        **_list_of(line),
        player=line.version.bot.owner.handle,
        version=version_named(line.version),
        reasons=missing_out(line.reasons),
    )


def rating_change_out(change: RatingChange, _: Request) -> RatingChangeOut:
    """A change of ``changes_of``."""
    board_set = change.board_set
    return answer_from(
        RatingChangeOut,
        change,
        **_list_of(change),
        board_set=board_set.public_id if board_set else None,
        tournament=board_set.round.stage.tournament.public_id if board_set else None,
        reasons=missing_out(change.reasons),
    )


def missing_out(reasons: Iterable[Mapping[str, Any]]) -> list[MissingOut]:
    """The stored reasons of a line."""
    return [answer_from(MissingOut, reason) for reason in reasons]


def _list_of(line: Rating | RatingChange) -> dict[str, str]:
    rating_list = line.list
    return {"list": rating_list.public_id, "preset": rating_list.preset, "season": rating_list.season}
