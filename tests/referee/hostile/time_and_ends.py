"""Attempts to gain time, and ways to end."""

from __future__ import annotations

from referee.contract import FaultPolicy, Verdict
from tests.referee.hostile.case import (
    GENEROUS,
    Case,
    Expect,
    contained,
    ends,
    once,
    repeats,
    strictly,
)

OUT_OF_TIME, CRASHED = Verdict.OUT_OF_TIME, Verdict.CRASHED
WALL = "wall-clock limit"
CPU = "CPU limit"
LIMIT = "limit"
"""One of the two: which depends on what else the machine does."""

CASES: tuple[Case, ...] = (
    repeats("spins", 12, by=OUT_OF_TIME, reason=CPU, codes=frozenset({"too_slow"})),
    repeats("spins_in_threads", 12, by=OUT_OF_TIME, reason=CPU),
    once("silent", 13, by=OUT_OF_TIME, reason=WALL, codes=frozenset({"too_slow"})),
    strictly(repeats("sleeps", 13, by=OUT_OF_TIME, reason=WALL)),
    strictly(repeats("naps", 13, by=OUT_OF_TIME, reason=LIMIT)),
    strictly(repeats("yields", 13, by=OUT_OF_TIME, reason=LIMIT)),
    strictly(repeats("waits_in_nice_threads", 13, by=OUT_OF_TIME, reason=LIMIT)),
    strictly(repeats("asks_for_time", 13, by=OUT_OF_TIME, reason=LIMIT, makes_pipes=True)),
    contained(
        "asks_without_end",
        *(28, 34),
        tells={"wrong answers": "0"},
        makes_pipes=True,
        clock=GENEROUS,
        slow_others=True,
    ),
    contained(
        "asks_and_forks",
        *(8, 34),
        tells={"wrong answers": "0"},
        makes_pipes=True,
        clock=GENEROUS,
        several=Expect(tells={"wrong answers": "0"}),
    ),
    ends("dies_asking", 32, 34, by=CRASHED, reason="SIGABRT", makes_pipes=True),
    contained("stops_itself", 13),
    strictly(repeats("closes_stdout", 17, by=OUT_OF_TIME, reason=WALL)),
    strictly(repeats("closes_everything", 17, by=OUT_OF_TIME, reason=WALL)),
    contained("thinks_between_turns", 28, clock=GENEROUS, slow_others=True),
    contained("wakes_itself", 28, 29, clock=GENEROUS, slow_others=True),
    ends("is_alarmed", 29, by=CRASHED, reason="SIGALRM"),
    contained(
        "hides_cpu",
        27,
        tells={"children": "EAGAIN"},
        several=Expect(frozenset({OUT_OF_TIME}), CPU, (1,), True),
        policy=FaultPolicy.STRICT,
    ),
    contained(
        "children_think",
        27,
        28,
        tells={"child": "EAGAIN"},
        several=Expect(tells={"child": "'started'"}),
        clock=GENEROUS,
        slow_others=True,
    ),
    contained(
        "daemonises",
        20,
        tells={"survivor": "EAGAIN"},
        several=Expect(tells={"survivor": "'left one behind'"}),
    ),
    contained("moves_away", 20),
    contained("stays_after_bye", 20),
    contained("dies_at_bye", 32),
    ends("crashes", 32, by=CRASHED, reason="its log shows where", codes=frozenset({"crashed"})),
    ends("leaves", 32, by=CRASHED, reason="ended before the table did", codes=frozenset({"crashed"})),
    ends("answers_and_leaves", 32, by=CRASHED, reason="ended before the table did", decisions=(4,)),
    ends("exits_125", 32, by=CRASHED, reason="exit code 125"),
    ends("fakes_a_kill", 32, by=Verdict.SANDBOX_VIOLATION, reason="exit code 137"),
    ends("segfaults", 32, by=CRASHED, reason="SIGSEGV"),
    ends("aborts", 32, by=CRASHED, reason="SIGABRT"),
    ends("recurses", 32, by=CRASHED, reason="SIGSEGV", clock=GENEROUS),
)
