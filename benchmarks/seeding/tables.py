"""Tables of a seeded event, really played by the referee, once per distinct seating.

The bots' answers depend on the request alone. Two tables of a round with the same bundles in the same
seats therefore have the same record byte for byte, and only the first is played.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from arena.competition.models import Tournament
from arena.competition.rules import rules_of
from arena.matches.orders import bot_limits
from arena.tables.artifacts import TableArtifacts
from arena.tables.views import report_view
from benchmarks.seeding.bundles import answers_by_bundle
from referee.contract import BoardOrder, Clock, FaultPolicy, SeatOrder, TableOrder, TableReport
from referee.inprocess import InProcessDriver
from referee.table import play_table

LEVEL = "NONE"
BANK_MS = 500.0
KEY = "5e" * 32
PATIENT = Clock(
    start_wall_ms=600_000,
    increment_cpu_ms=60_000,
    bank_cpu_ms_per_deal_board=600_000,
    bank_cpu_ms_per_game_board=600_000,
    decision_cpu_cap_ms=600_000,
)
"""Generous clock, so that load on the machine does not change results."""


class SeatingResult(NamedTuple):
    report: TableReport
    faults: dict[int, list[dict[str, Any]]]
    """Faults as JSON, by seat; only seats with faults."""
    decisions: int
    view_sha256: str


class TablePool:
    def __init__(self, tournament: Tournament, seeds: dict[int, str]) -> None:
        self._tournament = tournament
        self._rules = rules_of(tournament)
        self._seeds = seeds
        self._played: dict[tuple[int, tuple[str, ...]], SeatingResult] = {}

    def table(self, first_board: int, board_count: int, bundles: Sequence[str]) -> SeatingResult:
        """Return the table of these boards with these bundles in seats 1, 2, ...; record and view are
        stored.
        """
        key = (first_board, tuple(bundles))
        if key not in self._played:
            self._played[key] = self._play(first_board, board_count, bundles)
        return self._played[key]

    def _play(self, first_board: int, board_count: int, bundles: Sequence[str]) -> SeatingResult:
        event = self._tournament
        numbers = range(first_board, first_board + board_count)
        order = TableOrder(
            table="seeded",
            attempt=1,
            game=event.game,
            preset=event.preset,
            ruleset=event.ruleset,
            boards=tuple(BoardOrder(number, self._rules.kind, self._seeds[number]) for number in numbers),
            seats=tuple(
                SeatOrder(seat, sha256, "python/1", "bot.py") for seat, sha256 in enumerate(bundles, 1)
            ),
            clock=PATIENT,
            limits=bot_limits(),
            fault_policy=FaultPolicy(event.fault_policy),
            key=KEY,
            wall_limit_s=3600.0,
        )
        answers = answers_by_bundle()
        drivers = {seat: InProcessDriver(answers[sha256]) for seat, sha256 in enumerate(bundles, 1)}
        artifacts = TableArtifacts()
        report = play_table(order, drivers, lambda *_: None, artifacts.keep, sandbox_level=LEVEL)
        report = dataclasses.replace(
            report,
            timings_sha256=None,  # they are this machine's, not the bots'
            seats=tuple(
                dataclasses.replace(seat, cpu_ms=0, wall_ms=0, log_sha256=None) for seat in report.seats
            ),
        )
        report_view(artifacts, order, report, "a seeded table")
        artifacts.write(report)
        artifacts.note(report)
        seats = report.to_json()["seats"]
        return SeatingResult(
            report,
            {
                seat["seat"]: [_timeless(fault) for fault in seat["faults"]]
                for seat in seats
                if seat["faults"]
            },
            sum(seat.decisions for seat in report.seats),
            artifacts.view_sha256,
        )


def _timeless(fault: dict[str, Any]) -> dict[str, Any]:
    """Return a fault without times measured on this machine."""
    clock = {**fault["clock"], "bank_ms": BANK_MS, "used_cpu_ms": 1.0, "used_wall_ms": 2.0}
    request = fault["request"]
    if request is not None:
        request_fields = json.loads(request)
        request_fields["clock"] = {**request_fields.get("clock", {}), "bank_ms": BANK_MS}
        request = json.dumps(request_fields, separators=(",", ":"))
    return {**fault, "verdict": str(fault["verdict"]), "clock": clock, "request": request}
