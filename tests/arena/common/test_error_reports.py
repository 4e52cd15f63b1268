"""Reports to Sentry: what they contain, and that they contain no secret."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import sentry_sdk
from celery import signals
from django.conf import settings as configured
from django.test import Client
from sentry_sdk import integrations
from sentry_sdk.envelope import Envelope
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.transport import Transport

from arena.accounts.models import TOKEN_PREFIX
from arena.common import error_reports
from arena.common.error_reports import error_reports_start, scrubbed
from arena.common.log_context import bound_log_fields
from arena.common.revisions import revision

log = logging.getLogger("tests.reports")
PASSWORD, KEY, DSN_KEY = "Kumo-to-ame-7", "Shirakaba-no-mori-42", "dsnkey0123"
TOKEN = TOKEN_PREFIX + "A1b2C3d4E5f6G7h8"
SEED = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


class Sent(Transport):
    """Keeps the events instead of sending them."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[dict[str, Any]] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        event = envelope.get_event()
        assert event is not None
        self.events.append(json.loads(json.dumps(event)))


def without_sources(event: dict[str, Any]) -> str:
    """An event as text, without the lines of source code around its frames, such as those of this file."""
    for raised in event["exception"]["values"]:
        for frame in raised["stacktrace"]["frames"]:
            for name in ("context_line", "pre_context", "post_context"):
                frame.pop(name, None)
    return json.dumps(event)


@pytest.fixture(scope="module")
def sent_by_all() -> Iterator[Sent]:
    """Sentry is started once: it changes the class of loggers for good, so that is undone here."""
    call_handlers = logging.Logger.callHandlers
    sent = Sent()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(configured, "SENTRY_DSN", f"https://{DSN_KEY}@sentry.example.org/1")
        error_reports_start("1", sent)
    yield sent
    sentry_sdk.get_global_scope().set_client(None)
    logging.Logger.callHandlers = call_handlers  # type: ignore[method-assign]
    # Otherwise a second start in this process, after tests of other modules, would not change it again.
    integrations._processed_integrations.discard(LoggingIntegration.identifier)


@pytest.fixture
def sent(sent_by_all: Sent, settings: Any) -> list[dict[str, Any]]:
    settings.SENTRY_DSN = f"https://{DSN_KEY}@sentry.example.org/1"
    settings.SECRET_KEY = KEY
    settings.REDIS_URL = f"redis://:{PASSWORD}@127.0.0.1:6379/0"
    sent_by_all.events.clear()
    return sent_by_all.events


def test_an_error_is_reported_with_the_fields_of_its_log_record(sent: list[dict[str, Any]]) -> None:
    with bound_log_fields(request_id="q7x2k9mp4tzn", table="h3v8rw5kd2ya"):
        log.warning("below the level of reports")
        log.error("table %s: the disk is full", "h3v8rw5kd2ya")
    (event,) = sent
    assert event["level"] == "error"
    assert event["logentry"] == {"message": "table h3v8rw5kd2ya: the disk is full"}
    assert event["tags"] == {"request_id": "q7x2k9mp4tzn", "table": "h3v8rw5kd2ya"}
    assert event["release"] == "rensho@1"


def test_a_report_contains_no_secret(sent: list[dict[str, Any]]) -> None:
    def fail(seed: str) -> None:
        hand = f"KH QH {seed[:5]}"
        raise ConnectionError(
            f"redis://:{PASSWORD}@127.0.0.1 {KEY} {TOKEN} aya@example.org {DSN_KEY}"
            "\nDETAIL:  Key (email)=(chie@host) already exists.",
            len(hand),
        )

    try:
        fail(SEED)
    except ConnectionError:
        log.exception("seed %s of %s", SEED, "aya@example.org", extra={"cookie": "sessionid=abc"})
    (event,) = sent
    frames, text = event["exception"]["values"][0]["stacktrace"]["frames"], without_sources(event)
    for secret in (PASSWORD, KEY, TOKEN, SEED, DSN_KEY, "aya@", "chie@", "sessionid", "KH QH 9f86d"):
        assert secret not in text
    assert [frame["function"] for frame in frames][-1] == "fail"
    assert not any("vars" in frame for frame in frames)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "view", "route"),
    [
        ("/tournaments?next=MQ-secret", "arena.web.tournaments.views.build_overview", "/tournaments"),
        ("/api/v1/games", "arena.api.views.games.GameListView.get", "/api/v1/games"),
    ],
)
def test_a_fault_of_a_request_is_reported_once_with_its_route_alone(
    sent: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, address: str, view: str, route: str
) -> None:
    def broken(*args: object, **options: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(view, broken)
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "c00kie"
    response = client.get(
        address, headers={"Authorization": f"Bearer {TOKEN}"} if "api" not in address else {}
    )
    assert response.status_code == 500
    (event,) = sent
    assert event["transaction"] == route
    assert event["tags"]["request_id"] == response["X-Request-ID"]
    assert event["exception"]["values"][-1]["type"] == "RuntimeError"
    text = without_sources(event)
    for private in ("MQ-secret", "c00kie", TOKEN, "127.0.0.1"):
        assert private not in text
    assert not {"request", "user", "extra", "breadcrumbs"} & set(event)


def test_ordinary_texts_stay_as_they_are() -> None:
    for text in (
        "table h3v8rw5kd2ya: 12 of 16 boards",
        "https://rensho.example.org/tables/h3v8rw5kd2ya",
        "@",
    ):
        assert scrubbed(text) == text


@pytest.mark.parametrize("signal", [signals.beat_init, signals.worker_init])
def test_beat_and_the_main_process_of_a_worker_send_reports(
    signal: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(error_reports, "error_reports_start", started.append)
    (receiver,) = (
        receiver
        for receiver in signal._live_receivers(None)
        if receiver.__module__ == "arena.celery" and receiver.__name__ == "_report_errors"
    )
    settings.SENTRY_DSN = ""
    receiver()
    assert started == []
    settings.SENTRY_DSN = "https://key@sentry.example.org/1"
    receiver()
    assert started == [revision()]
