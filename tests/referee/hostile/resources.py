"""Attempts to use up what others need: disk, memory, processes, descriptors, limits."""

from __future__ import annotations

from referee.contract import Verdict
from tests.referee.hostile.case import UNHURRIED, Case, Expect, at_most, contained, ends

OVER_MEMORY = Expect(frozenset({Verdict.OVER_MEMORY}), "more memory than it may", (1,), True)
EITHER = Expect(frozenset({Verdict.OK, Verdict.OVER_MEMORY}), "more memory than it may", (0, 1), None)
"""Version 1 ends the largest process, which may not be the bot's first; version 2 ends all of them."""
LOG = "its log shows where"

CASES: tuple[Case, ...] = (
    contained("fills_scratch", 6),
    contained("sparse_files", 6),
    contained("floods_inodes", 7),
    contained("fork_bomb", 8, tells={"started": "0"}, several=Expect(tells={"started": at_most(32)})),
    ends("forks", 8, by=Verdict.CRASHED, reason=LOG, codes=frozenset({"too_many_processes"})),
    contained("thread_bomb", 9),
    ends(
        "memory_hungry",
        10,
        by=Verdict.CRASHED,
        reason=LOG,
        at_full=OVER_MEMORY,
        several=OVER_MEMORY,
        clock=UNHURRIED,
        codes=frozenset({"over_memory"}),
    ),
    ends(
        "shares_memory",
        11,
        by=Verdict.CRASHED,
        reason=LOG,
        at_full=OVER_MEMORY,
        several=OVER_MEMORY,
        clock=UNHURRIED,
    ),
    contained("reserves_memory", 10, 11),
    # Each costs three pages, and the kernel gives a process 65,530 mappings at most.
    contained("sprinkles_pages", 11, tells={"pages": at_most(65_530)}, at_full=OVER_MEMORY, clock=UNHURRIED),
    contained("hoards_pipes", 11, 26),
    contained("hoards_descriptors", 26),
    contained("raises_its_limits", 12, 26),
    contained("queues_signals", 26),
    contained("children_eat", 8, 10, tells={"children": "EAGAIN"}, several=EITHER, clock=UNHURRIED),
)
