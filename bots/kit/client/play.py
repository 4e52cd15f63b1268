"""Calls about fixtures, tables and boards: what was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict, Unpack

from bots.kit.client.shapes import (
    AdjudicationIn,
    Board,
    Fixture,
    FixtureDetail,
    Notes,
    Replay,
    Table,
    TableRow,
    View,
)
from bots.kit.client.transport import Transport


class PlayFilters(TypedDict, total=False):
    """Whose fixtures or tables are listed; ``since`` is a moment."""

    tournament: str | None
    version: str | None
    bot: str | None
    player: str | None
    entry: str | None
    since: str | None


class PlayCalls(Transport):
    """Fixtures and tables, their records and logs. While sealed, what tells of deals raises SealedYet."""

    def fixture(self, fixture_id: str) -> FixtureDetail:
        """A fixture with its board scores; these are null while sealed."""
        return self.one(FixtureDetail, f"fixtures/{fixture_id}")

    def table(self, table_id: str) -> Table:
        """A table."""
        return self.one(Table, f"tables/{table_id}")

    def all_fixtures(self, *, state: str | None = None, **filters: Unpack[PlayFilters]) -> Iterator[Fixture]:
        """Fixtures of all tournaments the caller may see, newest first."""
        return self.rows(Fixture, "fixtures", state=state, **filters)

    def fixture_adjudicate(
        self, fixture_id: str, fields: AdjudicationIn, *, dry_run: bool | None = None
    ) -> FixtureDetail:
        """Decide what counts of a fixture, as the organiser."""
        return self.act(FixtureDetail, f"fixtures/{fixture_id}/adjudicate", fields, dry_run=dry_run)

    def tables(
        self,
        *,
        fixture: str | None = None,
        state: Sequence[str] | None = None,
        **filters: Unpack[PlayFilters],
    ) -> Iterator[TableRow]:
        """Tables of all tournaments the caller may see, newest first."""
        return self.rows(TableRow, "tables", fixture=fixture, state=state, **filters)

    def table_retry(self, table_id: str, *, dry_run: bool | None = None) -> Table:
        """Send a quarantined table back to wait for a worker."""
        return self.act(Table, f"tables/{table_id}/retry", dry_run=dry_run)

    def table_rerun(self, table_id: str, reason: str, *, dry_run: bool | None = None) -> Table:
        """Have a finished table played again from the start."""
        return self.act(Table, f"tables/{table_id}/rerun", {"reason": reason}, dry_run=dry_run)

    def board(self, board_set: str, number: int) -> Board:
        """How a board went at every table."""
        return self.whole(Board, f"boards/{board_set}/{number}", "results")

    def record(self, table_id: str) -> bytes:
        """The record of a table."""
        return self.content(f"tables/{table_id}/record")

    def record_unless(self, table_id: str, etag: str) -> tuple[bytes, str] | None:
        """The record of a table and its ETag, which is its SHA-256; None if it is the one of this ETag."""
        return self.content_unless(f"tables/{table_id}/record", etag)

    def view(self, table_id: str, *, board: int | None = None) -> View:
        """A table as something to look at: the board named, else all, or the first of a large table."""
        return self.one(View, f"tables/{table_id}/view", board=board)

    def notes(self, table_id: str) -> Notes:
        """What a solver found about the plays of a table."""
        return self.one(Notes, f"tables/{table_id}/notes")

    def log(self, table_id: str, seat: int) -> bytes:
        """What the bot of a seat wrote to standard error; for its owner and staff."""
        return self.content(f"tables/{table_id}/log", seat=seat)

    def log_unless(self, table_id: str, seat: int, etag: str) -> tuple[bytes, str] | None:
        """The same with its ETag; None if it is the one of this ETag."""
        return self.content_unless(f"tables/{table_id}/log", etag, seat=seat)

    def timings(self, table_id: str) -> bytes:
        """What each decision at a table took, one JSON object a line."""
        return self.content(f"tables/{table_id}/timings")

    def replay(self, table_id: str, *, board: int | None = None, seat: int | None = None) -> Replay:
        """A board of a table state by state, as one seat saw it if one is named."""
        return self.whole(Replay, f"tables/{table_id}/replay", "steps", board=board, seat=seat)
