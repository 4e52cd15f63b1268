"""Calls about fixtures and tables: what was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bots.kit.client.shapes import Fixture, Table, TableRow
from bots.kit.client.transport import Transport


class PlayCalls(Transport):
    """Fixtures and tables, their records and logs. While sealed, what tells of deals raises StillSealed."""

    def all_fixtures(self, *, version: str, tournament: str | None = None) -> Iterator[Fixture]:
        """Fixtures of a version in all tournaments the caller may see, newest first."""
        return self.rows(Fixture, "fixtures", version=version, tournament=tournament)

    def table(self, table_id: str) -> Table:
        """A table."""
        return self.fetch(Table, f"tables/{table_id}")

    def tables(
        self, *, version: str, tournament: str | None = None, state: Sequence[str] | None = None
    ) -> Iterator[TableRow]:
        """Tables of a version in all tournaments the caller may see, newest first."""
        return self.rows(TableRow, "tables", version=version, tournament=tournament, state=state)

    def record_if_changed(self, table_id: str, etag: str) -> tuple[bytes, str] | None:
        """The record of a table and its ETag, which is its SHA-256; None if it is the one of this ETag."""
        return self.content_if_changed(f"tables/{table_id}/record", etag)

    def log_if_changed(self, table_id: str, seat: int, etag: str) -> tuple[bytes, str] | None:
        """The log of a seat and its ETag, for its owner and staff; None if it is the one of this ETag."""
        return self.content_if_changed(f"tables/{table_id}/log", etag, seat=seat)
