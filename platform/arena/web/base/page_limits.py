"""How many pages anybody may ask for: by account if signed in, else by address. The API counts for itself."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from arena.common.client_address import client_network
from arena.common.credentials import Credential
from arena.common.rates import retry_after_s, take

RATE = "pages"
EXEMPT = ("/api/", "/healthz", "/readyz")
"""Has limits of its own; must answer whatever happens. Static files are served before this."""


class PageLimitsMiddleware(MiddlewareMixin):
    """429 with Retry-After to whoever asks for too many pages, the admin's included."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Count the request, for the account behind its session or for its address."""
        if request.path.startswith(EXEMPT):
            return None
        session = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if session:
            credential = Credential(request, session)
            if wait_s := credential.wait_s():
                return too_many_requests(wait_s)
            if request.user.is_authenticated:
                credential.was_good()
                return self._take(f"u{request.user.pk}")
            credential.was_bad()
        return self._take(f"a{client_network(request)}")

    @staticmethod
    def _take(whose: str) -> HttpResponse | None:
        wait_s = take(RATE, whose).wait_s
        return too_many_requests(wait_s) if wait_s else None


def too_many_requests(wait_s: float) -> HttpResponse:
    """The page that says when to come back; needs neither account nor database."""
    seconds = retry_after_s(wait_s)
    return HttpResponse(
        render_to_string("429.html", {"seconds": seconds}),
        status=429,
        headers={"Retry-After": str(seconds), "Cache-Control": "no-store"},
    )
