"""The control that shares a board or a position."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context

from arena.features.embeds.panels.share import ShareFields, board_share, table_share
from arena.matches.models import BoardSet, Table
from arena.web.templatetags.rensho import picture_url

register = template.Library()
TEMPLATE = "embeds/_share.html"


@register.inclusion_tag(TEMPLATE, takes_context=True)
def share_board(context: Context, board_set: BoardSet, number: int) -> dict[str, Any]:
    """Render link, code and picture of a board; nothing if it is sealed or private."""
    return _control(board_share(_request(context), board_set, number), board_set, number)


@register.inclusion_tag(TEMPLATE, takes_context=True)
def share_table(context: Context, table: Table, board: int, key: str, link: str = "") -> dict[str, Any]:
    """Render the same of position ``key`` on a board; ``link`` is the path of another page that shows it."""
    return {
        **_control(table_share(_request(context), table, key, link), table.fixture.board_set, board),
        "is_explorer": bool(link),
    }


def _control(fields: ShareFields | None, board_set: BoardSet, number: int) -> dict[str, Any]:
    if fields is None:
        return {}
    return {"share": fields, "picture": picture_url(board_set.round.stage.tournament, board_set, number)}


def _request(context: Context) -> HttpRequest:
    request = context["request"]
    assert isinstance(request, HttpRequest)
    return request
