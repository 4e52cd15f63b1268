"""Rows of pages: connected versions, tables with their seats, and lines of ladders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.game_titles import preset_title
from arena.features.play.pages.descriptions import bot_name
from arena.features.ratings.panels.forest import EN_DASH
from arena.features.remote.ladders import LadderLine, VersionScore
from arena.features.remote.models import RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.selectors import active_tables
from arena.web.base.figures import format_duration, format_exact, format_rounded
from arena.web.drawing.plots import Axis, DrawnInterval, Interval, build_axis

TABLE_STATES = {
    RemoteTable.State.STARTING: gettext_lazy("starting"),
    RemoteTable.State.PLAYING: gettext_lazy("being played"),
    RemoteTable.State.PLAYED: gettext_lazy("house bots are playing the same cards"),
    RemoteTable.State.FINISHED: gettext_lazy("finished"),
    RemoteTable.State.FAILED: gettext_lazy("void"),
}


class OnlineRow(NamedTuple):
    version: RemoteVersion
    tables: int
    ladder: str
    """Title of the preset of its ladder; empty without one."""


class SeatName(NamedTuple):
    seat: int
    name: str
    bot: str
    """Public id of a remote bot; empty for house bots and persons."""
    stones: str
    """Empty before the end."""


class TableRow(NamedTuple):
    table: RemoteTable
    title: str
    state: str
    is_live: bool
    seats: list[SeatName]
    score: str
    """Score of a rated table; empty before the end."""


class LadderRow(NamedTuple):
    line: LadderLine
    ranks: str
    ranks_text: str
    value: str
    reach: DrawnInterval | None
    """None without a rank."""
    is_own: bool


class ScoreRow(NamedTuple):
    """The result of a version on a ladder."""

    score: VersionScore
    title: str
    value: str
    interval: str
    """Empty with too few tables."""


class SeatClock(NamedTuple):
    """A remote seat of a table in play."""

    seat: SeatName
    time: str
    """Time left in its bank."""
    is_asked: bool
    away: str
    """Time left to reconnect; empty while it is connected."""


def online_rows(versions: Sequence[RemoteVersion]) -> list[OnlineRow]:
    """Return the rows of connected versions. One query."""
    playing = active_tables(versions)
    return [
        OnlineRow(version, playing.get(version.pk, 0), preset_title(version.ladder) if version.ladder else "")
        for version in versions
    ]


def version_name(version: RemoteVersion) -> str:
    return f"{version.bot.name} v{version.number}"


def seat_names(table: RemoteTable) -> list[SeatName]:
    """Return the bots of a table by seat, with their stones after the end. No query if seats are fetched."""
    remote = {row.seat: row for row in table.remote_seats.all()}
    stones = stones_of(table)
    names = []
    for seat in table.seats:
        number = int(seat["seat"])
        row = remote.get(number)
        version = None if row is None else row.version
        name = bot_name(str(seat["label"])) if version is None else version_name(version)
        bot = "" if version is None else version.bot.public_id
        won = stones.get(number)
        names.append(SeatName(number, name, bot, "" if won is None else format_stones(won)))
    return names


def stones_of(table: RemoteTable) -> dict[int, int]:
    """Return the stones that each seat won; empty before the end."""
    stones: dict[int, int] = {}
    for board in (table.result or {}).get("boards", []):
        for seat, won in board["stones"].items():
            stones[int(seat)] = stones.get(int(seat), 0) + won
    return stones


def format_stones(stones: float) -> str:
    """Format stones with their sign, rounded to hundredths unless they are whole."""
    exact = Fraction(stones)
    return format_exact(exact, signed=True) if exact.denominator <= 2 else format_rounded(stones)


def table_rows(tables: Iterable[RemoteTable]) -> list[TableRow]:
    return [
        TableRow(
            table,
            preset_title(table.preset, len(table.seats)),
            str(TABLE_STATES[RemoteTable.State(table.state)]),
            table.state in RemoteTable.ACTIVE,
            seat_names(table),
            "" if table.score is None else format_stones(table.score),
        )
        for table in tables
    ]


def ladder_axis(lines: Iterable[LadderLine]) -> Axis:
    return build_axis([span for line in lines if (span := _span(line)) is not None])


def ladder_rows(lines: Iterable[LadderLine], axis: Axis, viewer: Viewer) -> list[LadderRow]:
    own = viewer.pk if isinstance(viewer, User) else None
    return [_ladder_row(line, axis, own) for line in lines]


def _ladder_row(line: LadderLine, axis: Axis, own: int | None) -> LadderRow:
    span = _span(line)
    ranks = ranks_text = ""
    if line.rank_low is not None:
        ranks, ranks_text = str(line.rank_low), _("rank %(rank)s") % {"rank": line.rank_low}
        if line.rank_high != line.rank_low:
            ranks = f"{line.rank_low}{EN_DASH}{line.rank_high}"
            ranks_text = _("rank %(low)s to %(high)s, order not decided") % {
                "low": line.rank_low,
                "high": line.rank_high,
            }
    is_own = own is not None and line.owner_user == own
    reach = None if span is None else axis.reach(span)
    return LadderRow(line, ranks, ranks_text, format_rounded(line.mean), reach, is_own)


def _span(line: LadderLine) -> Interval | None:
    if line.low is None or line.high is None:
        return None
    return Interval(line.mean, line.low, line.high)


def score_rows(scores: Iterable[VersionScore]) -> list[ScoreRow]:
    return [
        ScoreRow(
            score,
            preset_title(score.preset),
            format_rounded(score.mean),
            ""
            if score.interval is None
            else _("%(low)s to %(high)s")
            % {"low": format_rounded(score.interval.low), "high": format_rounded(score.interval.high)},
        )
        for score in scores
    ]


def seat_clocks(table: RemoteTable) -> list[SeatClock]:
    """Return the clocks of the remote seats of a table in play. No query if seats are fetched."""
    names = {name.seat: name for name in seat_names(table)}
    return [_seat_clock(row, names[row.seat]) for row in table.remote_seats.all()]


def _seat_clock(row: RemoteSeat, name: SeatName) -> SeatClock:
    now = timezone.now()
    left_s = row.bank_ms / 1000
    if row.deadline_at is not None:
        left_s = (row.deadline_at - now).total_seconds()
    elif row.left_ms is not None:
        left_s = row.left_ms / 1000
    away = ""
    if row.disconnected_at is not None and row.is_active:
        away_s = row.disconnect_left_ms / 1000 - (now - row.disconnected_at).total_seconds()
        away = format_duration(away_s)
    return SeatClock(name, format_duration(left_s), bool(row.request_id), away)
