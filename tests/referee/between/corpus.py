"""All channels, with their walls and expected rates."""

from __future__ import annotations

import resource
from collections.abc import Iterable, Mapping
from typing import Any

from tests.referee.between import walls
from tests.referee.between.channel import Arrangement, Channel

AFTER, AT_ONCE, PARTNERS = Arrangement
EVERYWHERE = tuple(Arrangement)
WHILE_ALIVE = (AT_ONCE, PARTNERS)

TMPFS = "bundles and runtimes are in memory"
FILTER = "system calls"
CACHES = "shared hardware; a bot can have a core and its caches alone only on its own machine"
START = (
    "a bot chooses the end of its table within its wall bank, and the next bot sees by the clock when it "
    "starts; only another order of tables, or a pause far longer than that bank, would hide it"
)
TIME = "a bot may answer late and may read the clock; every delay is charged to its wall bank"
ANSWERED = "the worker answers questions about descriptors, with numbers specific to the bot"
PAGES = "the kernel gives freed pages of one bot to the next while they are still in the caches"
WARM = dict.fromkeys(
    WHILE_ALIVE,
    "data that the kernel has just used for one bot is still in the processor's caches for the next",
)

ONE: dict[str, Any] = {"slots": 1, "slots_after": 64}
FEW: dict[str, Any] = {"slots": 1, "slots_after": 3}
COLD: dict[str, Any] = {"carries": (AFTER, PARTNERS), "slots": 128, "fresh": True}

