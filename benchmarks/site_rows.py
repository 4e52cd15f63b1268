"""Rows around a large event: bots with ratings, players, cups with editions, ladder rounds, daily deals.

Written in bulk like ``tests.large``; nothing here was played.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

if TYPE_CHECKING:
    from arena.accounts.models import User
    from arena.competition.models import Tournament
    from arena.features.ratings.models import RatingList
    from tests.large import Writer

P = ParamSpec("P")
Result = TypeVar("Result")

FIELD = 10
"""Entries of an edition."""
CHANGES = 5
"""Rating changes of a line."""
LADDER_BOARDS = 4
PRESET = "kakeya4"


@dataclasses.dataclass(frozen=True)
class SiteSize:
    bots: int
    rated: int
    """Bots with a rating. A list of more would take gigabytes to compute."""
    players: int
    editions: int
    """Final tournaments of cups, over as many days as ``cup_editions``."""
    cup_editions: int
    """Those of one daily cup."""
    cups: int
    ladder_rounds: int
    """Closed after every round of a tournament."""
    days: int
    """Daily deals up to today."""
    attempts: int
    """Attempts at today's and yesterday's deal, and places in the weekly table."""


class SiteIds(NamedTuple):
    cup: str
    edition: str
    player: str
    """Handle of a player in all editions."""
    bot: str
    calendar: str
    """Secret of the player's calendar."""
    day: str
    """Yesterday."""


@dataclasses.dataclass
class _Cast:
    users: range
    players: range
    bots: range
    versions: range
    organiser: User
    now: datetime.datetime


def site_rows_add(size: SiteSize, organiser: User) -> SiteIds:
    """Add the rows in one transaction. Raises AssertionError unless there are more bots than players."""
    from django.db import transaction
    from django.utils import timezone

    from arena.accounts.models import User
    from arena.competition.models import Series, Tournament
    from arena.features.feeds.services import calendar_link_create
    from arena.roster.models import Bot, Player
    from tests.large import Writer

    assert size.bots >= size.players >= FIELD

    def written(add: Callable[Concatenate[Writer, P], Result], *args: P.args, **options: P.kwargs) -> Result:
        # Services create rows between the steps, so that each step looks for free keys.
        writer = Writer()
        result = add(writer, *args, **options)
        writer.close()
        return result

    with transaction.atomic():
        cast = written(_people, size, organiser, timezone.now())
        series = written(_cups, size.cups, organiser)
        edition = written(_editions, size, series, cast)
        written(_ratings, size.rated, cast)
        written(_ladder, size.ladder_rounds, cast)
        day = written(_daily, size, cast)
        player = Player.objects.get(pk=cast.players[0])
        return SiteIds(
            Series.objects.get(pk=series[0]).public_id,
            Tournament.objects.get(pk=edition).public_id,
            player.handle,
            Bot.objects.get(pk=cast.bots[0]).public_id,
            calendar_link_create(User.objects.get(pk=cast.users[0])),
            day.isoformat(),
        )


def _time(moment: datetime.datetime) -> Any:
    from django.db import connection

    return connection.ops.adapt_datetimefield_value(moment)


def _people(writer: Writer, size: SiteSize, organiser: User, now: datetime.datetime) -> _Cast:
    from arena.accounts.models import User
    from arena.roster.models import Bot, BotVersion, Player

    users, players = writer.keys(User, size.players), writer.keys(Player, size.players)
    bots, versions = writer.keys(Bot, size.bots), writer.keys(BotVersion, size.bots)
    writer.add(User(), ("id", "username"), [(key, f"site-{index}") for index, key in enumerate(users)])
    writer.add(
        Player(),
        ("id", "user_id", "handle"),
        [(key, user, f"site-{index}") for index, (key, user) in enumerate(zip(players, users, strict=True))],
    )
    writer.add(
        Bot(game="kakeya"),
        ("id", "owner_id", "name", "name_key", "active_version_id"),
        [
            (key, players[index % len(players)], f"Suzume {index}", f"suzume {index}", version)
            for index, (key, version) in enumerate(zip(bots, versions, strict=True))
        ],
    )
    like = BotVersion(
        number=1, bundle_bytes=100, runtime="python/1", entry_point="bot.py", state=BotVersion.State.READY
    )
    writer.add(
        like,
        ("id", "bot_id", "bundle_sha256", "created_at"),
        [
            (key, bot, f"{key:064x}", _time(now - datetime.timedelta(days=200, minutes=index)))
            for index, (key, bot) in enumerate(zip(versions, bots, strict=True))
        ],
    )
    return _Cast(users, players, bots, versions, organiser, now)


