"""The scheduling tables of a site with a long history, written by the database in minutes.

``history_add`` writes ended events, their tables and bots with ``INSERT ... SELECT`` over a series of
numbers; foreign keys are not checked meanwhile. ``live_work_add`` creates running events with the services,
so that their tables can be claimed and reported.
"""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Max, Model
from django.utils import timezone

from arena.accounts.models import AuditEvent, Event, User
from arena.common.models import Blob
from arena.competition.models import Entry, Round, Stage, StageEntry, Tournament
from arena.competition.services import tournament_start
from arena.features.integrity.models import BoardSetConduct, IntegrityProgress
from arena.features.ratings.models import RatingProgress
from arena.jobs.flow import tournament_advance
from arena.matches.leases import table_claim
from arena.matches.models import BoardSet, Fixture, FixtureEntry, RuntimeSet, Table, TableSeat
from arena.matches.workers import worker_heartbeat
from arena.roster.models import Bot, BotVersion, CheckRun, Player
from arena.standings.models import BoardSetLuck, PastStandings, StandingRow
from tests import factories

ENTRIES, ROUNDS, ROTATIONS, SEATS = 16, 15, 2, 4
FIXTURES = ROUNDS * ENTRIES // 2
TABLES = FIXTURES * ROTATIONS
"""Of an ended event."""
TABLES_PER_BOT = 100
BOTS_PER_PLAYER = 3
BLOBS_PER_TABLE = 2
WORKERS, CAPACITY = 20, 2
QUARANTINED = 20
KERNEL = "bench-kernel"


class LiveWork(NamedTuple):
    """Size of the work that is not ended."""

    events: int
    """Running events of 16 entries and 8 boards per round."""
    leased: int


