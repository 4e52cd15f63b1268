"""Calls about ratings: their lists, who stands where, and how a version came there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

from bots.kit.client.shapes import Rating, RatingChange, RatingList
from bots.kit.client.transport import Download, Transport


class RatingCalls(Transport):
    """Ratings, which anybody may read."""

    def rating_lists(
        self, *, kind: str | None = None, preset: str | None = None, season: str | None = None
    ) -> Iterator[RatingList]:
        """Lists of ratings, newest first."""
        return self.rows(RatingList, "rating-lists", kind=kind, preset=preset, season=season)

    def rating_list(self, list_id: str) -> RatingList:
        """A list of ratings: what it is made of."""
        return self.one(RatingList, f"rating-lists/{list_id}")

    def rating_export(self, list_id: str) -> AbstractContextManager[Download]:
        """A list with the board scores it follows from, one JSON object a line, for ``rensho verify``."""
        return self.download(f"rating-lists/{list_id}/export")

    def ratings(
        self,
        *,
        list_id: str | None = None,
        preset: str | None = None,
        season: str | None = None,
        player: str | None = None,
        version: str | None = None,
    ) -> Iterator[Rating]:
        """Ratings: the newest list first, each best first; who is not comparable yet last."""
        asked = {"preset": preset, "season": season, "player": player, "version": version}
        return self.rows(Rating, "ratings", list=list_id, **asked)

    def rating_history(self, version_id: str, *, list_id: str | None = None) -> Iterator[RatingChange]:
        """What the ratings of a version came to say, latest first."""
        return self.rows(RatingChange, f"ratings/{version_id}/history", list=list_id)