def _cups(writer: Writer, count: int, organiser: User) -> range:
    from arena.competition.models import Series
    from arena.competition.series.services import series_create

    like = series_create(
        organiser,
        name="Cup",
        template={"preset": PRESET, "visibility": "public"},
        frequency="daily",
        start_time=datetime.time(18),
    )
    keys = writer.keys(Series, count)
    writer.add(like, ("id", "name"), [(key, f"Cup {index}") for index, key in enumerate(keys, 1)])
    return keys


def _editions(writer: Writer, size: SiteSize, series: range, cast: _Cast) -> int:
    """Add final tournaments with entries, standings and statements. Return the key of the latest."""
    from arena.competition.keys import key_current
    from arena.competition.models import Entry, Stage, Statement, Tournament
    from arena.competition.services import tournament_create
    from arena.standings.models import StandingRow

    like = tournament_create(cast.organiser, name="Edition", preset=PRESET)
    stage = like.stages.get()
    like.state, like.revision = Tournament.State.FINAL, 1
    like.commitment = "c" * 64
    stage.state, stage.field_digest = Stage.State.DONE, "d" * 64
    count = size.editions
    events, stages = writer.keys(Tournament, count), writer.keys(Stage, count)
    daily = size.cup_editions
    moments = [cast.now - datetime.timedelta(days=daily * (count - index) / count) for index in range(count)]
    numbers: dict[int, int] = {}
    rows = []
    for index, (key, moment) in enumerate(zip(events, moments, strict=True)):
        is_daily = index * daily // count < (index + 1) * daily // count
        cup = series[0] if is_daily else series[1 + index % (len(series) - 1)]
        numbers[cup] = numbers.get(cup, 0) + 1
        rows.append((key, f"Edition {index}", cup, numbers[cup], *[_time(moment)] * 3))
    writer.add(like, ("id", "name", "series_id", "edition", "state_at", "starts_at", "revealed_at"), rows)
    writer.add(stage, ("id", "tournament_id"), list(zip(stages, events, strict=True)))
    entries, lines = writer.keys(Entry, FIELD * count), writer.keys(StandingRow, FIELD * count)
    bots, players = len(cast.bots), len(cast.players)
    field = [
        # The first bot plays in every edition, the others in turn.
        (index, position, 0 if position == 0 else 1 + (index * (FIELD - 1) + position - 1) % (bots - 1))
        for index in range(count)
        for position in range(FIELD)
    ]
    writer.add(
        Entry(tournament=like, status=Entry.Status.ENTERED),
        ("id", "tournament_id", "player_id", "version_id"),
        [
            (key, events[index], cast.players[bot % players], cast.versions[bot])
            for key, (index, _place, bot) in zip(entries, field, strict=True)
        ],
    )
    values = json.dumps({"played": 9, "match_points": "9", "board_score": "5", "lot": "a" * 64})
    writer.add(
        StandingRow(values={}),
        ("id", "stage_id", "entry_id", "rank", "values"),
        [
            (line, stages[index], entry, (position + index) % FIELD + 1, values)
            for line, entry, (index, position, _bot) in zip(lines, entries, field, strict=True)
        ],
    )
    kinds = (Statement.Kind.OPENED, Statement.Kind.LOCKED, Statement.Kind.FINAL)
    statements = writer.keys(Statement, len(kinds) * count)
    writer.add(
        Statement(key=key_current(), body="{}", digest="e" * 64, signature="f" * 128),
        ("id", "tournament_id", "number", "kind", "published_at"),
        [
            (statements[len(kinds) * index + number], key, number + 1, kind.value, _time(moments[index]))
            for index, key in enumerate(events)
            for number, kind in enumerate(kinds)
        ],
    )
    return events[-1]


def _ratings(writer: Writer, rated: int, cast: _Cast) -> None:
    """Add the current list of a quarter with a line for each rated bot, and the changes of its season."""
    from arena.features.ratings.models import Rating, RatingChange, RatingList

    versions = cast.versions[:rated]
    count = len(versions)
    rating_list = _rating_list(cast, rated, kind=RatingList.Kind.TOURNAMENTS)
    figures = ("estimate", "low", "high", "standard_error", "rank", "rank_low", "rank_high")

    def values(index: int) -> tuple[float | int, ...]:
        estimate = 3 - 6 * index / count
        return (estimate, estimate - 0.5, estimate + 0.5, 0.25, index + 1, max(1, index - 2), index + 3)

    writer.add(
        Rating(list=rating_list, partner=Rating.Partner.SELF, fixtures=50, boards=200, degrees=49),
        ("id", "version_id", "lines_after", *figures),
        [
            (key, version, count - index, *values(index))
            for index, (key, version) in enumerate(zip(writer.keys(Rating, count), versions, strict=True))
        ],
    )
    keys = iter(writer.keys(RatingChange, CHANGES * count))
    writer.add(
        RatingChange(
            list=rating_list,
            partner=Rating.Partner.SELF,
            cause=RatingChange.Cause.CLOSED,
            fixtures=50,
            boards=200,
            degrees=49,
        ),
        ("id", "version_id", *figures),
        (
            (next(keys), version, *values(index))
            for _ in range(CHANGES)
            for index, version in enumerate(versions)
        ),
    )


