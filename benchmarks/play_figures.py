"""From moves and notes to figures: where the time of a move went, and what CPU time the processes used."""

from __future__ import annotations

import os
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.play_over_http import Move

PARTS = ("answer", "first", "all", "own", "request", "table", "bots", "stream")
TICKS_S = 1 / os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """CPU time in seconds."""

    by_process: dict[str, float]
    """Of each of ours, without its children."""
    machine: float
    """Of everything on all cores, that of the bots and of strangers included."""

    def since(self, before: Usage) -> Usage:
        """What was used since then."""
        used = {name: value - before.by_process[name] for name, value in self.by_process.items()}
        return Usage(used, self.machine - before.machine)


def usage(processes: Mapping[str, int]) -> Usage:
    """What was used so far, of processes by their ids."""
    by_process = {}
    for name, pid in processes.items():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        by_process[name] = TICKS_S * (int(fields[11]) + int(fields[12]))
    times = [int(text) for text in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    idle = times[3] + times[4]
    return Usage(by_process, TICKS_S * (sum(times[:8]) - idle))


def parts_of(moves: Iterable[Move], notes: Mapping[str, Any]) -> dict[str, list[float]]:
    """Seconds of every move, by part; see ``bench_play``."""
    asked: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for table, began, ended, _ in notes["asked"]:
        asked[table].append((began, ended))
    given: dict[tuple[str, int], float] = {}
    for table, n, moment in notes["given"]:
        given.setdefault((table, n), moment)
    written = {(table, n): moment for table, n, moment in notes["written"]}
    parts: dict[str, list[float]] = {name: [] for name in PARTS}
    for move in moves:
        bots = sum(
            max(0.0, min(end, move.last) - max(began, move.called)) for began, end in asked[move.table]
        )
        reached, stored = given[move.table, move.n], written[move.table, move.upto]
        parts["answer"].append(move.answered - move.called)
        parts["first"].append(move.first - move.called)
        parts["all"].append(move.last - move.called)
        parts["own"].append(move.last - move.called - bots)
        parts["request"].append(reached - move.called)
        parts["table"].append(stored - reached - bots)
        parts["bots"].append(bots)
        parts["stream"].append(move.last - stored)
    return parts


def figures(values: Iterable[float]) -> dict[str, float]:
    """In milliseconds."""
    ordered = sorted(1000 * value for value in values)
    cuts = statistics.quantiles(ordered, n=100)
    return {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "most": ordered[-1]}
