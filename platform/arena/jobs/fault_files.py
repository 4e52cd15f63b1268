"""A fault as a file of its own, with which its author puts a bot into that very position at home."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Mapping
from typing import Any

from arena.common.blobs import blob_get
from arena.common.errors import NotFound
from arena.competition.rules import rules_named
from arena.matches.models import FaultGroup, TableSeat
from arena.matches.orders import bot_limits, table_order
from referee.bundle import read_bundle
from referee.check import trial_table
from referee.contract import Fault, SeatReport, TableOrder, TableReport, Verdict
from referee.errors import RefereeError
from referee.faults import last_error_line
from referee.reproduce import fault_file, spent_by_decision

log = logging.getLogger(__name__)

TRACE_DECISIONS = 5
"""Decisions before the faulted one whose times a report gives: enough to see whether it got slower."""


@dataclasses.dataclass(frozen=True)
class _Scene:
    """Everything known of the table where a group's sample happened."""

    seat: SeatReport
    record_sha256: str
    timings_sha256: str


def last_words_of(sample: Mapping[str, Any]) -> str:
    """The last lines of a fault's log that say what was wrong, or else what the referee said of it."""
    return last_error_line(str(sample.get("log_tail") or "")) or str(sample.get("reason") or "")


def fault_file_of(group: FaultGroup) -> bytes:
    """The document ``rensho-fault/1`` of a group's sample. The group comes with version, table and check.

    Whether the viewer may have it is for the caller to have checked: it holds the record up to there.

    Raises:
        NotFound: code ``fault_file_missing``: what it is made of is not stored, or of other rules.
    """
    scene = _scene_of(group)
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
            f"No file can be made of this fault: {error}. Its request and answer are in the report.",
            "fault_file_missing",
        ) from error


def clock_trace_of(group: FaultGroup) -> list[dict[str, Any]]:
    """Times of the last decisions up to the sample, in order: {board, decision, cpu_ms, wall_ms, verdict}.

    The faulted decision comes last, with its verdict. Earlier ones are missing where the timings are not
    stored any more.
    """
    scene, sample = _scene_of(group), group.sample
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


def _scene_of(group: FaultGroup) -> _Scene:
    if group.check_run is not None:
        report = TableReport.from_json(group.check_run.report or {})
        seat = next(seat for seat in report.seats if seat.seat == group.seat)
        return _Scene(seat, report.record_sha256 or "", report.timings_sha256 or "")
    assert group.table is not None, "a fault happens at a table or in a check"
    table = group.table
    row = TableSeat.objects.get(table=table, seat=group.seat)
    seat = SeatReport(
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
    return _Scene(seat, table.record_sha256, table.timings_sha256)


def _order_of(group: FaultGroup, record: bytes) -> TableOrder:
    """The order of the table, with the present limits."""
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
    tournament = group.table.fixture.board_set.round.stage.tournament
    return {**origin, "tournament": tournament.name, "table": group.table.public_id}


def _timings_of(scene: _Scene) -> bytes:
    try:
        return blob_get(scene.timings_sha256) if scene.timings_sha256 else b""
    except NotFound:
        return b""


def _spent_of(scene: _Scene) -> list[float] | None:
    timings = _timings_of(scene)
    return spent_by_decision(timings, scene.seat) if timings else None
