"""Share pictures of public tournaments and opened boards, drawn on request, cached by content and language.

Drawing takes up to 150 ms of CPU. One picture is drawn at a time, at most ``MAX_WAITING`` requests wait, and
every address has a rate (``pictures``); other requests get 429. Pictures in the cache are always served.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from fractions import Fraction

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from arena.common.client_address import client_network
from arena.common.errors import NotFound, Sealed
from arena.common.game_titles import preset_title
from arena.common.process_cache import CacheKey, process_cache
from arena.common.rates import rate_consume
from arena.competition.models import Tournament
from arena.competition.selectors import stages_of, tournament_get
from arena.features.embeds.drawing import (
    PictureHand,
    PictureRow,
    board_picture,
    event_picture,
    is_drawable,
)
from arena.features.embeds.pages.frames import VISITOR
from arena.features.embeds.panels.framing import address_language
from arena.matches.board_tables import board_set_visible, first_table_with_view
from arena.matches.models import BoardSet
from arena.standings.selectors import top_rows
from arena.web.base.errors import handle_errors
from arena.web.base.figures import format_exact
from arena.web.base.labels import entry_label
from arena.web.base.page_limits import too_many_requests
from arena.web.base.states import TOURNAMENT_STATE_NAMES, State
from arena.web.drawing.board_facts import board_in_view, load_table_view, undo_swaps
from viewer.mat import deck_of
from viewer.texts import viewer_texts

ROWS = 5
MAX_WAITING = 4
"""Maximum requests that draw or wait to draw."""
RETRY_S = 5
RATE = "pictures"
MAX_AGE_S = 3600
LETTERS = {"ja": "第局ボ"}
"""Characters that a font must have for texts in a language. Without one, texts are in English."""
_places = threading.BoundedSemaphore(MAX_WAITING)
_drawing = threading.Lock()


@require_safe
@handle_errors
def tournament(request: HttpRequest, public_id: str) -> HttpResponseBase:
    event = tournament_get(public_id, VISITOR)
    key = CacheKey(("picture of tournament", event.pk), (event.revision, event.state, event.name))
    return _picture(request, key, lambda: _draw_event(event))


@require_safe
@handle_errors
def board(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """Return the picture of an opened board; 423 while it is sealed."""
    board_set = board_set_visible(public_id, VISITOR)
    event = board_set.round.stage.tournament
    if board_set.is_sealed:
        raise Sealed("This board", event.public_id)
    if not 1 <= number <= board_set.boards:
        raise NotFound(f"This board set has boards 1 to {board_set.boards}.", "board_not_found")
    key = CacheKey(("picture of board", board_set.pk, number), (event.revision, event.name))
    return _picture(request, key, lambda: _draw_board(board_set, number))


def _picture(request: HttpRequest, key: CacheKey, draw: Callable[[], bytes]) -> HttpResponseBase:
    language = _language(request)
    key = key._replace(language=language)
    data: bytes | None = process_cache.get(key)
    if data is None:
        if wait_s := rate_consume(RATE, f"a{client_network(request)}").wait_s:
            return too_many_requests(wait_s)
        if not _places.acquire(blocking=False):
            return too_many_requests(RETRY_S)
        try:
            with _drawing, translation.override(language):
                data = process_cache.get_or_build(key, draw, size_of=len)
        finally:
            _places.release()
    etag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": f"public, max-age={MAX_AGE_S}"}
    response = HttpResponse(data, content_type="image/png", headers=headers)
    return get_conditional_response(request, etag=etag, response=response) or response


def _language(request: HttpRequest) -> str:
    """Return the language of ``?lang=`` if a font has its letters, else the default."""
    language = address_language(request)
    letters = LETTERS.get(language, "")
    return language if not letters or is_drawable(letters) else settings.LANGUAGE_CODE


def _draw_event(event: Tournament) -> bytes:
    stages = stages_of(event)
    by_stage = top_rows(stages, ROWS)
    last = next((by_stage[stage.pk] for stage in reversed(stages) if stage.pk in by_stage), [])
    rows = []
    for row in last:
        label, score = entry_label(row.entry), row.values.get(event.scoring)
        value = "" if score is None else format_exact(Fraction(score))
        rows.append(PictureRow(f"{row.rank}. {label.name}", value))
    facts = f"{preset_title(event.preset)} · {TOURNAMENT_STATE_NAMES[State(event.state)]}"
    return event_picture(event.name, facts, rows)


def _draw_board(board_set: BoardSet, number: int) -> bytes:
    played = board_set.round
    event = played.stage.tournament
    texts = viewer_texts(translation.get_language() or "en")
    facts = f"{event.name} · {_('Round %(number)s') % {'number': played.number}}"
    table = first_table_with_view(board_set, number)
    view = load_table_view(table) if table is not None else None
    drawn = board_in_view(view, number) if view is not None else None
    hands: list[PictureHand] = []
    if drawn is not None and len(drawn["deals"]) == 1 and deck_of(drawn["deals"][0]) == "french":
        deal = undo_swaps(drawn["deals"][0])
        hands = [
            PictureHand(texts.seat_name(int(seat)), cards) for seat, cards in deal["hands"].items() if cards
        ]
        if "trump" in deal:
            facts += f" · {_('%(trump)s are trumps') % {'trump': texts.suits[deal['trump']]}}"
    return board_picture(_("Board %(number)s") % {"number": number}, facts, hands)
