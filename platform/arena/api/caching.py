"""ETags for what never changes again: a client that has it is told so before anything is read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from rest_framework.request import Request

from arena.accounts.models import User

OCTETS = "application/octet-stream"


def etag_of(*parts: object) -> str:
    """A strong ETag that changes whenever one of the parts does."""
    text = "\n".join(str(part) for part in parts)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def etag_of_bytes(body: bytes) -> str:
    """A strong ETag of an answer itself."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def unless_known(request: Request, etag: str, build: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """304 if the caller's copy has this ETag, else what ``build`` gives, marked with it.

    Permissions and seals are checked before, and a cache has to ask again every time.
    """
    plain: HttpRequest = request._request
    known = get_conditional_response(plain, etag=etag)
    response = known if known is not None else build()
    response["ETag"] = etag
    patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
    # A directive set to False would be written out as ``private=False``: it is left out instead.
    personal = {"private": True} if isinstance(request.user, User) else {}
    patch_cache_control(response, no_cache=True, **personal)
    return response


def download(request: Request, data: bytes, content_type: str, filename: str) -> HttpResponse:
    """Bytes as they are, to be saved under this name."""
    return HttpResponse(data, **file_headers(request, content_type, filename))


def file_headers(request: Request, content_type: str, filename: str) -> dict[str, Any]:
    """Content type and headers of a file: of its own type, or plain octets for those who prefer them."""
    accepted = request._request.get_preferred_type([content_type, OCTETS])
    return {
        "content_type": accepted or content_type,
        "headers": {
            "Content-Disposition": f'attachment; filename="{filename}"',
            "X-Content-Type-Options": "nosniff",
        },
    }
