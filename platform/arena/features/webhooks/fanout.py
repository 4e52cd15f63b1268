"""Fan-out of events: one delivery per event and webhook whose owner may see the event at that time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Min
from django.utils import timezone

from arena.accounts.events import event_body, events_after, kind_matches, newest_event_id
from arena.accounts.models import Event, User
from arena.competition.selectors import background_ids, events_visible_to, tournament_names
from arena.features.webhooks import conf
from arena.features.webhooks.bodies import delivery_payload
from arena.features.webhooks.models import Cursor, Delivery, Webhook

CURSOR_NAME = "webhooks"
BATCH_SIZE = 500
MAX_BATCHES = 10
"""Maximum transactions per call, because the tick has other work."""
PING = "ping"


def deliveries_queue() -> int:
    """Queue deliveries of all events since the last call; return their number. Safe to run concurrently."""
    queued = 0
    for _ in range(MAX_BATCHES):
        step = _queue_batch()
        if step is None:
            break
        queued += step
    return queued


def _queue_batch() -> int | None:
    """Queue the next events; None if there are none or another process took them."""
    start = _cursor_position()
    events = events_after(start, BATCH_SIZE)
    if not events:
        return None
    with transaction.atomic():
        moved = Cursor.objects.filter(name=CURSOR_NAME, event=start).update(event=events[-1].pk)
        if not moved:
            return None
        return sum(
            _queue_for_webhook(webhook, webhook_events) for webhook, webhook_events in _matches(events)
        )


def _cursor_position() -> int:
    cursor = Cursor.objects.filter(name=CURSOR_NAME).first()
    if cursor is None:
        # First use: skip events older than the first webhook.
        first = Webhook.objects.aggregate(first=Min("after_event"))["first"]
        start = newest_event_id() if first is None else first
        cursor, _ = Cursor.objects.get_or_create(name=CURSOR_NAME, defaults={"event": start})
    return cursor.event


def _matches(events: Sequence[Event]) -> Iterable[tuple[Webhook, list[Event]]]:
    """Yield webhooks with their events. Two queries, and one per owner concerned."""
    ids = [event.pk for event in events]
    by_owner: dict[int, list[tuple[Webhook, list[Event]]]] = defaultdict(list)
    owners: dict[int, User] = {}
    active = Webhook.objects.filter(
        state=Webhook.State.ACTIVE, user__is_active=True, after_event__lt=ids[-1]
    ).select_related("user", "tournament")
    # Ladders have hundreds of rounds per day: only webhooks for their tournament receive their events.
    background = background_ids({event.tournament for event in events})
    for webhook in active.order_by("pk"):
        only = webhook.tournament.public_id if webhook.tournament else None
        chosen = [
            event
            for event in events
            if event.pk > webhook.after_event
            and (event.tournament not in background if only is None else event.tournament == only)
            and kind_matches(event.kind, webhook.kinds)
        ]
        if chosen:
            owners[webhook.user_id] = webhook.user
            by_owner[webhook.user_id].append((webhook, chosen))
    for owner_id, candidates in by_owner.items():
        event_ids = {event.pk for _, chosen in candidates for event in chosen}
        visible = set(
            events_visible_to(owners[owner_id]).filter(pk__in=sorted(event_ids)).values_list("pk", flat=True)
        )
        for webhook, chosen in candidates:
            visible_events = [event for event in chosen if event.pk in visible]
            if visible_events:
                yield webhook, visible_events


def _queue_for_webhook(webhook: Webhook, events: Sequence[Event]) -> int:
    waiting = webhook.deliveries.filter(state=Delivery.State.WAITING).count()
    room = max(0, conf.max_waiting() - waiting)
    missed = len(events) - min(room, len(events))
    if missed:
        Webhook.objects.filter(pk=webhook.pk).update(missed=F("missed") + missed)
    now = timezone.now()
    is_text = webhook.format == Webhook.Format.DISCORD
    names = tournament_names([event.tournament for event in events]) if is_text else {}
    Delivery.objects.bulk_create(
        [
            Delivery(
                webhook=webhook,
                event=event.pk,
                kind=event.kind,
                payload=delivery_payload(webhook, event_body(event), names.get(event.tournament, "")),
                next_at=now,
                expires_at=now + timedelta(seconds=conf.DEADLINE_S),
            )
            for event in events[:room]
        ],
        ignore_conflicts=True,
    )
    return len(events) - missed
