"""Events of any size in seconds: rows as a round robin leaves them, in bulk, without a deal or a record.

For pages and lists, which show what is stored. Nothing here was played: results are drawn.
"""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Max, Model
from django.utils import timezone

from arena.accounts.models import User
from arena.accounts.services import user_create
from arena.common.ids import new_public_id
from arena.competition.models import Entry, Round, Stage, StageEntry, Tournament
from arena.competition.services import tournament_create
from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table
from arena.matches.workers import runtime_set
from arena.roster.models import Bot, BotVersion, Player
from arena.standings.models import FixtureScore, StandingRow

BOTS_A_PLAYER = 10
SEED = 1
AT_ONCE = 20_000
TABLES = 2
"""Of a fixture of an open round."""


class Writer:
    """Writes rows that are like one another."""

    def __init__(self) -> None:
        self._last: dict[type[Model], int] = {}

    def keys(self, model: type[Model], count: int) -> range:
        """Free keys of a model."""
        if model not in self._last:
            self._last[model] = model._default_manager.aggregate(last=Max("pk"))["last"] or 0
        first = self._last[model] + 1
        self._last[model] += count
        return range(first, first + count)

    def add(self, like: Model, columns: Sequence[str], values: Iterable[Sequence[Any]]) -> None:
        """A row for each of these values of the columns; in all others but the public id it is ``like``."""
        fields = like._meta.concrete_fields
        base = [field.get_db_prep_save(field.pre_save(like, True), connection) for field in fields]
        own_id = next((at for at, field in enumerate(fields) if field.column == "public_id"), None)
        places = [[field.column for field in fields].index(column) for column in columns]
        names = ", ".join(f'"{field.column}"' for field in fields)
        marks = ", ".join("%s" for _ in fields)
        statement = f'INSERT INTO "{like._meta.db_table}" ({names}) VALUES ({marks})'
        batch: list[list[Any]] = []
        with connection.cursor() as cursor:
            for row in values:
                full = base.copy()
                if own_id is not None:
                    full[own_id] = new_public_id()
                for place, value in zip(places, row, strict=True):
                    full[place] = value
                batch.append(full)
                if len(batch) == AT_ONCE:
                    cursor.executemany(statement, batch)
                    batch.clear()
            if batch:
                cursor.executemany(statement, batch)

    def close(self) -> None:
        """Rows added later get keys after these."""
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), list(self._last)):
                cursor.execute(statement)


def large_event(
    entries: int, rounds: int, *, boards: int = 4, is_open: bool = True, organiser: User | None = None
) -> Tournament:
    """A round robin of so many entries (an even number) after so many rounds, of which the last is open if
    ``is_open``; else the event is final. ``rounds * entries / 2`` fixtures.
    """
    assert entries % 2 == 0, entries
    assert rounds < entries, (entries, rounds)
    organiser = organiser or user_create("large-organiser", is_organiser=True)
    tournament = tournament_create(
        organiser, name=f"{rounds * entries // 2} fixtures", preset="kakeya4", boards_per_round=boards
    )
    now = timezone.now()
    state = Tournament.State.RUNNING if is_open else Tournament.State.FINAL
    Tournament.objects.filter(pk=tournament.pk).update(
        state=state, state_at=now, max_entries=min(1000, max(entries, tournament.max_entries))
    )
    tournament.refresh_from_db()
    stage = tournament.stages.get()
    Stage.objects.filter(pk=stage.pk).update(state=Stage.State.RUNNING, field_digest="d" * 64)
    with transaction.atomic():
        writer = Writer()
        players = _entries_add(writer, tournament, stage, entries)
        _rounds_add(writer, stage, players, rounds, boards, is_open=is_open, now=now)
        writer.close()
    return tournament