CHANNELS: tuple[Channel, ...] = (
    # Names, contents and attributes of files.
    Channel("names.MissingUnderBot", TMPFS, (walls.on_disk,), carries=EVERYWHERE, open=WARM),
    Channel("names.MissingUnderUsr", TMPFS, (walls.on_disk,), carries=EVERYWHERE, open=WARM),
    Channel("names.Existing", TMPFS, (walls.on_a_cold_disk,), open=WARM, needs_root=True, **COLD),
    Channel("names.Reads", TMPFS, (walls.on_a_cold_disk,), open=WARM, needs_root=True, **COLD),
    Channel(
        "names.Faults",
        f"{TMPFS}; {FILTER}",
        (walls.on_a_cold_disk, walls.allowing("getrusage")),
        needs_root=True,
        **COLD,
    ),
    Channel(
        "names.Resident",
        f"{TMPFS}; {FILTER}",
        (walls.on_a_cold_disk, walls.allowing("mincore", "preadv2")),
        needs_root=True,
        **COLD,
    ),
    Channel(
        "names.Extents",
        f"{TMPFS}; {FILTER}",
        (walls.on_a_cold_disk, walls.allowing("ioctl")),
        needs_root=True,
        **COLD,
    ),
    Channel(
        "names.AccessTimes",
        "bundles are mounted read-only",
        (walls.on_a_disk_with_old_times, walls.writable_bundle),
        **COLD,
    ),
    Channel("names.SetTimes", FILTER, (walls.allowing("utimensat"),), carries=(PARTNERS,), **ONE),
    Channel(
        "names.Notices",
        FILTER,
        (walls.allowing("inotify_init1", "inotify_add_watch"),),
        carries=WHILE_ALIVE,
        **ONE,
    ),
    Channel(
        "names.Scratch", "a separate scratch disk for each bot", (walls.one_scratch_disk,), carries=EVERYWHERE
    ),
    Channel(
        "names.FreeSpace",
        f"{FILTER}; a separate scratch disk for each bot",
        (walls.one_scratch_disk, walls.allowing("statfs", "fstatfs")),
        carries=(PARTNERS,),
        **ONE,
    ),
    Channel(
        "names.ScratchNumbers",
        "a separate scratch disk for each bot, which numbers its files itself",
        (walls.one_scratch_disk,),
        carries=(PARTNERS,),
        **ONE,
    ),
    # Locks, leases, futexes.
    Channel("locks.WholeFile", FILTER, (walls.allowing("flock"),), carries=WHILE_ALIVE, **ONE),
    Channel("locks.Bytes", FILTER, (walls.allowing("fcntl"),), carries=WHILE_ALIVE, slots=32),
    Channel(
        "locks.Leases",
        f"{FILTER}; a separate user for each bot",
        (walls.one_uid, walls.allowing("fcntl")),
        carries=WHILE_ALIVE,
        **ONE,
    ),
    Channel("locks.Futexes", FILTER, (walls.allowing("futex"),), carries=WHILE_ALIVE, slots=8),
    Channel(
        "locks.FutexesOfPrivateMappings", FILTER, (walls.allowing("futex"),), carries=WHILE_ALIVE, slots=8
    ),
    Channel("locks.FutexSleepers", FILTER, (walls.allowing("futex"),), carries=(AT_ONCE,), slots=8),
    Channel("locks.ThreadEnds", FILTER, (walls.allowing("futex"),), carries=(AT_ONCE,), slots=8),
    # What the kernel numbers or counts.
    Channel(
        "counters.PipeNumbers", FILTER, (walls.allowing("pipe", "pipe2"),), carries=(AFTER, PARTNERS), **FEW
    ),
    Channel(
        "counters.PipeNumbersOfOthers",
        ANSWERED,
        (walls.allowing("fstat", "newfstatat", "statx"),),
        played=(walls.pipes_allowed,),
        carries=(AFTER, PARTNERS),
        **FEW,
    ),
    Channel(
        "counters.SocketNumbersOfOthers",
        ANSWERED,
        (walls.allowing("fstat", "newfstatat", "statx"),),
        played=(walls.pipes_allowed,),
        carries=(AFTER, PARTNERS),
        **FEW,
    ),
    Channel(
        "counters.StreamNumbers",
        "named pipes in place of the kernel's",
        (walls.unnamed_streams,),
        played=(walls.allowing("pipe", "pipe2"),),
        carries=(AFTER,),
        **FEW,
    ),
    Channel(
        "counters.ThreadNumbers",
        FILTER,
        (walls.allowing("clone"),),
        carries=(AFTER, PARTNERS),
        slots=1,
        slots_after=2,
    ),
    Channel(
        "counters.SocketCookies",
        FILTER,
        (walls.allowing("getsockopt", "socketpair"),),
        carries=(AFTER, PARTNERS),
        **FEW,
    ),
    Channel(
        "counters.OtherNumbers",
        "the kernel gives all of them the same number",
        unremovable="no setting of this kernel gives them separate numbers",
        **ONE,
    ),
    Channel(
        "counters.Mounts",
        f"{FILTER}; no user namespaces inside",
        (walls.allowing("unshare"), walls.without_user_namespace_lock),
        carries=(PARTNERS,),
        slot_s=0.01,
        **ONE,
    ),
    Channel(
        "counters.FlyingDescriptors",
        f"{FILTER}; a separate user for each bot",
        (walls.one_uid, walls.allowing("sendmsg", "socketpair")),
        carries=WHILE_ALIVE,
        **ONE,
    ),
    Channel(
        "counters.PendingSignals",
        "limits of a bot far below its user's; a separate user for each bot",
        (walls.one_uid, walls.worker_limit(resource.RLIMIT_SIGPENDING, 80)),
        carries=WHILE_ALIVE,
        **ONE,
    ),
    Channel(
        "counters.Threads",
        "limits of a bot far below its user's; a separate user for each bot",
        (walls.one_uid, walls.worker_limit(resource.RLIMIT_NPROC, 44)),
        carries=WHILE_ALIVE,
        slot_s=0.02,
        **ONE,
    ),
    Channel(
        "counters.PipePages",
        f"{FILTER}; 64 descriptors; a separate user for each bot",
        (walls.one_uid, walls.allowing("fcntl", "pipe", "pipe2"), walls.many_descriptors),
        carries=WHILE_ALIVE,
        slot_s=0.01,
        **ONE,
    ),
    Channel("counters.Totals", FILTER, (walls.allowing("sysinfo"),), carries=WHILE_ALIVE, slot_s=0.02, **ONE),
    Channel(
        "counters.OwnUsage", FILTER, (walls.allowing("getrusage"),), carries=(PARTNERS,), slot_s=0.012, **ONE
    ),
    Channel(
        "counters.Priorities",
        "a separate process namespace for each bot",
        unremovable="the sandbox finds its bots by their namespaces",
        **ONE,
    ),
    Channel(
        "counters.Signals",
        "a separate process namespace for each bot",
        unremovable="the sandbox finds its bots by their namespaces",
        **ONE,
    ),
    # Processor and time.
    Channel(
        "machine.SharedLines",
        "none",
        unremovable="there is no wall",
        open=dict.fromkeys(WHILE_ALIVE, CACHES),
        machines=("x86_64",),
        slots=16,
    ),
    Channel(
        "machine.OwnLines",
        "none",
        unremovable="there is no wall",
        open=dict.fromkeys(WHILE_ALIVE, CACHES),
        machines=("x86_64",),
        slots=1,
        slots_after=16,
    ),
    Channel(
        "machine.Bus",
        "none",
        unremovable="there is no wall",
        open=dict.fromkeys(WHILE_ALIVE, CACHES),
        machines=("x86_64",),
        slots=1,
        slots_after=16,
        slot_s=0.01,
    ),
    Channel(
        "machine.Slices",
        "a separate core for each table",
        (walls.one_core,),
        carries=(AT_ONCE,),
        slot_s=0.05,
        open={AT_ONCE: CACHES},
        **ONE,
    ),
    Channel(
        "machine.Delays",
        "none",
        unremovable="there is no wall",
        open={PARTNERS: TIME},
        slots=1,
        slots_after=16,
    ),
    Channel("machine.Starts", "none", unremovable="there is no wall", open={AFTER: START}, slots=2, costs=4),
    Channel(
        "machine.Cores",
        FILTER,
        unremovable="bots cannot choose the core of a table",
        slots=1,
        slots_after=16,
    ),
    Channel(
        "machine.Barriers",
        FILTER,
        (walls.allowing("membarrier"),),
        carries=(AT_ONCE,),
        open={PARTNERS: CACHES},
        **ONE,
    ),
    Channel(
        "machine.Random",
        "the kernel's source of randomness reveals nothing about its state",
        unremovable="no setting of this kernel changes that",
        **ONE,
    ),
    Channel(
        "machine.Memory",
        "none",
        unremovable="there is no wall",
        open=dict.fromkeys(WHILE_ALIVE, PAGES),
        slots=1,
        slots_after=16,
        slot_s=0.03,
    ),
    Channel(
        "machine.OtherClocks",
        "a separate process namespace for each bot",
        unremovable="the sandbox finds its bots by their namespaces",
        **ONE,
    ),
)
BY_NAME = {channel.name: channel for channel in CHANNELS}
CELLS = 2 * 4 * len(CHANNELS) * len(Arrangement)
"""With walls and without, in four modes: what the bounds of chance are shared by."""


def problems(cells: Iterable[Mapping[str, Any]]) -> list[str]:
    """What of these cells, as ``__main__`` prints them, is not as declared, in words.

    A control has to carry in one of its arrangements: the clocks of two tables at once are far apart where
    other work keeps the cores busy.
    """
    found = []
    controls: dict[str, list[Mapping[str, Any]]] = {}
    for cell in cells:
        channel, arrangement = BY_NAME[cell["channel"]], Arrangement(cell["arrangement"])
        if "problem" in cell:
            found.append(f"{channel.name}, {arrangement}: {cell['problem']}")
        elif not cell["walls"]:
            if arrangement in channel.carries:
                controls.setdefault(channel.name, []).append(cell)
        elif cell["carries"] and arrangement not in channel.open:
            count = f"{cell['right']} of {cell['guesses']} guesses"
            found.append(f"{channel.name}, {arrangement}: {count} were right with every wall up")
    for name, played in controls.items():
        if not any(cell["carries"] for cell in played):
            counts = ", ".join(f"{cell['right']} of {cell['guesses']}" for cell in played)
            found.append(f"{name}: without its wall only {counts} guesses were right")
    return found
