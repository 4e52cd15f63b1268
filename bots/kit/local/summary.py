"""Result of a match as JSON values, for ``--json`` and the summary file."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

from bots.kit.display.fault_text import reproduce_command
from bots.kit.local.in_process import is_in_process
from bots.kit.local.runner import MatchRun
from bots.kit.local.sides import Contender
from bots.kit.local.tally import FirstFault, SideResult
from league.intervals import Interval
from referee.table import engine_version

FORMAT = "rensho-match/1"


def match_summary(run: MatchRun) -> dict[str, Any]:
    match, rules, tally = run.match, run.match.rules, run.tally
    return {
        "format": FORMAT,
        "version": engine_version(),
        "game": rules.game.key,
        "preset": rules.ruleset.preset,
        "ruleset": rules.ruleset.as_dict(),
        "kind": rules.kind,
        "seed": match.seed,
        "given_boards": [
            {"number": board.order.number, "seed": board.order.seed, "origin": board.origin}
            for board in match.given
        ]
        or None,
        "lost_by": match.lost_by or None,
        "boards_asked": match.boards,
        "boards": tally.boards_done,
        "interrupted": run.is_interrupted,
        "sandbox_level": run.sandbox_level,
        "sides": [
            {
                "side": contender.label,
                "bots": [
                    {
                        "name": bundle.manifest.name,
                        "sha256": bundle.sha256,
                        "in_process": is_in_process(bundle),
                    }
                    for bundle in contender.bundles
                ],
                **_side(side),
                "first_fault": _fault(side.first_fault, contender, run),
            }
            for contender, side in zip(match.contenders, tally.sides, strict=True)
        ],
        "record_sha256s": tally.records,
    }


def interval_json(interval: Interval | None) -> list[float] | None:
    """Return both ends of an interval, or None if it is unbounded."""
    if interval is None or math.isinf(interval.low):
        return None
    return [interval.low, interval.high]


def exact_score(score: Fraction) -> int | str:
    """Return a board score without rounding: an integer, or text such as ``-1/2``."""
    return score.numerator if score.denominator == 1 else str(score)


def _side(side: SideResult) -> dict[str, Any]:
    interval = side.interval
    return {
        "mean": interval.mean if interval else None,
        "interval_95": interval_json(interval),
        "scores": [exact_score(score) for score in side.scores],
        "faults": {verdict.value: count for verdict, count in sorted(side.faults.items())},
        "forfeited_tables": side.forfeits,
        "decisions": side.decisions,
        "median_cpu_ms": side.median_ms,
        "max_cpu_ms": side.max_ms,
    }


def _fault(first: FirstFault | None, contender: Contender, run: MatchRun) -> dict[str, Any] | None:
    if first is None:
        return None
    again = {}
    if run.folder is not None:
        path = run.folder.fault_path(first.batch, first.rotation, first.seat)
        bot = contender.argument_at(first.seat, run.match.rules)
        again = {"file": path.name}
        if not any(map(is_in_process, contender.bundles)):
            again["reproduce"] = reproduce_command(path, bot, run.sandbox_level)
    return {
        **again,
        "boards": [first.batch.first_board, first.batch.last_board],
        "rotation": first.rotation + 1,
        "seat": first.seat,
        **dataclasses.asdict(first.fault),
    }