def history_add(tables: int) -> None:
    """Write ended events with at least this many tables, and the bots that played them."""
    with _unchecked():
        _History(max(1, -(-tables // TABLES)), max(ENTRIES, tables // TABLES_PER_BOT)).add()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE")


def live_work_add(work: LiveWork) -> list[str]:
    """Create workers and running events with waiting, leased and quarantined tables; return public ids."""
    for number in range(WORKERS):
        worker_heartbeat(
            f"bench-{number}", "FULL1", {factories.RUNTIME: "d" * 64}, CAPACITY, kernel=f"{KERNEL}-{number}"
        )
    events = []
    for _ in range(work.events):
        event = factories.a_locked_tournament(ENTRIES, boards_per_round=8)
        tournament_start(event, event.organiser)
        tournament_advance(event)
        events.append(event.public_id)
    waiting = Table.objects.filter(state=Table.State.WAITING).order_by("rotation", "first_board", "pk")
    for position, pk in enumerate(waiting.values_list("pk", flat=True)[: work.leased]):
        lease = table_claim(pk, f"bench-{position % WORKERS}", kernel="")
        assert lease is not None
    quarantined = list(waiting.order_by("-first_board", "-pk").values_list("pk", flat=True)[:QUARANTINED])
    Table.objects.filter(pk__in=quarantined).update(state=Table.State.QUARANTINED, cause="internal")
    times_refresh()
    return events


def times_refresh() -> None:
    """Set the times of workers and leases ahead, so that none expires during the measurements."""
    later = timezone.now() + datetime.timedelta(hours=12)
    from arena.matches.models import Worker

    Worker.objects.update(heartbeat_at=later)
    Table.objects.filter(state=Table.State.LEASED).update(lease_until=later, progress_at=later)


def series_add(like: Model, count: int, expressions: Mapping[str, str]) -> range:
    """Insert rows that equal ``like`` except for these columns, SQL expressions of ``i`` from 0; return keys.

    ``id`` and ``public_id`` are assigned.
    """
    model = type(like)
    fields = like._meta.concrete_fields
    is_numbered = any(field.column == "id" for field in fields)
    first = (model._default_manager.aggregate(last=Max("pk"))["last"] or 0) + 1 if is_numbered else 0
    given = {"id": f"{first} + i", "public_id": f"SUBSTR(MD5('{model._meta.label} ' || i), 1, 12)"}
    given |= expressions
    parameters, columns = [], []
    for field in fields:
        if field.column in given:
            columns.append(given[field.column])
        else:
            parameters.append(field.get_db_prep_save(field.pre_save(like, True), connection))
            columns.append("%s")
    names = ", ".join(f'"{field.column}"' for field in fields)
    statement = (
        f'INSERT INTO "{like._meta.db_table}" ({names}) {_numbers(count)} '
        f"SELECT {', '.join(columns)} FROM numbers"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        if is_numbered:
            for reset in connection.ops.sequence_reset_sql(no_style(), [model]):
                cursor.execute(reset)
    return range(first, first + count)


def _numbers(count: int) -> str:
    if connection.vendor == "postgresql":
        return f"WITH numbers AS (SELECT i::bigint FROM generate_series(0, {count - 1}) AS i)"
    return (
        f"WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < {count - 1})"
    )


class _unchecked:
    """Context manager: one transaction in which foreign keys are not checked."""

    def __enter__(self) -> None:
        self._run("PRAGMA foreign_keys = OFF", "SET session_replication_role = replica")
        self._transaction = transaction.atomic()
        self._transaction.__enter__()
        self._run("PRAGMA defer_foreign_keys = ON", "SELECT 1")

    def __exit__(self, *error: object) -> None:
        self._transaction.__exit__(*error)  # type: ignore[arg-type]
        self._run("PRAGMA foreign_keys = ON", "SET session_replication_role = DEFAULT")

    def _run(self, sqlite: str, postgresql: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sqlite if connection.vendor == "sqlite" else postgresql)


class _History:
    def __init__(self, events: int, bots: int) -> None:
        self.events, self.bots = events, bots

    def add(self) -> None:
        self._bots_add()
        self._events_add()
        self._tables_add()
        self._logs_add()

    def _bots_add(self) -> None:
        count = -(-self.bots // BOTS_PER_PLAYER)
        users = series_add(User(), count, {"username": "'past-' || i"})
        self.players = series_add(Player(), count, {"user_id": f"{users[0]} + i", "handle": "'past-' || i"})
        bots = series_add(
            Bot(game="kakeya"),
            self.bots,
            {
                "owner_id": f"{self.players[0]} + i / {BOTS_PER_PLAYER}",
                "name": "'Past ' || i",
                "name_key": "'past ' || i",
            },
        )
        version = BotVersion(
            number=1,
            bundle_bytes=100,
            runtime=factories.RUNTIME,
            entry_point="bot.py",
            state=BotVersion.State.READY,
        )
        self.versions = series_add(
            version, self.bots, {"bot_id": f"{bots[0]} + i", "bundle_sha256": _hash("bundle")}
        )
        check = CheckRun(state=CheckRun.State.DONE, report={}, finished_at=timezone.now())
        series_add(check, self.bots, {"version_id": f"{self.versions[0]} + i"})

    def _events_add(self) -> None:
        now = timezone.now()
        like = factories.a_tournament(boards_per_round=8)
        like.state, like.revealed_at = Tournament.State.FINAL, now
        stage = like.stages.get()
        stage.state = Stage.State.DONE
        count = self.events
        self.tournaments = series_add(
            like, count, {"name": "'Past event ' || i", "secret": _secret(), "commitment": _hash("secret")}
        )
        event = f"{self.tournaments[0]} + i"
        stages = series_add(stage, count, {"tournament_id": event})
        self.entries = series_add(
            Entry(tournament=like, status=Entry.Status.ENTERED),
            count * ENTRIES,
            {
                "tournament_id": f"{self.tournaments[0]} + i / {ENTRIES}",
                "version_id": f"{self.versions[0]} + {self._bot(ENTRIES)}",
                "player_id": f"{self.players[0]} + ({self._bot(ENTRIES)}) / {BOTS_PER_PLAYER}",
            },
        )
        series_add(
            StageEntry(stage=stage),
            count * ENTRIES,
            {
                "stage_id": f"{stages[0]} + i / {ENTRIES}",
                "entry_id": f"{self.entries[0]} + i",
                "position": f"i %% {ENTRIES} + 1",
            },
        )
        series_add(
            StandingRow(stage=stage, values={}),
            count * ENTRIES,
            {
                "stage_id": f"{stages[0]} + i / {ENTRIES}",
                "entry_id": f"{self.entries[0]} + i",
                "rank": f"i %% {ENTRIES} + 1",
            },
        )
        rounds = series_add(
            Round(stage=stage, state=Round.State.CLOSED, opened_at=now, closed_at=now),
            count * ROUNDS,
            {"stage_id": f"{stages[0]} + i / {ROUNDS}", "number": f"i %% {ROUNDS} + 1"},
        )
        of_round = {"round_id": f"{rounds[0]} + i"}
        closed = BoardSet(kind="deal", boards=8, state=BoardSet.State.CLOSED, closed_at=now)
        sets = count * ROUNDS
        self.sets = series_add(closed, sets, of_round | {"closed_seq": "i + 1", "event_seq": "i + 1"})
        series_add(PastStandings(scored="s", rows=b"rows"), sets, of_round | {"key": _hash("past")})
        of_set = {"board_set_id": f"{self.sets[0]} + i"}
        series_add(BoardSetLuck(boards=[]), sets, of_set)
        series_add(BoardSetConduct(scores=b"scores"), sets, of_set)
        IntegrityProgress.objects.update_or_create(pk=1, defaults={"closed_seq": sets, "rulings_at": now})
        RatingProgress.objects.update_or_create(pk=1, defaults={"closed_seq": sets})

    def _bot(self, per_event: int) -> str:
        """Return the position of the bot of entry ``i``: consecutive bots, others in each event."""
        return f"(i / {per_event} * 7919 + i %% {per_event}) %% {self.bots}"

    def _tables_add(self) -> None:
        fixtures = self.events * FIXTURES
        per_round = ENTRIES // 2
        keys = series_add(
            Fixture(state=Fixture.State.SETTLED, done_at=timezone.now()),
            fixtures,
            {
                "tournament_id": f"{self.tournaments[0]} + i / {FIXTURES}",
                "board_set_id": f"{self.sets[0]} + i / {per_round}",
                "number": f"i %% {per_round} + 1",
            },
        )
        series_add(
            FixtureEntry(),
            fixtures * 2,
            {
                "fixture_id": f"{keys[0]} + i / 2",
                "entry_id": f"{self.entries[0]} + {self._entry('i / 2', 'i %% 2')}",
                "position": "i %% 2",
                "side": "i %% 2",
            },
        )
        names = [factories.RUNTIME]
        runtimes = RuntimeSet.objects.get_or_create(names=names)[0]
        now = timezone.now()
        like = Table(
            first_board=1,
            board_count=8,
            boards_done=8,
            runtimes=runtimes,
            state=Table.State.FINISHED,
            published_at=now,
            attempt=1,
            wall_limit_s=60.0,
            worker="bench-1",
            started_at=now,
            finished_at=now,
            decisions=400,
        )
        self.tables = fixtures * ROTATIONS
        tables = series_add(
            like,
            self.tables,
            {
                "tournament_id": f"{self.tournaments[0]} + i / {TABLES}",
                "fixture_id": f"{keys[0]} + i / {ROTATIONS}",
                "rotation": f"i %% {ROTATIONS}",
                "record_sha256": _hash("record"),
                "view_sha256": _hash("view"),
                "fence": "SUBSTR(MD5('fence' || i), 1, 32)",
            },
        )
        entry = self._entry(f"i / {SEATS * ROTATIONS}", "i %% 2")
        series_add(
            TableSeat(verdict="OK", decisions=100, cpu_ms=90, wall_ms=100),
            self.tables * SEATS,
            {
                "table_id": f"{tables[0]} + i / {SEATS}",
                "seat": f"i %% {SEATS} + 1",
                "entry_id": f"{self.entries[0]} + {entry}",
                "version_id": f"{self.versions[0]} + ({entry}) %% {self.bots}",
            },
        )

    def _entry(self, fixture: str, side: str) -> str:
        """Return the position of an entry of a fixture among all entries."""
        event = f"({fixture}) / {FIXTURES} * {ENTRIES}"
        return f"{event} + ({fixture} + ({side}) * 5) %% {ENTRIES}"

    def _logs_add(self) -> None:
        series_add(
            Blob(kind=Blob.Kind.RECORD, size=4000),
            self.tables * BLOBS_PER_TABLE,
            {"sha256": _bytes_of(f"MD5('blob' || i) || MD5('{secrets.token_hex(4)}' || i)")},
        )
        done = Event(kind="fixture.done", object_kind="fixture", object_id="x", data={"number": 1})
        series_add(done, self.tables // ROTATIONS, {"tournament": f"'past' || (i / {FIXTURES})"})
        audit = AuditEvent(action="start", kind="tournament", object_id="x")
        series_add(audit, self.events * ENTRIES, {"object_id": f"'past' || (i / {ENTRIES})"})


def _hash(name: str) -> str:
    return f"MD5('{name}' || i) || MD5('{name} ' || i)"


def _secret() -> str:
    return _bytes_of("MD5('secret' || i)")


def _bytes_of(text: str) -> str:
    if connection.vendor == "postgresql":
        return f"decode({text}, 'hex')"
    return f"CAST({text} AS BLOB)"