def copies_add(tournament: Tournament, count: int) -> None:
    """So many more events that ended as this one did: their stages and standings, nothing that was played."""
    stage = tournament.stages.get()
    rows = list(StandingRow.objects.filter(stage=stage).order_by("rank").values_list("entry", "rank"))
    values = json.dumps(StandingRow.objects.filter(stage=stage)[0].values)
    with transaction.atomic():
        writer = Writer()
        keys, stages = writer.keys(Tournament, count), writer.keys(Stage, count)
        writer.add(tournament, ("id", "name"), [(key, f"Evening {at}") for at, key in enumerate(keys, 1)])
        writer.add(stage, ("id", "tournament_id"), list(zip(stages, keys, strict=True)))
        lines = writer.keys(StandingRow, count * len(rows))
        writer.add(
            StandingRow(values={}),
            ("id", "stage_id", "entry_id", "rank", "values"),
            [
                (lines[at], copied, entry, rank, values)
                for at, (copied, (entry, rank)) in enumerate(
                    (copied, row) for copied in stages for row in rows
                )
            ],
        )
        writer.close()


def _entries_add(writer: Writer, tournament: Tournament, stage: Stage, count: int) -> list[int]:
    """Players, bots, versions and entries; the keys of the entries."""
    owners = writer.keys(User, -(-count // BOTS_A_PLAYER))
    players = writer.keys(Player, len(owners))
    prefix = f"e{tournament.pk}"
    writer.add(User(), ("id", "username"), [(key, f"{prefix}-{key}") for key in owners])
    writer.add(
        Player(),
        ("id", "user_id", "handle"),
        [(key, owner, f"{prefix}-{owner}") for key, owner in zip(players, owners, strict=True)],
    )
    bots, versions, entries = (writer.keys(model, count) for model in (Bot, BotVersion, Entry))
    owner_of = [players[at // BOTS_A_PLAYER] for at in range(count)]
    writer.add(
        Bot(game="kakeya"),
        ("id", "owner_id", "name", "name_key"),
        [
            (key, owner, f"Tsubame {at}", f"tsubame {at}")
            for at, (key, owner) in enumerate(zip(bots, owner_of, strict=True), 1)
        ],
    )
    like = BotVersion(
        number=1, bundle_bytes=100, runtime="python/1", entry_point="bot.py", state=BotVersion.State.READY
    )
    writer.add(
        like,
        ("id", "bot_id", "bundle_sha256"),
        [(key, bot, f"{key:064x}") for key, bot in zip(versions, bots, strict=True)],
    )
    writer.add(
        Entry(tournament=tournament, status=Entry.Status.ENTERED),
        ("id", "player_id", "version_id"),
        [(key, owner, version) for key, owner, version in zip(entries, owner_of, versions, strict=True)],
    )
    writer.add(
        StageEntry(stage=stage),
        ("id", "entry_id", "position"),
        [
            (key, entry, at)
            for at, (key, entry) in enumerate(zip(writer.keys(StageEntry, count), entries, strict=True), 1)
        ],
    )
    return list(entries)


def _rounds_add(
    writer: Writer,
    stage: Stage,
    entries: list[int],
    rounds: int,
    boards: int,
    *,
    is_open: bool,
    now: datetime.datetime,
) -> None:
    """Rounds with board sets, fixtures, scores, the tables of the open one, and the standings."""
    draw = random.Random(SEED)
    a_round = len(entries) // 2
    round_keys, sets = writer.keys(Round, rounds), writer.keys(BoardSet, rounds)
    fixtures = writer.keys(Fixture, rounds * a_round)
    closed = rounds - is_open

    def states(at: int) -> tuple[str, datetime.datetime | None]:
        return ("closed", now) if at < closed else ("open", None)

    writer.add(
        Round(stage=stage, opened_at=now),
        ("id", "number", "state", "closed_at"),
        [(key, at + 1, *_stored(states(at))) for at, key in enumerate(round_keys)],
    )
    writer.add(
        BoardSet(kind="deal", boards=boards),
        ("id", "round_id", "state", "closed_at"),
        [(key, round_keys[at], *_stored(states(at))) for at, key in enumerate(sets)],
    )
    meetings = [pair for number in range(rounds) for pair in _pairs(entries, number)]
    writer.add(
        Fixture(tournament=stage.tournament),
        ("id", "board_set_id", "number", "state"),
        [
            (
                key,
                sets[at // a_round],
                at % a_round + 1,
                Fixture.State.SETTLED.value if at // a_round < closed else Fixture.State.OPEN.value,
            )
            for at, key in enumerate(fixtures)
        ],
    )
    side_keys = iter(writer.keys(FixtureEntry, 2 * len(fixtures)))
    writer.add(
        FixtureEntry(),
        ("id", "fixture_id", "entry_id", "position", "side"),
        (
            (next(side_keys), key, entry, position, position)
            for key, pair in zip(fixtures, meetings, strict=True)
            for position, entry in enumerate(pair)
        ),
    )
    scored = closed * a_round
    results = [[draw.randint(-3, 3) for _ in range(boards)] for _ in range(scored)]
    total_keys = iter(writer.keys(FixtureScore, 2 * scored))
    writer.add(
        FixtureScore(denominator=1),
        ("id", "fixture_id", "entry_id", "numerator", "board_values"),
        (
            (
                next(total_keys),
                key,
                entry,
                -sum(won) if position else sum(won),
                ",".join(str(-stones if position else stones) for stones in won),
            )
            for key, pair, won in zip(fixtures, meetings, results, strict=False)
            for position, entry in enumerate(pair)
        ),
    )
    if is_open:
        _tables_add(writer, stage.tournament, fixtures[scored:], boards, now)
    _standings_add(writer, stage, entries, list(zip(meetings, results, strict=False)))


def _stored(values: tuple[str, datetime.datetime | None]) -> tuple[str, Any]:
    state, at = values
    return state, None if at is None else connection.ops.adapt_datetimefield_value(at)


def _pairs(entries: list[int], number: int) -> list[tuple[int, int]]:
    """Round ``number``, from 0, of everybody against everybody: all but the first go round a circle."""
    first, *others = entries
    circle = [first, *others[number:], *others[:number]]
    half = len(circle) // 2
    return list(zip(circle[:half], reversed(circle[half:]), strict=True))


def _tables_add(
    writer: Writer, tournament: Tournament, fixtures: Sequence[int], boards: int, now: datetime.datetime
) -> None:
    """Two tables a fixture: of the first five fixtures the one is being played, all others wait."""
    like = Table(
        tournament=tournament,
        first_board=1,
        board_count=boards,
        runtimes=runtime_set(["python/1"]),
        wall_limit_s=60.0,
        started_at=now,
    )
    keys = iter(writer.keys(Table, TABLES * len(fixtures)))
    leased, waiting = Table.State.LEASED.value, Table.State.WAITING.value
    writer.add(
        like,
        ("id", "fixture_id", "rotation", "state", "fence", "boards_done", "attempt"),
        [
            (
                next(keys),
                fixture,
                rotation,
                *((leased, "f", 1, 1) if at < 5 and rotation == 0 else (waiting, "", 0, 0)),
            )
            for at, fixture in enumerate(fixtures)
            for rotation in range(TABLES)
        ],
    )


def _standings_add(
    writer: Writer, stage: Stage, entries: list[int], played: list[tuple[tuple[int, int], list[int]]]
) -> None:
    """Everybody's line, by match points, then stones, then by lot."""
    lines = {entry: {"played": 0, "won": 0, "drawn": 0, "lost": 0, "stones": 0} for entry in entries}
    for pair, won in played:
        for entry, stones in zip(pair, (sum(won), -sum(won)), strict=True):
            line = lines[entry]
            line["played"] += 1
            line["stones"] += stones
            line["won" if stones > 0 else "lost" if stones < 0 else "drawn"] += 1
    if not played:
        return
    points = {entry: 2 * line["won"] + line["drawn"] for entry, line in lines.items()}
    ordered = sorted(entries, key=lambda entry: (-points[entry], -lines[entry]["stones"], entry))
    keys = writer.keys(StandingRow, len(entries))
    values = []
    for rank, (key, entry) in enumerate(zip(keys, ordered, strict=True), 1):
        line = lines[entry]
        row = {name: line[name] for name in ("played", "won", "drawn", "lost")}
        row |= {name: str(points[entry]) for name in ("match_points", "buchholz", "sonneborn_berger")}
        row |= {"board_score": str(line["stones"]), "board_score_difference": str(line["stones"])}
        row |= {"head_to_head": None, "wins": line["won"], "lot": f"{entry:064x}"}
        values.append((key, entry, rank, json.dumps(row), "match_points" if rank > 1 else ""))
    writer.add(
        StandingRow(stage=stage, values={}), ("id", "entry_id", "rank", "values", "decided_by"), values
    )
