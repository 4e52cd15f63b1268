"""The pages of ratings: lists, one of them, and how a version was rated over time."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from arena.features.ratings.pages.history import history_page_of
from arena.features.ratings.pages.lists import change_summary, comparison_of, list_index_of, list_page_of
from arena.features.ratings.pairs import rulings_on
from arena.features.ratings.selectors import list_get
from arena.web.base.errors import personal_page
from arena.web.base.paging import MAX_DIGITS, page_number


@personal_page
def ratings(request: HttpRequest) -> HttpResponseBase:
    """The lists of a quarter, ``?season=2026-Q4``, the newest without."""
    index = list_index_of(request.GET.get("season", "")[:20])
    return render(request, "ratings/ratings.html", {"index": index, "nav": "ratings"})


@personal_page
def rating_list(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """A list, 50 lines a page; ``?find=`` shows some alone, ``?a=`` and ``?b=`` ask for a difference."""
    found = list_get(public_id)
    asked = request.GET.get("a", ""), request.GET.get("b", "")
    answer = comparison_of(found, *asked)
    context = {
        "nav": "rating",
        "list_page": list_page_of(found, request.user, request.GET.get("find", ""), page_number(request)),
        "asked": answer.asked if answer else asked,
        "left_out": rulings_on(found),
        "answer": answer,
    }
    return render(request, "ratings/list.html", context)


@personal_page
def rating_since(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """What happened to a list since ``?revision=7&sets=12``, which a page that shows it asks now and then."""
    found = list_get(public_id)
    revision, sets = (_number(request, name) for name in ("revision", "sets"))
    words = change_summary(found, revision, sets)
    if not words:
        return HttpResponse(status=204)
    context = {"rating_list": found, "words": words, "revision": revision, "sets": sets}
    return render(request, "ratings/_since.html", context)


@personal_page
def rating_history(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """How a version was rated over time: ``?list=`` in which list, ``?with=`` another bot beside it."""
    found = history_page_of(
        public_id,
        request.user,
        request.GET.get("list", ""),
        request.GET.get("partner", ""),
        request.GET.get("with", ""),
    )
    return render(request, "ratings/history.html", {"history": found, "nav": "bot"})


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else 0
