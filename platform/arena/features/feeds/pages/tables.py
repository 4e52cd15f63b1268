"""CSV files of a tournament: standings, crosstable, rounds and board scores, without sealed results."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.api.answers.standings import CrosstableKey, crosstable_out, standings_out
from arena.common.client_address import client_network
from arena.common.csv_text import Cell, csv_bytes
from arena.common.errors import Invalid, NotFound, Sealed, mark_translated, quoted
from arena.common.rates import rate_consume
from arena.competition.models import Round, Tournament
from arena.competition.selectors import entry_names, stage_or_latest, tournament_get
from arena.features.feeds.pages.cached import File, cached_file
from arena.features.feeds.selectors import (
    board_score_rows,
    csv_rounds,
    fixtures_of_rounds,
    sides_of_fixtures,
)
from arena.matches.changes import settled_version
from arena.standings.crosstables import fixture_versions
from arena.standings.selectors import closed_totals, standings_key
from arena.web.base.errors import handle_errors
from arena.web.base.page_limits import too_many_requests
from engine.printable import file_name_part

MAX_ROWS = 50_000
"""Rows of a file; larger ones are split by ``?round=``."""
MAX_DIGITS = 4


@require_safe
@handle_errors
def standings(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the standings after the closed rounds, of ``?stage=1`` or of all stages."""

    def build(tournament: Tournament) -> bytes:
        key = standings_key(tournament.pk, _number(request, "stage"))
        stages = standings_out(key)
        names = sorted({name for stage in stages for row in stage["rows"] for name in row["values"]})
        head = ["stage", "rank", "entry", "bot", "player", "status", *names, "decided_by"]
        rows = [
            [
                stage["stage"],
                row["rank"],
                row["entry"],
                row["bot"],
                row["player"],
                row["status"],
                *(_value(row["values"].get(name)) for name in names),
                row["decided_by"],
            ]
            for stage in stages
            for row in stage["rows"]
        ]
        return csv_bytes(head, rows)

    return _csv(request, public_id, "standings", build)


@require_safe
@handle_errors
def crosstable(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return a line for each entry and each opponent that it met, of ``?stage=1`` or the latest stage."""

    def build(tournament: Tournament) -> bytes:
        key = standings_key(tournament.pk, _number(request, "stage")).of_current_stage()
        head = ["rank", "bot", "opponent_rank", "opponent", "mean", "low", "high", "boards", "match_points"]
        if not key.columns:
            return csv_bytes(head, [])
        table = crosstable_out(CrosstableKey(key, fixture_versions(key.columns[0][0])))
        ranks = {row["entry"]: (rank, row["bot"]) for rank, row in enumerate(table["rows"], start=1)}
        rows: list[list[Cell]] = [
            [
                *ranks[row["entry"]],
                *ranks[cell["entry"]],
                cell["mean"],
                cell["low"],
                cell["high"],
                cell["boards"],
                cell["match_points"],
            ]
            for row in table["rows"]
            for cell in row["against"]
        ]
        return csv_bytes(head, _bounded(rows, "stage"))

    return _csv(request, public_id, "crosstable", build)


@require_safe
@handle_errors
def rounds(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the fixtures of ``?stage=1`` (else of the latest stage) or of its ``?round=2``.

    Until the round is closed, totals are empty and states ``sealed``.
    """

    def build(tournament: Tournament) -> bytes:
        opened = _rounds(request, tournament)
        fixtures = fixtures_of_rounds(opened, MAX_ROWS + 1)
        _bounded(fixtures, "round")
        names = entry_names(tournament.pk)
        totals = closed_totals([each.board_set.pk for each in opened if not each.board_set.is_sealed])
        sides: dict[int, list[tuple[int, int, str]]] = {}
        for fixture, side, entry, entry_id in sides_of_fixtures(opened):
            sides.setdefault(fixture, []).append((side, entry, _bots(names, entry_id)))
        most = max((len(each) for each in sides.values()), default=0)
        head = ["round", "fixture", "number", "state"]
        for number in range(1, most + 1):
            head += [f"side_{number}", f"bot_{number}", f"total_{number}"]
        rows = []
        for fixture_row in fixtures:
            line: list[Cell] = [
                fixture_row.board_set.round.number,
                fixture_row.public_id,
                fixture_row.number,
                "sealed" if fixture_row.board_set.is_sealed else fixture_row.state,
            ]
            for side, entry, name in sides.get(fixture_row.pk, ()):
                line += [side + 1, name, totals.get((fixture_row.pk, entry))]
            rows.append(line)
        return csv_bytes(head, rows)

    return _csv(request, public_id, "rounds", build)


@require_safe
@handle_errors
def board_scores(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the board scores of closed rounds. 423 for a ``?round=`` that is being played."""

    def build(tournament: Tournament) -> bytes:
        opened = _rounds(request, tournament)
        if _number(request, "round") is not None and any(each.board_set.is_sealed for each in opened):
            raise Sealed("This round", tournament.public_id)
        names = entry_names(tournament.pk)
        rows = board_score_rows(opened, MAX_ROWS + 1)
        head = ["round", "fixture", "board", "entry", "bot", "score"]
        return csv_bytes(
            head,
            [
                [number, fixture, board, entry, _bots(names, entry), Fraction(high, low)]
                for number, fixture, board, entry, high, low in _bounded(rows, "round")
            ],
        )

    return _csv(request, public_id, "board-scores", build)


def _csv(
    request: HttpRequest, public_id: str, kind: str, build: Callable[[Tournament], bytes]
) -> HttpResponseBase:
    tournament = tournament_get(public_id, request.user)
    caller = f"u{request.user.pk}" if isinstance(request.user, User) else f"a{client_network(request)}"
    if wait_s := rate_consume("exports", caller).wait_s:
        return too_many_requests(wait_s)
    name = f"{file_name_part(tournament.name, 'event')}-{kind}.csv"
    file = File("text/csv; charset=utf-8; header=present", name)
    return cached_file(request, file, lambda: build(tournament), settled_version(tournament))


def _rounds(request: HttpRequest, tournament: Tournament) -> list[Round]:
    stage = stage_or_latest(tournament, _number(request, "stage"))
    number = _number(request, "round")
    opened = csv_rounds(tournament, stage.number, number)
    if number is not None and not opened:
        raise NotFound(f"Stage {stage.number} has no round {number} yet.", "round_not_found")
    return opened


def _bounded(rows: list[Any], by: str) -> list[Any]:
    if len(rows) > MAX_ROWS:
        message = _("This file has more than %(rows)d rows. Add ?%(name)s=1 to the address for a part of it.")
        raise mark_translated(Invalid(message % {"rows": MAX_ROWS, "name": by}, "invalid", field=by))
    return rows


def _bots(names: Any, entry: str) -> str:
    named = names.get(entry)
    return " + ".join(version.bot for version in named.versions) if named else ""


def _value(value: Any) -> Cell:
    """Return a value of the standings; fractions are stored as text ``n/d``."""
    if isinstance(value, str):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            return value
    return value if isinstance(value, int | float) else None


def _number(request: HttpRequest, field: str) -> int | None:
    text = request.GET.get(field, "")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > MAX_DIGITS:
        message = _("The %(field)s %(text)s is not a whole number.")
        raise mark_translated(
            Invalid(message % {"field": field, "text": quoted(text, 20)}, "invalid", field=field)
        )
    return int(text)
