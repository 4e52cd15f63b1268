"""Following of an event stream across broken connections and overloaded servers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from bots.kit.client.errors import ServerUnavailable
from bots.kit.client.sse import ServerEvent
from bots.kit.client.transport import Query, Transport

RECONNECT_S = 2.0
"""Seconds before a stream is opened again, unless the server sends a ``retry`` field."""
POLL_S = 5.0
"""Seconds between polls while the server cannot open another stream."""
OUTAGE_TIMEOUT_S = 120.0
"""Maximum seconds without an answer of the server."""


def follow(
    transport: Transport,
    path: str,
    note: Callable[[str], None],
    *,
    last_id: str = "",
    outage_timeout_s: float = OUTAGE_TIMEOUT_S,
    reconnect_s: float | None = None,
    poll_s: float = POLL_S,
    **query: Query,
) -> Iterator[ServerEvent | None]:
    """Yield events after ``last_id`` until the server closes the stream for good.

    Yields None after each interruption, so that the caller may poll the state. ``note`` receives a message
    for each failed connection. Raise ``Refused`` if the resource is not visible to the account,
    ``ServerUnavailable`` without an answer for ``outage_timeout_s``.
    """
    answered_at = time.monotonic()
    retry_s = RECONNECT_S
    while True:
        try:
            with transport.events(path, last_id, **query) as events:
                answered_at = time.monotonic()
                if events is None:
                    return
                for event in events:
                    answered_at = time.monotonic()
                    last_id = event.id
                    if event.retry_ms is not None:
                        retry_s = event.retry_ms / 1000
                    yield event
            pause_s = retry_s if reconnect_s is None else reconnect_s
        except ServerUnavailable as error:
            now = time.monotonic()
            # A server that gives a reason is running: for example, it has too many listeners.
            answered_at = now if error.code else answered_at
            if now - answered_at > outage_timeout_s:
                raise
            note(f"{error}; retrying ...")
            pause_s = poll_s
        transport.sleep(pause_s)
        yield None
