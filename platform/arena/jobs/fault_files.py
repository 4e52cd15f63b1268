"""Fault files, with which an author reproduces the position of a fault at home."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Mapping
from typing import Any

from arena.common.blobs import blob_get
from arena.common.errors import NotFound
from arena.competition.rules import rules_named
from arena.matches.models import FaultGroup, Table, TableSeat
from arena.matches.orders import bot_limits, table_order
from arena.roster.models import BotVersion
from referee.bundle import read_bundle
from referee.check import trial_table
from referee.contract import Fault, SeatReport, TableOrder, TableReport, Verdict
from referee.errors import RefereeError
from referee.faults import last_error_line
from referee.reproduce import fault_file, spent_by_decision

log = logging.getLogger(__name__)

TRACE_DECISIONS = 5
"""Decisions before the fault whose times are reported, enough to see a slowdown."""


@dataclasses.dataclass(frozen=True)
class _FaultedTable:
    seat: SeatReport
    record_sha256: str
    timings_sha256: str


def error_line_of(sample: Mapping[str, Any]) -> str:
    """Return the last log lines of a fault that describe the error, or else the referee's description."""
    return last_error_line(str(sample.get("log_tail") or "")) or str(sample.get("reason") or "")


def fault_file_of(group: FaultGroup) -> bytes:
    """Return the document ``rensho-fault/1`` of a group's sample; select its version, table and check.

    The caller checks permissions. Raises NotFound ``fault_file_not_found`` if data are missing or of other
    rules.
    """
    scene = _faulted_table_of(group)
    try:
        record = blob_get(scene.record_sha256)
        return fault_file(
            _order_of(group, record),
            group.seat,
            _fault_of(group.sample),
            record,
            origin=_origin_of(group),
            spent_ms=_spent_of(scene),
        )
    except (RefereeError, NotFound) as error:
        log.error("no file of fault %s of %s: %s", group.fingerprint, group.version.public_id, error)
        raise NotFound(
            f"No file can be created for this fault: {error}. The report has its request and response.",
            "fault_file_not_found",
        ) from error


def clock_trace_of(group: FaultGroup) -> list[dict[str, Any]]:
    """Return {board, decision, cpu_ms, wall_ms, verdict} of the last decisions up to the sample, in order.

    The faulted decision comes last; earlier ones are missing if the timings are not stored.
    """
    scene, sample = _faulted_table_of(group), group.sample
    last = sample["decision"]
    trace: dict[int, dict[str, Any]] = {}
    for line in _timings_of(scene).splitlines():
        timing = json.loads(line)
        if timing.get("seat") == group.seat and last - TRACE_DECISIONS <= timing["n"] < last:
            trace[timing["n"]] = _moment(
                timing["board"], timing["n"], timing["cpu_us"] / 1000, timing["wall_us"] / 1000, ""
            )
    for fault in scene.seat.faults:
        if last - TRACE_DECISIONS <= fault.decision <= last:
            clock = fault.clock
            trace[fault.decision] = _moment(
                fault.board, fault.decision, clock["used_cpu_ms"], clock["used_wall_ms"], fault.verdict
            )
    return [trace[decision] for decision in sorted(trace)]


def _moment(board: int, decision: int, cpu_ms: float, wall_ms: float, verdict: str) -> dict[str, Any]:
    return {
        "board": board,
        "decision": decision,
        "cpu_ms": cpu_ms,
        "wall_ms": wall_ms,
        "verdict": str(verdict),
    }


def _fault_of(raw: dict[str, Any]) -> Fault:
    return Fault(**{**raw, "verdict": Verdict(raw["verdict"])})


def _faulted_table_of(group: FaultGroup) -> _FaultedTable:
    if group.check_run is not None:
        report = TableReport.from_json(group.check_run.report or {})
        seat = next(seat for seat in report.seats if seat.seat == group.seat)
        return _FaultedTable(seat, report.record_sha256 or "", report.timings_sha256 or "")
    assert group.table is not None, "a fault happens at a table or in a check"
    table = group.table
    seat = seat_report_of(TableSeat.objects.get(table=table, seat=group.seat))
    return _FaultedTable(seat, table.record_sha256, table.timings_sha256)


def seat_report_of(row: TableSeat) -> SeatReport:
    return SeatReport(
        seat=row.seat,
        verdict=Verdict(row.verdict),
        forfeited=row.forfeited,
        decisions=row.decisions,
        cpu_ms=row.cpu_ms,
        wall_ms=row.wall_ms,
        peak_bytes=row.peak_bytes,
        faults=tuple(_fault_of(fault) for fault in row.faults),
        log_sha256=row.log_sha256 or None,
    )


def _order_of(group: FaultGroup, record: bytes) -> TableOrder:
    """Return the order of the table with the current limits."""
    if group.table is not None:
        return table_order(group.table)
    version = group.version
    preset = json.loads(record.split(b"\n", 1)[0])["preset"]
    game, ruleset = rules_named(version.bot.game, preset)
    assert group.check_run is not None, "a fault happens at a table or in a check"
    bundle = read_bundle(blob_get(version.bundle_sha256))
    return trial_table(bundle, game, ruleset, bot_limits(), group.check_run.trial_seed).order


def _origin_of(group: FaultGroup) -> dict[str, str]:
    version = group.version
    origin = {"bot": f"{version.bot.owner.handle}/{version.bot.name}", "version": str(version.number)}
    if group.table is None:
        return {**origin, "table": "trial of the check"}
    return origin_at(group.table, version)


def origin_at(table: Table, version: BotVersion) -> dict[str, str]:
    """Return the labels of a file about a version at a table."""
    return {
        "bot": f"{version.bot.owner.handle}/{version.bot.name}",
        "version": str(version.number),
        "tournament": table.tournament.name,
        "table": table.public_id,
    }


def _timings_of(scene: _FaultedTable) -> bytes:
    return timings_of(scene.timings_sha256)


def timings_of(sha256: str) -> bytes:
    """Return the stored timings of a table; empty if there are none."""
    try:
        return blob_get(sha256) if sha256 else b""
    except NotFound:
        return b""


def _spent_of(scene: _FaultedTable) -> list[float] | None:
    timings = _timings_of(scene)
    return spent_by_decision(timings, scene.seat) if timings else None
