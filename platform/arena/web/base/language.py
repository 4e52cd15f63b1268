"""The language of the pages: that of ``?lang=``, else of the cookie, else the first the browser asks for.

The API, the admin and the operator's end points stay in English, whatever a browser asks for: programs read
them, and their texts are those of the documentation.
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

from arena.web.base.spacing import remove_page_spaces

LANGUAGE_PARAMETER = "lang"
COOKIE_S = 365 * 24 * 3600
UNTRANSLATED_PREFIXES = ("/api/", "/admin/", "/metrics", "/healthz", "/readyz", "/.well-known/")


def is_translated(path: str) -> bool:
    """Whether what stands at this address depends on the reader's language."""
    return not path.startswith(UNTRANSLATED_PREFIXES)


def requested_language(request: HttpRequest) -> str | None:
    """The language that the address asks for, if it is one of ours."""
    if request.method not in ("GET", "HEAD"):
        return None
    language = request.GET.get(LANGUAGE_PARAMETER)
    return language if language in dict(settings.LANGUAGES) else None


def negotiate_language(request: HttpRequest) -> str:
    """The language to answer in."""
    if not is_translated(request.path):
        return settings.LANGUAGE_CODE
    accepted = request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    if "q=0" in accepted:  # Django would take such a language where there is no other
        weights = parse_accept_lang_header(accepted.lower())
        request.META["HTTP_ACCEPT_LANGUAGE"] = ",".join(f"{name};q={q}" for name, q in weights if q)
    return requested_language(request) or translation.get_language_from_request(request)


@sync_and_async_middleware
def language_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Middleware that makes everything behind it speak the reader's language."""
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
    """The response with what caches must know, and the choice kept for the next page."""
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
