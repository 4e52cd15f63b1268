"""API calls: the account, its notices, games and formats."""

from __future__ import annotations

from collections.abc import Iterator

from bots.kit.client.shapes import (
    Format,
    Game,
    Me,
    Notice,
)
from bots.kit.client.transport import Transport


class AccountCalls(Transport):
    def me(self) -> Me:
        return self.fetch(Me, "me")

    def notices(self, *, unread: bool | None = None) -> Iterator[Notice]:
        """Yield notices to the account, newest first."""
        return self.rows(Notice, "notices", unread=unread)

    def notice_read(self, notice_id: str) -> Notice:
        return self.post_typed(Notice, f"notices/{notice_id}/read")

    def games(self) -> list[Game]:
        return self.fetch(list[Game], "games")

    def formats(self) -> list[Format]:
        return self.fetch(list[Format], "formats")
