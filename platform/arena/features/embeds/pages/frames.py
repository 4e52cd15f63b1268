"""Frames that other sites show: a position of a table, or the deal of a board.

A frame is the same for every reader: it shows what an anonymous visitor may see, and neither reads nor sets
cookies. It has no script and no form, and its links open a new tab, so that it works in a sandbox and cannot
navigate the page around it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, Concatenate, NamedTuple, ParamSpec, cast

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from arena.common.errors import ArenaError, Invalid, NotFound
from arena.features.embeds.panels.framing import address_language
from arena.matches.board_tables import board_set_visible
from arena.matches.models import BoardSet, Table
from arena.matches.replays import table_view
from arena.matches.selectors import table_get
from arena.web.boards.table_page import table_around, table_heading
from arena.web.drawing.board_mat import board_diagram_context
from viewer import cards
from viewer import render as viewer_render
from viewer.markup import Html, joined
from viewer.position import PositionError, first_position, parse_position
from viewer.scene import Name
from viewer.shapes import View
from viewer.texts import viewer_texts
from viewer.tricks import trick_mat
from viewer.turns import turn_mat

CACHE_S = 300
"""Seconds that browsers and caches keep a frame; a sealed board may be unsealed at any time."""
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors *"
)
VISITOR = AnonymousUser()
P = ParamSpec("P")


class Frame(NamedTuple):
    title: str
    event: str
    """Name of the tournament."""
    page: str
    """Path of the page that the frame links to."""
    drawing: Html
    """Empty without a drawing."""
    is_sealed: bool = False


def frame_page(
    build: Callable[Concatenate[HttpRequest, P], Frame],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Decorate a function that builds a frame: language by ``?lang=``, errors as one line, headers."""

    @xframe_options_exempt
    @require_safe
    @functools.wraps(build)
    def view(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        with translation.override(address_language(request)):
            try:
                frame = build(request, *args, **kwargs)
            except ArenaError as error:
                return _with_headers(
                    render(request, "embeds/error.html", {"error": error}, status=error.status)
                )
            status = 423 if frame.is_sealed else 200
            return _with_headers(render(request, "embeds/frame.html", {"frame": frame}, status=status))

    return cast("Callable[Concatenate[HttpRequest, P], HttpResponseBase]", view)


def _with_headers(response: HttpResponse) -> HttpResponse:
    response["Content-Security-Policy"] = POLICY
    response["Cache-Control"] = f"public, max-age={CACHE_S}"
    response["Referrer-Policy"] = "no-referrer"
    return response


@frame_page
def position(request: HttpRequest, public_id: str) -> Frame:
    """Show a table at the position ``?at=b3t7p2``, or at the start of its first deal."""
    return position_frame(table_get(public_id, VISITOR), request.GET.get("at", ""))


@frame_page
def board(request: HttpRequest, public_id: str, number: int) -> Frame:
    """Show the deal of a board, or the seal."""
    return board_frame(board_set_visible(public_id, VISITOR), number)


def position_frame(table: Table, key: str) -> Frame:
    """Return the frame of a position of a visible table. Raises Invalid, NotFound ``view_not_found``."""
    board_set = table.fixture.board_set
    event = board_set.round.stage.tournament.name
    page = reverse("web:table", args=[table.public_id])
    if board_set.is_sealed:
        return Frame("", event, page, Html(""), is_sealed=True)
    stored = table_view(table)
    if stored is None:
        raise NotFound("This table has no replay.", "view_not_found")
    view = cast("View", json.loads(stored))
    texts = viewer_texts(get_language() or "en")
    try:
        parsed = parse_position(key, view) if key else first_position(view)
    except PositionError as error:
        raise Invalid(error.said(texts), "invalid", field="at") from None
    around = table_around(table, view)
    around = around._replace(names={seat: Name(name.text) for seat, name in around.names.items()}, notes=None)
    scene = viewer_render.scene_of(view, parsed, texts=texts, around=around)
    scene = scene._replace(moment=scene.moment._replace(stops=(scene.moment.at,)))
    mat = trick_mat(scene) if scene.deck == "french" else turn_mat(scene)
    drawing = joined([cards.deck_symbols(scene.deck, scene.court), cards.marks(), mat])
    title = f"{viewer_render.position_title(scene)} · {table_heading(table)}"
    return Frame(title, event, f"{page}?at={scene.stops.keys[scene.moment.at]}", drawing)


def board_frame(board_set: BoardSet, number: int) -> Frame:
    """Return the frame of a board of a visible set. Raises NotFound ``board_not_found``."""
    event = board_set.round.stage.tournament.name
    page = reverse("web:board", args=[board_set.public_id, number])
    if board_set.is_sealed:
        return Frame("", event, page, Html(""), is_sealed=True)
    if not 1 <= number <= board_set.boards:
        raise NotFound(f"This board set has boards 1 to {board_set.boards}.", "board_not_found")
    mat: dict[str, Any] | None = board_diagram_context(board_set, number)
    drawing = Html("") if mat is None else Html(f"{mat['symbols']}{mat['diagram']}")
    return Frame(_("Board %(number)s") % {"number": number}, event, page, drawing)
