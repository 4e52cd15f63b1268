"""Error pages, and decorators of views that render them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, cast

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils.encoding import escape_uri_path
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe
from django.views.defaults import bad_request, page_not_found

from arena.common.errors import ArenaError, problem_body, quoted

TITLES = {
    400: gettext_lazy("Bad request"),
    403: gettext_lazy("No access"),
    404: gettext_lazy("Page not found"),
    409: gettext_lazy("Not possible now"),
    423: gettext_lazy("Still sealed"),
}
TEXTS = {
    400: gettext_lazy("We could not understand this request."),
    403: gettext_lazy("You do not have permission to open this page."),
    404: gettext_lazy(
        "Nothing was found at this address. The page may have moved, or you may not have access to it."
    ),
    409: gettext_lazy("This is not possible at the moment."),
    423: gettext_lazy("Scores and records are published together, after the last fixture of the round."),
}
"""Translated explanations, displayed above error messages that are only in English."""


def error_page(request: HttpRequest, error: ArenaError) -> HttpResponse:
    if error.status == 423 and polls_sealed_page(request):
        return HttpResponse(status=204)
    is_foreign = get_language() != settings.LANGUAGE_CODE and not error.is_translated
    context = {
        "status": error.status,
        "title": TITLES.get(error.status, _("The request failed")),
        "translated": TEXTS.get(error.status, "") if is_foreign else "",
        "error": error,
        "opens_with": getattr(error, "tournament", ""),
    }
    return render(request, "web/error.html", context, status=error.status)


def polls_sealed_page(request: HttpRequest) -> bool:
    """Whether a page of sealed boards polls for their opening (``_opens.html``)."""
    return request.headers.get("HX-Request") == "true" and "opens" in request.GET


P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def handle_errors(view: View[P]) -> View[P]:
    """Decorate a view: ArenaError becomes an error page, and a page that polls for unsealing reloads."""

    @functools.wraps(view)
    def answered(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            answer = view(request, *args, **kwargs)
        except ArenaError as error:
            return error_page(request, error)
        if polls_sealed_page(request) and answer.status_code < 300:
            return HttpResponse(headers={"HX-Refresh": "true"})
        return answer

    # mypy does not see that wraps() keeps the parameters.
    return cast("View[P]", answered)


def personal_page(view: View[P]) -> View[P]:
    """Decorate a read-only view that differs by visitor: shared caches must not store it."""
    return require_safe(cache_control(private=True, no_cache=True)(handle_errors(view)))


def form_page(view: View[P]) -> View[P]:
    """Decorate a view that accepts only POST."""
    return require_POST(handle_errors(view))


def handle_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Django's ``handler404``. Redirects URLs of pages with trailing slashes to the URL without."""
    bare = request.path.rstrip("/")
    # A URL that starts with two slashes would lead to another site.
    if request.method in ("GET", "HEAD") and bare not in ("", request.path) and not bare.startswith("//"):
        try:
            is_page = resolve(bare).namespace == "web"
        except Resolver404:
            is_page = False
        if is_page:
            query = request.META.get("QUERY_STRING", "")
            return HttpResponsePermanentRedirect(escape_uri_path(bare) + (f"?{query}" if query else ""))
    return page_not_found(request, exception)


def handle_bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Django's ``handler400`` for requests that reach no view: a problem document for the API, else a
    page.
    """
    if not request.path.startswith("/api/"):
        return bad_request(request, exception)
    code, detail = (
        "malformed_request",
        "The request cannot be read. Send the address and headers as the API guide describes.",
    )
    if isinstance(exception, DisallowedHost):
        host = quoted(request.META.get("HTTP_HOST", ""))
        code = "unknown_host"
        detail = f"This site is not served as {host}. Send the name in its address as the Host header."
    return JsonResponse(problem_body(400, code, detail), status=400, content_type="application/problem+json")
