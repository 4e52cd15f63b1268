"""Calls about oneself and about the installation."""

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
    """Who asks, what they are told, what there is to play, what the limits are."""

    def me(self) -> Me:
        """Who is asking, and what their token may do."""
        return self.fetch(Me, "me")

    def notices(self, *, unread: bool | None = None) -> Iterator[Notice]:
        """What the caller is told, newest first."""
        return self.rows(Notice, "notices", unread=unread)

    def notice_read(self, notice_id: str) -> Notice:
        """Mark a notice as read."""
        return self.post_typed(Notice, f"notices/{notice_id}/read")

    def games(self) -> list[Game]:
        """The games on offer."""
        return self.fetch(list[Game], "games")

    def formats(self) -> list[Format]:
        """The formats a stage can be played in, with their options."""
        return self.fetch(list[Format], "formats")
