"""A casual table that is over, for whoever has its link; the forms that make the link and take it back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from arena.features.play import sharing
from arena.features.play.pages.after import deal_fragment, shared_context
from arena.features.play.pages.descriptions import table_description, table_title
from arena.features.play.pages.visitors import person_of
from arena.web.base.access import no_store
from arena.web.base.errors import form_page, personal_page


def shared(request: HttpRequest, key: str) -> HttpResponseBase:
    """All hands of a table, its replay and its field; who played there is a guest, whoever it was."""
    return exclude_from_search(_shared(request, key))


def exclude_from_search(answer: HttpResponseBase) -> HttpResponseBase:
    """The answer, kept by no cache, so that a link that was taken back shows nothing any more."""
    answer["X-Robots-Tag"] = "noindex, nofollow"
    return no_store(answer)


@personal_page
def _shared(request: HttpRequest, key: str) -> HttpResponseBase:
    found = sharing.shared_table(key)
    if request.GET.get("part", "") == "deal":
        return HttpResponse(deal_fragment(found, request.GET.get("at", ""), for_all=True))
    context = {"nav": "play-table", "table": found, "title": table_title(found)}
    context["kind"] = table_description(found)
    return render(request, "play/shared.html", {**context, **shared_context(request, found)})


@form_page
def share(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Make the link; the page of the table shows it."""
    sharing.share(person_of(request), public_id)
    return _redirect_to_link(public_id)


@form_page
def unshare(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Take it back."""
    sharing.unshare(person_of(request), public_id)
    return _redirect_to_link(public_id)


def _redirect_to_link(public_id: str) -> HttpResponseBase:
    return redirect(f"{reverse('web:play-table', args=[public_id])}#share")
