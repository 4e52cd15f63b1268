"""Positions and hints that visitors ask for: cached answers, quotas, the queue of the interactive process."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Greatest
from django.utils import timezone

from analysis.notes import SOLVER
from analysis.process import MAX_POLLS
from arena.accounts.models import User
from arena.common.errors import Unavailable
from arena.common.site_key import keyed_digests
from arena.competition.selectors import Viewer
from arena.features.analysis.heartbeat import Queue, is_alive
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.positions import position_from_json, position_to_json
from engine.cards import Card
from engine.kernel import Position

State = SolvedPosition.State
UNSOLVED = (State.WAITING, State.LEASED)
PERIOD = datetime.timedelta(hours=1)
"""Period of the quotas."""
MIN_CHARGE_MS = 20
"""CPU time that a position costs at least, which bounds the number of rows."""
ATTENTION_S = 60
"""Seconds after its last request at which a waiting position is dropped."""
LEASE_S = 30
MAX_FAILURES = 3
MAX_WAITING = 20
"""Positions that wait at once."""
LINE = "line"
"""Key of a question for best play in a row's ``position``, and of its answer in ``values``."""
MAX_ROWS = 200_000
"""Answers that are kept, the latest."""
KEPT = datetime.timedelta(days=30)
PRUNED_AT_ONCE = 5000


class QuotaUsed(Unavailable):
    """A quota of CPU time is used up, or the caller's last position is still being solved."""

    status = 429


class Requester:
    """The account or address that asks, with its quota. Addresses are not stored."""

    def __init__(self, user: Viewer, address: str) -> None:
        whose = f"user|{user.pk}" if isinstance(user, User) else f"address|{address}"
        self.key = keyed_digests(f"rensho-analysis|{whose}")[0]
        limits = settings.ANALYSIS
        self.cpu_s: int = limits.account_cpu_s if isinstance(user, User) else limits.guest_cpu_s


def position_request(position: Position, requester: Requester) -> SolvedPosition:
    """Return the answer of a position, or the row that waits for one; raises as ``request``."""
    return request(position_to_json(position), requester)


def line_request(position: Position, requester: Requester) -> SolvedPosition:
    """Return best play from a position (``line_of``), or the row that waits for it; raises as ``request``."""
    return request({LINE: position_to_json(position)}, requester)


def line_position(row: SolvedPosition) -> Position | None:
    """Return the position of a row that asks for best play; None for other questions."""
    fields = row.position.get(LINE)
    return None if fields is None else position_from_json(fields)


def line_of(row: SolvedPosition) -> list[Card]:
    """Return best play to the end of the deal, of a row that is done."""
    cards: list[Card] = row.values[LINE]
    return cards


def line_finish(row: SolvedPosition, cards: list[Card] | None, cpu_s: float) -> None:
    """Store best play, or that there is none within the limit."""
    position_finish(row, None if cards is None else {LINE: cards}, cpu_s)


def request(values: dict[str, Any], requester: Requester) -> SolvedPosition:
    """Return the answer of a position or hint, or the row that waits for one. Asking again keeps it waiting.

    Raises QuotaUsed (``solve_quota_exceeded``, ``site_solve_quota_exceeded``, ``solve_in_progress``),
    Unavailable (``solver_down``, ``solver_busy``).
    """
    key = _key(values)
    now = timezone.now()
    row = SolvedPosition.objects.filter(key=key).first()
    if row is not None and row.state not in UNSOLVED:
        return row
    if not is_alive(Queue.INTERACTIVE):
        raise Unavailable("The solver is not running. Try again in a minute.", "solver_down", 60)
    if row is not None:
        since = now - datetime.timedelta(seconds=ATTENTION_S)
        if row.requested_at < since:
            _require_quota(requester, now)
            SolvedPosition.objects.filter(pk=row.pk, state__in=UNSOLVED).update(requested_by=requester.key)
        SolvedPosition.objects.filter(pk=row.pk, state__in=UNSOLVED).update(requested_at=now)
        row.refresh_from_db()
        return row
    _require_quota(requester, now)
    row, _ = SolvedPosition.objects.get_or_create(
        key=key, defaults={"position": values, "requested_by": requester.key, "requested_at": now}
    )
    return row


