"""API calls: series and their subscriptions."""

from __future__ import annotations

from collections.abc import Iterator

from bots.kit.client.shapes import (
    Season,
    Series,
    SeriesChangesIn,
    SeriesIn,
    SeriesPlan,
    Subscription,
    SubscriptionIn,
)
from bots.kit.client.transport import Transport


class SeriesCalls(Transport):
    def series_list(self, *, organiser: str | None = None, state: str | None = None) -> Iterator[Series]:
        return self.rows(Series, "series", organiser=organiser, state=state)

    def series(self, series_id: str) -> Series:
        return self.fetch(Series, f"series/{series_id}")

    def series_create(self, fields: SeriesIn) -> Series:
        return self.post_typed(Series, "series", fields)

    def series_preview(self, fields: SeriesIn) -> SeriesPlan:
        """Return the series and the plan that these fields would create (dry run)."""
        return self.post_typed(SeriesPlan, "series", fields, dry_run=True)

    def series_change(self, series_id: str, fields: SeriesChangesIn) -> Series:
        """Change a series from its next edition on."""
        return self.patch(Series, f"series/{series_id}", fields)

    def series_pause(self, series_id: str, reason: str = "", *, dry_run: bool | None = None) -> Series:
        """Create no editions until ``series_resume``."""
        return self.post_typed(Series, f"series/{series_id}/pause", {"reason": reason}, dry_run=dry_run)

    def series_resume(self, series_id: str, *, dry_run: bool | None = None) -> Series:
        return self.post_typed(Series, f"series/{series_id}/resume", dry_run=dry_run)

    def series_end(self, series_id: str, reason: str = "", *, dry_run: bool | None = None) -> Series:
        """Create no further editions."""
        return self.post_typed(Series, f"series/{series_id}/end", {"reason": reason}, dry_run=dry_run)

    def season_table(self, series_id: str, *, season: str | None = None) -> Season:
        """Return the table of a season, with the rules and places from which it is computed."""
        return self.fetch(Season, f"series/{series_id}/table", season=season)

    def subscriptions(self, series_id: str) -> Iterator[Subscription]:
        """Yield the bots that are entered in every edition."""
        return self.rows(Subscription, f"series/{series_id}/subscriptions")

    def subscription_create(self, series_id: str, fields: SubscriptionIn) -> Subscription:
        """Enter the active version of a bot in every edition."""
        return self.post_typed(Subscription, f"series/{series_id}/subscriptions", fields)

    def subscription_remove(self, series_id: str, bot_id: str) -> None:
        self.delete(f"series/{series_id}/subscriptions/{bot_id}")
