"""Limits on URL, headers and encoding of a request, checked before any view.

Errors are problems (RFC 9457) below ``/api`` and plain text elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, NamedTuple

from asgiref.sync import iscoroutinefunction
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django.utils.http import parse_header_parameters

from arena.common.errors import problem_type, quoted, shortened

MAX_PATH_BYTES = 1024
MAX_QUERY_BYTES = 4096
MAX_QUERY_PARAMETERS = 100
MAX_HEADER_BYTES = 8192
"""Maximum length of one header; the web server limits their sum."""
MAX_CONTENT_TYPE_CHARACTERS = 300
CHARSETS = ("utf-8", "utf8", "us-ascii")
API_PREFIX = "/api"
PROBLEM_CONTENT_TYPE = "application/problem+json"


class Utf8Request(ASGIRequest):
    """A request whose bodies and queries are always decoded as UTF-8, whatever its Content-Type says.

    ``request_refusal`` rejects other charsets, some of which fail in Django before a middleware runs.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        kind = meta.get("CONTENT_TYPE", "")
        try:
            self.content_type, self.content_params = parse_header_parameters(
                kind[:MAX_CONTENT_TYPE_CHARACTERS]
            )
        except ValueError:
            self.content_type, self.content_params = "", {"charset": kind}


class RequestRefusal(NamedTuple):
    status: int
    code: str
    detail: str


def request_refusal(request: HttpRequest) -> RequestRefusal | None:
    """Return what is wrong with a request, before its body is read, or None."""
    meta = request.META
    if len(request.path) > MAX_PATH_BYTES:
        return RequestRefusal(
            414,
            "address_too_long",
            f"The URL path has {len(request.path)} characters; at most {MAX_PATH_BYTES} are allowed.",
        )
    query = meta.get("QUERY_STRING", "")
    if len(query) > MAX_QUERY_BYTES:
        return RequestRefusal(
            414,
            "query_too_long",
            f"The query has {len(query)} characters; at most {MAX_QUERY_BYTES} are allowed.",
        )
    if (parameters := query.count("&") + 1) > MAX_QUERY_PARAMETERS:
        return RequestRefusal(
            400,
            "too_many_parameters",
            f"The query has {parameters} parameters; at most {MAX_QUERY_PARAMETERS} are allowed.",
        )
    for name, value in meta.items():
        if name.startswith("HTTP_") and len(value) > MAX_HEADER_BYTES:
            header = name.removeprefix("HTTP_").replace("_", "-").title()
            return RequestRefusal(
                431,
                "header_too_large",
                f"The header {shortened(header, 80)} has {len(value)} bytes; at most {MAX_HEADER_BYTES} are "
                "allowed.",
            )
    return _body_refusal(request)


def _body_refusal(request: HttpRequest) -> RequestRefusal | None:
    meta = request.META
    kind = meta.get("CONTENT_TYPE", "")
    if len(kind) > MAX_CONTENT_TYPE_CHARACTERS:
        return RequestRefusal(
            415,
            "unsupported_media_type",
            f"The Content-Type has {len(kind)} characters; at most {MAX_CONTENT_TYPE_CHARACTERS} are "
            "allowed.",
        )
    charset = (request.content_params or {}).get("charset")
    if charset is not None and charset.lower() not in CHARSETS:
        return RequestRefusal(
            415, "unsupported_media_type", f"The charset {quoted(charset)} is not accepted; send UTF-8."
        )
    encoding = meta.get("HTTP_CONTENT_ENCODING", "identity")
    if encoding.lower() not in ("", "identity"):
        return RequestRefusal(
            415,
            "unsupported_media_type",
            f"The Content-Encoding {quoted(encoding)} is not accepted; send the body unencoded.",
        )
    length = meta.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit() and len(length) <= 18):
        return RequestRefusal(
            400, "malformed_request", f"Content-Length must be a number of bytes, not {quoted(length)}."
        )
    if "HTTP_TRANSFER_ENCODING" in meta and "CONTENT_LENGTH" not in meta and request.method != "GET":
        return RequestRefusal(
            411, "length_required", "Chunked bodies are not accepted; send a Content-Length."
        )
    return None


def refusal_response(request: HttpRequest, refusal: RequestRefusal) -> HttpResponse:
    if not (request.path == API_PREFIX or request.path.startswith(f"{API_PREFIX}/")):
        return HttpResponse(f"{refusal.detail}\n", status=refusal.status, content_type="text/plain")
    body: dict[str, Any] = {
        "type": problem_type(refusal.code),
        "title": HTTPStatus(refusal.status).phrase,
        "status": refusal.status,
        "detail": refusal.detail,
        "code": refusal.code,
    }
    return HttpResponse(json.dumps(body), status=refusal.status, content_type=PROBLEM_CONTENT_TYPE)


@sync_and_async_middleware
def request_limits(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    if iscoroutinefunction(get_response):
        following: Callable[[HttpRequest], Awaitable[HttpResponseBase]] = get_response

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            refusal = request_refusal(request)
            return await following(request) if refusal is None else refusal_response(request, refusal)

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        refusal = request_refusal(request)
        answer: HttpResponseBase = (
            get_response(request) if refusal is None else refusal_response(request, refusal)
        )
        return answer

    return synchronous
