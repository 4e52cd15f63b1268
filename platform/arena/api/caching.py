"""ETags for what never changes again: a client that has it is told so before anything is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import content_disposition_header
from rest_framework.request import Request

from arena.accounts.models import User
from arena.api.problems import CONTENT_TYPE as PROBLEM_CONTENT_TYPE
from arena.common.errors import Invalid, problem_body

OCTETS = "application/octet-stream"


def etag_of(*parts: object) -> str:
    """A strong ETag that changes whenever one of the parts does."""
    text = "\n".join(str(part) for part in parts)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def etag_of_bytes(body: bytes) -> str:
    """A strong ETag of an answer itself."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def require_unconditional(request: Request) -> None:
    """Refuse a change that is to happen only if a representation is still what the caller has.

    An answer is compared when it is made, outside of the lock under which a service changes things: what
    this would promise could not be kept.

    Raises:
        Invalid: code ``precondition_refused``, naming the header.
    """
    for header in ("If-Match", "If-None-Match"):
        if header in request.headers:
            raise Invalid(
                f"Only GET compares ETags: leave {header} out. Whether a change fits is decided by the state "
                "at that moment, and 409 says what does.",
                "precondition_refused",
                field=header,
            )


def unless_known(request: Request, etag: str, build: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """304 if the caller's copy has this ETag, else what ``build`` gives, marked with it; 412 to who wants
    another one by ``If-Match``.

    Permissions and seals are checked before, and a cache has to ask again every time.
    """
    plain: HttpRequest = request._request
    known = get_conditional_response(plain, etag=etag)
    if known is not None and known.status_code == HTTPStatus.PRECONDITION_FAILED:
        known = _precondition_failed()
    response = known if known is not None else build()
    response["ETag"] = etag
    caches_told(request, response)
    return response


def caches_told(request: Request, response: HttpResponseBase) -> None:
    """Mark an answer for caches: whom it is for, and that they ask again before they give it to anybody."""
    patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
    # A directive set to False would be written out as ``private=False``: it is left out instead.
    personal = {"private": True} if isinstance(request.user, User) else {}
    patch_cache_control(response, no_cache=True, **personal)


def _precondition_failed() -> HttpResponse:
    text = "This is another representation than the one that If-Match names; leave the header out to read it."
    body = problem_body(HTTPStatus.PRECONDITION_FAILED, "precondition_failed", text)
    return HttpResponse(
        json.dumps(body), status=HTTPStatus.PRECONDITION_FAILED, content_type=PROBLEM_CONTENT_TYPE
    )


def download(request: Request, data: bytes, content_type: str, filename: str) -> HttpResponse:
    """Bytes as they are, to be saved under this name."""
    return HttpResponse(data, **file_headers(request, content_type, filename))


def file_headers(request: Request, content_type: str, filename: str) -> dict[str, Any]:
    """Content type and headers of a file: of its own type, or plain octets for those who prefer them."""
    accepted = request._request.get_preferred_type([content_type, OCTETS])
    return {
        "content_type": accepted or content_type,
        "headers": {
            "Content-Disposition": content_disposition_header(True, filename) or "",
            "X-Content-Type-Options": "nosniff",
        },
    }
