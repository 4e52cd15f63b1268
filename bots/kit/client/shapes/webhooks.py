"""Shapes of the API: addresses under webhooks. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

DeliveryState: TypeAlias = Literal["waiting", "delivered", "failed"]
WebhookChoice: TypeAlias = Literal["active", "paused"]
WebhookState: TypeAlias = Literal["active", "paused", "disabled"]


class Delivery(TypedDict):
    """One event on its way to one webhook, or arrived, or failed."""

    id: str
    webhook_id: str
    """The header webhook-id of all its attempts."""
    event: int | None
    """Null for a test ping."""
    kind: str
    state: DeliveryState
    attempts: int
    next_at: str | None
    """No attempt before; null once it is over."""
    expires_at: str
    """Waiting longer, it has failed."""
    last_status: int | None
    """HTTP status of the last attempt; null: no answer."""
    last_error: str
    """Why the last attempt failed: code and words."""
    duration_ms: int | None
    """What the last attempt took."""
    created_at: str
    attempted_at: str | None
    delivered_at: str | None
    payload: str
    """The body as it is sent: JSON."""


class Webhook(TypedDict):
    """A webhook without its secret."""

    id: str
    name: str
    url: str
    kinds: list[str]
    """Kinds of events, such as round.closed, or families such as round.*; none are all."""
    tournament: NotRequired[str | None]
    state: WebhookState
    state_reason: str
    failures: int
    """Failed attempts in a row."""
    failing_since: str | None
    rests_until: str | None
    """After failures nothing is sent before this."""
    missed: int
    """Events not queued because too many deliveries waited."""
    old_secret_until: str | None
    """Until then the secret before the present one signs, too."""
    created_at: str
    delivered_at: str | None


class WebhookChangesIn(TypedDict):
    """What of a webhook can be changed."""

    url: NotRequired[str]
    """https, a public host."""
    kinds: NotRequired[list[str]]
    """Kinds of events, such as round.closed, or families such as round.*; none are all."""
    tournament: NotRequired[str | None]
    """Only its events; null: all you may see."""
    name: NotRequired[str]
    state: NotRequired[WebhookChoice]


class WebhookIn(TypedDict):
    """A webhook to make."""

    url: str
    """https, a public host."""
    kinds: NotRequired[list[str]]
    """Kinds of events, such as round.closed, or families such as round.*; none are all."""
    tournament: NotRequired[str | None]
    """Only its events; null: all you may see."""
    name: NotRequired[str]


class WebhookMade(TypedDict):
    """A webhook with its new secret, shown this once."""

    id: str
    name: str
    url: str
    kinds: list[str]
    """Kinds of events, such as round.closed, or families such as round.*; none are all."""
    tournament: NotRequired[str | None]
    state: WebhookState
    state_reason: str
    failures: int
    """Failed attempts in a row."""
    failing_since: str | None
    rests_until: str | None
    """After failures nothing is sent before this."""
    missed: int
    """Events not queued because too many deliveries waited."""
    old_secret_until: str | None
    """Until then the secret before the present one signs, too."""
    created_at: str
    delivered_at: str | None
    secret: str
    """Keep it: it cannot be shown again."""
