"""API calls: bots, their versions, checks and faults."""

from __future__ import annotations

from collections.abc import Iterator

from bots.kit.client.shapes import Bot, BotIn, Check, FaultGroup, Version
from bots.kit.client.transport import Transport


class BotCalls(Transport):
    def bots(
        self, *, owner: str | None = None, name: str | None = None, game: str | None = None
    ) -> Iterator[Bot]:
        """Yield the bots that are visible to the account, newest first."""
        return self.rows(Bot, "bots", owner=owner, name=name, game=game)

    def bot(self, bot_id: str) -> Bot:
        return self.fetch(Bot, f"bots/{bot_id}")

    def bot_create(self, fields: BotIn) -> Bot:
        return self.post_typed(Bot, "bots", fields)

    def versions(self, bot_id: str, *, state: str | None = None) -> Iterator[Version]:
        return self.rows(Version, f"bots/{bot_id}/versions", state=state)

    def version(self, version_id: str) -> Version:
        return self.fetch(Version, f"versions/{version_id}")

    def version_upload(self, bot_id: str, name: str, bundle: bytes, notes: str = "") -> Version:
        """Upload a bundle as a new version. The server starts its check."""
        return self.upload(Version, f"bots/{bot_id}/versions", "bundle", name, bundle, notes=notes)

    def version_activate(self, version_id: str) -> Version:
        return self.post_typed(Version, f"versions/{version_id}/activate")

    def check(self, version_id: str) -> Check:
        return self.fetch(Check, f"versions/{version_id}/check")

    def faults(self, version_id: str) -> list[FaultGroup]:
        """Return the faults of a version, grouped by fingerprint, most frequent first."""
        return self.fetch(list[FaultGroup], f"versions/{version_id}/faults")

    def fault_file_if_changed(self, version_id: str, fingerprint: str, etag: str) -> tuple[bytes, str] | None:
        """Return a fault file and its ETag, or None if it still has this ETag."""
        return self.content_if_changed(f"versions/{version_id}/faults/{fingerprint}/file", etag)
