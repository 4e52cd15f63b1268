"""Each hostile bot at a table of its own in the real sandbox, and what must come of it.

python hostile_cases.py     plays them all and prints what came of it as JSON; so another user can, too
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import NamedTuple

from referee.bundle import Bundle, import_archive
from referee.contract import Clock, FaultPolicy, SeatOrder, Verdict
from referee.execute import execute, sandboxed_driver
from referee.inprocess import InProcessDriver
from tests.referee.archives import tarred
from tests.referee.orders import Store, acts, make_order, silent_progress
from tests.referee.speakers import Honest

HOSTILE = Path(__file__).with_name("hostile")
SEAT = 2
CLOCK = Clock(bank_cpu_ms_per_deal_board=30)


class Case(NamedTuple):
    """What the bot comes to, and a word of what its author is told."""

    verdicts: set[Verdict]
    advice: str
    reason_codes: set[str]
    """With which ``check`` rejects it."""
    is_final: bool = True
    """One fault is its last."""
    clock: Clock = CLOCK
    first_faults: tuple[int, ...] = (3,)
    """Which of its decisions may be the first to go wrong."""


# The kernel's own limit, not the referee's, should end this one: it stops at 512 MiB, after some time.
_PATIENT = Clock(bank_cpu_ms_per_deal_board=2000)

CASES: dict[str, Case] = {
    "silent": Case({Verdict.OUT_OF_TIME}, "wall-clock limit", {"too_slow"}, is_final=False),
    "spins": Case({Verdict.OUT_OF_TIME}, "CPU limit", {"too_slow"}, is_final=False),
    "chatty": Case({Verdict.PROTOCOL}, "standard error", {"bad_answer"}, is_final=False),
    # Depends on how much the first look at the pipe brings.
    "floods": Case(
        {Verdict.OVER_OUTPUT, Verdict.PROTOCOL},
        "one line",
        {"over_output", "bad_answer"},
        first_faults=(3, 4),
    ),
    "floods_stderr": Case(
        {Verdict.OVER_OUTPUT}, "write less to standard error", {"over_output"}, clock=_PATIENT
    ),
    "lies": Case({Verdict.PROTOCOL}, "repeat the id", {"bad_answer"}, is_final=False),
    "plays_illegal": Case({Verdict.ILLEGAL_ACTION}, "'legal'", {"illegal_action"}, is_final=False),
    "forks": Case({Verdict.CRASHED}, "its log shows where", {"too_many_processes"}),
    "memory_hungry": Case({Verdict.CRASHED}, "its log shows where", {"over_memory"}, clock=_PATIENT),
    "crashes": Case({Verdict.CRASHED}, "its log shows where", {"crashed"}),
    "leaves": Case({Verdict.CRASHED}, "ended before the table did", {"crashed"}),
    "garbage": Case({Verdict.PROTOCOL}, "not JSON", {"bad_answer"}, is_final=False),
    "not_utf8": Case({Verdict.PROTOCOL}, "not UTF-8", {"bad_answer"}),
    "endless_line": Case({Verdict.OVER_OUTPUT}, "too long", {"over_output"}),
    # Its third answer is in order, what stands behind it is not.
    "answers_ahead": Case(
        {Verdict.PROTOCOL}, "before the request", {"bad_answer"}, is_final=False, first_faults=(4,)
    ),
    "never_ready": Case({Verdict.OUT_OF_TIME}, "answer hello first", {"not_ready"}),
    "slow_to_start": Case({Verdict.OUT_OF_TIME}, "answer hello first", {"not_ready"}),
    "bad_ready": Case({Verdict.PROTOCOL}, "not JSON", {"bad_ready"}),
    "lacks_module": Case({Verdict.CRASHED}, "its log shows where", {"missing_module"}),
    "uses_network": Case({Verdict.CRASHED}, "its log shows where", {"not_permitted"}),
}

START_CASES = {"never_ready", "slow_to_start", "bad_ready", "lacks_module", "uses_network"}
"""They fail before the first request; the others are honest at two requests first."""


def bundle_of(name: str) -> Bundle:
    """The bot as an upload would make it."""
    files = {path.name: path.read_bytes() for path in HOSTILE.glob("*.py") if path.stem in {name, "honest"}}
    files["rensho.toml"] = f'name = "{name}"\nruntime = "python/1"\nentry_point = "{name}.py"\n'.encode()
    return import_archive(tarred(files), "bot.tar")


def table_with(name: str, **order):
    """The report of a table where this bot sits among honest ones, and the store."""
    bundle = bundle_of(name)
    table = make_order(boards=1, **{"clock": CLOCK, "attempt": 2, **order})
    seats = tuple(
        SeatOrder(seat.seat, bundle.sha256, "python/1", bundle.manifest.entry_point) for seat in table.seats
    )
    table = dataclasses.replace(table, seats=seats)

    def make_driver(order, seat, folder, cpu_limit_s):
        if seat.seat == SEAT:
            return sandboxed_driver(order, seat, folder, cpu_limit_s)
        return InProcessDriver(Honest(), order.limits)

    store = Store()
    return execute(table, lambda sha256: bundle.data, store.keep, silent_progress, make_driver), store


def outcome(name: str):
    """What a test compares, as plain JSON. One fault decides, to save time; ``strict`` does that."""
    report, store = table_with(name, clock=CASES[name].clock, fault_policy=FaultPolicy.STRICT)
    if report.platform_fault is not None:
        return {"platform_fault": report.platform_fault}
    seat = report.seats[SEAT - 1]
    fault = seat.faults[0] if seat.faults else None
    return {
        "level": report.sandbox_level,
        "verdict": seat.verdict,
        "forfeited": seat.forfeited,
        "decisions": seat.decisions,
        "faults": [] if fault is None else [(fault.verdict, fault.phase, fault.reason, fault.log_tail)],
        "others": [other.verdict for other in report.seats if other.seat != SEAT],
        "acts": acts(store, report, without=("by", "verdict")),
        "by_referee": sum("by" in act for act in acts(store, report)),
    }


if __name__ == "__main__":
    print(json.dumps({name: outcome(name) for name in CASES}))
