"""Rate limit of pages, by account or by client address. The API has its own limits."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from arena.common.client_address import client_network
from arena.common.credentials import Credential
from arena.common.rates import rate_consume, retry_after_s

RATE = "pages"
EXEMPT = ("/api/", "/healthz", "/readyz")
"""Prefixes without this limit: the API, and health checks. Static files are served before this middleware."""


class PageLimitsMiddleware(MiddlewareMixin):
    """Returns 429 with Retry-After after too many requests, including the admin."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.path.startswith(EXEMPT):
            return None
        session = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if session:
            credential = Credential(request, session)
            if wait_s := credential.wait_s():
                return too_many_requests(wait_s)
            if request.user.is_authenticated:
                credential.record_success()
                return self._take(f"u{request.user.pk}")
            credential.record_failure()
        return self._take(f"a{client_network(request)}")

    @staticmethod
    def _take(client: str) -> HttpResponse | None:
        wait_s = rate_consume(RATE, client).wait_s
        return too_many_requests(wait_s) if wait_s else None


def too_many_requests(wait_s: float) -> HttpResponse:
    """Return 429 with the time to wait. Needs neither session nor database."""
    seconds = retry_after_s(wait_s)
    return HttpResponse(
        render_to_string("429.html", {"seconds": seconds}),
        status=429,
        headers={"Retry-After": str(seconds), "Cache-Control": "no-store"},
    )
