"""Page numbers of paginated lists."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _

from arena.common.errors import Invalid, mark_translated

MAX_DIGITS = 9
MAX_FIND_CHARACTERS = 60


def page_url(path: str, page: int) -> str:
    """Return the URL of a page of a list.

    >>> page_url("/bots/x", 1), page_url("/bots/x", 3)
    ('/bots/x', '/bots/x?page=3')
    """
    return path if page == 1 else f"{path}?page={page}"


def page_number(request: HttpRequest, name: str = "page") -> int:
    """Return the requested page, from 1. It may exceed the last page, for which paginators return the last.

    Raises:
        Invalid: the parameter is not a positive number.
    """
    text = request.GET.get(name, "")
    if not text:
        return 1
    if not text.isascii() or not text.isdigit() or len(text) > MAX_DIGITS or int(text) < 1:
        message = _("The parameter %(name)s must be a page number, such as %(name)s=2.") % {"name": name}
        raise mark_translated(Invalid(message, "invalid", field=name))
    return int(text)


def find_text(request: HttpRequest) -> str:
    """Return the text of ``?find=``, without NUL, which the database does not store."""
    return request.GET.get("find", "").replace("\0", "").strip()[:MAX_FIND_CHARACTERS]
