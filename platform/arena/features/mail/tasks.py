"""Celery task that sends mails, and the tick function that fills the outbox and queues the task."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import shared_task
from django.conf import settings
from kombu.exceptions import OperationalError

from arena.common.features import DueTournament
from arena.features.mail.outbox import (
    addresses_sweep,
    digests_queue,
    mails_prune,
    mails_sweep,
    notices_queue,
)
from arena.features.mail.password_links import reset_requests_queue
from arena.features.mail.preferences import sends_notices
from arena.features.mail.sending import mails_due, mails_send
from arena.features.mail.server import is_test_due, may_connect, server_test_due

log = logging.getLogger(__name__)

MESSAGE_EXPIRES_S = 30
"""Seconds until a message expires; after that, the tick sends the next one."""


@shared_task(name="arena.features.mail.tasks.outbox_send")
def outbox_send() -> None:
    """Send due mails; without any, test the server if it is due. Safe to repeat."""
    mails_send()
    server_test_due()


def mails_tick() -> Iterable[DueTournament]:
    """Fill and sweep the outbox, and request the sending of due mails. Called by the tick."""
    addresses_sweep()
    reset_requests_queue()
    if sends_notices():
        notices_queue()
        digests_queue()
    mails_sweep()
    mails_prune()
    if settings.EMAIL_FROM and (is_test_due() or (may_connect() and mails_due(1))):
        try:
            outbox_send.apply_async(expires=MESSAGE_EXPIRES_S)
        except OperationalError as error:
            log.warning("cannot reach the broker, mails wait for the next tick: %s", error)
    return ()
