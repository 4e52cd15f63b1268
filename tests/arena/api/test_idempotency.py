"""A POST sent twice with one Idempotency-Key is done once."""

from __future__ import annotations

import datetime
import threading
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone

from arena.accounts.models import ApiToken, IdempotencyKey
from arena.api.base import idempotency
from arena.roster import services
from arena.roster.models import Bot, BotVersion
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.factories import a_bot, aya, ben, odo

pytestmark = pytest.mark.django_db

BOTS = "/api/v1/bots"
KITA = {"name": "kita", "game": "kakeya"}


def post(client: Any, path: str, body: dict[str, Any], key: str, **how: Any) -> Any:
    return client.post(path, body, headers={"Idempotency-Key": key}, **how)


def test_the_same_request_gets_the_first_answer_again() -> None:
    client = caller(aya())
    first = post(client, BOTS, KITA, "k1")
    again = post(client, BOTS, dict(reversed(KITA.items())), "k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert (first.get("Idempotent-Replay"), again["Idempotent-Replay"]) == (None, "true")
    assert again["Content-Type"] == first["Content-Type"]
    assert Bot.objects.count() == 1


def test_a_refusal_is_an_answer_too() -> None:
    client = caller(aya())
    wrong = {"name": "kita", "game": "chess"}
    check(post(client, BOTS, wrong, "k1"), 400, "unknown_game")
    again = post(client, BOTS, wrong, "k1")
    check(again, 400, "unknown_game")
    assert again["Idempotent-Replay"] == "true"


@pytest.mark.parametrize(
    ("path", "body"), [(BOTS, {"name": "minami", "game": "kakeya"}), ("/api/v1/tournaments", KITA)]
)
def test_a_key_belongs_to_one_request(path: str, body: dict[str, Any]) -> None:
    client = caller(odo())
    post(client, BOTS, KITA, "k1")
    check(post(client, path, body, "k1"), 422, "idempotency_key_reused")
    assert Bot.objects.count() == 1


def test_the_query_is_part_of_the_request() -> None:
    client = caller(odo())
    cup = {"name": "Cup", "preset": "kakeya4"}
    assert post(client, "/api/v1/tournaments", cup, "k1").status_code == 201
    assert post(client, "/api/v1/tournaments?dry_run=true", cup, "k1").json()["code"] == (
        "idempotency_key_reused"
    )


def test_keys_are_an_accounts_own() -> None:
    assert post(caller(aya()), BOTS, KITA, "k1").json()["owner"] == "aya"
    answer = post(caller(ben()), BOTS, KITA, "k1")
    assert (answer.status_code, answer.json()["owner"]) == (201, "ben")


def test_an_upload_is_known_again_whatever_its_boundary() -> None:
    path = f"{BOTS}/{a_bot(aya()).public_id}/versions"
    client = caller(aya())

    def upload(text: bytes) -> Any:
        return post(client, path, {"bundle": SimpleUploadedFile("bot.py", text)}, "k1", format="multipart")

    first, again, other = upload(b"print(1)"), upload(b"print(1)"), upload(b"print(2)")
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json()["id"] == first.json()["id"]
    assert again["Location"] == first["Location"]
    check(other, 422, "idempotency_key_reused")
    assert BotVersion.objects.count() == 1


def test_an_upload_to_somebody_elses_bot_leaves_no_key() -> None:
    path = f"{BOTS}/{a_bot(aya()).public_id}/versions"
    sent = {"bundle": SimpleUploadedFile("bot.py", b"x")}
    check(post(caller(ben()), path, sent, "k1", format="multipart"), 403, "not_owner")
    assert not IdempotencyKey.objects.exists()


def test_while_the_first_is_worked_on_the_second_is_told_so() -> None:
    client = caller(aya())
    post(client, BOTS, KITA, "k1")
    IdempotencyKey.objects.update(status=None)
    check(post(client, BOTS, KITA, "k1"), 409, "idempotency_key_in_progress")
    check(post(client, BOTS, {**KITA, "name": "x"}, "k1"), 422, "idempotency_key_reused")


def test_a_request_that_ended_without_an_answer_is_not_done_again() -> None:
    client = caller(aya())
    post(client, BOTS, KITA, "k1")
    begun = timezone.now() - idempotency.MAX_REQUEST_DURATION - datetime.timedelta(seconds=1)
    IdempotencyKey.objects.update(status=None, created_at=begun)
    check(post(client, BOTS, KITA, "k1"), 409, "idempotency_key_lost")


def test_a_key_is_free_again_after_a_day() -> None:
    client = caller(aya())
    post(client, BOTS, KITA, "k1")
    IdempotencyKey.objects.update(created_at=timezone.now() - datetime.timedelta(hours=25))
    answer = post(client, BOTS, {**KITA, "name": "minami"}, "k1")
    assert (answer.status_code, answer.json()["name"]) == (201, "minami")


def test_a_fault_of_ours_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    client = caller(aya())
    client.raise_request_exception = False
    with monkeypatch.context() as broken:
        broken.setattr(services, "bot_create", lambda *_, **__: 1 / 0)
        assert post(client, BOTS, KITA, "k1").status_code == 500
    assert not IdempotencyKey.objects.exists()
    assert post(client, BOTS, KITA, "k1").status_code == 201


def test_an_answer_too_long_to_keep_says_that_it_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "MAX_STORED_BYTES", 10)
    client = caller(aya())
    assert post(client, BOTS, KITA, "k1").status_code == 201
    body = check(post(client, BOTS, KITA, "k1"), 409, "idempotency_response_not_stored")
    assert body["first_status"] == 201
    assert bytes(IdempotencyKey.objects.get().body) == b""


