"""Page of the queue of commitments."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from arena.competition.commitments import commitments_listed
from arena.web.base.errors import personal_page
from arena.web.base.paging import page_number

COMMITMENTS_PER_PAGE = 50


@personal_page
def commitments(request: HttpRequest) -> HttpResponseBase:
    """List all commitments, newest first; the tournament that took one only if the viewer may see it."""
    page = Paginator(commitments_listed(request.user), COMMITMENTS_PER_PAGE).get_page(page_number(request))
    rows = [(row, bytes(row.secret).hex() if row.revealed_at else "") for row in page.object_list]
    return render(request, "web/commitments.html", {"page": page, "rows": rows, "nav": "fairness"})
