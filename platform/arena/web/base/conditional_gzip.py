"""How answers travel: 304 for a page the reader has already, gzip for what is text and long enough.

**Pages** get an ETag of their content, with the tokens of forms left out: these differ with every rendering,
but any of them is good as long as the cookie they belong to, which is part of the ETag. A page that says
nothing else may be kept, but is asked for again each time; one made for somebody with a cookie, by the
browser alone.

**Compression** takes the readable kinds of text, answers to GET and HEAD alone, and never a stream. Against
BREACH, where somebody who can make a reader's browser ask for pages guesses a secret in them from the
lengths of the answers, there are three things: no answer to GET has a secret but the tokens of forms, and
these are masked anew each time; the length is blurred by up to ``MAX_PADDING_BYTES`` at random; and the
cookies of a session are not sent along from other sites.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

MIN_COMPRESSED_BYTES = 400
"""A shorter answer fits into the packet it needs anyway."""
FAST_LEVEL_BYTES = 256 << 10
"""From here on less effort: the time one answer may cost is bounded,"""
MAX_COMPRESSED_BYTES = 8 << 20
"""and from here on it goes as it is."""
LEVEL, FAST_LEVEL = 6, 1
MAX_PADDING_BYTES = 100
TEXT_TYPES = re.compile(
    r"text/(?!event-stream)|application/(?:[a-z.-]+\+)?(?:json|xml|yaml)|application/vnd\.oai\.openapi|image/svg"
)
ACCEPTS_GZIP = re.compile(
    r"(?:^|[\s,])(?:gzip|x-gzip|\*)\s*(?:;\s*q\s*=\s*(?P<q>[0-9.]+)\s*)?(?:,|$)", re.IGNORECASE
)
FORM_TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')
GZIP_HEADER_BYTES = 10
FLAG_AT, NAME_FLAG = 3, 8


class ConditionalGzipMiddleware(MiddlewareMixin):
    """Marks pages for caches, answers 304 where the reader's copy still holds, and compresses."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer as it is sent."""
        if not isinstance(response, HttpResponse) or request.method not in ("GET", "HEAD"):
            return response
        kind = response.get("Content-Type", "")
        is_text = TEXT_TYPES.match(kind) is not None
        if is_text and is_compressible(response):
            # Of a 304 as well: a cache takes it for the answer it keeps.
            patch_vary_headers(response, ("Accept-Encoding",))
        if response.status_code == 200 and kind.startswith("text/html"):
            response = set_cache_headers(request, response)
        return compress(request, response) if is_text and response.status_code != 304 else response


def set_cache_headers(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The page with its ETag, or 304. What must not be stored is left alone."""
    if "no-store" in response.get("Cache-Control", ""):
        return response
    if not response.has_header("ETag"):
        response["ETag"] = f'W/"{page_digest(request, response)}"'
    if not response.has_header("Cache-Control"):
        is_public = not (response.cookies or request.COOKIES.get(settings.SESSION_COOKIE_NAME))
        patch_cache_control(response, no_cache=True, **({} if is_public else {"private": True}))
    conditional = get_conditional_response(request, etag=response["ETag"], response=response)
    assert isinstance(conditional, HttpResponse)
    return conditional


def page_digest(request: HttpRequest, response: HttpResponse) -> str:
    """What changes whenever the page does, or the cookie that the tokens of its forms belong to."""
    digest = hashlib.blake2b(FORM_TOKEN.sub(b"", response.content), digest_size=12)
    fresh = response.cookies.get(settings.CSRF_COOKIE_NAME)
    cookie = fresh.value if fresh else request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")
    digest.update(b"\0" + cookie.encode())
    return digest.hexdigest()


def is_compressible(response: HttpResponse) -> bool:
    """Whether it is worth it, for a reader who takes that."""
    return (
        not response.has_header("Content-Encoding")
        and MIN_COMPRESSED_BYTES <= len(response.content) <= MAX_COMPRESSED_BYTES
    )


def compress(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The answer compressed, if that is worth it and the reader takes it."""
    body = response.content
    if not is_compressible(response) or not accepts_gzip(request.headers.get("Accept-Encoding", "")):
        return response
    packed = pad_gzip(gzip.compress(body, LEVEL if len(body) <= FAST_LEVEL_BYTES else FAST_LEVEL, mtime=0))
    if len(packed) >= len(body):
        return response
    response.content = packed
    response["Content-Length"] = str(len(packed))
    response["Content-Encoding"] = "gzip"
    etag = response.get("ETag", "")
    if etag.startswith('"'):
        response["ETag"] = f"W/{etag}"
    return response


def accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows it.

    >>> accepts_gzip("br, gzip;q=0.8"), accepts_gzip("gzip;q=0"), accepts_gzip("identity")
    (True, False, False)
    """
    match = ACCEPTS_GZIP.search(accepted)
    return match is not None and (match["q"] is None or match["q"].strip("0.") != "")


def pad_gzip(packed: bytes) -> bytes:
    """The same compressed data under a name of random length, which readers pass over."""
    header = bytearray(packed[:GZIP_HEADER_BYTES])
    header[FLAG_AT] |= NAME_FLAG
    return bytes(header) + b"a" * secrets.randbelow(MAX_PADDING_BYTES) + b"\0" + packed[GZIP_HEADER_BYTES:]
