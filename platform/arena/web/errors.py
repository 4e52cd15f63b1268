"""Errors of pages: the platform's own, told in the house's look."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, cast

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from arena.common.errors import ArenaError

TITLES = {
    400: "That cannot be read",
    403: "Not yours to open",
    404: "Nothing here",
    409: "Not now",
    423: "Still sealed",
}


def error_page(request: HttpRequest, error: ArenaError) -> HttpResponse:
    """The page that tells of an error, with its status."""
    context = {"status": error.status, "title": TITLES.get(error.status, "That did not work"), "error": error}
    return render(request, "web/error.html", context, status=error.status)


P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def page(view: View[P]) -> View[P]:
    """A view whose ArenaErrors become pages."""

    @functools.wraps(view)
    def told(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except ArenaError as error:
            return error_page(request, error)

    # wraps() hides from the checker that nothing about the arguments changes.
    return cast("View[P]", told)
