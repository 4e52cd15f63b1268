"""503 responses while the database is unreachable or the server is at its request limit; never 500."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from arena.common.database import database_unavailable_error, is_unavailable, report_unavailable
from arena.common.errors import Unavailable, problem_body
from arena.common.request_ids import current_request_id

API_PREFIX = "/api/"
BUSY_RETRY_S = 5


class UnavailableMiddleware(MiddlewareMixin):
    """Turns database connection errors of views into 503."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        if isinstance(error, Unavailable):
            return unavailable_response(request.path, error)
        if not is_unavailable(error):
            return None
        report_unavailable(error)
        return unavailable_response(request.path, database_unavailable_error())


def busy_response(path: str) -> HttpResponse:
    error = Unavailable(
        f"The server is handling too many requests. Try again in {BUSY_RETRY_S} s.",
        "server_busy",
        BUSY_RETRY_S,
    )
    return unavailable_response(path, error)


def unavailable_response(path: str, error: Unavailable) -> HttpResponse:
    """Return 503 as a problem document for the API, else as a page. Does not use the database."""
    headers = {"Retry-After": str(error.retry_s), "Cache-Control": "no-store"}
    if path.startswith(API_PREFIX):
        body = problem_body(error.status, error.code, error.message)
        return JsonResponse(
            body, status=error.status, headers=headers, content_type="application/problem+json"
        )
    # Rendered without the request, whose user would be read from the database.
    page = render_to_string("503.html", {"detail": error.message})
    return HttpResponse(page, status=error.status, headers=headers)


def handle_server_error(request: HttpRequest) -> HttpResponse:
    """Django's ``handler500``, for errors outside views, such as reading the session."""
    error = sys.exc_info()[1]
    if error is not None and is_unavailable(error):
        report_unavailable(error)
        return unavailable_response(request.path, database_unavailable_error())
    # Rendered without the request, because its user or session may be the cause.
    return HttpResponse(render_to_string("500.html", {"request_id": current_request_id()}), status=500)
