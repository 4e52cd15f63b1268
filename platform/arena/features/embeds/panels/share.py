"""Fields that share an opened board or position: its link, the HTML code of its frame, its picture."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import reverse

from arena.competition.selectors import is_visible_to
from arena.features.embeds.panels.framing import Framed, frame_code, framed_board, framed_table
from arena.matches.models import BoardSet, Table
from arena.web.account.site_origin import site_address


class ShareFields(NamedTuple):
    link: str
    code: str
    has_position: bool


def table_share(request: HttpRequest, table: Table, key: str, link: str = "") -> ShareFields | None:
    """Return the fields of a table at a position. ``link`` is the path of another page that shows it.

    None while visitors without an account do not see its boards.
    """
    path = link or f"{reverse('web:table', args=[table.public_id])}?at={key}"
    return _fields(request, table.fixture.board_set, path, framed_table(table, key), has_position=True)


def board_share(request: HttpRequest, board_set: BoardSet, number: int) -> ShareFields | None:
    """Return the fields of a board; None while visitors without an account do not see it."""
    path = reverse("web:board", args=[board_set.public_id, number])
    return _fields(request, board_set, path, framed_board(board_set, number), has_position=False)


def _fields(
    request: HttpRequest, board_set: BoardSet, path: str, framed: Framed, *, has_position: bool
) -> ShareFields | None:
    if board_set.is_sealed or not is_visible_to(board_set.round.stage.tournament, AnonymousUser()):
        return None
    site = site_address(request)
    return ShareFields(site + path, frame_code(site, framed), has_position)
