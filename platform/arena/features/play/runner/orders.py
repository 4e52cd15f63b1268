"""From a casual table's row to what the referee plays: the order, and what has been played of it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from arena.features.play.models import PERSON_SHA256, CasualTable
from arena.features.play.offers import house_version
from arena.features.play.position import PositionHistory, board_kind_of, rules_of
from arena.matches.orders import bot_limits
from arena.matches.runtime_artifacts import artifacts_current
from arena.roster.models import BotVersion
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
"""Of the bots: the one tournaments have unless they choose another."""
PERSON_RUNTIME = "python/1"


def seat_versions(table: CasualTable) -> dict[Seat, BotVersion]:
    """The version on every seat but the person's. One query.

    Raises:
        PlatformFault: one of them is gone.
    """
    named = {seat["seat"]: seat["version"] for seat in table.seats if seat["version"] is not None}
    found = {row.public_id: row for row in BotVersion.objects.filter(public_id__in=named.values())}
    missing = [seat for seat, public_id in named.items() if public_id not in found]
    if missing:
        raise PlatformFault(f"table {table.public_id}: the bot of seat {missing[0]} is gone")
    return {seat: found[public_id] for seat, public_id in named.items()}


def stand_in_version(table: CasualTable, strength: str = CasualTable.Strength.GREEDY) -> BotVersion:
    """The house bot that plays in the person's place."""
    return house_version(table.game, strength)


def table_order(
    table: CasualTable,
    versions: Mapping[Seat, BotVersion],
    *,
    sitting_in: BotVersion | None = None,
    number: int = 0,
) -> TableOrder:
    """The order of a table; with ``sitting_in`` and a ``number`` from 1, of a table of its field, whose bots
    have another key. One query.

    Raises:
        PlatformFault: a runtime takes an artefact, and none was published; or a deal of these rules has no
            bound.
    """
    rules = rules_of(table)
    kind = board_kind_of(table.deals)
    artifacts, seats = artifacts_current(), []
    for seat in range(1, len(table.seats) + 1):
        version = versions.get(seat, sitting_in)
        if version is None:
            seats.append(SeatOrder(seat, PERSON_SHA256, PERSON_RUNTIME, ""))
        else:
            sha256 = artifacts.get(version.runtime, "")
            require_artifact(version.runtime, sha256)
            seats.append(SeatOrder(seat, version.bundle_sha256, version.runtime, version.entry_point, sha256))
    bound = rules.game.decisions_bound(rules.ruleset, kind)
    if bound is None:
        raise PlatformFault(f"table {table.public_id}: {table.preset} has no bound for a {kind}")
    label = f"rensho-play/1|{table.public_id}|{number}"
    return TableOrder(
        table=f"play-{table.public_id}" + (f"-{number}" if number else ""),
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


def past_acts(table: CasualTable) -> dict[Seat, list[PastAction]]:
    """What each seat has done so far, in order."""
    course = PositionHistory(rules_of(table))
    verdicts = {int(n): Verdict(verdict) for n, verdict in table.substituted}
    past: dict[Seat, list[PastAction]] = {seat: [] for seat in range(1, len(table.seats) + 1)}
    for n, (seat, action) in enumerate(table.actions):
        # Within a step all decide in its first state.
        forced = len(course.end.state.legal(seat)) == 1
        past[seat].append(PastAction(action, verdicts.get(n), forced))
        course.add(seat, action)
    return past
