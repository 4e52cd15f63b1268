"""/.well-known/rensho-key: all public keys of the site."""

from __future__ import annotations

import hashlib
import json

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from arena.competition.keys import keys_published

FORMAT = "rensho-key/1"
CACHE_S = 300
"""Seconds that caches may keep the keys; short, because a new key is needed soon after a rotation."""


@require_safe
def site_keys(request: HttpRequest) -> HttpResponseBase:
    """Return all keys, newest first. One query."""
    keys = [
        {
            "id": key.name,
            "public": bytes(key.public).hex(),
            "from": key.valid_from.isoformat(),
            "until": key.valid_until.isoformat() if key.valid_until else None,
        }
        for key in keys_published()
    ]
    body = json.dumps({"format": FORMAT, "keys": keys}, indent=1).encode() + b"\n"
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=etag)
    if answer is None:
        answer = HttpResponse(body, content_type="application/json")
    answer["ETag"] = etag
    patch_cache_control(answer, public=True, max_age=CACHE_S)
    return answer
