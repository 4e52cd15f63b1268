"""One's webhooks and deliveries, and what is due."""

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
"""Deliveries to one webhook at once."""


def webhooks_of(user: User) -> QuerySet[Webhook]:
    """A user's own, newest first, tournaments at hand; staff use the admin for those of others."""
    return user.webhooks.select_related("tournament", "user")


def webhook_get(public_id: str, user: User) -> Webhook:
    """A webhook of this user; staff get anybody's.

    Raises:
        NotFound: there is none of this id, or it is somebody else's.
    """
    rows = Webhook.objects.select_related("tournament", "user")
    if not is_staff(user):
        rows = rows.filter(user=user)
    webhook = rows.filter(public_id=public_id).first()
    if webhook is None:
        raise NotFound(f"No webhook {public_id} of yours; list them to see their ids.", "webhook_unknown")
    return webhook


def deliveries_of(webhook: Webhook) -> QuerySet[Delivery]:
    """What was or is sent there, newest first."""
    return webhook.deliveries.order_by("-id")


def delivery_get(webhook: Webhook, public_id: str) -> Delivery:
    """One of its deliveries.

    Raises:
        NotFound: there is none of this id; they are kept for 14 days after their end.
    """
    delivery = webhook.deliveries.filter(public_id=public_id).first()
    if delivery is None:
        days = conf.RETENTION_S // 86400
        raise NotFound(
            f"No delivery {public_id} of this webhook; they are kept for {days} days.", "delivery_unknown"
        )
    return delivery


def deliveries_to_send(most: int) -> list[int]:
    """Keys of deliveries that are due and that nobody sends, the longest due first, fairly shared.

    A webhook that fails gets one attempt at a time, others eight. One query.
    """
    now = timezone.now()
    free = Q(lease_until=None) | Q(lease_until__lt=now)
    due = Delivery.objects.filter(
        Q(webhook__rests_until=None) | Q(webhook__rests_until__lte=now),
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
