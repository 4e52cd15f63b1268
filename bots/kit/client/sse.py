"""Parser of server-sent events.

Source: the HTML standard, "Server-sent events", interpreting an event stream. Lines end with LF or CRLF here.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bots.kit.errors import EnvironmentFailure

MAX_EVENT_CHARS = 4 << 20
"""Maximum characters of an event or of a line; events of Rensho have a few thousand."""


class ServerEvent(NamedTuple):
    id: str
    """``Last-Event-ID`` with which a stream continues after this event."""
    kind: str
    """Event type; ``message`` by default."""
    data: str
    retry_ms: int | None = None
    """Latest ``retry`` field of the stream, in milliseconds."""


def parse_events(chunks: Iterable[bytes], last_id: str = "") -> Iterator[ServerEvent]:
    r"""Yield the complete events of a stream; one above ``MAX_EVENT_CHARS`` raises ``EnvironmentFailure``.

    >>> [(event.id, event.data) for event in parse_events([b"retry: 9\nid: 4\nda", b"ta: a\ndata: b\n\n"])]
    [('4', 'a\nb')]
    """
    kind, data, length, retry_ms = "", list[str](), 0, None
    for line in parse_lines(chunks):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield ServerEvent(last_id, kind or "message", "\n".join(data), retry_ms)
            kind, data, length = "", [], 0
        elif name == "data":
            data.append(value)
            length += len(value) + 1
            _require_size(length)
        elif name == "event":
            kind = value
        elif name == "id" and "\0" not in value:
            last_id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            retry_ms = int(value[:9])


def parse_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the complete lines of a stream; one above ``MAX_EVENT_CHARS`` raises ``EnvironmentFailure``."""
    # Not httpx's iter_lines: it also ends lines at characters that JSON may hold unescaped.
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    parts: list[str] = []
    length = 0
    for chunk in chunks:
        *whole, remainder = decode(chunk).split("\n")
        for line in whole:
            yield "".join((*parts, line)).removesuffix("\r")
            parts, length = [], 0
        parts.append(remainder)
        length += len(remainder)
        _require_size(length)


def _require_size(characters: int) -> None:
    if characters > MAX_EVENT_CHARS:
        raise EnvironmentFailure(
            f"the server's stream has an event of more than {MAX_EVENT_CHARS >> 20} million characters: "
            "check the address"
        )
