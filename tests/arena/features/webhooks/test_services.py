"""Webhooks made, changed and ended: whose right, what is refused, what is written down."""

from __future__ import annotations

import json

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.accounts.models import AuditEvent
from arena.common.errors import Conflict, Forbidden, Invalid
from arena.features.webhooks import conf
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.models import Delivery, Webhook
from arena.features.webhooks.services import (
    delivery_redeliver,
    webhook_create,
    webhook_delete,
    webhook_ping,
    webhook_rotate,
    webhook_update,
)
from arena.operations.account_deletion import account_delete
from arena.operations.own_data import own_data
from tests.arena.features.webhooks.conftest import URL, Post, a_delivery, a_webhook, delivery_kinds, send
from tests.factories import an_event, an_open_tournament, aya, ben

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["x" * 81, "a\u202eb"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(Invalid) as error:
        a_webhook(aya(), name=name)
    assert (error.value.code, error.value.extra["field"]) == ("invalid", "name")


@pytest.mark.parametrize("host", ["xn--", "xn--i-7iq.ws", "a.xn--zz"])
def test_a_name_that_has_no_other_spelling_is_taken_as_it_is(host: str) -> None:
    webhook = a_webhook(aya(), url=f"https://{host}/hook")
    assert webhook.url == f"https://{host}/hook"
    made = AuditEvent.objects.filter(action="create", object_id=webhook.public_id).get()
    assert made.after["host"] == host


def test_there_are_only_so_many(settings: object) -> None:
    settings.WEBHOOKS_PER_USER = 1  # type: ignore[attr-defined]
    a_webhook(aya())
    with pytest.raises(Conflict) as error:
        a_webhook(aya())
    assert error.value.code == "too_many_webhooks"
    a_webhook(ben())


def test_nobody_elses_webhook_is_touched() -> None:
    webhook = a_webhook(aya())
    delivery = a_delivery(webhook)
    for action in (
        lambda: webhook_update(webhook, ben(), name="mine"),
        lambda: webhook_rotate(webhook, ben()),
        lambda: webhook_delete(webhook, ben()),
        lambda: webhook_ping(webhook, ben()),
        lambda: delivery_redeliver(delivery, ben()),
    ):
        with pytest.raises(Forbidden):
            action()


def test_a_webhook_is_paused_and_hears_of_what_comes_after() -> None:
    webhook = a_webhook(aya(), kinds=["round.closed"])
    event = an_open_tournament()
    webhook_update(webhook, aya(), state="paused")
    an_event(event)
    webhook_update(webhook, aya(), state="active")
    an_event(event)
    deliveries_queue()
    assert len(delivery_kinds(webhook)) == 1
    with pytest.raises(Invalid):
        webhook_update(webhook, aya(), state="disabled")


def test_made_active_again_it_begins_anew() -> None:
    webhook = a_webhook(aya())
    a_delivery(webhook)
    send(Post(410))
    webhook.refresh_from_db()
    with pytest.raises(Conflict) as error:
        webhook_ping(webhook, aya())
    assert (error.value.code, error.value.extra["state"]) == ("wrong_state", "disabled")
    assert aya().notices.filter(kind="webhook").count() == 1
    webhook_update(webhook, aya(), state="active", url="https://other.example/")
    webhook.refresh_from_db()
    assert (webhook.state, webhook.failures, webhook.state_reason) == ("active", 0, "")
    webhook_ping(webhook, aya())
    post = Post(200)
    send(post)
    assert post.sent[0].url == "https://other.example/"
    assert json.loads(post.sent[0].body)["type"] == "ping"


def test_pings_do_not_pile_up() -> None:
    webhook = a_webhook(aya())
    for _ in range(3):
        webhook_ping(webhook, aya())
    with pytest.raises(Conflict) as error:
        webhook_ping(webhook, aya())
    assert error.value.code == "too_many_pings"


def test_deleted_it_is_gone_with_its_deliveries_but_not_from_the_audit_trail() -> None:
    webhook = a_webhook(aya())
    a_delivery(webhook)
    webhook_delete(webhook, aya())
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()
    assert [event.action for event in AuditEvent.objects.filter(kind="webhook").order_by("id")] == [
        "create",
        "delete",
    ]


def test_an_account_gets_its_webhooks_with_its_data_and_takes_them_along() -> None:
    a_webhook(aya())
    theirs = a_webhook(ben())
    assert [row["url"] for row in own_data(aya())["webhooks"]] == [URL]
    account_delete(aya())
    assert list(Webhook.objects.all()) == [theirs]


def test_no_secret_is_written_anywhere_but_its_column(caplog: pytest.LogCaptureFixture) -> None:
    webhook, secret = webhook_create(aya(), url="https://receiver.example/hook?token=sesame")
    webhook_update(webhook, aya(), name="x")
    new = webhook_rotate(webhook, aya())
    a_delivery(webhook)
    send(Post("connect_failed: nobody answers"))
    trail = json.dumps(list(AuditEvent.objects.values("before", "after")))
    kept = json.dumps(list(Delivery.objects.values("payload", "last_error")))
    for text in (trail, kept, caplog.text, str(webhook), repr(webhook)):
        assert secret.removeprefix("whsec_") not in text
        assert new.removeprefix("whsec_") not in text
        assert "sesame" not in text


def test_the_database_refuses_what_cannot_be() -> None:
    delivery = a_delivery(a_webhook(aya()))
    for wrong in ({"state": "failed"}, {"next_at": None}, {"ended_at": timezone.now()}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Delivery.objects.update(**wrong)
    with pytest.raises(IntegrityError), transaction.atomic():
        Delivery.objects.create(
            webhook=delivery.webhook,
            event=delivery.event,
            kind="round.closed",
            payload="{}",
            next_at=timezone.now(),
            expires_at=timezone.now(),
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        Webhook.objects.update(url="")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEBHOOK_TIMEOUT_S", "600"),
        ("WEBHOOKS_PER_USER", "many"),
        ("WEBHOOK_ALLOW_PRIVATE", "perhaps"),
        ("WEBHOOK_PORTS", "443,x"),
    ],
)
def test_a_wrong_setting_is_named(settings: object, name: str, value: str) -> None:
    setattr(settings, name, value)
    with pytest.raises(SystemExit, match=f"rensho: {name}="):
        apps.get_app_config("webhooks").ready()


def test_settings_come_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBHOOKS_PER_USER", "3")
    monkeypatch.setenv("WEBHOOK_ALLOWED_HOSTS", "a.internal, B.internal.")
    assert conf.webhooks_per_user() == 3
    assert conf.allowed_hosts() == {"a.internal", "b.internal"}
    assert URL
