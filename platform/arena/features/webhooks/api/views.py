"""Webhooks and their deliveries."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.filters import Filters
from arena.api.base.serializers import Nothing, checked
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, Listing
from arena.competition.selectors import tournament_get
from arena.features.webhooks import services
from arena.features.webhooks.api.answers import (
    DeliveryOut,
    WebhookMade,
    WebhookOut,
    delivery_out,
    webhook_made,
    webhook_out,
)
from arena.features.webhooks.api.serializers import WebhookChanges, WebhookIn
from arena.features.webhooks.models import Delivery, Webhook
from arena.features.webhooks.selectors import deliveries_of, delivery_get, webhook_get, webhooks_of


class Webhooks(AccountView, Listing):
    """One's own webhooks."""

    write = staticmethod(webhook_out)
    answers_a_secret = True

    def rows(self) -> QuerySet[Webhook]:
        """Paused and disabled ones included."""
        return webhooks_of(self.user)

    @extend_schema(request=WebhookIn, responses={201: schema_of(WebhookMade)})
    def post(self, request: Request) -> Response:
        """Make a webhook.

        For events from now on. Its secret is shown this once.
        """
        wanted = checked(WebhookIn, request)
        webhook, secret = services.webhook_create(self.user, **_with_tournament(wanted, request))
        return self.made(webhook_made, (webhook, secret), "webhook", webhook.public_id)


def _with_tournament(wanted: dict[str, Any], request: Request) -> dict[str, Any]:
    """The values with the tournament in place of its id."""
    if wanted.get("tournament") is not None:
        wanted["tournament"] = tournament_get(wanted["tournament"], request.user)
    return wanted


class OneWebhook(AccountView):
    """A webhook."""

    @extend_schema(responses=schema_of(WebhookOut))
    def get(self, request: Request, webhook: str) -> Response:
        """Show a webhook of one's own."""
        return self.answer(webhook_out, webhook_get(webhook, self.user))

    @extend_schema(request=WebhookChanges, responses=schema_of(WebhookOut))
    def patch(self, request: Request, webhook: str) -> Response:
        """Change a webhook, pause it, or make it active."""
        found = webhook_get(webhook, self.user)
        wanted = checked(WebhookChanges, request, partial=True)
        services.webhook_update(found, self.user, **_with_tournament(wanted, request))
        return self.answer(webhook_out, webhook_get(webhook, self.user))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, webhook: str) -> Response:
        """Delete a webhook with its deliveries."""
        services.webhook_delete(webhook_get(webhook, self.user), self.user)
        return Response(status=204)


class Rotate(AccountView):
    """The secret of a webhook."""

    answers_a_secret = True

    @extend_schema(request=Nothing, responses=schema_of(WebhookMade))
    def post(self, request: Request, webhook: str) -> Response:
        """Draw a new secret for a webhook.

        Shown this once; the old one signs beside it for 24 hours.
        """
        checked(Nothing, request)
        found = webhook_get(webhook, self.user)
        return self.answer(webhook_made, (found, services.webhook_rotate(found, self.user)))


class Ping(AccountView):
    """A test of a webhook."""

    @extend_schema(request=Nothing, responses={202: schema_of(DeliveryOut)})
    def post(self, request: Request, webhook: str) -> Response:
        """Queue a test delivery.

        Look at it among the deliveries some seconds later.
        """
        checked(Nothing, request)
        made = services.webhook_ping(webhook_get(webhook, self.user), self.user)
        return self.made(delivery_out, made, "delivery", webhook, made.public_id, status=202)


class DeliveryFilter(Filters):
    """Filters of the list of deliveries."""

    state = filters.MultipleChoiceFilter(choices=Delivery.State.choices)


class Deliveries(AccountView, Listing):
    """Deliveries of a webhook."""

    write = staticmethod(delivery_out)
    filterset_class = DeliveryFilter

    def rows(self) -> QuerySet[Delivery]:
        """Newest first; kept for 14 days after their end."""
        return deliveries_of(webhook_get(self.kwargs["webhook"], self.user))


class OneDelivery(AccountView):
    """A delivery."""

    @extend_schema(responses=schema_of(DeliveryOut))
    def get(self, request: Request, webhook: str, delivery: str) -> Response:
        """Show a delivery."""
        return self.answer(delivery_out, delivery_get(webhook_get(webhook, self.user), delivery))


class Redeliver(AccountView):
    """A delivery once more."""

    @extend_schema(request=Nothing, responses={202: schema_of(DeliveryOut)})
    def post(self, request: Request, webhook: str, delivery: str) -> Response:
        """Send a delivery that is over again.

        The same webhook-id, the same bytes.
        """
        checked(Nothing, request)
        found = delivery_get(webhook_get(webhook, self.user), delivery)
        services.delivery_redeliver(found, self.user)
        return self.made(delivery_out, found, "delivery", webhook, delivery, status=202)
