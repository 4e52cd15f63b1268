"""Middleware that hides which URLs below /admin/ exist from everyone but staff."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.deprecation import MiddlewareMixin

MAX_NEXT_CHARACTERS = 2000
"""Maximum length of the URL to return to after signing in."""


class AdminSignInMiddleware(MiddlewareMixin):
    """Redirects requests without access to the admin to the sign-in page, before any URL is resolved."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        index = reverse("admin:index")
        if not request.path.startswith(index) or request.path == reverse("admin:login"):
            return None
        if admin.site.has_permission(request):
            return None
        next_url = request.get_full_path()
        if len(next_url) > MAX_NEXT_CHARACTERS or request.path == reverse("admin:logout"):
            next_url = index
        answer = HttpResponseRedirect(f"{reverse('web:sign-in')}?{urlencode({'next': next_url})}")
        add_never_cache_headers(answer)
        return answer
