"""Automatic removal of suspended, retired and idle versions from ladders."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, Q

from arena.accounts.house import is_house_account
from arena.accounts.models import Notice
from arena.accounts.services import notice_create
from arena.features.ladders.models import Ladder, LadderRound, Placement
from arena.features.ladders.placements import active_placements, placements_end
from arena.matches.models import TableSeat
from arena.roster.models import BotVersion

LeftReason = Placement.LeftReason
IDLE_ROUNDS = 3
"""Consecutive played rounds with only forfeits after which a version is removed."""
RECENT_ROUNDS = 12
"""Last rounds of a ladder that are examined. A version does not play in every round."""


@transaction.atomic
def placements_prune(ladder: Ladder) -> list[Placement]:
    """Remove versions that are suspended, retired, idle or of a closed account; return the others.

    House bots are removed only while they are not ready. Three queries, plus those of each removal.
    """
    staying = []
    placed = list(active_placements(ladder))
    idle = _idle_versions(
        [row for row in placed if not is_house_account(row.bot.owner.user.username)], ladder
    )
    for placement in placed:
        placement.ladder = ladder
        reason = _removal_reason(placement, idle)
        if reason is None:
            staying.append(placement)
        else:
            placements_end([placement], reason, None)
            if reason == LeftReason.IDLE:
                _idle_notify(placement)
    return staying


def _removal_reason(placement: Placement, idle: set[int]) -> LeftReason | None:
    user = placement.bot.owner.user
    if user.deleted_at is not None or not user.is_active:
        return LeftReason.ACCOUNT_INACTIVE
    if placement.version.state == BotVersion.State.SUSPENDED:
        return LeftReason.SUSPENDED
    if placement.version.state != BotVersion.State.READY:
        return LeftReason.RETIRED
    return LeftReason.IDLE if placement.version_id in idle else None


def _idle_versions(placed: Sequence[Placement], ladder: Ladder) -> set[int]:
    placed_at = {row.version_id: row.placed_at for row in placed}
    lately = ladder.rounds.filter(state=LadderRound.State.COUNTED).order_by("-pk")[:RECENT_ROUNDS]
    drawn = dict(lately.values_list("tournament", "drawn_at"))
    rows = (
        TableSeat.objects.filter(table__tournament__in=list(drawn), version__in=list(placed_at))
        .order_by()
        .values_list("version", "table__tournament")
        .annotate(seats=Count("pk"), forfeited=Count("pk", filter=Q(forfeited=True)))
    )
    played: dict[int, list[tuple[datetime.datetime, bool]]] = defaultdict(list)
    for version, tournament, seats, forfeited in rows:
        if drawn[tournament] >= placed_at[version]:
            played[version].append((drawn[tournament], seats == forfeited))
    return {
        version
        for version, rounds in played.items()
        if len(rounds) >= IDLE_ROUNDS
        and all(was_idle for _, was_idle in sorted(rounds, reverse=True)[:IDLE_ROUNDS])
    }


def _idle_notify(placement: Placement) -> None:
    notice_create(
        placement.bot.owner.user,
        Notice.Kind.ENTRY_ENDED,
        {
            "code": "ladder_idle",
            "version": str(placement.version),
            "preset": placement.ladder.preset,
            "seats": placement.ladder.seats,
            "rounds": IDLE_ROUNDS,
        },
        placement.version.page,
    )
