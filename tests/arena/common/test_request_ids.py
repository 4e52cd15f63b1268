"""The id of a request: where it comes from, and that workers continue with it."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from celery import Celery
from django.test import Client

from arena.common.log_context import bound_log_fields, log_fields
from arena.common.message_context import SUBJECT_HEADER
from arena.common.request_ids import HEADER, MESSAGE_HEADER, current_request_id, is_request_id, request_id_of
from tests.arena.common.messages import app as app
from tests.arena.common.messages import look, message_headers, run, seen

SENT = "0123456789abcdef-0123"


def test_only_a_trusted_proxy_chooses_the_id_and_only_a_plain_one(settings: Any) -> None:
    settings.TRUSTED_PROXIES = ["127.0.0.1/32", "unix"]
    assert request_id_of("127.0.0.1", SENT) == SENT
    assert request_id_of("", SENT) == SENT
    for peer, sent in (
        ("192.0.2.7", SENT),
        ("127.0.0.1", ""),
        ("127.0.0.1", "short"),
        ("127.0.0.1", "x" * 65),
        ("127.0.0.1", "0123456789\n"),
        ("127.0.0.1", "-123456789"),
        ("127.0.0.1", "<b>0123456789"),
        ("127.0.0.1", "札札札札札札札札"),
    ):
        made = request_id_of(peer, sent)
        assert made != sent
        assert is_request_id(made)


@pytest.mark.django_db
def test_a_response_has_the_id_that_its_log_records_have(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.TRUSTED_PROXIES = ["127.0.0.1/32"]
    settings.METRICS_ACCESS = type(settings.METRICS_ACCESS)()
    with caplog.at_level(logging.INFO):
        first, second = (Client().get("/metrics", headers={HEADER: sent}) for sent in (SENT, "no"))
    assert first[HEADER] == SENT
    assert is_request_id(second[HEADER])
    ours = [record for record in caplog.records if record.name == "arena.web.site.metrics"]
    ids = [record.context_fields["request_id"] for record in ours]  # type: ignore[attr-defined]
    assert ids == [SENT, second[HEADER]]
    assert current_request_id() == ""


def test_a_task_continues_with_the_id_and_the_subject_of_its_message(app: Celery) -> None:
    with bound_log_fields(request_id=SENT, table="other"):
        headers = message_headers(app, headers={SUBJECT_HEADER: "abc"})
    assert headers[MESSAGE_HEADER] == SENT
    assert run(app, headers) == ({"request_id": SENT, "task": "look"}, "abc")
    assert log_fields() == {}


def test_messages_without_a_request_have_an_id_each(app: Celery) -> None:
    first, second = (run(app, message_headers(app))[0]["request_id"] for _ in range(2))
    assert is_request_id(first)
    assert is_request_id(second)
    assert first != second


def test_a_message_with_an_invalid_id_gets_another_one(app: Celery) -> None:
    fields, subject = run(app, {MESSAGE_HEADER: "x\ny" * 9, SUBJECT_HEADER: "../etc"})
    assert is_request_id(fields["request_id"])
    assert subject == "?"


def test_a_task_run_by_its_caller_keeps_the_id_of_the_caller() -> None:
    seen.clear()
    with bound_log_fields(request_id=SENT):
        look.apply()
    assert seen[0][0] == {"request_id": SENT}
