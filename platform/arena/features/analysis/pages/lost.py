"""Downloads for authors: positions in which their versions lost stones, and files of single positions."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from analysis.shapes import Notes
from arena.accounts.models import User
from arena.common.errors import Forbidden, NotFound, quoted
from arena.common.rates import rate_consume
from arena.features.analysis.access import analysed_table
from arena.features.analysis.pages.downloads import download
from arena.features.analysis.pages.seat_decisions import (
    LostPosition,
    SeatDecision,
    decision_at,
    lost_positions,
)
from arena.features.analysis.selectors import LossyTable, lossy_tables, notes_bytes_of, notes_of_tables
from arena.jobs.position_files import position_file_of
from arena.matches.replays import table_view
from arena.roster.models import BotVersion
from arena.roster.selectors import is_owner, version_get
from arena.web.base.access import account_page
from arena.web.base.page_limits import too_many_requests
from engine.printable import file_name_part
from viewer.position import PositionError

MAX_POSITIONS = 5000
"""Positions in one download."""


@require_safe
@account_page()
def positions(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Return the positions in which a version lost stones at its latest tables, one line of JSON each."""
    version = _own_version(public_id, user)
    if wait_s := rate_consume("exports", f"u{user.pk}").wait_s:
        return too_many_requests(wait_s)
    lines: list[str] = []
    for lossy in lossy_tables(version):
        if len(lines) >= MAX_POSITIONS:
            break
        lines += [json.dumps(row) for row in _rows(request, version, lossy)]
    text = "".join(f"{line}\n" for line in lines[:MAX_POSITIONS])
    name = f"{file_name_part(version.bot.name, 'bot')}-v{version.number}-lost.ndjson"
    return download(text.encode("ascii"), "application/x-ndjson", name)


@require_safe
@account_page()
def position_file(
    request: HttpRequest, user: User, public_id: str, table: str, position: str, seat: int
) -> HttpResponseBase:
    """Return the file of a position for ``rensho reproduce``."""
    version = _own_version(public_id, user)
    table_row = analysed_table(table, user)
    row = table_row.seats.filter(version=version, seat=seat).select_related("version__bot__owner").first()
    view = table_view(table_row)
    if row is None or view is None:
        raise NotFound(
            f"{version} has no recorded decision at seat {seat} of this table.", "position_not_found"
        )
    if wait_s := rate_consume("exports", f"u{user.pk}").wait_s:
        return too_many_requests(wait_s)
    sha256 = notes_of_tables([table_row]).get(table_row.pk, "")
    notes: Notes | None = json.loads(notes_bytes_of(sha256)) if sha256 else None
    try:
        decision = decision_at(json.loads(view), notes, position, seat)
    except PositionError:
        decision = None
    if decision is None:
        raise NotFound(f"Seat {seat} has no decision at {quoted(position)}.", "position_not_found")
    row.table = table_row
    data = position_file_of(row, decision.board, decision.turn, decision.action, _reason(decision))
    return download(data, "application/json", f"position-{table}-{position}-{seat}.json")


def _own_version(public_id: str, user: User) -> BotVersion:
    version = version_get(public_id, user)
    if not is_owner(user, version.bot):
        raise Forbidden(f"Only the owner can download the positions of {version}.", "not_owner")
    return version


def _reason(decision: SeatDecision) -> str:
    note: Any = decision.note or {}
    played = f"The bot played {decision.action}" if decision.action else "The bot decided"
    best = f"; best: {' or '.join(decision.best)}" if decision.best else ""
    if "cost" in note:
        stones = "1 stone" if note["cost"] == 1 else f"{note['cost']} stones"
        return f"{played}, which cost {stones} with all hands open{best}"
    if "average" in note:
        return f"{played}, which loses {note['average']['loss']} stones on average{best}"
    return played


def _rows(request: HttpRequest, version: BotVersion, lossy: LossyTable) -> list[dict[str, Any]]:
    view = table_view(lossy.table)
    if view is None:
        return []
    notes: Notes = json.loads(notes_bytes_of(lossy.notes_sha256))
    return [
        _row(request, version, lossy, decision)
        for decision in lost_positions(json.loads(view), notes, lossy.seats)
    ]


def _row(
    request: HttpRequest, version: BotVersion, lossy: LossyTable, decision: LostPosition
) -> dict[str, Any]:
    table = lossy.table.public_id
    file = reverse("web:position-file", args=[version.public_id, table, decision.position, decision.seat])
    page = f"{reverse('web:table', args=[table])}?at={decision.position}"
    return {
        "version": version.public_id,
        "tournament": lossy.table.tournament.public_id,
        "table": table,
        "board": decision.board,
        "deal": decision.deal,
        "position": decision.position,
        **decision.note,
        "page": request.build_absolute_uri(page),
        "file": request.build_absolute_uri(file),
    }
