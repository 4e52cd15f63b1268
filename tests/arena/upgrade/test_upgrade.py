"""The way from a database of release 0.1.0 to the present schema, on both databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import DjangoDbBlocker

from arena.competition.models import Entry, Label, Stage, StageEntry, Tournament
from arena.matches.models import FixtureEntry, RuntimeSet, Table
from arena.roster.models import CheckRun
from arena.settings.database import database_of
from arena.standings.models import BoardFigures, BoardScore, FixtureScore
from league.fairness import lot
from league.statements import label_hash
from tests.databases import connect

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

UPGRADED = "upgraded"
HERE = Path(__file__).parent
QUARANTINE = "UPDATE matches_table SET state = 'quarantined' WHERE reason LIKE 'worker lost%'"
LACKS_NODE = ("runtime_unavailable", "no live worker runs node/1")


@contextmanager
def database(alias: str, url: str, folder: Path) -> Iterator[BaseDatabaseWrapper]:
    """A further database under this alias: the one at ``url``, else SQLite in ``folder``."""
    folder.mkdir(exist_ok=True)
    wanted = {DEFAULT_DB_ALIAS: database_of({"DATABASE_URL": url}, folder)}
    connections.databases[alias] = connections.configure_settings(wanted)[DEFAULT_DB_ALIAS]
    try:
        yield connections[alias]
    finally:
        connections[alias].close()
        del connections[alias]
        del connections.databases[alias]


def load(url: str, folder: Path) -> None:
    """Fill an empty database with that of release 0.1.0."""
    folder.mkdir(exist_ok=True)
    if url:
        with connect(url) as server:
            server.execute((HERE / "release_0_1.postgresql.sql").read_bytes())
    else:
        with closing(sqlite3.connect(folder / "arena.sqlite3")) as file:
            file.executescript((HERE / "release_0_1.sqlite.sql").read_text())


def counts_of(database: BaseDatabaseWrapper) -> dict[str, int]:
    """Rows of each table."""
    with database.cursor() as cursor:
        found = {}
        for table in database.introspection.table_names(cursor):
            cursor.execute(f"SELECT COUNT(*) FROM {table}")
            found[table] = cursor.fetchone()[0]
    return found


def definitions_of(statement: str) -> list[str]:
    """The definitions in a statement of SQLite's schema, sorted: columns and constraints of a table."""
    head, _, inner = statement.partition("(")
    found, depth = [head, ""], 0
    for sign in inner:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            found.append("")
        else:
            found[-1] += sign.replace("\n", " ")
    return sorted(text.strip() for text in found)


def schema_of(database: BaseDatabaseWrapper) -> dict[str, Any]:
    """Columns, constraints and indexes of each table, whatever their order."""
    inspect = database.introspection
    with database.cursor() as cursor:
        if database.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            return {name: definitions_of(statement) for name, statement in cursor.fetchall()}
        return {
            table: (
                sorted(str(column) for column in inspect.get_table_description(cursor, table)),
                inspect.get_constraints(cursor, table),
                sorted(str(sequence) for sequence in inspect.get_sequences(cursor, table)),
            )
            for table in inspect.table_names(cursor)
        }