def _rating_list(cast: _Cast, rated: int, *, kind: str, **columns: Any) -> RatingList:
    from arena.features.ratings.models import RatingList

    return RatingList.objects.create(
        kind=kind,
        game="kakeya",
        preset=PRESET,
        board_kind="deal",
        seats=4,
        **{"season": f"{cast.now.year}-Q{(cast.now.month + 2) // 3}", **columns},
        revision=1,
        computed_at=cast.now,
        sets=100,
        fixtures=1000,
        boards=4000,
        rated=rated,
    )


def _ladder(writer: Writer, count: int, cast: _Cast) -> None:
    """Add counted rounds of a ladder: a tournament each, with one fixture and the figures of its boards."""
    from django.db.models import Max

    from arena.competition.models import Entry, Round, Stage, Tournament
    from arena.competition.services import tournament_create
    from arena.features.ladders.installing import ladders_install
    from arena.features.ladders.models import LadderRound, LadderSeason
    from arena.matches.models import BoardSet, Fixture, FixtureEntry
    from arena.standings.models import BoardFigures

    ladder = next(row for row in ladders_install() if row.preset == PRESET)
    season = LadderSeason.objects.create(
        ladder=ladder,
        name="Season",
        begins_at=cast.now - datetime.timedelta(days=40),
        ends_at=cast.now + datetime.timedelta(days=40),
    )
    like = tournament_create(cast.organiser, name="Round of the ladder", preset=PRESET)
    stage = like.stages.get()
    like.kind, like.state = Tournament.Kind.LADDER, Tournament.State.FINAL
    stage.state = Stage.State.DONE
    events, stages, rounds, sets, fixtures = (
        writer.keys(model, count) for model in (Tournament, Stage, Round, BoardSet, Fixture)
    )
    first = (BoardSet.objects.aggregate(last=Max("closed_seq"))["last"] or 0) + 1
    writer.add(like, ("id", "name"), [(key, f"Round {index}") for index, key in enumerate(events, 1)])
    writer.add(stage, ("id", "tournament_id"), list(zip(stages, events, strict=True)))
    writer.add(
        Round(number=1, state=Round.State.CLOSED, opened_at=cast.now, closed_at=cast.now, stage=stage),
        ("id", "stage_id"),
        list(zip(rounds, stages, strict=True)),
    )
    writer.add(
        BoardSet(kind="deal", boards=LADDER_BOARDS, state=BoardSet.State.CLOSED, closed_at=cast.now),
        ("id", "round_id", "closed_seq"),
        [(key, rounds[index], first + index) for index, key in enumerate(sets)],
    )
    writer.add(
        Fixture(number=1, state=Fixture.State.SETTLED, tournament=like),
        ("id", "board_set_id", "tournament_id"),
        list(zip(fixtures, sets, events, strict=True)),
    )
    entries = writer.keys(Entry, 2 * count)
    writer.add(
        Entry(tournament=like, status=Entry.Status.ENTERED),
        ("id", "tournament_id", "player_id", "version_id"),
        [
            (entries[2 * index + side], event, cast.players[side], cast.versions[side])
            for index, event in enumerate(events)
            for side in (0, 1)
        ],
    )
    sides = writer.keys(FixtureEntry, 2 * count)
    writer.add(
        FixtureEntry(),
        ("id", "fixture_id", "entry_id", "position", "side"),
        [
            (sides[2 * index + side], fixture, entries[2 * index + side], side, side)
            for index, fixture in enumerate(fixtures)
            for side in (0, 1)
        ],
    )
    figures = writer.keys(BoardFigures, LADDER_BOARDS * count)
    writer.add(
        BoardFigures(
            fixtures=1,
            best_numerator=3,
            best_denominator=1,
            mean_numerator=3,
            mean_denominator=1,
            swing=3.0,
            spread=3.0,
        ),
        ("id", "tournament_id", "board_set_id", "board", "best_fixture_id", "best_entry_id"),
        [
            (
                figures[LADDER_BOARDS * index + board],
                event,
                sets[index],
                board + 1,
                fixtures[index],
                entries[2 * index],
            )
            for index, event in enumerate(events)
            for board in range(LADDER_BOARDS)
        ],
    )
    played = writer.keys(LadderRound, count)
    writer.add(
        LadderRound(
            ladder=ladder,
            season=season,
            state=LadderRound.State.COUNTED,
            drawn_at=cast.now,
            ended_at=cast.now,
            contenders_digest="a" * 64,
            kind=LadderRound.Kind.values[0],
        ),
        ("id", "tournament_id", "number"),
        [(key, event, index) for index, (key, event) in enumerate(zip(played, events, strict=True), 1)],
    )


