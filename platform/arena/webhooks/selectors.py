"""One's webhooks and deliveries, what is due, and how old the oldest is."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Count, F, Min, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from arena.accounts.models import Event, PendingEvent, User
from arena.accounts.selectors import is_staff
from arena.common.errors import NotFound
from arena.webhooks import conf
from arena.webhooks.fanout import CURSOR
from arena.webhooks.models import Cursor, Delivery, Webhook

EACH = 8
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
        days = conf.KEPT_S // 86400
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
        attempts__lt=conf.ATTEMPTS,
        webhook__state=Webhook.State.ACTIVE,
        webhook__user__is_active=True,
    )
    due = due.filter(free).annotate(
        turn=Window(RowNumber(), partition_by=F("webhook"), order_by=["next_at", "pk"])
    )
    chosen = due.filter(Q(turn=1) | Q(turn__lte=EACH, webhook__failures=0))
    return list(chosen.order_by("turn", "next_at", "pk").values_list("pk", flat=True)[:most])


def ages() -> dict[str, float]:
    """Seconds, for metrics and the doctor; 0 where there is nothing. Three queries.

    ``delivery_waiting``  since the oldest waiting delivery was queued (deadline: 3 days)
    ``delivery_due``      since the longest due delivery of an active, not resting webhook could be sent
    ``delivery_leased``   since the oldest lease that ran out did
    ``event_unqueued``    since the oldest event came that is not yet turned into deliveries
    ``webhook_failing``   since the webhook that fails longest began to (disabled after 3 days)
    """
    now = timezone.now()
    waiting = Q(state=Delivery.State.WAITING)
    active = Q(webhook__state=Webhook.State.ACTIVE) & (
        Q(webhook__rests_until=None) | Q(webhook__rests_until__lte=now)
    )
    oldest = Delivery.objects.filter(waiting).aggregate(
        delivery_waiting=Min("created_at"),
        delivery_due=Min("next_at", filter=active & Q(next_at__lte=now)),
        delivery_leased=Min("lease_until", filter=Q(lease_until__lt=now)),
    )
    oldest["webhook_failing"] = Webhook.objects.filter(state=Webhook.State.ACTIVE).aggregate(
        at=Min("failing_since")
    )["at"]
    oldest["event_unqueued"] = _unqueued_since()
    return {name: max(0.0, (now - at).total_seconds()) if at else 0.0 for name, at in oldest.items()}


def _unqueued_since() -> datetime | None:
    done = Cursor.objects.filter(name=CURSOR).values_list("event", flat=True).first()
    if done is None:
        return None
    logged = Event.objects.filter(pk__gt=done)
    oldest = [
        rows.order_by("pk").values_list("at", flat=True).first()
        for rows in (logged, PendingEvent.objects.all())
    ]
    return min(filter(None, oldest), default=None)


def counts() -> dict[str, int]:
    """Deliveries waiting, and ended within the last hour by state; webhooks by state. Two queries."""
    recent = timezone.now() - timedelta(hours=1)
    counts: dict[str, int] = Delivery.objects.aggregate(
        waiting=Count("pk", filter=Q(state=Delivery.State.WAITING)),
        delivered_last_hour=Count("pk", filter=Q(state=Delivery.State.DELIVERED, ended_at__gte=recent)),
        failed_last_hour=Count("pk", filter=Q(state=Delivery.State.FAILED, ended_at__gte=recent)),
    )
    for state, number in Webhook.objects.values_list("state").annotate(n=Count("pk")).order_by():
        counts[f"webhooks_{state}"] = number
    return counts
