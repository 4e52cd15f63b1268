"""Pages of any origin may read the API's public data: GET without cookies and token, answered alike for all.

``RENSHO_CORS_ORIGINS`` names origins whose pages may also send tokens (``corsheaders``).
"""

from __future__ import annotations

import re

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

METHODS = ("GET", "HEAD")
HEADERS = frozenset({"accept", "accept-language", "content-language", "if-none-match", "last-event-id"})
"""Request headers that a page may set."""
PREFLIGHT_MAX_AGE_S = 86400
_ADDRESSES = re.compile(settings.CORS_URLS_REGEX)


class PublicCorsMiddleware(MiddlewareMixin):
    """Answers preflight requests for public data, and lets every origin read the responses."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.method != "OPTIONS" or not _ADDRESSES.match(request.path_info):
            return None
        if request.headers.get("Access-Control-Request-Method") not in METHODS:
            return None
        headers = request.headers.get("Access-Control-Request-Headers", "").lower()
        if not HEADERS.issuperset(filter(None, map(str.strip, headers.split(",")))):
            return None
        return HttpResponse(
            status=204,
            headers={
                "Access-Control-Allow-Origin": "*",
                "Access-Control-Allow-Methods": ", ".join(METHODS),
                "Access-Control-Allow-Headers": ", ".join(sorted(HEADERS)),
                "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
                "Vary": "Access-Control-Request-Method, Access-Control-Request-Headers",
            },
        )

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.method not in METHODS or not _ADDRESSES.match(request.path_info):
            return response
        is_anonymous = not request.COOKIES and "Authorization" not in request.headers
        if "public" not in response.get("Cache-Control", "").split(", "):  # else the same for all
            patch_vary_headers(response, ("Authorization", "Cookie"))
        if is_anonymous:
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = ", ".join(settings.CORS_EXPOSE_HEADERS)
        return response
