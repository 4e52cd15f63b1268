"""Part of a table's page that changes with every position, rendered only from what the seat may see."""

from __future__ import annotations

import datetime
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.errors import NotFound
from arena.common.features import SeatHint
from arena.features.play.models import CasualTable
from arena.features.play.pages.descriptions import bot_names, result_text, side_text, table_facts
from arena.features.play.pages.hints import HintText, hint_text
from arena.features.play.position import SeatedTable, SeatPosition, is_decided, seat_position
from arena.features.play.practice import decision_to_take_back, has_hint
from viewer.cards import COURT_ORDER
from viewer.position_scene import Observation, deal_end
from viewer.seat_view import SeatView, Steps, is_drawn, seat_view_of
from viewer.texts import signed, viewer_texts

MAX_SCORES = 6
"""Latest deals whose stones are listed beside the table."""


def table_html(table: SeatedTable, n: int | None = None, *, hint: SeatHint | None = None) -> str:
    """Render the current position, or the one after ``n`` actions, with the end of a deal first.

    ``hint`` is for the current decision. No query. Raises NotFound if the game has no drawing of seats.
    """
    if not is_drawn(table.game):
        message = f"Seats of {table.game} are not drawn here: play this table over the API."
        raise NotFound(message, "not_found")
    position = seat_position(table, n)
    parts = []
    if position.ended is not None and n is not None:
        parts.append(_render(table, position, deal_end(position.ended, position.events)))
    parts.append(_render(table, position, None, hint))
    return "".join(parts)


def hint_html(table: SeatedTable, hint: SeatHint | None) -> str:
    """Render the hint for the current decision. No query."""
    position = seat_position(table)
    text = _hint_text(table, position, hint or SeatHint("none"))
    return render_to_string("play/_hint.html", {"hint": text})


def _hint_text(table: SeatedTable, position: SeatPosition, hint: SeatHint) -> HintText:
    return hint_text(hint, position, _sitting(table, position, None).choice_names)


def _render(
    table: SeatedTable, position: SeatPosition, ended: Observation | None, hint: SeatHint | None = None
) -> str:
    sitting = _sitting(table, position, ended)
    is_practised = table.practice and position.is_mine and ended is None
    context = {
        "table": table,
        "position": position,
        "n": position.n,
        "is_end": ended is not None or position.is_over,
        "is_game_over": ended is None and position.is_over and table.deals == CasualTable.Deals.GAME,
        "is_last": ended is None and position.is_over,
        "is_mine": position.is_mine and ended is None,
        "mat": mark_safe(sitting.mat),
        "status": mark_safe(sitting.status),
        "choices": mark_safe(sitting.choices),
        "panels": mark_safe(sitting.panels),
        "has_hand": bool(_hand(position, ended)),
        "taken": sitting.did if _was_substituted(table, position) else "",
        "said": _deal_line(table, position) if _is_next_deal(position, ended) else sitting.said,
        "spoken": sitting.spoken,
        "facts": table_facts(table, position, ended),
        "scores": _scores(table, position),
        "stones": _stones_text(table, position, ended),
        "is_decided": table.may_finish_early
        and position.is_mine
        and ended is None
        and is_decided(table, position),
        "has_hint": is_practised and has_hint(position),
        "hint": None if hint is None else hint_text(hint, position, sitting.choice_names),
        "can_take_back": is_practised and decision_to_take_back(table) is not None,
        "clock": _clock(table, position) if ended is None else None,
    }
    return render_to_string("play/_table.html", context)


def _sitting(table: SeatedTable, position: SeatPosition, ended: Observation | None) -> SeatView:
    observation: Observation = position.observation if ended is None else ended
    # The last action of the previous deal does not belong to this one.
    last: Steps = () if _is_next_deal(position, ended) else position.last
    return seat_view_of(
        observation,
        legal=position.legal if ended is None else (),
        names=bot_names(table),
        last=last,
        texts=viewer_texts(get_language() or "en"),
        court=court_of(table),
    )


def _is_next_deal(position: SeatPosition, ended: Observation | None) -> bool:
    return ended is None and position.ended is not None


def _deal_line(table: SeatedTable, position: SeatPosition) -> str:
    if table.deals == CasualTable.Deals.GAME:
        return _("Deal %(deal)d.") % {"deal": position.observation["deal"]}
    return _("Deal %(deal)d of %(count)d.") % {"deal": position.board, "count": position.boards}


def _hand(position: SeatPosition, ended: Observation | None) -> list[str]:
    observation = position.observation if ended is None else ended
    return list(observation["hand"])


def _was_substituted(table: SeatedTable, position: SeatPosition) -> bool:
    first = position.n - max(1, len(position.last))
    return any(
        first <= number < position.n and table.actions[number][0] == table.seat
        for number, _ in table.substituted
    )


def court_of(table: SeatedTable) -> str:
    return str(table.ruleset.get("court_order") or COURT_ORDER)


def _stones_text(table: SeatedTable, position: SeatPosition, ended: Observation | None) -> str:
    if ended is None and not position.is_over:
        return ""
    ends = [event for event in position.events if event["e"] == "deal_end"]
    # At the end of a game, the text describes the whole game.
    end = ends[-1] if ends and not (table.deals == CasualTable.Deals.GAME and position.is_over) else None
    if end is None:
        won = position.stones_so_far.get(table.seat, 0)
        return result_text(table, won) if position.is_over else side_text(table, signed(won))
    return result_text(table, int(end["stones"][str(table.seat)]))


def _scores(table: SeatedTable, position: SeatPosition) -> dict[str, Any] | None:
    """Return the latest deals with their stones, and the total; None for a table of one deal."""
    if table.deals == CasualTable.Deals.ONE:
        return None
    rows = [(number, signed(stones)) for number, stones in enumerate(position.scores, start=1)]
    return {"rows": rows[-MAX_SCORES:], "total": signed(sum(position.scores))}


def _clock(table: SeatedTable, position: SeatPosition) -> dict[str, Any] | None:
    if table.clock_s is None:
        return None
    is_running = position.is_mine and table.deadline_at is not None and position.n == table.length
    left_s = float(table.clock_s)
    if is_running and table.deadline_at is not None:
        left_s = max(0.0, (table.deadline_at - timezone.now()) / datetime.timedelta(seconds=1))
    elif table.clock_left_ms is not None:
        left_s = table.clock_left_ms / 1000
    whole = min(round(left_s), table.clock_s)
    return {
        "is_running": is_running,
        "left_ms": round(left_s * 1000),
        "all_s": table.clock_s,
        "text": f"{whole // 60}:{whole % 60:02}",
        "left_s": whole,
    }