def test_a_tokens_text_is_kept_nowhere() -> None:
    client = caller(aya())
    body = check(
        post(client, "/api/v1/tokens", {"name": "x", "scopes": ["read"]}, "k1"),
        400,
        "idempotency_key_unsupported",
    )
    assert body["errors"][0]["field"] == "Idempotency-Key"
    assert (ApiToken.objects.count(), IdempotencyKey.objects.count()) == (1, 0)


@pytest.mark.parametrize("key", ["", "x" * 201, "ké", "a\tb"])
def test_a_key_must_be_plain(key: str) -> None:
    check(post(caller(aya()), BOTS, KITA, key), 400, "invalid_idempotency_key")


def test_what_is_refused_before_it_begins_leaves_no_key() -> None:
    check(post(caller(aya(), "read"), BOTS, KITA, "k1"), 403, "scope_missing")
    check(post(caller(), BOTS, KITA, "k1"), 401, "not_signed_in")
    answer = caller(aya()).post(BOTS, "{", content_type="application/json", headers={"Idempotency-Key": "k1"})
    check(answer, 400, "malformed_request")
    assert not IdempotencyKey.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first is held inside its service until the second has its answer."""
    inside, go_on = threading.Event(), threading.Event()
    make = services.bot_create

    def slow(*args: Any, **kwargs: Any) -> Any:
        inside.set()
        assert go_on.wait(20)
        return make(*args, **kwargs)

    monkeypatch.setattr(services, "bot_create", slow)
    client, second = caller(aya()), caller(aya())
    answers: list[Any] = []

    def first() -> None:
        try:
            answers.append(post(client, BOTS, KITA, "k1"))
        finally:
            connection.close()

    thread = threading.Thread(target=first)
    thread.start()
    try:
        assert inside.wait(20)
        check(post(second, BOTS, KITA, "k1"), 409, "idempotency_key_in_progress")
    finally:
        go_on.set()
        thread.join(20)
    assert answers[0].status_code == 201
    assert post(second, BOTS, KITA, "k1").content == answers[0].content
    assert Bot.objects.count() == 1
