"""The search page."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.web.base.errors import personal_page
from arena.web.site.search import direct_url, search_site


@personal_page
def search(request: HttpRequest) -> HttpResponseBase:
    """Search by words; redirect to the page of an id or position."""
    query = request.GET.get("q", "")
    if address := direct_url(query, request.user):
        return redirect(address)
    return render(request, "web/search.html", {"result": search_site(query, request.user), "nav": "search"})
