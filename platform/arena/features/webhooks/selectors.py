"""Selectors of webhooks, deliveries, and deliveries to send."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from arena.accounts.models import User
from arena.accounts.selectors import is_staff
from arena.common.errors import NotFound
from arena.features.webhooks import conf
from arena.features.webhooks.models import Delivery, Webhook

MAX_PARALLEL = 8
"""Maximum parallel deliveries per webhook."""


def webhooks_of(user: User) -> QuerySet[Webhook]:
    return user.webhooks.select_related("tournament", "user")


def webhook_get(public_id: str, user: User) -> Webhook:
    """Return a webhook of this user; staff can get any. Raises NotFound."""
    rows = Webhook.objects.select_related("tournament", "user")
    if not is_staff(user):
        rows = rows.filter(user=user)
    webhook = rows.filter(public_id=public_id).first()
    if webhook is None:
        raise NotFound(
            f"You have no webhook {public_id}; list your webhooks to see their ids.", "webhook_not_found"
        )
    return webhook


def deliveries_of(webhook: Webhook) -> QuerySet[Delivery]:
    return webhook.deliveries.order_by("-id")


def delivery_get(webhook: Webhook, public_id: str) -> Delivery:
    """Return a delivery by public id. Raises NotFound, also 14 days after its end."""
    delivery = webhook.deliveries.filter(public_id=public_id).first()
    if delivery is None:
        days = conf.RETENTION_S // 86400
        raise NotFound(
            f"This webhook has no delivery {public_id}; deliveries are kept for {days} days.",
            "delivery_not_found",
        )
    return delivery


def deliveries_to_send(most: int) -> list[int]:
    """Return keys of due deliveries without a lease, fair between webhooks, the longest due first.

    A failing webhook gets one attempt at a time. One query.
    """
    now = timezone.now()
    free = Q(lease_until=None) | Q(lease_until__lt=now)
    due = Delivery.objects.filter(
        Q(webhook__backoff_until=None) | Q(webhook__backoff_until__lte=now),
        state=Delivery.State.WAITING,
        next_at__lte=now,
        expires_at__gt=now,
        attempts__lt=conf.MAX_ATTEMPTS,
        webhook__state=Webhook.State.ACTIVE,
        webhook__user__is_active=True,
    )
    due = due.filter(free).annotate(
        turn=Window(RowNumber(), partition_by=F("webhook"), order_by=["next_at", "pk"])
    )
    chosen = due.filter(Q(turn=1) | Q(turn__lte=MAX_PARALLEL, webhook__failures=0))
    return list(chosen.order_by("turn", "next_at", "pk").values_list("pk", flat=True)[:most])
