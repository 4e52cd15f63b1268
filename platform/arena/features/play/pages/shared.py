"""Page of a shared table for visitors with the link, and the forms that create and delete the link."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from arena.features.play import sharing
from arena.features.play.pages.after import deal_fragment, shared_context
from arena.features.play.pages.descriptions import table_description, table_title
from arena.features.play.visitors import person_of
from arena.web.base.access import no_store
from arena.web.base.errors import form_page, personal_page


def shared(request: HttpRequest, key: str) -> HttpResponseBase:
    """Show a finished table with all hands, its replay and its field; the person is anonymous."""
    return exclude_from_search(_shared(request, key))


def exclude_from_search(answer: HttpResponseBase) -> HttpResponseBase:
    """Exclude the response from search engines and caches, so that a deleted link is dead at once."""
    answer["X-Robots-Tag"] = "noindex, nofollow"
    return no_store(answer)


@personal_page
def _shared(request: HttpRequest, key: str) -> HttpResponseBase:
    table = sharing.shared_table(key)
    if request.GET.get("part", "") == "deal":
        return HttpResponse(deal_fragment(table, request.GET.get("at", ""), for_all=True))
    context = {"nav": "play-table", "table": table, "title": table_title(table)}
    context["kind"] = table_description(table)
    return render(request, "play/shared.html", {**context, **shared_context(request, table)})


@form_page
def share(request: HttpRequest, public_id: str) -> HttpResponseBase:
    sharing.share(person_of(request), public_id)
    return _redirect_to_link(public_id)


@form_page
def unshare(request: HttpRequest, public_id: str) -> HttpResponseBase:
    sharing.unshare(person_of(request), public_id)
    return _redirect_to_link(public_id)


def _redirect_to_link(public_id: str) -> HttpResponseBase:
    return redirect(f"{reverse('web:play-table', args=[public_id])}#share")
