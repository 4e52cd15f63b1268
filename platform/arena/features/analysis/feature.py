"""Feature descriptor of analysis."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.urls import reverse

from arena.accounts.models import User
from arena.common.features import AccountDeletion, Feature, HealthResult, StaleRows, StateDeadline
from arena.features.analysis.access import is_open
from arena.features.analysis.casual import casual_notes, casual_request, failed_casual
from arena.features.analysis.due import round_make_due, sets_make_due
from arena.features.analysis.heartbeat import Queue, is_alive
from arena.features.analysis.hints import seat_hint
from arena.features.analysis.models import Problem, TableAnalysis
from arena.features.analysis.positions import GAME
from arena.features.analysis.problems.attempts import attempts_data, attempts_forget
from arena.features.analysis.queue import cpu_ms_left
from arena.features.analysis.selectors import failed_analyses, notes_of_tables
from arena.matches.models import Table

MAX_LISTED = 5
"""Maximum tables that one line names."""


def _stale_rows(now: datetime.datetime) -> Iterator[StaleRows]:
    yield StaleRows(
        "table_analysis",
        TableAnalysis.objects.filter(state=TableAnalysis.State.LEASED),
        [
            StateDeadline("leased", "state_at", Q(), None),
            StateDeadline("expired", "leased_until", Q(leased_until__lt=now), 0.0),
        ],
    )
    yield StaleRows(
        "problem",
        Problem.objects.filter(state=Problem.State.LEASED),
        [StateDeadline("expired", "leased_until", Q(leased_until__lt=now), 0.0)],
    )


def _own_data(user: User) -> dict[str, Any]:
    return {"problem_answers": attempts_data(user)}


def _delete_account(closing: AccountDeletion) -> tuple[()]:
    attempts_forget(closing.user)
    return ()


def _health(is_supervised: bool) -> Iterator[HealthResult]:
    part = "analysis"
    failed = list(failed_analyses().values_list("table__public_id", flat=True)[: MAX_LISTED + 1])
    if failed:
        more = " and more" if len(failed) > MAX_LISTED else ""
        yield HealthResult(
            part,
            False,
            f"three failures each: tables {', '.join(failed[:MAX_LISTED])}{more}",
            "The admin lists the reasons (table analyses, failed); then manage.py analysis_request --failed.",
        )
    casual = [row.live_table.public_id for row in failed_casual()[:MAX_LISTED]]
    if casual:
        yield HealthResult(
            part,
            False,
            f"three failures each: casual and remote tables {', '.join(casual)}",
            "The admin lists the reasons (casual analyses); then manage.py analysis_request --failed.",
        )
    waiting = TableAnalysis.objects.filter(state=TableAnalysis.State.WAITING).count()
    left_s = cpu_ms_left() // 1000
    detail = f"{waiting} tables wait, {left_s} of {settings.ANALYSIS.notes_cpu_s} s of CPU left today"
    down = [queue for queue in Queue if not is_alive(queue)]
    if not down:
        yield HealthResult(part, True, detail)
    elif is_supervised:
        yield HealthResult(
            part,
            False,
            f"no recent heartbeat of the queue {' and '.join(down)}",
            "Read logs/analysis.log in the data folder.",
        )
    elif not settings.BROKER_IS_MANAGED:
        remedy = (
            "For notes and the explorer: systemctl start rensho-analysis rensho-notes, then journalctl -u "
            "rensho-analysis -u rensho-notes."
        )
        yield HealthResult(
            part, True, f"no recent heartbeat of the queue {' and '.join(down)}; {detail}", remedy
        )


def explorer_address(table: Table) -> str:
    """Return the address of a table's explorer if its analysis is public and the solver knows its game."""
    if table.tournament.game != GAME or not is_open(table):
        return ""
    return reverse("web:table-explore", args=[table.public_id])


def casual_explorer_address(game: str, page: str, key: str) -> str:
    """Return the address of the explorer of a table against bots if the solver knows its game."""
    return reverse(f"web:{page}-explore", args=[key]) if game == GAME else ""


def _blob_references(sha256: str) -> list[str]:
    rows = TableAnalysis.objects.filter(notes_sha256=sha256).select_related("table")
    return [f"notes on table {row.table.public_id}" for row in rows[:MAX_LISTED]]


def _set_blobs(board_sets: Collection[int]) -> Iterable[str]:
    rows = TableAnalysis.objects.filter(table__fixture__board_set__in=board_sets).exclude(notes_sha256="")
    return rows.order_by("table").values_list("notes_sha256", flat=True)


ANALYSIS = Feature(
    name="analysis",
    urls="arena.features.analysis.urls",
    api_urls="arena.features.analysis.api_urls",
    service="analysis_serve",
    round_closed=round_make_due,
    results_changed=sets_make_due,
    own_data=_own_data,
    delete_account=_delete_account,
    stale_rows=_stale_rows,
    health=_health,
    blob_references=_blob_references,
    set_blobs=_set_blobs,
    table_notes=notes_of_tables,
    casual_notes=casual_notes,
    casual_ended=casual_request,
    seat_hint=seat_hint,
    table_explorer=explorer_address,
    casual_explorer=casual_explorer_address,
)
