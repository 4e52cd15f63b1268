"""API calls: fixtures, tables, records and logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bots.kit.client.shapes import Fixture, Table, TableRow
from bots.kit.client.transport import Transport


class PlayCalls(Transport):
    def all_fixtures(self, *, version: str, tournament: str | None = None) -> Iterator[Fixture]:
        """Yield the fixtures of a version in all visible tournaments, newest first."""
        return self.rows(Fixture, "fixtures", version=version, tournament=tournament)

    def table(self, table_id: str) -> Table:
        return self.fetch(Table, f"tables/{table_id}")

    def tables(
        self, *, version: str, tournament: str | None = None, state: Sequence[str] | None = None
    ) -> Iterator[TableRow]:
        """Yield the tables of a version in all visible tournaments, newest first."""
        return self.rows(TableRow, "tables", version=version, tournament=tournament, state=state)

    def record_if_changed(self, table_id: str, etag: str) -> tuple[bytes, str] | None:
        """Return the record of a table and its ETag (its SHA-256), or None if it still has this ETag."""
        return self.content_if_changed(f"tables/{table_id}/record", etag)

    def log_if_changed(self, table_id: str, seat: int, etag: str) -> tuple[bytes, str] | None:
        """Return the log of a seat and its ETag, or None if it still has this ETag. For owner and staff."""
        return self.content_if_changed(f"tables/{table_id}/log", etag, seat=seat)
