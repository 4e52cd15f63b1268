"""Build the order that a worker plays from a table's row."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
from collections.abc import Iterable

from django.conf import settings

from arena.common.revisions import release
from arena.competition.deals import board_seeds
from arena.competition.models import Tournament
from arena.competition.rules import decisions_bound, rules_of
from arena.matches.models import BoardSet, Table
from arena.matches.runtime_artifacts import with_artifact
from referee.contract import (
    BoardOrder,
    Clock,
    FaultPolicy,
    Limits,
    SeatOrder,
    TableOrder,
    table_wall_limit_s,
)


def bot_limits() -> Limits:
    limits: Limits = settings.BOT_LIMITS
    return limits


def process_limits() -> dict[str, int | float]:
    return dataclasses.asdict(bot_limits())


def table_key(tournament: Tournament, table_public_id: str) -> str:
    """Return the key, in hex, for a table's request ids and bot randomness: equal at a second attempt."""
    message = f"rensho-table/1|{table_public_id}".encode()
    return hmac.new(bytes(tournament.secret), message, hashlib.sha256).hexdigest()


def wall_limit_s(tournament: Tournament, board_count: int) -> float:
    """Return the seconds after which only a platform fault explains that a table is not done."""
    rules = rules_of(tournament)
    return table_wall_limit_s(
        Clock(**tournament.clock),
        [rules.kind] * board_count,
        rules.game.seats(rules.ruleset),
        decisions_bound(rules) * board_count,
    )


def table_order(table: Table) -> TableOrder:
    """Return the order of a table; the seeds are the only secrets in it. Three queries."""
    rows = with_artifact(table.seats.select_related("version").order_by("seat"), "version__runtime")
    seats = [
        SeatOrder(
            seat=row.seat,
            bundle_sha256=row.version.bundle_sha256,
            runtime=row.version.runtime,
            entry_point=row.version.entry_point,
            runtime_sha256=row.runtime_sha256,
        )
        for row in rows
    ]
    return order_of(
        table.fixture.board_set,
        range(table.first_board, table.first_board + table.board_count),
        seats,
        public_id=table.public_id,
        attempt=table.attempt,
        wall_limit_s=table.wall_limit_s,
        killed_bundles=table.killed_bundles,
    )


def order_of(
    board_set: BoardSet,
    boards: range,
    seats: Iterable[SeatOrder],
    *,
    public_id: str,
    attempt: int,
    wall_limit_s: float,
    killed_bundles: Iterable[str],
    rules_version: int = 0,
) -> TableOrder:
    """Return the order of a table on these boards of a set. No query if the set has its tournament."""
    tournament = board_set.round.stage.tournament
    kind = rules_of(tournament).kind
    seeds = board_seeds(board_set.round, boards)
    return TableOrder(
        table=public_id,
        attempt=attempt,
        game=tournament.game,
        preset=tournament.preset,
        ruleset=tournament.ruleset,
        boards=tuple(BoardOrder(number, kind, seeds[number]) for number in boards),
        seats=tuple(seats),
        clock=Clock(**tournament.clock),
        limits=dataclasses.replace(bot_limits(), faults_before_forfeit=tournament.faults_before_forfeit),
        fault_policy=FaultPolicy(tournament.fault_policy),
        key=table_key(tournament, public_id),
        wall_limit_s=wall_limit_s,
        killed_bundles=tuple(killed_bundles),
        rules_version=rules_version or tournament.rules_version,
        release=release(),
    )
