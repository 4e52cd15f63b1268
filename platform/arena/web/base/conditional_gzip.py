"""ETags, conditional responses (304) and gzip.

**Pages** get an ETag of their content without CSRF tokens. The tokens differ in every rendering, but each is
valid as long as its cookie, which is part of the ETag. Pages without own cache headers may be stored but have
to be revalidated; pages for visitors with a session cookie only by the browser.

**Compression** covers text in responses to GET and HEAD, never streams. BREACH is an attack that guesses a
secret in a page from the lengths of compressed responses. Three measures prevent it: the only secrets in
responses to GET are CSRF tokens, which are masked differently each time; the length is padded by up to
``MAX_PADDING_BYTES`` random bytes; and browsers do not send session cookies with requests from other sites.
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
"""Minimum bytes of a compressed response; shorter ones fit into one packet anyway."""
FAST_LEVEL_BYTES = 256 << 10
"""Bytes from which the fast compression level is used, to bound the CPU time per response."""
MAX_COMPRESSED_BYTES = 8 << 20
"""Maximum bytes of a compressed response; longer ones are sent uncompressed."""
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
    """Sets cache headers, answers 304 if the client's copy is current, and compresses."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not isinstance(response, HttpResponse) or request.method not in ("GET", "HEAD"):
            return response
        kind = response.get("Content-Type", "")
        is_text = TEXT_TYPES.match(kind) is not None
        if is_text and is_compressible(response):
            # Also for 304, whose headers update the cached response.
            patch_vary_headers(response, ("Accept-Encoding",))
        if response.status_code == 200 and kind.startswith("text/html"):
            response = set_cache_headers(request, response)
        return compress(request, response) if is_text and response.status_code != 304 else response


def set_cache_headers(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the page with ETag and Cache-Control, or 304. Responses with ``no-store`` are unchanged."""
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
    """Return a digest of the page without its CSRF tokens, and of the CSRF cookie."""
    digest = hashlib.blake2b(FORM_TOKEN.sub(b"", response.content), digest_size=12)
    fresh = response.cookies.get(settings.CSRF_COOKIE_NAME)
    cookie = fresh.value if fresh else request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")
    digest.update(b"\0" + cookie.encode())
    return digest.hexdigest()


def is_compressible(response: HttpResponse) -> bool:
    """Whether the size is worth compressing and the response is not encoded yet."""
    return (
        not response.has_header("Content-Encoding")
        and MIN_COMPRESSED_BYTES <= len(response.content) <= MAX_COMPRESSED_BYTES
    )


def compress(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the response compressed if the client accepts gzip and the result is shorter."""
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
    """Whether an Accept-Encoding header allows gzip.

    >>> accepts_gzip("br, gzip;q=0.8"), accepts_gzip("gzip;q=0"), accepts_gzip("identity")
    (True, False, False)
    """
    match = ACCEPTS_GZIP.search(accepted)
    return match is not None and (match["q"] is None or match["q"].strip("0.") != "")


def pad_gzip(packed: bytes) -> bytes:
    """Add a file name of random length to the gzip header, which decoders ignore."""
    header = bytearray(packed[:GZIP_HEADER_BYTES])
    header[FLAG_AT] |= NAME_FLAG
    return bytes(header) + b"a" * secrets.randbelow(MAX_PADDING_BYTES) + b"\0" + packed[GZIP_HEADER_BYTES:]
