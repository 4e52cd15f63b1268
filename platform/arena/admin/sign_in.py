"""Below /admin/ strangers learn nothing: every address there answers them alike, whether it exists or not."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.deprecation import MiddlewareMixin

MAX_NEXT_CHARACTERS = 2000
"""A longer address is not come back to after signing in."""


class AdminSignInMiddleware(MiddlewareMixin):
    """Sends whoever may not see the admin to the sign-in page, before any address is looked up."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """A redirect, or None for those who may enter."""
        index = reverse("admin:index")
        if not request.path.startswith(index) or request.path == reverse("admin:login"):
            return None
        if admin.site.has_permission(request):
            return None
        wanted = request.get_full_path()
        if len(wanted) > MAX_NEXT_CHARACTERS or request.path == reverse("admin:logout"):
            wanted = index
        answer = HttpResponseRedirect(f"{reverse('web:sign-in')}?{urlencode({'next': wanted})}")
        add_never_cache_headers(answer)
        return answer
