"""Webhooks over the API: made, changed, tested, and what was sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.accounts.models import IdempotencyKey
from arena.features.webhooks.attempts import deliveries_send
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.selectors import deliveries_to_send
from tests.arena.api.conftest import caller
from tests.arena.api.problems import ok
from tests.arena.features.webhooks.conftest import Post
from tests.factories import an_event, an_open_tournament, aya, ben, odo, sota

pytestmark = pytest.mark.django_db
HOOK = {"url": "https://receiver.example/hook", "kinds": ["round.*"], "name": "mine"}


def test_a_webhook_is_made_and_its_secret_shown_once() -> None:
    client = caller(aya())
    answer = client.post("/api/v1/webhooks", HOOK)
    made = ok(answer, 201)
    assert made["secret"].startswith("whsec_")
    assert answer["Cache-Control"] == "no-store"
    address = f"/api/v1/webhooks/{made['id']}"
    assert answer["Location"] == f"http://testserver{address}"
    webhook = ok(client.get(address))
    assert (webhook["state"], webhook["kinds"], webhook["tournament"]) == ("active", ["round.*"], None)
    listed = ok(client.get("/api/v1/webhooks"))["results"]
    for text in (json.dumps(webhook), json.dumps(listed)):
        assert "secret" not in json.loads(text if text.startswith("{") else "{}")
        assert made["secret"] not in text
    rotated = ok(client.post(f"{address}/rotate", {}))
    assert rotated["secret"] != made["secret"]
    assert rotated["old_secret_until"]
    assert [webhook["id"] for webhook in listed] == [made["id"]]
    assert ok(caller(ben()).get("/api/v1/webhooks"))["results"] == []
    for other in (ben(), odo()):
        assert ok(caller(other).get(address), 404)["code"] == "webhook_not_found"
    assert ok(caller(sota()).get(address))["id"] == made["id"]
    assert ok(client.delete(address), 204) is None
    assert ok(client.get(address), 404)["code"] == "webhook_not_found"


def test_a_secret_is_kept_nowhere_by_a_key() -> None:
    answer = caller(aya()).post("/api/v1/webhooks", HOOK, HTTP_IDEMPOTENCY_KEY="once")
    assert ok(answer, 400)["code"] == "idempotency_key_unsupported"
    assert not IdempotencyKey.objects.exists()


def test_a_token_needs_the_scope() -> None:
    assert ok(caller(aya(), "read").post("/api/v1/webhooks", HOOK), 403)["needed_scope"] == "bots"
    assert ok(caller().get("/api/v1/webhooks"), 401)["code"] == "not_signed_in"


def test_deliveries_are_listed_and_sent_again() -> None:
    client = caller(aya())
    made = ok(client.post("/api/v1/webhooks", HOOK), 201)
    address = f"/api/v1/webhooks/{made['id']}"
    an_event(an_open_tournament())
    deliveries_queue()
    ping = client.post(f"{address}/ping", {})
    assert ok(client.get(ping["Location"]))["id"] == ok(ping, 202)["id"]
    deliveries_send(deliveries_to_send(9), Post(200, "timeout: no answer within 10 s"))
    listed = ok(client.get(f"{address}/deliveries"))["results"]
    assert [delivery["kind"] for delivery in listed] == ["ping", "round.closed"]
    waiting = ok(client.get(f"{address}/deliveries?state=waiting"))["results"]
    assert [delivery["last_error"].split(":")[0] for delivery in waiting] == ["timeout"]
    delivered = ok(client.get(f"{address}/deliveries?state=delivered"))["results"][0]
    assert delivered["webhook_id"] == f"msg_{delivered['id']}"
    assert json.loads(delivered["payload"])["type"] == delivered["kind"]
    delivery_path = f"{address}/deliveries/{delivered['id']}"
    again = ok(client.post(f"{delivery_path}/redeliver", {}), 202)
    assert (again["state"], again["attempts"]) == ("waiting", 0)
    twice = ok(client.post(f"{delivery_path}/redeliver", {}), 409)
    assert (twice["code"], twice["state"]) == ("wrong_state", "waiting")
    assert ok(client.get(delivery_path))["webhook_id"] == delivered["webhook_id"]
    assert ok(caller(ben()).get(delivery_path), 404)["code"] == "webhook_not_found"
    assert ok(client.get(f"{address}/deliveries/nonsense"), 404)["code"] == "delivery_not_found"


def test_paused_and_active_again() -> None:
    client = caller(aya())
    address = f"/api/v1/webhooks/{ok(client.post('/api/v1/webhooks', HOOK), 201)['id']}"
    assert ok(client.patch(address, {"state": "paused"}))["state"] == "paused"
    refused = ok(client.post(f"{address}/ping", {}), 409)
    assert (refused["code"], refused["allowed_states"]) == ("wrong_state", ["active"])
    assert ok(client.patch(address, {"state": "active", "url": HOOK["url"] + "2"}))["url"].endswith("hook2")
    assert ok(client.patch(address, {"state": "disabled"}), 400)["errors"][0]["field"] == "state"


@pytest.mark.parametrize(
    ("wrong", "code", "field"),
    [
        ({"url": "https://10.0.0.1/"}, "address_refused", "url"),
        ({"url": "http://receiver.example/"}, "scheme_refused", "url"),
        ({"url": "https://receiver.example:25/"}, "port_refused", "url"),
        ({"url": "nonsense"}, "url_invalid", "url"),
        ({"kinds": ["nonsense"]}, "unknown_kind", "kinds"),
        ({"kinds": ["round.*"] * 1000}, "invalid", "kinds"),
        ({"secret": "mine"}, "invalid", "secret"),
        ({"tournament": "nonsense"}, "tournament_not_found", None),
    ],
)
def test_a_wrong_field_is_named(wrong: dict[str, Any], code: str, field: str | None) -> None:
    answer = caller(aya()).post("/api/v1/webhooks", {**HOOK, **wrong})
    problem = ok(answer, 404 if field is None else 400)
    assert problem["code"] == code
    if field:
        assert problem["errors"][0]["field"] == field
