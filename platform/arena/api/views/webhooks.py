"""Webhooks and their deliveries."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.filters import Filters
from arena.api.permissions import SignedIn
from arena.api.serializers.base import Nothing, checked
from arena.api.serializers.webhooks import DeliveryOut, WebhookChanges, WebhookIn, WebhookMade, WebhookOut
from arena.api.views.base import Listing, View
from arena.competition.selectors import tournament_get
from arena.webhooks.models import Delivery, Webhook
from arena.webhooks.selectors import deliveries_of, delivery_get, webhook_get, webhooks_of
from arena.webhooks.services import (
    delivery_redeliver,
    webhook_create,
    webhook_delete,
    webhook_ping,
    webhook_rotate,
    webhook_update,
)


class Webhooks(Listing):
    """One's own webhooks."""

    model = Webhook
    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS
    serializer_class = WebhookOut
    answers_a_secret = True

    def rows(self) -> QuerySet[Webhook]:
        """Paused and disabled ones included."""
        return webhooks_of(self.user)

    @extend_schema(request=WebhookIn, responses={201: WebhookMade})
    def post(self, request: Request) -> Response:
        """Make a webhook.

        For events from now on. Its secret is shown this once.
        """
        wanted = checked(WebhookIn, request)
        webhook, secret = webhook_create(self.user, **_with_tournament(wanted, request))
        webhook.shown_secret = secret  # type: ignore[attr-defined]
        return self.made(WebhookMade, webhook, "webhook", webhook.public_id)


def _with_tournament(wanted: dict[str, Any], request: Request) -> dict[str, Any]:
    """The values with the tournament in place of its id."""
    if wanted.get("tournament") is not None:
        wanted["tournament"] = tournament_get(wanted["tournament"], request.user)
    return wanted


class OneWebhook(View):
    """A webhook."""

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS

    @extend_schema(responses=WebhookOut)
    def get(self, request: Request, webhook: str) -> Response:
        """Show a webhook of one's own."""
        return self.answer(WebhookOut, webhook_get(webhook, self.user))

    @extend_schema(request=WebhookChanges, responses=WebhookOut)
    def patch(self, request: Request, webhook: str) -> Response:
        """Change a webhook, pause it, or make it active."""
        found = webhook_get(webhook, self.user)
        wanted = checked(WebhookChanges, request, partial=True)
        webhook_update(found, self.user, **_with_tournament(wanted, request))
        return self.answer(WebhookOut, webhook_get(webhook, self.user))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, webhook: str) -> Response:
        """Delete a webhook with its deliveries."""
        webhook_delete(webhook_get(webhook, self.user), self.user)
        return Response(status=204)


class Rotate(View):
    """The secret of a webhook."""

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS
    answers_a_secret = True

    @extend_schema(request=Nothing, responses=WebhookMade)
    def post(self, request: Request, webhook: str) -> Response:
        """Draw a new secret for a webhook.

        Shown this once; the old one signs beside it for 24 hours.
        """
        checked(Nothing, request)
        found = webhook_get(webhook, self.user)
        found.shown_secret = webhook_rotate(found, self.user)  # type: ignore[attr-defined]
        return self.answer(WebhookMade, found)


class Ping(View):
    """A test of a webhook."""

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS

    @extend_schema(request=Nothing, responses={202: DeliveryOut})
    def post(self, request: Request, webhook: str) -> Response:
        """Queue a test delivery.

        Look at it among the deliveries some seconds later.
        """
        checked(Nothing, request)
        made = webhook_ping(webhook_get(webhook, self.user), self.user)
        return self.made(DeliveryOut, made, "delivery", webhook, made.public_id, status=202)


class DeliveryFilter(Filters):
    """Filters of the list of deliveries."""

    state = filters.MultipleChoiceFilter(choices=Delivery.State.choices)


class Deliveries(Listing):
    """Deliveries of a webhook."""

    model = Delivery
    permission_classes = (SignedIn,)
    serializer_class = DeliveryOut
    filterset_class = DeliveryFilter

    def rows(self) -> QuerySet[Delivery]:
        """Newest first; kept for 14 days after their end."""
        return deliveries_of(webhook_get(self.kwargs["webhook"], self.user))


class OneDelivery(View):
    """A delivery."""

    permission_classes = (SignedIn,)

    @extend_schema(responses=DeliveryOut)
    def get(self, request: Request, webhook: str, delivery: str) -> Response:
        """Show a delivery."""
        return self.answer(DeliveryOut, delivery_get(webhook_get(webhook, self.user), delivery))


class Redeliver(View):
    """A delivery once more."""

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS

    @extend_schema(request=Nothing, responses={202: DeliveryOut})
    def post(self, request: Request, webhook: str, delivery: str) -> Response:
        """Send a delivery that is over again.

        The same webhook-id, the same bytes.
        """
        checked(Nothing, request)
        found = delivery_get(webhook_get(webhook, self.user), delivery)
        delivery_redeliver(found, self.user)
        return self.made(DeliveryOut, found, "delivery", webhook, delivery, status=202)
