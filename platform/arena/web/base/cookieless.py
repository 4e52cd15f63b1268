"""Addresses at which cookies are ignored, because other sites show the same content to every reader."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

COOKIELESS_PREFIXES = ("/embed/", "/oembed", "/pictures/")


class CookielessMiddleware(MiddlewareMixin):
    """Removes the cookies from these requests before anything reads them."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(COOKIELESS_PREFIXES):
            request.META.pop("HTTP_COOKIE", None)
