"""API views of webhooks and deliveries."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.filters import ListFilters
from arena.api.base.serializers import EmptyBody, validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ListView
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


class Webhooks(AccountView, ListView):
    """Your webhooks."""

    write = staticmethod(webhook_out)
    returns_secret = True

    def rows(self) -> QuerySet[Webhook]:
        """Includes paused and disabled ones."""
        return webhooks_of(self.user)

    @extend_schema(request=WebhookIn, responses={201: schema_of(WebhookMade)})
    def post(self, request: Request) -> Response:
        """Create a webhook.

        It receives events from now on. The answer is the only one that contains the secret.
        """
        data = validated_body(WebhookIn, request)
        webhook, secret = services.webhook_create(self.user, **_with_tournament(data, request))
        return self.created(webhook_made, (webhook, secret), "webhook", webhook.public_id)


def _with_tournament(data: dict[str, Any], request: Request) -> dict[str, Any]:
    if data.get("tournament") is not None:
        data["tournament"] = tournament_get(data["tournament"], request.user)
    return data


class OneWebhook(AccountView):
    @extend_schema(responses=schema_of(WebhookOut))
    def get(self, request: Request, webhook: str) -> Response:
        """Show one of your webhooks."""
        return self.respond(webhook_out, webhook_get(webhook, self.user))

    @extend_schema(request=WebhookChanges, responses=schema_of(WebhookOut))
    def patch(self, request: Request, webhook: str) -> Response:
        """Change, pause or reactivate a webhook."""
        instance = webhook_get(webhook, self.user)
        data = validated_body(WebhookChanges, request, partial=True)
        services.webhook_update(instance, self.user, **_with_tournament(data, request))
        return self.respond(webhook_out, webhook_get(webhook, self.user))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, webhook: str) -> Response:
        """Delete a webhook and its deliveries."""
        services.webhook_delete(webhook_get(webhook, self.user), self.user)
        return Response(status=204)


class Rotate(AccountView):
    returns_secret = True

    @extend_schema(request=EmptyBody, responses=schema_of(WebhookMade))
    def post(self, request: Request, webhook: str) -> Response:
        """Rotate the secret of a webhook.

        The answer is the only one that contains the new secret. For 24 hours, the old secret signs too.
        """
        validated_body(EmptyBody, request)
        instance = webhook_get(webhook, self.user)
        return self.respond(webhook_made, (instance, services.webhook_rotate(instance, self.user)))


class Ping(AccountView):
    @extend_schema(request=EmptyBody, responses={202: schema_of(DeliveryOut)})
    def post(self, request: Request, webhook: str) -> Response:
        """Queue a test delivery.

        The list of deliveries has its result after some seconds.
        """
        validated_body(EmptyBody, request)
        created = services.webhook_ping(webhook_get(webhook, self.user), self.user)
        return self.created(delivery_out, created, "delivery", webhook, created.public_id, status=202)


class DeliveryFilter(ListFilters):
    state = filters.MultipleChoiceFilter(choices=Delivery.State.choices)


class Deliveries(AccountView, ListView):
    """Deliveries of a webhook."""

    write = staticmethod(delivery_out)
    filterset_class = DeliveryFilter

    def rows(self) -> QuerySet[Delivery]:
        """Newest first; kept for 14 days after they end."""
        return deliveries_of(webhook_get(self.kwargs["webhook"], self.user))


class OneDelivery(AccountView):
    @extend_schema(responses=schema_of(DeliveryOut))
    def get(self, request: Request, webhook: str, delivery: str) -> Response:
        """Show a delivery."""
        return self.respond(delivery_out, delivery_get(webhook_get(webhook, self.user), delivery))


class Redeliver(AccountView):
    @extend_schema(request=EmptyBody, responses={202: schema_of(DeliveryOut)})
    def post(self, request: Request, webhook: str, delivery: str) -> Response:
        """Send an ended delivery again.

        With the same webhook-id and the same bytes.
        """
        validated_body(EmptyBody, request)
        instance = delivery_get(webhook_get(webhook, self.user), delivery)
        services.delivery_redeliver(instance, self.user)
        return self.created(delivery_out, instance, "delivery", webhook, delivery, status=202)