@pytest.fixture(scope="module")
def before(
    tmp_path_factory: pytest.TempPathFactory,
    new_database: Callable[..., str],
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[dict[str, int]]:
    """Rows of each table of release 0.1.0; the database was migrated since."""
    folder = tmp_path_factory.mktemp("upgrade")
    old = new_database()
    load(old, folder / "0.1.0")
    with django_db_blocker.unblock(), database(UPGRADED, old, folder / "0.1.0") as upgraded:
        counts = counts_of(upgraded)
        with upgraded.cursor() as cursor:
            cursor.execute(QUARANTINE)
        call_command("migrate", database=UPGRADED, verbosity=0, interactive=False)
        yield counts


def test_nothing_is_left_to_migrate_and_no_row_is_lost(before: dict[str, int]) -> None:
    executor = MigrationExecutor(connections[UPGRADED])
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    after = counts_of(connections[UPGRADED])
    grown = {"django_migrations", "django_content_type", "auth_permission"}
    assert {name: after[name] for name in before if name not in grown} == {
        name: count for name, count in before.items() if name not in grown
    }


@pytest.fixture(scope="module")
def schema(before: dict[str, int]) -> dict[str, Any]:
    """Of the migrated database; a test that may read the usual one may read no other."""
    return schema_of(connections[UPGRADED])


def test_the_schema_is_that_of_a_fresh_database(schema: dict[str, Any], db: None) -> None:
    """The one that all tests run on was migrated from nothing."""
    fresh = schema_of(connections[DEFAULT_DB_ALIAS])
    assert schema.keys() == fresh.keys() != set()
    for name in fresh:
        assert schema[name] == fresh[name], name


def test_a_database_between_two_releases_is_refused_unchanged(
    tmp_path: Path, new_database: Callable[..., str], django_db_blocker: DjangoDbBlocker
) -> None:
    url = new_database()
    load(url, tmp_path / "partial")
    with django_db_blocker.unblock(), database("partial", url, tmp_path / "partial") as partial:
        MigrationRecorder(partial).record_applied(
            "matches", "0007_fixtures_of_entries_and_tables_of_versions"
        )
        before = counts_of(partial)
        with pytest.raises(CommandError, match="0008_table_failures_and_ticks was never applied"):
            call_command("migrate", database="partial", verbosity=0, interactive=False)
        assert counts_of(partial) == before


def test_codes_are_filled_from_what_the_texts_said(before: dict[str, int]) -> None:
    stages = Stage.objects.using(UPGRADED).values_list("tournament__name", "closed_early", "note")
    assert set(stages) == {
        ("Closed early", True, "closed early: the hall closes"),
        ("Under way", False, ""),
        ("Registration", False, ""),
    }
    tables = Table.objects.using(UPGRADED).filter(tournament__name="Under way")
    lost = ("", "worker lost: no heartbeat within the lease")
    assert sorted(tables.values_list("state", "cause", "waiting_for", "reason")) == [
        ("finished", "", "", ""),
        ("quarantined", "internal", *lost),
        ("waiting", "", *LACKS_NODE),
        ("waiting", "", *LACKS_NODE),
    ]
    checks = CheckRun.objects.using(UPGRADED).exclude(state="done")
    assert list(checks.values_list("state", "waiting_for", "reason")) == [("waiting", *LACKS_NODE)]


def test_names_have_labels_as_if_they_had_been_bound_by_now(before: dict[str, int]) -> None:
    labels = Label.objects.using(UPGRADED).select_related("tournament")
    for label in labels:
        assert label.hash == label_hash(label.salt, label.text)
    of_events = {label.text for label in labels if label.subject == "event"}
    assert of_events == {"Closed early", "Under way", "Registration"}
    for event in Tournament.objects.using(UPGRADED):
        named = {label.subject: label.text for label in labels if label.tournament_id == event.pk}
        expected = {"event": event.name}
        if event.state != "registration":
            for entry in Entry.objects.using(UPGRADED).filter(tournament=event):
                for version in entry.versions():
                    expected[f"bot/{version.bot_id}"] = version.bot.name
                    expected[f"player/{version.bot.owner_id}"] = version.bot.owner.handle
        assert named == expected


def test_tables_have_the_runtimes_of_the_versions_on_their_seats(before: dict[str, int]) -> None:
    tables = Table.objects.using(UPGRADED).filter(tournament__name="Under way")
    for table in tables.prefetch_related("seats__version"):
        assert table.runtimes.names == sorted({seat.version.runtime for seat in table.seats.all()})
    sets = RuntimeSet.objects.using(UPGRADED).values_list("names", flat=True)
    assert sorted(sets) == [["node/1", "python/1"], ["python/1"]]


def test_rows_name_their_sides_and_tournaments(before: dict[str, int]) -> None:
    sides = FixtureEntry.objects.using(UPGRADED).select_related("fixture__board_set__round__stage")
    assert len(sides) == 12
    for row in sides:
        assert row.side == row.position
        assert row.fixture.tournament_id == row.fixture.board_set.round.stage.tournament_id
    for table in Table.objects.using(UPGRADED).select_related("fixture"):
        assert table.tournament_id == table.fixture.tournament_id


def test_stages_have_their_entries_in_the_order_they_were_drawn_by(before: dict[str, int]) -> None:
    stages = Stage.objects.using(UPGRADED).exclude(field_digest="").select_related("tournament")
    assert len(stages) == 2
    for stage in stages:
        event = stage.tournament

        def drawn(entry: Entry, stage: Stage = stage) -> tuple[object, ...]:
            secret, name = bytes(stage.tournament.secret), stage.tournament.public_id
            order = lot(secret, name, stage.field_digest, stage.number, entry.public_id)
            return entry.seed is None, entry.seed or 0, order

        entries = Entry.objects.using(UPGRADED).filter(tournament=event, status="entered")
        expected = [entry.pk for entry in sorted(entries, key=drawn)]
        rows = StageEntry.objects.using(UPGRADED).filter(stage=stage).order_by("position")
        assert list(rows.values_list("entry", flat=True)) == expected != []


def test_totals_are_the_sums_of_board_scores(before: dict[str, int]) -> None:
    added_up: dict[tuple[int, int], Fraction] = {}
    for row in BoardScore.objects.using(UPGRADED):
        key = (row.fixture_id, row.entry_id)
        added_up[key] = added_up.get(key, Fraction()) + row.value
    totals = {(row.fixture_id, row.entry_id): row.value for row in FixtureScore.objects.using(UPGRADED)}
    assert totals == added_up != {}


def test_boards_get_figures_of_their_scores(before: dict[str, int]) -> None:
    scores: dict[tuple[int, int], list[Fraction]] = {}
    closed = BoardScore.objects.using(UPGRADED).filter(fixture__board_set__state="closed")
    for row in closed.select_related("fixture"):
        scores.setdefault((row.fixture.board_set_id, row.board), []).append(row.value)
    figures = {
        (row.board_set_id, row.board): (row.best, row.mean) for row in BoardFigures.objects.using(UPGRADED)
    }
    expected = {
        board: (max(values), sum(map(abs, values), Fraction()) / len(values))
        for board, values in scores.items()
    }
    assert figures == expected != {}