def _daily(writer: Writer, size: SiteSize, cast: _Cast) -> datetime.date:
    """Add the deals of the last days with attempts and the week's places. Return yesterday."""
    from arena.competition.keys import key_current
    from arena.features.daily.models import DailyAttempt, DailyDeal, WeekPlace
    from arena.features.daily.weeks import monday_of

    today = cast.now.date()
    days = [today - datetime.timedelta(days=back) for back in range(size.days - 1, -1, -1)]
    keys = writer.keys(DailyDeal, len(days))
    writer.add(
        DailyDeal(
            game="kakeya",
            preset=PRESET,
            ruleset={},
            seats=[],
            board=1,
            secret=b"s" * 32,
            commitment="c" * 64,
            body="{}",
            digest="d" * 64,
            key=key_current(),
            signature="e" * 128,
            posted_at=cast.now,
            field=[],
        ),
        ("id", "day", "closed_at"),
        [
            (key, _date(day), _time(cast.now) if day < today else None)
            for key, day in zip(keys, days, strict=True)
        ],
    )
    attempts = [
        (deal, user, user % 13 - 6)
        for deal, day in zip(keys, days, strict=True)
        for user in cast.users[: size.attempts if (today - day).days <= 1 else FIELD]
    ]
    writer.add(
        DailyAttempt(state=DailyAttempt.State.FINISHED, started_at=cast.now, ended_at=cast.now),
        ("id", "deal_id", "owner_id", "person", "stones", "points"),
        [
            (key, deal, user, f"u{user}", stones, user % 101)
            for key, (deal, user, stones) in zip(
                writer.keys(DailyAttempt, len(attempts)), attempts, strict=True
            )
        ],
    )
    owners = cast.users[: size.attempts]
    writer.add(
        WeekPlace(week=monday_of(today), days=5),
        ("id", "owner_id", "points"),
        [
            (key, owner, owner % 501)
            for key, owner in zip(writer.keys(WeekPlace, len(owners)), owners, strict=True)
        ],
    )
    return days[-2]


def _date(day: datetime.date) -> Any:
    from django.db import connection

    return connection.ops.adapt_datefield_value(day)


def figures_add(tournament: Tournament) -> None:
    """Number the closed sets of an event in their order, and add figures of those without: a swing each."""
    from arena.competition.models import Entry
    from arena.matches.models import BoardSet, Fixture
    from arena.standings.models import BoardFigures
    from tests.large import Writer

    sets = list(
        BoardSet.objects.filter(round__stage__tournament=tournament, state=BoardSet.State.CLOSED).order_by(
            "round__number"
        )
    )
    for number, board_set in enumerate(sets, 1):
        board_set.closed_seq = board_set.event_seq = number
    BoardSet.objects.bulk_update(sets, ["closed_seq", "event_seq"], batch_size=500)
    known = set(BoardFigures.objects.filter(tournament=tournament).values_list("board_set", flat=True))
    rows = Fixture.objects.filter(tournament=tournament, number=1).order_by("pk")
    best = dict(rows.values_list("board_set", "pk"))
    entry = Entry.objects.filter(tournament=tournament).earliest("pk").pk
    bare = [board_set for board_set in sets if board_set.pk not in known]
    writer = Writer()
    boards = [(row.pk, board) for row in bare for board in range(1, row.boards + 1)]
    writer.add(
        BoardFigures(
            tournament=tournament,
            fixtures=1,
            best_entry_id=entry,
            best_numerator=3,
            best_denominator=1,
            mean_numerator=1,
            mean_denominator=1,
            spread=1.0,
        ),
        ("id", "board_set_id", "board", "best_fixture_id", "swing"),
        [
            (key, board_set, board, best[board_set], 1 + board_set % 7 / 7)
            for key, (board_set, board) in zip(writer.keys(BoardFigures, len(boards)), boards, strict=True)
        ],
    )
    writer.close()
