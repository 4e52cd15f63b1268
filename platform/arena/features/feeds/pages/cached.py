"""Files that are the same for all readers: cached for seconds, with an ETag."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import content_disposition_header
from django.utils.translation import get_language

from arena.common.process_cache import CacheKey, process_cache

MAX_AGE_S = 30.0
"""Age of a cached file in seconds."""


class File(NamedTuple):
    content_type: str
    name: str = ""
    """Name of a download; empty for a feed or calendar."""


def cached_file(
    request: HttpRequest,
    file: File,
    build: Callable[[], bytes],
    revision: Hashable = None,
    *,
    is_private: bool = False,
) -> HttpResponse:
    """Return the bytes of ``build``, or 304. The caller has checked that the reader may see them.

    ``revision`` determines the content as far as it is known; ``is_private`` files are not cached here.
    """
    if is_private:
        body = build()
    else:
        key = CacheKey(request.build_absolute_uri(), revision, "file", get_language())
        body = process_cache.get_or_build(key, build, max_age_s=MAX_AGE_S)
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(body, content_type=file.content_type)
        if file.name:
            response["Content-Disposition"] = content_disposition_header(True, file.name)
    response["ETag"] = etag
    response["X-Content-Type-Options"] = "nosniff"
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    if is_private:
        patch_cache_control(response, private=True, no_cache=True)
    else:
        patch_cache_control(response, no_cache=True)
    assert isinstance(response, HttpResponse), "a file is no stream"
    return response
