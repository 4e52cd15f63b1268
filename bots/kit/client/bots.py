"""Calls about bots, their versions, checks and faults."""

from __future__ import annotations

from collections.abc import Iterator

from bots.kit.client.shapes import Bot, BotIn, Check, FaultGroup, Version
from bots.kit.client.transport import Transport


class BotCalls(Transport):
    """Bots from their making to what went wrong with them."""

    def bots(
        self, *, owner: str | None = None, name: str | None = None, game: str | None = None
    ) -> Iterator[Bot]:
        """Bots the caller may see, newest first."""
        return self.rows(Bot, "bots", owner=owner, name=name, game=game)

    def bot(self, bot_id: str) -> Bot:
        """A bot."""
        return self.fetch(Bot, f"bots/{bot_id}")

    def bot_create(self, fields: BotIn) -> Bot:
        """Make a bot; it has no version yet."""
        return self.post_typed(Bot, "bots", fields)

    def versions(self, bot_id: str, *, state: str | None = None) -> Iterator[Version]:
        """The versions of a bot, newest first."""
        return self.rows(Version, f"bots/{bot_id}/versions", state=state)

    def version(self, version_id: str) -> Version:
        """A version."""
        return self.fetch(Version, f"versions/{version_id}")

    def version_upload(self, bot_id: str, name: str, bundle: bytes, notes: str = "") -> Version:
        """Upload a bundle under a file's name, as a new version; its check begins by itself."""
        return self.upload(Version, f"bots/{bot_id}/versions", "bundle", name, bundle, notes=notes)

    def version_activate(self, version_id: str) -> Version:
        """Make it the bot's active version."""
        return self.post_typed(Version, f"versions/{version_id}/activate")

    def check(self, version_id: str) -> Check:
        """The last check of a version."""
        return self.fetch(Check, f"versions/{version_id}/check")

    def faults(self, version_id: str) -> list[FaultGroup]:
        """What went wrong with a version, alike faults together, most frequent first."""
        return self.fetch(list[FaultGroup], f"versions/{version_id}/faults")

    def fault_file_if_changed(self, version_id: str, fingerprint: str, etag: str) -> tuple[bytes, str] | None:
        """The same with its ETag; None if it is the one of this ETag."""
        return self.content_if_changed(f"versions/{version_id}/faults/{fingerprint}/file", etag)
