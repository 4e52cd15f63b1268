"""Which page of a list a request asks for."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _

from arena.common.errors import Invalid, translated

MAX_DIGITS = 9


def page_url(path: str, page: int) -> str:
    """Where a page of a list is.

    >>> page_url("/bots/x", 1), page_url("/bots/x", 3)
    ('/bots/x', '/bots/x?page=3')
    """
    return path if page == 1 else f"{path}?page={page}"


def page_number(request: HttpRequest, name: str = "page") -> int:
    """The number asked for, from 1. Beyond the last page paginators give the last: lists shrink.

    Raises:
        Invalid: what stands in the address is none.
    """
    text = request.GET.get(name, "")
    if not text:
        return 1
    if not text.isascii() or not text.isdigit() or len(text) > MAX_DIGITS or int(text) < 1:
        message = _("The value of %(name)s must be the number of a page, such as %(name)s=2.") % {
            "name": name
        }
        raise translated(Invalid(message, "invalid", field=name))
    return int(text)
