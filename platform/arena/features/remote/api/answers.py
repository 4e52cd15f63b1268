"""API answers for remote bots, their versions, tables and ladders."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.accounts.selectors import is_staff
from arena.api.base.shapes import build_shape
from arena.common.notes import note_in_english
from arena.features.remote.ladders import LadderLine
from arena.features.remote.models import RemoteBot, RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.selectors import is_online, is_over, owns


class RemotePauseOut(TypedDict):
    """Why a remote bot is paused."""

    code: str
    text: str


class RemoteBotOut(TypedDict):
    """A bot that runs on its author's machine. Not reproducible."""

    id: str
    name: str
    owner: Annotated[str, "The owner's handle."]
    game: str
    created_at: datetime.datetime
    paused_at: Annotated[datetime.datetime | None, "Since when it gets no tables; null unless it is paused."]
    pause_reason: Annotated[RemotePauseOut | None, "For its owner; null for others."]
    retired_at: datetime.datetime | None


class RemoteVersionOut(TypedDict):
    """A version that its author declares."""

    id: str
    number: int
    label: str
    bot: Annotated[str, "Id of the bot."]
    name: Annotated[str, "Name of the bot."]
    owner: Annotated[str, "The owner's handle."]
    game: str
    created_at: datetime.datetime
    is_online: Annotated[bool, "Whether its client is connected."]
    ladder: Annotated[
        str | None,
        "Preset for which its client wants rated tables; null: none, or it is offline.",
    ]
    is_slow: Annotated[bool, "Whether these have the slow clock."]


class RemoteTableSeatOut(TypedDict):
    """A seat of a table of remote bots."""

    seat: int
    label: str
    version: Annotated[str | None, "Id of the version of an uploaded bot."]
    remote_version: Annotated[str | None, "Id of the remote version."]
    verdict: Annotated[str | None, "Of a remote seat, after the end."]
    stones: Annotated[int | None, "After the end."]


class RemoteFieldOut(TypedDict):
    """The result of a house bot in the seat of the rated version."""

    label: str
    stones: int


class RemoteTableOut(TypedDict):
    """A table of remote bots: its owner may see it at any time, others after its end."""

    id: str
    game: str
    preset: str
    is_rated: bool
    is_slow: bool
    state: Annotated[str, RemoteTable.State]
    failure_reason: Annotated[str, "Empty unless the table has failed."]
    seats: list[RemoteTableSeatOut]
    commitment: Annotated[str, "SHA-256 of the secret."]
    secret: Annotated[str | None, "In hex, after the end."]
    seed_id: str
    bundles: Annotated[list[str], "SHA-256 of the bundles, which the seeds depend on."]
    first_board: Annotated[int, "Number of the first deal."]
    score: Annotated[float | None, "Of a rated table that is finished."]
    is_forfeit: bool
    field: Annotated[list[RemoteFieldOut], "Of a rated table that is finished."]
    created_at: datetime.datetime
    ended_at: datetime.datetime | None


class RemoteLadderLineOut(TypedDict):
    """A bot on a ladder, with one of its versions."""

    version: Annotated[str, "Id of the version."]
    number: int
    label: str
    bot: Annotated[str, "Id of the bot."]
    name: str
    owner: str
    tables: int
    forfeits: int
    mean: Annotated[float, "Mean score per table."]
    low: Annotated[float | None, "Lower end of the 95% interval; null with too few tables for a rank."]
    high: float | None
    rank_low: Annotated[int | None, "Best rank that the intervals allow."]
    rank_high: int | None


class RemoteLadderOut(TypedDict):
    """A ladder of remote bots: a preset with one clock."""

    preset: str
    is_slow: bool
    lines: list[RemoteLadderLineOut]
    next_first: Annotated[
        int | None, "Number of the first line that did not fit, to request with first; null: none."
    ]


class AcceptedOut(TypedDict):
    """An answer was stored. The stream says how the referee judged it."""

    id: Annotated[str, "Of the request."]
    accepted: bool


class AliveOut(TypedDict):
    """The valid stream of the version."""

    generation: int


def remote_bot_out(bot: RemoteBot, request: Request) -> RemoteBotOut:
    reason: RemotePauseOut | None = None
    if bot.paused_at is not None and (owns(request.user, bot) or is_staff(request.user)):
        reason = {"code": bot.pause_note.get("code", ""), "text": note_in_english(bot.pause_note)}
    return build_shape(RemoteBotOut, bot, owner=bot.owner.handle, pause_reason=reason)


def remote_version_out(version: RemoteVersion, _: Request) -> RemoteVersionOut:
    online = is_online(version)
    return build_shape(
        RemoteVersionOut,
        version,
        bot=version.bot.public_id,
        name=version.bot.name,
        owner=version.bot.owner.handle,
        game=version.bot.game,
        is_online=online,
        ladder=(version.ladder or None) if online else None,
    )


def remote_table_out(table: RemoteTable, _: Request) -> RemoteTableOut:
    is_public = is_over(table)
    remote = {seat.seat: seat for seat in table.remote_seats.all()}
    return build_shape(
        RemoteTableOut,
        table,
        seats=[_seat_out(seat, remote.get(seat["seat"]), table) for seat in table.seats],
        secret=bytes(table.secret).hex() if is_public else None,
        field=[{"label": each["label"], "stones": each["stones"]} for each in table.field or ()],
    )


def _seat_out(seat: dict[str, Any], remote: RemoteSeat | None, table: RemoteTable) -> RemoteTableSeatOut:
    stones = None
    if table.result is not None:
        stones = sum(board["stones"].get(str(seat["seat"]), 0) for board in table.result["boards"])
    return {
        "seat": seat["seat"],
        "label": seat["label"],
        "version": seat["version"],
        "remote_version": remote.version.public_id if remote and remote.version else None,
        "verdict": (remote.verdict or None) if remote else None,
        "stones": stones,
    }


def ladder_lines_out(lines: Iterable[LadderLine]) -> list[RemoteLadderLineOut]:
    return [build_shape(RemoteLadderLineOut, line) for line in lines]
