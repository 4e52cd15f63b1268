"""Answers: each counts once, and each refused one gets its own problem and changes nothing."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from arena.features.remote.api.parsers import AnswerParser, AnswerTooLarge
from arena.features.remote.models import RemoteSeat
from arena.features.remote.services import answer_digest
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check, ok
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db
ID = "29c66bee48cd0062"


def asked(owner: Any = None, request_id: str = ID) -> RemoteSeat:
    """A seat with a pending request."""
    version = connected(a_version(a_bot(owner or aya())))
    seat = a_table([version]).remote_seats.get()
    seat.request_id, seat.request, seat.asked_at = request_id, {"type": "request"}, timezone.now()
    seat.save()
    return seat


def address(seat: RemoteSeat) -> str:
    return f"/api/v1/remote/tables/{seat.table.public_id}/answers"


def send(client: APIClient, seat: RemoteSeat, body: bytes | dict[str, Any]) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(address(seat), data, content_type="application/json")


def stored(seat: RemoteSeat) -> str:
    seat.refresh_from_db()
    return seat.answer


def settle(seat: RemoteSeat, digest: str) -> None:
    """Write what the runner does when a request is settled."""
    answers = [*seat.answers, [seat.request_id, digest, 10]]
    RemoteSeat.objects.filter(pk=seat.pk).update(
        answers=answers, request=None, request_id="", answer="", answered_at=None
    )


@pytest.fixture
def client() -> APIClient:
    return caller(aya(), "bots:connect")


def test_an_answer_is_stored_as_it_came_and_counts_once(client: APIClient) -> None:
    seat, body = asked(), b'{"id": "%s",  "action": "QS"}\n' % ID.encode()
    for _ in range(3):
        assert ok(send(client, seat, body)) == {"id": ID, "accepted": True}
    assert stored(seat) == body.decode()
    first = seat.answered_at
    assert first is not None
    check(send(client, seat, {"id": ID, "action": "KS"}), 409, "answer_differs")
    assert (stored(seat), seat.answered_at) == (body.decode(), first)
    settle(seat, hashlib.sha256(body).hexdigest()[:16])
    assert ok(send(client, seat, body))["accepted"]
    check(send(client, seat, {"id": ID, "action": "KS"}), 409, "answer_differs")
    RemoteSeat.objects.update(is_active=False)
    assert ok(send(client, seat, body))["accepted"]


def test_a_late_answer_says_that_the_referee_has_played(client: APIClient) -> None:
    seat = asked()
    settle(seat, "")
    check(send(client, seat, {"id": ID, "action": "QS"}), 409, "request_settled")


def test_an_illegal_action_is_the_referees_to_judge(client: APIClient) -> None:
    seat = asked()
    assert ok(send(client, seat, {"id": ID, "action": "the moon"}))["accepted"]
    settle(seat, answer_digest(stored(seat)))
    assert ok(send(client, seat, json.dumps({"id": ID, "action": "the moon"}).encode()))["accepted"]


def test_other_ids_and_other_tables_get_problems_of_their_own(client: APIClient) -> None:
    seat, other = asked(), asked(ben())
    body = check(send(client, seat, {"id": "0" * 16, "action": "QS"}), 409, "unknown_request")
    assert body["pending"] == [ID]
    check(send(client, other, {"id": ID, "action": "QS"}), 404, "not_your_table")
    check(
        client.post("/api/v1/remote/tables/none/answers", {"id": ID, "action": "QS"}, format="json"),
        404,
        "not_your_table",
    )
    assert stored(seat) == stored(other) == ""
    RemoteSeat.objects.update(is_active=False, request_id="", request=None)
    check(send(client, seat, {"id": "0" * 16, "action": "QS"}), 409, "table_over")


def test_two_versions_of_an_owner_at_one_table_answer_their_own_requests(client: APIClient) -> None:
    bot = a_bot(aya())
    table = a_table([a_version(bot), a_version(bot)], is_rated=False)
    for number, seat in enumerate(table.remote_seats.all(), 1):
        RemoteSeat.objects.filter(pk=seat.pk).update(request_id=f"{number:016}", request={})
    seats = list(table.remote_seats.all())
    ok(send(client, seats[1], {"id": f"{2:016}", "action": "QS"}))
    assert [bool(stored(seat)) for seat in seats] == [False, True]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"QS",
        b"[]",
        b'"QS"',
        b"{}",
        b'{"id": 7, "action": "QS"}',
        b'{"id": "", "action": "QS"}',
        b'{"id": "x", "action": NaN}',
        b'{"id": "x", "id": "y"}',
        b'{"id": "x", "debug": "\\ud800"}',
        b'{"id": "x", "debug": "\\u0000"}',
        b'{"id": "\xff"}',
        b'{"id": "x", "debug": ' + b"[" * 1900 + b"]" * 1900 + b"}",
        b"[" * 4096,
    ],
)
def test_a_malformed_answer_is_not_stored(client: APIClient, body: bytes) -> None:
    seat = asked()
    check(send(client, seat, body), 400, "malformed_answer")
    assert stored(seat) == ""


def test_size_is_bounded_before_the_answer_is_read(client: APIClient) -> None:
    seat = asked()
    line = b'{"id":"%s","action":"QS","debug":"' % ID.encode()
    for size in (4097, 2 << 20):
        body = line + b"x" * (size - len(line) - 2) + b'"}'
        check(send(client, seat, body), 413, "answer_too_large")
    assert stored(seat) == ""
    body = line + b"x" * (4096 - len(line) - 2) + b'"}'
    assert len(body) == 4096
    assert ok(send(client, seat, body))["accepted"]


def test_the_parser_reads_no_more_than_an_answer_may_have() -> None:
    endless = io.BytesIO(b'"' + b"x" * 10_000)
    with pytest.raises(AnswerTooLarge):
        AnswerParser().parse(endless)
    assert endless.tell() == 4097


def test_only_a_token_with_the_scope_may_answer() -> None:
    seat, line = asked(), {"id": ID, "action": "QS"}
    check(send(APIClient(), seat, line), 401, "not_signed_in")
    lacking = check(send(caller(aya(), "read", "bots"), seat, line), 403, "scope_missing")
    assert lacking["needed_scope"] == "bots:connect"
    browser = APIClient()
    browser.force_login(aya())
    check(send(browser, seat, line), 403, "scope_missing")
    assert stored(seat) == ""


def test_answers_have_a_rate_of_their_own(client: APIClient, settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "remote_answers": "3/min", "user": "1/min"}
    seat = asked()
    for _ in range(3):
        ok(send(client, seat, {"id": ID, "action": "QS"}))
    check(send(client, seat, {"id": ID, "action": "QS"}), 429, "rate_limited")
