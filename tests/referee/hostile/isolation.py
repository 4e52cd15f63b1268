"""Attempts to get out: network, files, processes, rights, system calls, neighbours."""

from __future__ import annotations

from referee.contract import Verdict
from tests.referee.hostile.case import GENEROUS, Case, contained, ends

START = {"phase": "start", "decisions": (0,)}

CASES: tuple[Case, ...] = (
    contained("opens_sockets", 1),
    ends(
        "uses_network",
        1,
        by=Verdict.CRASHED,
        reason="its log shows where",
        codes=frozenset({"not_permitted"}),
        **START,
    ),
    contained("reads_host_files", 2),
    contained("walks_about", 2, 31),
    contained("reads_proc", 3),
    contained("reads_environment", 4),
    contained("writes_everywhere", 5),
    contained("kills_everybody", 21),
    contained("reaches_into_others", 21),
    contained("makes_namespaces", 22),
    contained("becomes_root", 22, 23),
    contained("calls_the_kernel", 23),
    contained("calls_unknown_numbers", 23),
    ends(
        "foreign_call",
        24,
        by=Verdict.SANDBOX_VIOLATION,
        reason="a system call the sandbox forbids",
        machines=("x86_64",),
    ),
    ends(
        "old_gate",
        24,
        by=Verdict.SANDBOX_VIOLATION,
        reason="a system call the sandbox forbids",
        machines=("x86_64",),
    ),
    contained("types_into_a_terminal", 25),
    contained("links_out", 30),
    contained("looks_for_neighbours", 3, 31),
    contained("starts_over", 8, 21),
    contained("asks_what_is_counted", 34),
    contained("sends_descriptors", 34),
    contained("exchanges_descriptors", 34, makes_pipes=True, clock=GENEROUS),
    contained("uses_what_it_may"),
    ends(
        "lacks_module",
        by=Verdict.CRASHED,
        reason="its log shows where",
        codes=frozenset({"missing_module"}),
        **START,
    ),
)
