"""Calls about events: as a list, as a stream, and sent to webhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bots.kit.client.follow import PATIENCE_S, POLL_S, follow
from bots.kit.client.shapes import (
    Delivery,
    Event,
    Webhook,
    WebhookChangesIn,
    WebhookIn,
    WebhookMade,
)
from bots.kit.client.sse import ServerEvent
from bots.kit.client.transport import Transport


class EventCalls(Transport):
    """Events as a list or a stream, webhooks and their deliveries."""

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
        return self.reveal(WebhookMade, "webhooks", fields)

    def webhook_change(self, webhook_id: str, fields: WebhookChangesIn) -> Webhook:
        """Change a webhook."""
        return self.patch(Webhook, f"webhooks/{webhook_id}", fields)

    def webhook_remove(self, webhook_id: str) -> None:
        """Send no more there."""
        self.delete(f"webhooks/{webhook_id}")

    def webhook_ping(self, webhook_id: str) -> Delivery:
        """Send a ping now."""
        return self.act(Delivery, f"webhooks/{webhook_id}/ping")

    def webhook_rotate(self, webhook_id: str) -> WebhookMade:
        """Draw a new secret, shown this once."""
        return self.reveal(WebhookMade, f"webhooks/{webhook_id}/rotate")

    def deliveries(self, webhook_id: str, *, state: str | None = None) -> Iterator[Delivery]:
        """What was sent to a webhook, newest first."""
        return self.rows(Delivery, f"webhooks/{webhook_id}/deliveries", state=state)

    def delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """One of them."""
        return self.one(Delivery, f"webhooks/{webhook_id}/deliveries/{delivery_id}")

    def redeliver(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Send it again."""
        return self.act(Delivery, f"webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver")
