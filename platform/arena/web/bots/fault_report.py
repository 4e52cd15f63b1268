"""The report of a fault for the bot's author: verdict, table, position, request and answer, clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.competition.models import Tournament
from arena.jobs.fault_files import clock_trace_of
from arena.matches.models import FaultGroup, Fixture
from arena.web.base.figures import format_tenths
from arena.web.base.jsontext import format_json, parse_object
from arena.web.drawing.verdicts import verdict_text
from viewer.position_scene import position_of

START_PHASE = "start"
MIN_SCALE_MS = 1.0
"""Minimum range of the scale in ms, so that very short decisions have short bars."""
EMPTY: Mapping[str, Any] = {}


class ClockBar(NamedTuple):
    label: str
    text: str
    width: float
    """Percent of the scale."""
    is_used: bool = False
    is_over: bool = False
    """Whether the limit was exceeded, or the decision ended in a fault."""


class ClockScale(NamedTuple):
    title: str
    bars: list[ClockBar]


class FaultLocation(NamedTuple):
    tournament: Tournament
    fixture: Fixture
    table: str
    board_set: str
    stage: int
    round: int
    has_record: bool


def fault_report_context(group: FaultGroup) -> dict[str, Any]:
    """Return the template context of a fault group, loaded with its version and table or check.

    The number of queries is constant.
    """
    sample = group.sample
    verdict = verdict_text(group.verdict)
    is_start = group.phase == START_PHASE
    request_line, answer_line = sample.get("request") or "", sample.get("answer") or ""
    request, answer = parse_object(request_line), parse_object(answer_line)
    action = (answer or EMPTY).get("action")
    action = action if isinstance(action, str) else ""
    played = sample.get("action") or ""
    location = _location(group)
    options = location.tournament.ruleset if location else {}
    position = position_of(request, action, played, options) if request else None
    return {
        "group": group,
        "file_name": f"fault-{group.fingerprint}.json",
        "verdict": verdict,
        "reason": _sentence(sample.get("reason") or ""),
        "advice": (is_start and verdict.start_advice) or verdict.advice,
        "is_start": is_start,
        "board": sample.get("board") or 0,
        "decision": sample.get("decision") or 0,
        "position": position,
        "request": request_line,
        "request_laid_out": format_json(request) if request else "",
        "answer": answer_line,
        "answer_laid_out": format_json(answer) if answer else "",
        "answer_action": action,
        "is_legal": action in ((request or EMPTY).get("legal") or ()),
        "shows_answer": position is not None and position.has_answer,
        "played": played,
        "log": sample.get("log_tail") or "",
        "clock": clock_scales(sample.get("clock") or {}, is_start=is_start),
        "trace": trace_scale(clock_trace_of(group)),
        "location": location,
        "is_sealed": location is not None and location.fixture.board_set.is_sealed,
    }


def clock_scales(clock: Mapping[str, float], *, is_start: bool) -> list[ClockScale]:
    """Return the measured CPU and wall-clock times of a decision with their limits."""
    bank = [] if is_start else [("Bank", "bank_ms")]
    groups = [
        ("CPU time", [*bank, ("Limit", "limit_cpu_ms"), ("Used", "used_cpu_ms")]),
        ("Wall-clock time", [("Limit", "limit_wall_ms"), ("Used", "used_wall_ms")]),
    ]
    scales = []
    for title, figures in groups:
        measured = [(label, name, float(clock[name])) for label, name in figures if name in clock]
        longest = max((value for _, _, value in measured), default=0.0) or 1.0
        limit = next((value for label, _, value in measured if label == "Limit"), longest)
        bars = [
            ClockBar(
                label,
                format_tenths(value),
                max(0.0, 100 * value / longest),
                is_used=label == "Used",
                is_over=label == "Used" and value > limit,
            )
            for label, _, value in measured
        ]
        if bars:
            scales.append(ClockScale(title, bars))
    return scales


def trace_scale(moments: Sequence[Mapping[str, Any]]) -> ClockScale | None:
    """Return the CPU times of consecutive decisions, faults marked; None for fewer than two."""
    if len(moments) < 2:
        return None
    longest = max(MIN_SCALE_MS, *(moment["cpu_ms"] for moment in moments))
    bars = [
        ClockBar(
            f"Decision {moment['decision']}",
            format_tenths(moment["cpu_ms"]),
            100 * moment["cpu_ms"] / longest,
            is_used=True,
            is_over=bool(moment["verdict"]),
        )
        for moment in moments
    ]
    return ClockScale("CPU time of the last decisions", bars)


def _location(group: FaultGroup) -> FaultLocation | None:
    table = group.table
    if table is None:
        return None
    fixture = table.fixture
    round_row = fixture.board_set.round
    return FaultLocation(
        tournament=round_row.stage.tournament,
        fixture=fixture,
        table=table.public_id,
        board_set=fixture.board_set.public_id,
        stage=round_row.stage.number,
        round=round_row.number,
        has_record=bool(table.record_sha256),
    )


def _sentence(text: str) -> str:
    text = text.strip()
    return text and text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")
