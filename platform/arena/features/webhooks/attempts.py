"""Delivery attempts: claim deliveries by lease, send them in parallel, store the outcome, schedule retries.

Delivery is at least once, with the same ``webhook-id``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from arena.accounts.models import Notice
from arena.accounts.services import notice_create
from arena.common.notes import Note, format_minute
from arena.common.states import still_matching
from arena.features.webhooks import conf
from arena.features.webhooks.models import Delivery, Webhook
from arena.features.webhooks.sending import Attempt, WebhookRequest, post_all
from arena.features.webhooks.services import webhook_disable
from arena.features.webhooks.signing import signed_headers

Post = Callable[[Sequence[WebhookRequest], float], list[Attempt]]
Waiting = Delivery.State.WAITING
JITTER = 0.1
"""Maximum random extension of a delay, as a share, so that retries spread out."""
PRUNE_BATCH_SIZE = 2000
STATUS_GONE = 410


def delivery_claim(delivery_id: int) -> Delivery | None:
    """Lease a delivery to the caller; None if it has ended, is not due, or is leased to another process."""
    now = timezone.now()
    to_active = Delivery.objects.filter(
        Q(webhook__backoff_until=None) | Q(webhook__backoff_until__lte=now),
        pk=delivery_id,
        webhook__state=Webhook.State.ACTIVE,
    )
    taken = still_matching(
        to_active,
        Q(lease_until=None) | Q(lease_until__lt=now),
        state=Waiting,
        attempts__lt=conf.MAX_ATTEMPTS,
        next_at__lte=now,
        expires_at__gt=now,
    ).update(lease_until=now + timedelta(seconds=conf.LEASE_S), attempts=F("attempts") + 1, attempted_at=now)
    if not taken:
        return None
    return Delivery.objects.select_related("webhook__user").get(pk=delivery_id)


def deliveries_send(delivery_ids: Iterable[int], post: Post = post_all) -> int:
    """Attempt these deliveries once, in parallel, for ``conf.timeout_s()`` per 16; return how many."""
    claimed = [delivery for delivery in map(delivery_claim, delivery_ids) if delivery is not None]
    attempts = post([_request(delivery) for delivery in claimed], conf.timeout_s())
    for delivery, attempt in zip(claimed, attempts, strict=True):
        attempt_settle(delivery, attempt)
    return len(claimed)


def _request(delivery: Delivery) -> WebhookRequest:
    webhook = delivery.webhook
    now = timezone.now()
    body = delivery.payload.encode()
    secrets = [bytes(webhook.secret)]
    if webhook.old_secret is not None and webhook.old_secret_until and webhook.old_secret_until > now:
        secrets.append(bytes(webhook.old_secret))
    headers = signed_headers(secrets, delivery.message_id, int(now.timestamp()), body)
    return WebhookRequest(webhook.url, headers, body)


@transaction.atomic
def attempt_settle(delivery: Delivery, attempt: Attempt) -> bool:
    """Store the outcome of an attempt; return False if the lease has passed to another process."""
    now = timezone.now()
    outcome = {
        "lease_until": None,
        "last_status": attempt.status,
        "last_error": attempt.error[:300],
        "duration_ms": attempt.duration_ms,
    }
    leased = Delivery.objects.filter(pk=delivery.pk, state=Waiting, lease_until=delivery.lease_until)
    if attempt.ok:
        done = {"state": Delivery.State.DELIVERED, "next_at": None, "delivered_at": now, "ended_at": now}
        if not leased.update(**outcome, **done):
            return False
        Webhook.objects.filter(pk=delivery.webhook_id).update(
            failures=0, failing_since=None, backoff_until=None, delivered_at=now
        )
        return True
    next_at = _next_attempt(delivery, attempt, now)
    if next_at is None:
        moved = leased.update(**outcome, state=Delivery.State.FAILED, next_at=None, ended_at=now)
    else:
        moved = leased.update(**outcome, next_at=next_at)
    if moved:
        _webhook_failed(delivery.webhook, attempt, now)
    return bool(moved)


def _retry_delay(failures: int, least_s: float = 0) -> timedelta:
    """Return the delay after ``failures`` failures, at least ``least_s`` seconds, with jitter."""
    pause_s = max(conf.RETRY_DELAYS_S[min(failures, len(conf.RETRY_DELAYS_S)) - 1], least_s)
    return timedelta(seconds=pause_s * (1 + JITTER * random.random()))


def _next_attempt(delivery: Delivery, attempt: Attempt, now: datetime) -> datetime | None:
    """Return the time of the next attempt; None after the last one, or if it would be past the deadline."""
    if delivery.attempts >= conf.MAX_ATTEMPTS or attempt.status == STATUS_GONE:
        return None
    asked_s = min(attempt.retry_after_s or 0, conf.RETRY_DELAYS_S[-1])
    next_at = now + _retry_delay(delivery.attempts, asked_s)
    return next_at if next_at < delivery.expires_at else None


def _webhook_failed(webhook: Webhook, attempt: Attempt, now: datetime) -> None:
    Webhook.objects.filter(pk=webhook.pk).update(failures=F("failures") + 1)
    Webhook.objects.filter(pk=webhook.pk, failing_since=None).update(failing_since=now)
    webhook.refresh_from_db(fields=["failures", "failing_since", "state"])
    asked_s = min(attempt.retry_after_s or 0, conf.MAX_REST_S)
    rest_period = min(_retry_delay(webhook.failures, asked_s), timedelta(seconds=conf.MAX_REST_S))
    Webhook.objects.filter(pk=webhook.pk).update(backoff_until=now + rest_period)
    since = webhook.failing_since or now
    note: Note = {}
    if attempt.status == STATUS_GONE:
        note = {"code": "receiver_gone"}
    elif webhook.failures >= conf.MAX_ATTEMPTS and now - since >= timedelta(seconds=conf.disable_s()):
        note = {"code": "only_failures", "since": format_minute(since), "why": attempt.error}
    if note and webhook_disable(webhook, note):
        notice_create(
            webhook.user,
            Notice.Kind.WEBHOOK,
            {"code": "webhook_disabled", "webhook": str(webhook), "why": note, "id": webhook.public_id},
        )


def deliveries_sweep() -> int:
    """Fail deliveries past their deadline or without an outcome of the last attempt; return their number."""
    now = timezone.now()
    late = Delivery.objects.filter(
        Q(lease_until=None) | Q(lease_until__lt=now),
        Q(expires_at__lte=now) | Q(attempts__gte=conf.MAX_ATTEMPTS),
        state=Waiting,
    )
    return late.update(
        state=Delivery.State.FAILED,
        next_at=None,
        lease_until=None,
        ended_at=now,
        last_error="expired: it could not be delivered in time",
    )


def deliveries_prune() -> int:
    before = timezone.now() - timedelta(seconds=conf.RETENTION_S)
    old = Delivery.objects.filter(ended_at__lt=before).order_by("ended_at").values_list("pk", flat=True)
    return Delivery.objects.filter(pk__in=list(old[:PRUNE_BATCH_SIZE])).delete()[0]
