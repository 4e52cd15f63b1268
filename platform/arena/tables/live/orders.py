"""Conversion of a live table's row to a referee order and to past actions."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from arena.matches.orders import bot_limits
from arena.matches.runtime_artifacts import artifacts_current
from arena.roster.models import BotVersion
from arena.tables.live.history import PositionHistory, rules_of
from arena.tables.live.models import LiveTable
from engine.game import Seat
from referee.contract import (
    BoardOrder,
    Clock,
    FaultPolicy,
    SeatOrder,
    TableOrder,
    Verdict,
    table_wall_limit_s,
)
from referee.errors import PlatformFault
from referee.remote import PastAction
from referee.runtimes import require_artifact

BOT_CLOCK = Clock()
"""Clock of the bots: the default of tournaments."""
OPEN_SEAT_RUNTIME = "python/1"


def seat_versions(table: LiveTable) -> dict[Seat, BotVersion]:
    """Return the version of each bot's seat. One query. Raises PlatformFault (a version no longer exists)."""
    named = {seat["seat"]: seat["version"] for seat in table.seats if seat["version"] is not None}
    by_id = {row.public_id: row for row in BotVersion.objects.filter(public_id__in=named.values())}
    missing = [seat for seat, public_id in named.items() if public_id not in by_id]
    if missing:
        raise PlatformFault(f"table {table.public_id}: the bot of seat {missing[0]} is gone")
    return {seat: by_id[public_id] for seat, public_id in named.items()}


def table_order(
    table: LiveTable,
    versions: Mapping[Seat, BotVersion],
    *,
    sitting_in: BotVersion | None = None,
    number: int = 0,
) -> TableOrder:
    """Return the order of a table, or of a table of its field. One query.

    For the field, ``sitting_in`` takes the seats without a sandboxed bot, and ``number``, from 1, changes the
    key of the bots. Raises PlatformFault.
    """
    rules = rules_of(table)
    kind = table.board_kind
    artifacts, seats = artifacts_current(), []
    for seat in range(1, len(table.seats) + 1):
        version = versions.get(seat, sitting_in)
        if version is None:
            seats.append(SeatOrder(seat, table.OPEN_SEAT_SHA256, OPEN_SEAT_RUNTIME, ""))
        else:
            sha256 = artifacts.get(version.runtime, "")
            require_artifact(version.runtime, sha256)
            seats.append(SeatOrder(seat, version.bundle_sha256, version.runtime, version.entry_point, sha256))
    bound = rules.game.decisions_bound(rules.ruleset, kind)
    if bound is None:
        raise PlatformFault(f"table {table.public_id}: {table.preset} has no bound for a {kind}")
    # All tables of the same cards have the same key, so that bots draw the same random numbers at each.
    label = f"rensho-{table.KIND}/1|{table.seed_id}|{number}"
    return TableOrder(
        table=f"{table.KIND}-{table.public_id}" + (f"-{number}" if number else ""),
        attempt=1,
        game=table.game,
        preset=table.preset,
        ruleset=table.ruleset,
        boards=tuple(BoardOrder(board.number, kind, board.seed) for board in rules.boards),
        seats=tuple(seats),
        clock=BOT_CLOCK,
        limits=bot_limits(),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key=hmac.new(bytes(table.secret), label.encode(), hashlib.sha256).hexdigest(),
        wall_limit_s=table_wall_limit_s(
            BOT_CLOCK, [kind] * len(rules.boards), len(seats), bound * len(rules.boards)
        ),
    )


def past_actions(table: LiveTable) -> dict[Seat, list[PastAction]]:
    """Return the actions so far of each seat, with the verdicts of those that the referee chose."""
    history = PositionHistory(rules_of(table))
    verdicts = {int(n): Verdict(verdict) for n, verdict in table.substituted}
    past: dict[Seat, list[PastAction]] = {seat: [] for seat in range(1, len(table.seats) + 1)}
    for n, (seat, action) in enumerate(table.actions):
        # All seats of a step decide in its first state.
        forced = len(history.end.state.legal(seat)) == 1
        past[seat].append(PastAction(action, verdicts.get(n), forced))
        history.add(seat, action)
    return past
