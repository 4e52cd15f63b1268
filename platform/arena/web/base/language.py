"""Language of the pages: ``?lang=``, else the cookie, else Accept-Language.

The API, the admin and the operator's endpoints are always in English.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware
from django.utils.translation.trans_real import parse_accept_lang_header

from arena.web.base.cookieless import COOKIELESS_PREFIXES
from arena.web.base.spacing import remove_page_spaces

LANGUAGE_PARAMETER = "lang"
COOKIE_S = 365 * 24 * 3600
UNTRANSLATED_PREFIXES = (
    "/api/",
    "/admin/",
    "/metrics",
    "/healthz",
    "/readyz",
    "/.well-known/",
    *COOKIELESS_PREFIXES,
)


def is_translated(path: str) -> bool:
    """Whether the path depends on the reader's language."""
    return not path.startswith(UNTRANSLATED_PREFIXES)


def requested_language(request: HttpRequest) -> str | None:
    """Return the supported language of the parameter ``lang``; else None."""
    if request.method not in ("GET", "HEAD"):
        return None
    language = request.GET.get(LANGUAGE_PARAMETER)
    return language if language in dict(settings.LANGUAGES) else None


def negotiate_language(request: HttpRequest) -> str:
    if not is_translated(request.path):
        return settings.LANGUAGE_CODE
    accepted = request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    if "q=0" in accepted:  # Django would select such a language if no other matches
        weights = parse_accept_lang_header(accepted.lower())
        request.META["HTTP_ACCEPT_LANGUAGE"] = ",".join(f"{name};q={q}" for name, q in weights if q)
    return requested_language(request) or translation.get_language_from_request(request)


@sync_and_async_middleware
def language_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    if iscoroutinefunction(get_response):
        following: Callable[[HttpRequest], Awaitable[HttpResponseBase]] = get_response

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            with translation.override(negotiate_language(request)):
                return _set_language_headers(request, await following(request))

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        with translation.override(negotiate_language(request)):
            return _set_language_headers(request, get_response(request))

    return synchronous


def _set_language_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Set Vary and Content-Language, and store a requested language in a cookie."""
    if not is_translated(request.path):
        return response
    if translation.get_language() == "ja" and isinstance(response, HttpResponse):
        response = remove_page_spaces(response)
    patch_vary_headers(response, ("Accept-Language", "Cookie"))
    response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
    requested = requested_language(request)
    if requested and request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME) != requested:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            requested,
            max_age=COOKIE_S,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return response
