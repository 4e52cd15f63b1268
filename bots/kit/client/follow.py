"""Following a stream of events for as long as it takes, through broken connections and busy servers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from bots.kit.client.errors import ServerUnavailable
from bots.kit.client.sse import ServerEvent
from bots.kit.client.transport import Query, Transport

RECONNECT_S = 2.0
"""Before a stream that ended is opened again, unless the server says how long."""
POLL_S = 5.0
"""How often we look while the server has no room for another stream."""
OUTAGE_TIMEOUT_S = 120.0
"""How long a server may be away before we give up."""


def follow(
    transport: Transport,
    path: str,
    note: Callable[[str], None],
    *,
    last_id: str = "",
    patience_s: float = OUTAGE_TIMEOUT_S,
    reconnect_s: float | None = None,
    poll_s: float = POLL_S,
    **query: Query,
) -> Iterator[ServerEvent | None]:
    """Events as they come, from after ``last_id``; ends when the server says that there will be no more.

    None comes after each time without a stream: the next one goes on after the last event that came, and a
    caller that follows states rather than events may look at them now. ``note`` gets a sentence for each try
    that failed.

    Raises:
        Refused: there is nothing of the kind, or nothing for this caller.
        ServerUnavailable: the server has been away for ``patience_s``.
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
            # A server that says why it cannot is there: it has too many listeners, for one.
            answered_at = now if error.code else answered_at
            if now - answered_at > patience_s:
                raise
            note(f"{error}; trying again ...")
            pause_s = poll_s
        transport.sleep(pause_s)
        yield None
