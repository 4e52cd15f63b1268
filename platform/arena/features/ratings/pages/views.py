"""Page views of rating lists and rating histories."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from arena.features.ratings.pages.history import history_page_of
from arena.features.ratings.pages.lists import change_summary, comparison_of, list_page_of
from arena.features.ratings.pairs import rulings_on
from arena.features.ratings.selectors import list_get
from arena.web.base.errors import personal_page
from arena.web.base.paging import MAX_DIGITS, page_number


@personal_page
def rating_list(request: HttpRequest, public_id: str) -> HttpResponseBase:
    instance = list_get(public_id)
    names = request.GET.get("a", ""), request.GET.get("b", "")
    answer = comparison_of(instance, *names)
    context = {
        "nav": "ranking",
        "list_page": list_page_of(instance, request.user, request.GET.get("find", ""), page_number(request)),
        "asked": answer.asked if answer else names,
        "left_out": rulings_on(instance),
        "answer": answer,
    }
    return render(request, "ratings/list.html", context)


@personal_page
def rating_since(request: HttpRequest, public_id: str) -> HttpResponseBase:
    instance = list_get(public_id)
    revision, sets = (_number(request, name) for name in ("revision", "sets"))
    summary = change_summary(instance, revision, sets)
    if not summary:
        return HttpResponse(status=204)
    context = {"rating_list": instance, "summary": summary, "revision": revision, "sets": sets}
    return render(request, "ratings/_since.html", context)


@personal_page
def rating_history(request: HttpRequest, public_id: str) -> HttpResponseBase:
    history = history_page_of(
        public_id,
        request.user,
        request.GET.get("list", ""),
        request.GET.get("partner", ""),
        request.GET.get("with", ""),
    )
    return render(request, "ratings/history.html", {"history": history, "nav": "bot"})


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else 0