def _require_quota(requester: Requester, now: datetime.datetime) -> None:
    queue = _awaited(now)
    if queue.filter(requested_by=requester.key).exists():
        raise QuotaUsed(
            "Your last position is still being solved. Wait for its answer before you ask for another.",
            "solve_in_progress",
            1,
        )
    if queue.count() >= MAX_WAITING:
        raise Unavailable(
            "Too many positions are waiting to be solved. Try again in a minute.", "solver_busy", 60
        )
    recent = SolvedPosition.objects.filter(requested_at__gt=now - PERIOD)
    used = recent.aggregate(
        own=Sum(_CHARGE, filter=Q(requested_by=requester.key), default=0), all=Sum(_CHARGE, default=0)
    )
    if used["own"] >= requester.cpu_s * 1000:
        raise QuotaUsed(
            f"You have used your {requester.cpu_s} s of computing time for this hour. Solved positions stay "
            "available.",
            "solve_quota_exceeded",
            _wait_s(recent.filter(requested_by=requester.key), now),
        )
    if used["all"] >= settings.ANALYSIS.site_cpu_s * 1000:
        raise QuotaUsed(
            "The site's computing time for this hour is used up. Solved positions stay available.",
            "site_solve_quota_exceeded",
            _wait_s(recent, now),
        )


_CHARGE = Greatest("cpu_ms", MIN_CHARGE_MS)


def _wait_s(rows: QuerySet[SolvedPosition], now: datetime.datetime) -> int:
    """Return the seconds until the oldest of these rows leaves the period."""
    oldest = rows.order_by("requested_at").values_list("requested_at", flat=True).first() or now
    return max(1, int((oldest + PERIOD - now).total_seconds()) + 1)


def _awaited(now: datetime.datetime) -> QuerySet[SolvedPosition]:
    since = now - datetime.timedelta(seconds=ATTENTION_S)
    return SolvedPosition.objects.filter(state__in=UNSOLVED, requested_at__gt=since)


def _key(values: Mapping[str, object]) -> str:
    text = json.dumps([values, SOLVER, MAX_POLLS], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def position_waits() -> bool:
    """Return whether a position waits to be solved."""
    return _awaited(timezone.now()).filter(state=State.WAITING).exists()


def position_claim() -> SolvedPosition | None:
    """Lease the position that has waited longest to the caller; None if none waits."""
    now = timezone.now()
    row = _awaited(now).filter(state=State.WAITING).order_by("id").first()
    if row is None:
        return None
    row.leased_until = now + datetime.timedelta(seconds=LEASE_S)
    changed = SolvedPosition.objects.filter(pk=row.pk, state=State.WAITING).update(
        state=State.LEASED, leased_until=row.leased_until
    )
    return row if changed else None


def position_finish(row: SolvedPosition, values: Mapping[str, Any] | None, cpu_s: float) -> None:
    """Store the exact values or the estimate, or that there are none."""
    _leased(row).update(
        state=State.TOO_LONG if values is None else State.DONE,
        values=dict(values or {}),
        leased_until=None,
        cpu_ms=F("cpu_ms") + round(1000 * cpu_s),
    )


def position_release(row: SolvedPosition) -> None:
    _leased(row).update(state=State.WAITING, leased_until=None)


def position_fail(row: SolvedPosition) -> None:
    """Count a failure of the process; after the third, the position counts as too long."""
    _leased(row).update(state=State.WAITING, leased_until=None, failures=F("failures") + 1)
    rows = SolvedPosition.objects.filter(pk=row.pk, state=State.WAITING, failures__gte=MAX_FAILURES)
    rows.update(state=State.TOO_LONG)


def positions_expire() -> int:
    """Fail positions whose process no longer exists; return their number."""
    rows = list(SolvedPosition.objects.filter(state=State.LEASED, leased_until__lt=timezone.now())[:100])
    for row in rows:
        position_fail(row)
    return len(rows)


def positions_prune() -> int:
    """Delete old answers and positions that were dropped; forget requesters of earlier periods."""
    now = timezone.now()
    SolvedPosition.objects.filter(requested_at__lt=now - PERIOD).exclude(requested_by="").update(
        requested_by=""
    )
    newest = SolvedPosition.objects.order_by("-id").values_list("pk", flat=True)
    over = newest[MAX_ROWS : MAX_ROWS + 1].first()
    old = Q(requested_at__lt=now - KEPT) | Q(state=State.WAITING, requested_at__lt=now - PERIOD)
    if over is not None:
        old |= Q(pk__lte=over)
    pks = list(
        SolvedPosition.objects.filter(old).order_by("id").values_list("pk", flat=True)[:PRUNED_AT_ONCE]
    )
    return SolvedPosition.objects.filter(pk__in=pks).delete()[0]


def _leased(row: SolvedPosition) -> QuerySet[SolvedPosition]:
    return SolvedPosition.objects.filter(pk=row.pk, state=State.LEASED, leased_until=row.leased_until)
