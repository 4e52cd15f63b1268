"""Calls about oneself and about the installation."""

from __future__ import annotations

from collections.abc import Iterator

from bots.kit.client.shapes import (
    Audit,
    Format,
    Game,
    Limits,
    Me,
    Notice,
    Preset,
    Token,
    TokenIn,
    TokenMade,
)
from bots.kit.client.transport import Transport


class AccountCalls(Transport):
    """Who asks, what they are told, what there is to play, what the limits are."""

    def me(self) -> Me:
        """Who is asking, and what their token may do."""
        return self.one(Me, "me")

    def notices(self, *, unread: bool | None = None) -> Iterator[Notice]:
        """What the caller is told, newest first."""
        return self.rows(Notice, "notices", unread=unread)

    def notice_read(self, notice_id: str) -> Notice:
        """Mark a notice as read."""
        return self.act(Notice, f"notices/{notice_id}/read")

    def tokens(self) -> Iterator[Token]:
        """One's own tokens, without their texts."""
        return self.rows(Token, "tokens")

    def token_create(self, fields: TokenIn) -> TokenMade:
        """Make a token; its text is shown this once."""
        return self.reveal(TokenMade, "tokens", fields)

    def token_revoke(self, token_id: str) -> None:
        """Make a token worthless."""
        self.delete(f"tokens/{token_id}")

    def audit(
        self,
        *,
        actor: str | None = None,
        kind: str | None = None,
        verb: str | None = None,
        object: str | None = None,
        since: str | None = None,
    ) -> Iterator[Audit]:
        """Who did what, newest first: one's own actions, and all at one's own tournaments."""
        return self.rows(Audit, "audit", actor=actor, kind=kind, verb=verb, object=object, since=since)

    def games(self) -> list[Game]:
        """The games on offer."""
        return self.one(list[Game], "games")

    def formats(self) -> list[Format]:
        """The formats a stage can be played in, with their options."""
        return self.one(list[Format], "formats")

    def preset(self, game: str, preset: str) -> Preset:
        """Rules with a name: seats, sides, options, what a bot sees."""
        return self.one(Preset, f"games/{game}/presets/{preset}")

    def limits(self) -> Limits:
        """What this installation allows."""
        return self.one(Limits, "limits")
