"""Request ids: one id for everything that a request, a tick or a command causes.

It is in every log record (``arena.common.log_context``), in the ``X-Request-ID`` header of the response, and
in the messages to workers, whose tasks continue with it. A trusted proxy may choose the id of a request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from arena.common.client_address import is_trusted_proxy
from arena.common.ids import new_public_id
from arena.common.log_context import REQUEST_ID, bound_log_fields, log_fields
from arena.common.tracing import request_span

HEADER = "X-Request-ID"
MESSAGE_HEADER = "request_id"
"""Header of messages to workers."""
SCOPE_KEY = "rensho.request_id"
"""Key of the ASGI scope with the id of a request to which the server has given one."""
_ACCEPTED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")


def new_request_id() -> str:
    return new_public_id()


def current_request_id() -> str:
    """Return the id of the current request, task or command, or ""."""
    return log_fields().get(REQUEST_ID, "")


def request_id_of(peer: str, sent: str) -> str:
    """Return the id of a request: ``sent`` if ``peer``, the connection's address, is a trusted proxy, and it
    has 8 to 64 letters, digits, hyphens and underscores; otherwise a new one.
    """
    return sent if is_request_id(sent) and is_trusted_proxy(peer) else new_request_id()


def is_request_id(text: object) -> bool:
    return isinstance(text, str) and _ACCEPTED.fullmatch(text) is not None


def scope_request_id(scope: Mapping[str, Any]) -> str:
    """Return the id of an ASGI request, see ``request_id_of``."""
    peer = scope["client"][0] if scope.get("client") else ""
    sent = [bytes(value) for name, value in scope["headers"] if bytes(name).lower() == b"x-request-id"]
    return request_id_of(peer or "", sent[0].decode("latin-1") if len(sent) == 1 else "")


def request_id_middleware(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Django middleware that binds the request's id and sends it, unless the server does."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        given = getattr(request, "scope", {}).get(SCOPE_KEY)
        meta = request.META
        request_id = given or request_id_of(
            meta.get("REMOTE_ADDR") or "", meta.get("HTTP_X_REQUEST_ID") or ""
        )
        with bound_log_fields(**{REQUEST_ID: request_id}), request_span(request) as record:
            response = get_response(request)
            record(response)
        if not given:
            response[HEADER] = request_id
        return response

    return middleware
