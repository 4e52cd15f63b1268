"""Calls about what happens without being asked for: events, webhooks, recurring cups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bots.kit.client.follow import PATIENCE_S, POLL_S, follow
from bots.kit.client.shapes import (
    Delivery,
    Event,
    Series,
    SeriesChangesIn,
    SeriesIn,
    SeriesPlan,
    Subscription,
    SubscriptionIn,
    Webhook,
    WebhookChangesIn,
    WebhookIn,
    WebhookMade,
)
from bots.kit.client.sse import ServerEvent
from bots.kit.client.transport import Transport


class OutreachCalls(Transport):
    """Events as a list or a stream, webhooks and their deliveries, recurring cups and who subscribes."""

    def events_listed(
        self, *, kinds: Sequence[str] | None = None, tournament: str | None = None, after: int | None = None
    ) -> Iterator[Event]:
        """What happened, newest first; kept for 14 days."""
        return self.rows(Event, "events", kinds=kinds, tournament=tournament, after=after)

    def events_followed(
        self,
        note: Callable[[str], None],
        *,
        last_id: str = "",
        kinds: Sequence[str] | None = None,
        tournament: str | None = None,
        patience_s: float = PATIENCE_S,
        poll_s: float = POLL_S,
    ) -> Iterator[ServerEvent | None]:
        """What happens from now on, or after ``last_id``; None after a break, and nothing is missed.

        A first event of kind ``pruned`` says that the log does not reach back to ``last_id``.
        """
        return follow(
            self,
            "events",
            note,
            last_id=last_id,
            patience_s=patience_s,
            poll_s=poll_s,
            kinds=kinds,
            tournament=tournament,
        )

    def webhooks(self) -> Iterator[Webhook]:
        """One's own webhooks."""
        return self.rows(Webhook, "webhooks")

    def webhook(self, webhook_id: str) -> Webhook:
        """A webhook."""
        return self.one(Webhook, f"webhooks/{webhook_id}")

    def webhook_create(self, fields: WebhookIn) -> WebhookMade:
        """Have events sent to an address; the secret they are signed with is shown this once."""
        return self.act(WebhookMade, "webhooks", fields)

    def webhook_change(self, webhook_id: str, fields: WebhookChangesIn) -> Webhook:
        """Change a webhook."""
        changed: Webhook = self.patch(f"webhooks/{webhook_id}", fields)
        return changed

    def webhook_remove(self, webhook_id: str) -> None:
        """Send no more there."""
        self.delete(f"webhooks/{webhook_id}")

    def webhook_ping(self, webhook_id: str) -> Delivery:
        """Send a ping now."""
        return self.act(Delivery, f"webhooks/{webhook_id}/ping")

    def webhook_rotate(self, webhook_id: str) -> WebhookMade:
        """Draw a new secret, shown this once."""
        return self.act(WebhookMade, f"webhooks/{webhook_id}/rotate")

    def deliveries(self, webhook_id: str, *, state: str | None = None) -> Iterator[Delivery]:
        """What was sent to a webhook, newest first."""
        return self.rows(Delivery, f"webhooks/{webhook_id}/deliveries", state=state)

    def delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """One of them."""
        return self.one(Delivery, f"webhooks/{webhook_id}/deliveries/{delivery_id}")

    def redeliver(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Send it again."""
        return self.act(Delivery, f"webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver")

    def series_listed(self, *, organiser: str | None = None, state: str | None = None) -> Iterator[Series]:
        """Recurring cups, newest first."""
        return self.rows(Series, "series", organiser=organiser, state=state)

    def series(self, series_id: str) -> Series:
        """A recurring cup."""
        return self.one(Series, f"series/{series_id}")

    def series_create(self, fields: SeriesIn) -> Series:
        """Make a recurring cup."""
        return self.act(Series, "series", fields)

    def series_plan_of(self, fields: SeriesIn) -> SeriesPlan:
        """What a recurring cup with these fields would be; nothing is made."""
        return self.act(SeriesPlan, "series", fields, dry_run=True)

    def series_change(self, series_id: str, fields: SeriesChangesIn) -> Series:
        """Change a recurring cup from its next edition on."""
        changed: Series = self.patch(f"series/{series_id}", fields)
        return changed

    def series_pause(self, series_id: str, reason: str = "", *, dry_run: bool | None = None) -> Series:
        """Make no further edition for now."""
        return self.act(Series, f"series/{series_id}/pause", {"reason": reason}, dry_run=dry_run)

    def series_resume(self, series_id: str, *, dry_run: bool | None = None) -> Series:
        """Go on."""
        return self.act(Series, f"series/{series_id}/resume", dry_run=dry_run)

    def series_end(self, series_id: str, reason: str = "", *, dry_run: bool | None = None) -> Series:
        """Make no further edition for good."""
        return self.act(Series, f"series/{series_id}/end", {"reason": reason}, dry_run=dry_run)

    def subscriptions(self, series_id: str) -> Iterator[Subscription]:
        """Bots that are entered in every edition."""
        return self.rows(Subscription, f"series/{series_id}/subscriptions")

    def subscription_create(self, series_id: str, fields: SubscriptionIn) -> Subscription:
        """Have a bot's active version entered in every edition."""
        return self.act(Subscription, f"series/{series_id}/subscriptions", fields)

    def subscription_remove(self, series_id: str, bot_id: str) -> None:
        """Enter it no more."""
        self.delete(f"series/{series_id}/subscriptions/{bot_id}")
