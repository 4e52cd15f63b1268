"""State of the mail server, shared by all processes: when to connect again, and what failed."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from arena.features.mail.limits import SERVER_DELAYS_S, TEST_INTERVAL_S
from arena.features.mail.models import MailServer
from arena.features.mail.smtp import MailServerError, connect

log = logging.getLogger(__name__)

NAME = "smtp"


def server_state() -> MailServer:
    """Return the stored state; a new one if no connection was tried yet. One query."""
    return MailServer.objects.filter(name=NAME).first() or MailServer(name=NAME)


def may_connect() -> bool:
    state = server_state()
    return state.next_at is None or state.next_at <= timezone.now()


def server_succeeded() -> None:
    if (state := server_state()).failures:
        log.info("the mail server works again after %d failures", state.failures)
    values = {"failures": 0, "failing_since": None, "next_at": None, "cause": "", "detail": ""}
    MailServer.objects.update_or_create(name=NAME, defaults={**values, "succeeded_at": timezone.now()})


def server_failed(error: MailServerError) -> None:
    """Record a failure; mails wait for 30 s to 10 min. Logs the first failure, and each new cause."""
    now = timezone.now()
    state, _ = MailServer.objects.get_or_create(name=NAME)
    delay_s = SERVER_DELAYS_S[min(state.failures, len(SERVER_DELAYS_S) - 1)]
    MailServer.objects.filter(name=NAME).update(
        failures=F("failures") + 1,
        failing_since=state.failing_since or now,
        next_at=now + timedelta(seconds=delay_s),
        cause=error.cause,
        detail=error.detail,
    )
    if state.cause != error.cause:
        log.warning(
            "the mail server %s:%s: %s. %s", settings.EMAIL_HOST, settings.EMAIL_PORT, error, error.remedy
        )


def server_test() -> MailServerError | None:
    """Sign in and name the sender, without sending anything; return the error. Does not store the result."""
    try:
        with connect() as connection:
            connection.test(settings.EMAIL_FROM)
            return None
    except MailServerError as error:
        return error


def is_test_due() -> bool:
    """Return whether the server was idle for ten minutes, or a failure's delay has passed. One query."""
    state, now = server_state(), timezone.now()
    if state.failures:
        return state.next_at is None or state.next_at <= now
    return state.succeeded_at is None or state.succeeded_at < now - timedelta(seconds=TEST_INTERVAL_S)


def server_test_due() -> None:
    """Test the server if it is due, and store the result."""
    if not is_test_due():
        return
    error = server_test()
    if error is None:
        server_succeeded()
    else:
        server_failed(error)
