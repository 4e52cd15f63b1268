"""Events become deliveries: once each, to those who may see them."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.accounts.events import event_add
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.models import Cursor, Webhook
from tests.arena.features.webhooks.conftest import a_webhook, delivery_kinds
from tests.factories import (
    a_bot,
    a_version,
    an_event,
    an_open_tournament,
    aya,
    ben,
    chie,
    logged_events,
    odo,
    sota,
)

pytestmark = pytest.mark.django_db


def test_each_event_reaches_a_webhook_once() -> None:
    webhook = a_webhook(aya(), kinds=["round.closed", "tournament.*"])
    event = an_open_tournament()
    an_event(event)
    an_event(event, "round.opened")
    assert deliveries_queue() == 2
    assert deliveries_queue() == 0
    Cursor.objects.update(event=0)
    deliveries_queue()
    assert delivery_kinds(webhook) == ["tournament.opened", "round.closed"]


def test_the_body_says_what_happened_and_to_what() -> None:
    webhook = a_webhook(chie(), kinds=["round.closed"])
    event = an_open_tournament()
    line = an_event(event, number=1)
    deliveries_queue()
    assert json.loads(webhook.deliveries.get().payload) == {
        "id": line.pk,
        "type": "round.closed",
        "timestamp": line.created_at.isoformat().replace("+00:00", "Z"),
        "tournament": event.public_id,
        "object": {"kind": "tournament", "id": event.public_id},
        "data": {"number": 1},
    }


def test_only_those_who_may_see_it_learn_of_it() -> None:
    private = an_open_tournament(visibility="private")
    hooks = {
        user.username: a_webhook(user, kinds=["round.closed"]) for user in (aya(), odo(), chie(), sota())
    }
    an_event(private)
    deliveries_queue()
    assert {name: len(delivery_kinds(hook)) for name, hook in hooks.items()} == {
        "aya": 0,
        "odo": 1,
        "chie": 0,
        "sota": 1,
    }


def test_what_is_meant_for_one_account_reaches_no_other() -> None:
    hooks = {user.username: a_webhook(user) for user in (aya(), ben(), odo())}
    version = a_version(a_bot(aya()))
    logged_events().delete()
    event_add("version.suspended", version, user=aya())
    deliveries_queue()
    assert {name: delivery_kinds(hook) for name, hook in hooks.items()} == {
        "aya": ["version.suspended"],
        "ben": [],
        "odo": [],
    }


def test_visibility_counts_at_the_moment_of_queueing() -> None:
    webhook = a_webhook(chie(), kinds=["round.closed"])
    event = an_open_tournament()
    an_event(event)
    type(event).objects.update(visibility="private")
    deliveries_queue()
    assert delivery_kinds(webhook) == []


def test_a_webhook_of_one_tournament_hears_of_no_other() -> None:
    followed, other = an_open_tournament(), an_open_tournament()
    webhook = a_webhook(aya(), tournament=followed, kinds=["round.closed"])
    an_event(other)
    line = an_event(followed)
    deliveries_queue()
    assert list(webhook.deliveries.values_list("event", flat=True)) == [line.pk]


def test_nothing_from_before_a_webhook_was_made_nor_to_inactive_ones() -> None:
    event = an_open_tournament()
    an_event(event)
    late = a_webhook(aya())
    paused = a_webhook(ben())
    Webhook.objects.filter(pk=paused.pk).update(state="paused")
    locked_out = a_webhook(chie())
    type(chie()).objects.filter(username="chie").update(is_active=False)
    an_event(event, "round.opened")
    deliveries_queue()
    assert (delivery_kinds(late), delivery_kinds(paused), delivery_kinds(locked_out)) == (
        ["round.opened"],
        [],
        [],
    )


def test_too_many_waiting_are_counted_as_missed(settings: object) -> None:
    settings.WEBHOOK_QUEUE_MAX = 2  # type: ignore[attr-defined]
    webhook = a_webhook(aya(), kinds=["round.closed"])
    event = an_open_tournament()
    for _ in range(3):
        an_event(event)
    deliveries_queue()
    an_event(event)
    deliveries_queue()
    webhook.refresh_from_db()
    assert (len(delivery_kinds(webhook)), webhook.missed) == (2, 2)


def test_a_new_installation_begins_with_the_first_webhook() -> None:
    Cursor.objects.all().delete()
    event = an_open_tournament()
    webhook = a_webhook(aya())
    an_event(event)
    assert deliveries_queue() == 1
    assert delivery_kinds(webhook) == ["round.closed"]


def test_without_a_webhook_the_log_is_read_and_nothing_queued() -> None:
    Cursor.objects.all().delete()
    an_event(an_open_tournament())
    assert deliveries_queue() == 0
    assert Cursor.objects.get().event == logged_events().latest("id").pk


def test_queries_do_not_grow_with_events_or_hooks_of_one_owner() -> None:
    def queries(events: int, hooks: int) -> int:
        event = an_open_tournament()
        for _ in range(hooks):
            a_webhook(aya(), tournament=event, kinds=["round.closed"])
        for _ in range(events):
            an_event(event)
        with CaptureQueriesContext(connection) as seen:
            deliveries_queue()
        return len(seen)

    few = queries(2, 1)
    assert queries(40, 1) == few
