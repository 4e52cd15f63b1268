"""Attempts: signed, leased, tried again, given up; and webhooks that fail for days."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest
from django.utils import timezone

from arena.accounts.models import AuditEvent
from arena.features.webhooks import conf
from arena.features.webhooks import tasks as deliveries
from arena.features.webhooks.attempts import (
    attempt_settle,
    deliveries_prune,
    deliveries_send,
    deliveries_sweep,
    delivery_claim,
)
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.models import Delivery, Webhook
from arena.features.webhooks.selectors import deliveries_to_send
from arena.features.webhooks.sending import Attempt
from arena.features.webhooks.services import delivery_redeliver, webhook_create, webhook_rotate
from arena.features.webhooks.signing import signature
from arena.operations.staleness import oldest_rows
from tests.arena.features.webhooks.conftest import URL, Post, a_delivery, a_webhook, send
from tests.arena.features.webhooks.receiver import answers, receiving
from tests.arena.overlaps import overlapping
from tests.factories import an_event, an_open_tournament, aya, ben

pytestmark = pytest.mark.django_db


def test_a_delivery_that_waits_too_long_is_seen() -> None:
    a_delivery(a_webhook(aya()))
    assert ("delivery", "overdue") not in {(age.what, age.state) for age in oldest_rows() if age.is_overdue}
    Delivery.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    assert ("delivery", "overdue") in {(age.what, age.state) for age in oldest_rows() if age.is_overdue}


def earlier(seconds: float) -> None:
    """As if so much time had passed."""
    gone = timedelta(seconds=seconds)
    for delivery in Delivery.objects.all():
        for field in ("next_at", "expires_at", "lease_until", "created_at", "ended_at"):
            if getattr(delivery, field) is not None:
                setattr(delivery, field, getattr(delivery, field) - gone)
        delivery.save()
    for webhook in Webhook.objects.all():
        for field in ("failing_since", "backoff_until", "old_secret_until"):
            if getattr(webhook, field) is not None:
                setattr(webhook, field, getattr(webhook, field) - gone)
        webhook.save()


def test_the_signature_is_that_of_the_standard() -> None:
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_an_attempt_is_signed_with_the_secret_its_owner_was_shown() -> None:
    webhook, secret = webhook_create(aya(), url=URL)
    delivery = a_delivery(webhook)
    post = Post(200)
    assert send(post) == 1
    (request,) = post.sent
    headers = request.headers
    key = base64.b64decode(secret.removeprefix("whsec_"))
    assert headers["webhook-id"] == delivery.message_id
    assert headers["webhook-signature"] == signature(
        key, delivery.message_id, int(headers["webhook-timestamp"]), request.body
    )
    assert (request.url, request.body) == (URL, delivery.payload.encode())
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.last_status) == ("delivered", 1, 200)
    assert send(post) == 0


def test_after_a_rotation_both_secrets_sign_for_a_day() -> None:
    webhook, old = webhook_create(aya(), url=URL)
    new = webhook_rotate(webhook, aya())
    a_delivery(webhook)
    post = Post(500, 200)
    send(post)
    earlier(conf.OLD_SECRET_S)
    send(post)
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in (new, old)]
    for request, signers in zip(post.sent, (keys, keys[:1]), strict=True):
        ids = request.headers["webhook-id"], int(request.headers["webhook-timestamp"])
        assert request.headers["webhook-signature"].split() == [
            signature(key, *ids, request.body) for key in signers
        ]


def test_pauses_grow_until_the_last_attempt() -> None:
    webhook = a_webhook(aya())
    delivery = a_delivery(webhook)
    post = Post(*[500] * 20)
    pauses = []
    for _ in range(conf.MAX_ATTEMPTS):
        before = timezone.now()
        assert send(post) == 1
        after = timezone.now()
        delivery.refresh_from_db()
        if delivery.next_at is not None:
            # It failed between the two.
            pauses.append([(delivery.next_at - moment).total_seconds() for moment in (before, after)])
            earlier(max(*pauses[-1], conf.MAX_REST_S) * 1.2 + 1)
            Delivery.objects.update(expires_at=timezone.now() + timedelta(days=3))
    assert len(pauses) == len(conf.RETRY_DELAYS_S)
    for least, (most_it_was, least_it_was) in zip(conf.RETRY_DELAYS_S, pauses, strict=True):
        assert least <= most_it_was
        assert least_it_was <= least * 1.1
    assert (delivery.state, delivery.attempts, delivery.last_error) == ("failed", 8, "status: 500")
    assert {request.headers["webhook-id"] for request in post.sent} == {delivery.message_id}
    assert len({request.body for request in post.sent}) == 1
    assert send(post) == 0


def test_two_at_once_do_not_send_twice() -> None:
    delivery = a_delivery(a_webhook(aya()))
    first = delivery_claim(delivery.pk)
    assert first is not None
    assert delivery_claim(delivery.pk) is None
    assert deliveries_to_send(16) == []
    assert attempt_settle(first, Attempt(200, "", 5))
    assert not attempt_settle(first, Attempt(500, "status: 500", 5)), "what was said once stands"


def test_a_lost_sender_is_replaced_and_its_late_word_does_not_count() -> None:
    webhook = a_webhook(aya())
    delivery = a_delivery(webhook)
    lost = delivery_claim(delivery.pk)
    earlier(conf.LEASE_S + 1)
    again = delivery_claim(delivery.pk)
    assert lost is not None
    assert again is not None
    assert not attempt_settle(lost, Attempt(500, "status: 500", 5))
    assert attempt_settle(again, Attempt(200, "", 5))
    delivery.refresh_from_db()
    webhook.refresh_from_db()
    assert (delivery.state, delivery.attempts, webhook.failures) == ("delivered", 2, 0)


def test_a_delivery_whose_sender_always_dies_ends() -> None:
    delivery = a_delivery(a_webhook(aya()))
    for _ in range(conf.MAX_ATTEMPTS):
        assert delivery_claim(delivery.pk) is not None
        earlier(conf.LEASE_S + 1)
    assert delivery_claim(delivery.pk) is None
    assert deliveries_sweep() == 1
    delivery.refresh_from_db()
    assert delivery.state == "failed"


def test_a_failing_webhook_rests_and_gets_one_attempt_at_a_time() -> None:
    webhook = a_webhook(aya(), kinds=["round.closed"])
    event = an_open_tournament()
    for _ in range(10):
        an_event(event)
    deliveries_queue()
    drawn = deliveries_to_send(16)
    assert len(drawn) == 8, "to one webhook at once"
    assert deliveries_send(drawn[:2], Post(500, 500)) == 2
    assert deliveries_send(drawn[2:], Post()) == 0, "those drawn before it failed rest, too"
    assert send(Post()) == 0
    earlier(conf.MAX_REST_S * 1.2)
    assert send(Post(200)) == 1
    assert send(Post()) == 8, "it works again"
    webhook.refresh_from_db()
    assert webhook.failures == 0


def test_the_busy_do_not_hide_the_others() -> None:
    busy, other = a_webhook(aya(), kinds=["round.closed"]), a_webhook(ben(), kinds=["round.opened"])
    event = an_open_tournament()
    for _ in range(30):
        an_event(event)
    an_event(event, "round.opened")
    deliveries_queue()
    first = deliveries_to_send(2)
    assert set(Delivery.objects.filter(pk__in=first).values_list("webhook", flat=True)) == {busy.pk, other.pk}


def test_a_webhook_that_fails_for_days_is_disabled_and_its_owner_told() -> None:
    webhook = a_webhook(aya())
    delivery = a_delivery(webhook)
    send(Post("timeout: no answer within 10 s"))
    Webhook.objects.update(
        failures=conf.MAX_ATTEMPTS, failing_since=timezone.now() - timedelta(days=4), backoff_until=None
    )
    Delivery.objects.update(next_at=timezone.now() - timedelta(seconds=1))
    a_delivery(webhook)
    send(Post("timeout: no answer within 10 s"))
    webhook.refresh_from_db()
    delivery.refresh_from_db()
    assert (webhook.state, delivery.state) == ("disabled", "failed")
    assert not Delivery.objects.filter(state="waiting").exists()
    notice = aya().notices.get(kind="webhook")
    assert webhook.public_id in notice.text
    assert notice.note["why"]["code"] == "only_failures"
    assert "timeout" in notice.text
    assert AuditEvent.objects.filter(action="disable", object_id=webhook.public_id).exists()


def test_nothing_waits_for_ever() -> None:
    webhook = a_webhook(aya())
    delivery = a_delivery(webhook)
    Webhook.objects.update(state="paused")
    assert send(Post()) == 0
    earlier(conf.DEADLINE_S + 1)
    assert deliveries_sweep() == 1
    delivery.refresh_from_db()
    assert (delivery.state, delivery.last_error.split(":")[0]) == ("failed", "expired")
    assert deliveries_prune() == 0
    earlier(conf.RETENTION_S + 1)
    assert deliveries_prune() == 1


def test_what_is_over_can_be_sent_again_with_its_id() -> None:
    webhook = a_webhook(aya())
    delivery = a_delivery(webhook)
    post = Post(200, 500, 200)
    send(post)
    delivery.refresh_from_db()
    delivery_redeliver(delivery, aya())
    send(post)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("waiting", 1)
    assert len({(request.headers["webhook-id"], request.body) for request in post.sent}) == 1


def test_the_tick_queues_and_asks_and_the_task_sends(
    settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True  # type: ignore[attr-defined]
    # However slow this machine is, the task goes on until nothing is due.
    monkeypatch.setattr(deliveries, "DRAIN_S", 3600.0)
    asked: list[list[int]] = []
    monkeypatch.setattr(deliveries.delivery_send, "apply_async", lambda args, expires: asked.append(args[0]))
    with receiving(answers(200)) as receiver:
        webhook, secret = webhook_create(aya(), url=receiver.url, kinds=["round.closed"])
        event = an_open_tournament()
        for _ in range(20):
            an_event(event)
        deliveries.deliveries_due()
        (ids,) = asked
        for _ in range(2):
            deliveries.delivery_send(ids)
        assert len(receiver.requests) == 20
        headers = receiver.headers()
        key = base64.b64decode(secret.removeprefix("whsec_"))
        assert headers["webhook-signature"] == signature(
            key, headers["webhook-id"], int(headers["webhook-timestamp"]), receiver.body()
        )
    assert set(webhook.deliveries.values_list("state", flat=True)) == {"delivered"}
    assert deliveries_send(ids, Post()) == 0
    deliveries.deliveries_due()
    assert len(asked) == 1


@pytest.mark.django_db(transaction=True)
def test_a_delivery_is_sent_by_one_process() -> None:
    delivery = a_delivery(a_webhook(aya()))
    taken, other = overlapping(lambda: delivery_claim(delivery.pk), lambda: delivery_claim(delivery.pk))
    assert taken is not None
    assert other is None
    delivery.refresh_from_db()
    assert delivery.attempts == 1
