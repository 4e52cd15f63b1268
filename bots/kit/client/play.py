"""Calls about fixtures, tables and boards: what was played."""

from __future__ import annotations

from bots.kit.client.shapes import Board, FixtureDetail, Table
from bots.kit.client.transport import Transport


class PlayCalls(Transport):
    """Fixtures and tables, their records and logs. While sealed, what tells of deals raises SealedYet."""

    def fixture(self, fixture_id: str) -> FixtureDetail:
        """A fixture with its board scores; these are null while sealed."""
        return self.one(FixtureDetail, f"fixtures/{fixture_id}")

    def table(self, table_id: str) -> Table:
        """A table."""
        return self.one(Table, f"tables/{table_id}")

    def table_retry(self, table_id: str) -> Table:
        """Send a quarantined table back to wait for a worker."""
        return self.act(Table, f"tables/{table_id}/retry")

    def board(self, board_set: str, number: int) -> Board:
        """How a board went at every table."""
        return self.one(Board, f"boards/{board_set}/{number}")

    def record(self, table_id: str) -> bytes:
        """The record of a table."""
        return self.content(f"tables/{table_id}/record")

    def record_unless(self, table_id: str, sha256: str) -> bytes | None:
        """The record of a table; None if it is the one with this SHA-256."""
        found = self.content_unless(f"tables/{table_id}/record", f'"{sha256}"' if sha256 else "")
        return None if found is None else found[0]

    def log(self, table_id: str, seat: int) -> bytes:
        """What the bot of a seat wrote to standard error; for its owner and staff."""
        return self.content(f"tables/{table_id}/log", seat=seat)
