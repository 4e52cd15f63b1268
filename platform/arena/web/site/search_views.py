"""The page that finds things."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.web.base.errors import personal_page
from arena.web.site.search import direct_url, search_site


@personal_page
def search(request: HttpRequest) -> HttpResponseBase:
    """What goes by these words; an id or an address of a position leads straight there."""
    query = request.GET.get("q", "")
    if address := direct_url(query, request.user):
        return redirect(address)
    return render(request, "web/search.html", {"found": search_site(query, request.user), "nav": "search"})
