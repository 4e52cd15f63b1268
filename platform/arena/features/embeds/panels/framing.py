"""Frames as other sites include them: address, fixed size, and the HTML code."""

from __future__ import annotations

from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.matches.models import BoardSet, Table
from arena.web.base.language import LANGUAGE_PARAMETER, requested_language

SIZES = ((800, 660), (360, 760))
"""Width and height of a frame in CSS pixels, the largest first."""
SANDBOX = "allow-popups allow-popups-to-escape-sandbox"


class Framed(NamedTuple):
    title: str
    path: str


def address_language(request: HttpRequest) -> str:
    """Return the language of ``?lang=``, else the default; neither cookies nor headers select it."""
    return requested_language(request) or settings.LANGUAGE_CODE


def framed_table(table: Table, key: str = "") -> Framed:
    """Return the frame of a table at a position, in the present language."""
    event = table.fixture.board_set.round.stage.tournament.name
    path = reverse("web:embed-position", args=[table.public_id])
    return Framed(_("Replay from %(event)s") % {"event": event}, path + _query(at=key))


def framed_board(board_set: BoardSet, number: int) -> Framed:
    """Return the frame of a board, in the present language."""
    event = board_set.round.stage.tournament.name
    path = reverse("web:embed-board", args=[board_set.public_id, number])
    return Framed(_("Board %(number)s of %(name)s") % {"number": number, "name": event}, path + _query())


def _query(**values: str) -> str:
    language = get_language() or settings.LANGUAGE_CODE
    if language != settings.LANGUAGE_CODE:
        values[LANGUAGE_PARAMETER] = language
    given = {name: value for name, value in values.items() if value}
    return f"?{urlencode(given)}" if given else ""


def frame_code(site: str, framed: Framed, size: tuple[int, int] = SIZES[0]) -> str:
    """Return the ``<iframe>`` element. ``site`` is the origin of this site."""
    return (
        f'<iframe src="{escape(site + framed.path)}" width="{size[0]}" height="{size[1]}" '
        f'title="{escape(framed.title)}" sandbox="{SANDBOX}" loading="lazy" style="border:0"></iframe>'
    )
