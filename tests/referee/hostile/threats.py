"""Generates docs/threats.md from the declarations; a test keeps the page up to date.

python -m tests.referee.hostile.threats > docs/threats.md
"""

from __future__ import annotations

from typing import NamedTuple

from tests.referee.between import figures
from tests.referee.hostile.corpus import CASES


class Row(NamedTuple):
    """One row of the threat table."""

    attack: str
    what_happens: str
    layer: str
    tests: str = ""
    """Tests other than a bot."""


ROWS: dict[int, Row] = {
    1: Row(
        "Network: TCP, UDP, raw, netlink, vsock, names, abstract sockets",
        "`EPERM`; names do not resolve",
        "system calls; network namespace",
    ),
    2: Row(
        "Files of the host: accounts, homes, logs, disks, kernel memory", "not there", "separate file tree"
    ),
    3: Row(
        "`/proc`: others' memory, environment, descriptors; kernel settings",
        "not there",
        "no `/proc`; process namespace",
    ),
    4: Row(
        "Secrets in the environment, descriptors left open",
        "harmless variables, no descriptor above 2",
        "environment built from scratch",
    ),
    5: Row(
        "Writing outside `/tmp`; changing times and modes of shared files",
        "read-only; `EPERM`",
        "read-only mounts; system calls",
    ),
    6: Row(
        "Filling the disk: bytes, holes, files without a name",
        "`ENOSPC` at 8 MiB, `EFBIG`",
        "capped scratch disk; file size limit",
    ),
    7: Row("Filling the disk with files, folders, links", "`ENOSPC` before the 256th", "capped scratch disk"),
    8: Row(
        "Fork bomb", "`EAGAIN` at once; with several processes allowed after 32", "system calls; `pids.max`"
    ),
    9: Row("Thread bomb, threads with huge stacks", "refused after 31", "process limit; `pids.max`"),
    10: Row(
        "Memory balloon, also spread over children",
        "killed at 128 MiB: OVER_MEMORY; without a cgroup `MemoryError` at 512 MiB: CRASHED",
        "memory cgroup; address space limit",
    ),
    11: Row(
        "Memory that is not address space: shared mappings, memfd, pipes, socket buffers, page tables",
        "counted and killed; without a cgroup refused or bounded, see below",
        "memory cgroup; address space limit; system calls",
    ),
    12: Row(
        "Spinning, in one thread or several; more CPU by raising limits or priority",
        "OUT_OF_TIME at the CPU limit",
        "clock of the whole process",
    ),
    13: Row(
        "Sleeping, stopping itself, never being ready; waiting for a core that it gives away itself",
        "OUT_OF_TIME at the wall limit, or at the CPU limit",
        "wall limit and wall bank, less only what other processes take of the core: "
        "`sandbox/machine_delay.py`",
    ),
    14: Row(
        "Endless answers",
        "OVER_OUTPUT, or PROTOCOL four times",
        "pump: unrequested output is counted before it is read",
    ),
    15: Row("An endless line, or one byte too long", "OVER_OUTPUT", "pump: 4096 bytes a line"),
    16: Row("An endless log", "16 KiB stored; OVER_OUTPUT at 1 MiB", "pump"),
    17: Row(
        "Closing its pipes and waiting; reading nothing",
        "OUT_OF_TIME",
        "pump: deadlines, not the end of a stream",
    ),
    18: Row("Bytes that are not UTF-8, NUL, byte order marks", "PROTOCOL", "pump; strict reader"),
    19: Row(
        "Answers ahead of their requests; ids guessed",
        "PROTOCOL",
        "freeze between turns; ids from a keyed hash",
    ),
    20: Row(
        "Survivors: daemons, separate sessions, ignored signals",
        "gone with the first process of the namespace",
        "outer process namespace; control group",
    ),
    21: Row(
        "Killing, tracing, reading other processes; fresh programs",
        "sees two processes; `EPERM`",
        "process namespace; system calls",
    ),
    22: Row(
        "Namespaces, mounts, another root, device files, privileges",
        "`EPERM`; `clone3` `ENOSYS`",
        "system calls; no capabilities",
    ),
    23: Row(
        "Unusual system calls: keys, tracing, rings, modules, clocks, queues; every number not in the table; "
        "every operation of `prctl`, limits and signals that no runtime needs",
        "`EPERM`; newer than the table `ENOSYS`",
        "system calls",
    ),
    24: Row(
        "Calls in another convention: x32, the 32-bit entry", "SANDBOX_VIOLATION", "system calls: `SIGSYS`"
    ),
    25: Row(
        "Typing into a terminal, creating one",
        "`EPERM`, not there",
        "system calls; separate session and `/dev`",
    ),
    26: Row(
        "Exhausting descriptors and signals, raising limits",
        "`EMFILE` at 64; limits cannot be raised",
        "resource limits",
    ),
    27: Row(
        "CPU in children nobody waits for",
        "cannot start one; with several allowed it is charged",
        "system calls; the group's clock",
    ),
    28: Row(
        "Thinking during other bots' turns",
        "its clock stands still between turns",
        "SIGSTOP; freezer of the group",
    ),
    29: Row(
        "Being woken: timers, alarms, signals of its choice",
        "`EPERM`; alarms wait until the next turn",
        "system calls",
    ),
    30: Row("Links to the host's files", "not there; `EXDEV`", "separate file tree"),
    31: Row(
        "Other bots: their files and processes, and signals between partners",
        "sees nothing of them",
        "separate scratch disk and namespaces; system calls",
    ),
    32: Row(
        "Crashes of every kind, exit codes that lie, ends that look like a kill by the platform",
        "CRASHED, with the cause; `EPERM`; SANDBOX_VIOLATION",
        "exit status of the chain; system calls",
    ),
    33: Row(
        "Archives: paths out, links, devices, bombs; endless names, members that overlap, "
        "streams of empty blocks, manifests of nested keys",
        "refused on upload with a code, from the headers; at most 33 MiB and 0.8 s of CPU unpacked, a "
        "message of 500 characters",
        "importer",
        "`tests/referee/test_bundle.py`, `tests/referee/bombs.py`",
    ),
    34: Row(
        "What bots would share without knowing each other: counters of the machine, numbers of pipes and "
        "sockets, waits at words of common files, descriptors in flight",
        "`EPERM`; waits `EAGAIN`; free space `ENOSYS`; numbers of the bot's own",
        "system calls; answers of the worker: `sandbox/stat_supervisor.py`",
    ),
}
"""The threat table: known threats to a referee that runs untrusted programs."""

INTRODUCTION = """\
# Threats

What a hostile bot may try, what happens, and which layer prevents it. Generated from the declarations of the
test bots by `python -m tests.referee.hostile.threats`; a test keeps it up to date. The bots are in
`tests/referee/hostile/bots/`. How the layers are built is in [sandbox.md](sandbox.md).

Each bot plays a whole table in the real sandbox, in four modes: as root and as an ordinary user, with a
control group and without. It is contained if it gets the declared verdict; every single attempt has the
declared outcome; its author gets the reason; the other seats are asked and play exactly as they do beside an
obedient bot; nothing it was sent reveals the table's key, seed or opponents; its log and fault report contain
no control codes; and no process, descriptor, mount, control group or file is left. A mode that the machine
does not support is reported, and fails if it should be supported. `pytest tests/referee/hostile` plays all of
them.
"""

OPEN = """\
## What gets through

Isolation cannot stop these. They are tested all the same.

- **Time between turns** (`delays_its_answers`). A bot may answer at once or late, and its partner, reading
  the wall clock between its own turns, sees the delay. Every bit arrives at 20 ms each; without delays the
  gaps vary by half a millisecond, so up to ten bits a turn would fit into the second that a decision may
  always take. What limits it: every delay is charged to the seat's wall bank (10 s and three times its CPU
  for a whole table), and appears in the table's file of timings, one line an answer, as wall time without
  CPU time; the test asserts both. The wall time of an honest bot is little more than its CPU time: who
  waits more than others, or against some more than against others, stands in the report of the event
  ([integrity.md](integrity.md)).
- **Caches**: what one bot read from the common runtime, the next reads faster out of the processor's
  caches. Nothing is read from a disk, and asking what is in memory and moving it out are refused.
- **When a table starts**. A bot decides within its wall bank when its table ends, and the bot of the next
  table that this worker plays sees by the clock when it starts: two bits a pair of tables at steps of 100 ms,
  up to seven or eight if all of a bank of 10 s is spent. Tables that share boards and entrants follow one
  another, so the next may be the partner's; where other tables wait, one of those mostly comes first. The
  wait is charged and stands in the timings, like every delay. To hide it, a worker would have to pause for
  longer than a bank before such tables, or the clock be taken away, which programs read without the kernel.
- **A moment after each answer.** A bot with threads may run on for up to a time slice of the scheduler
  (some milliseconds) after it was stopped (`thinks_between_turns`, `sneaks_ahead`). That time is charged to
  it.
- **Small facts about the host**: the kernel's version, which core a table uses, when its bundle was staged,
  and by the numbers of devices how many file systems were mounted as it started.
- **Bots of an ordinary user** (a worker that is not root) share that user's few counts in the kernel that
  no call above reveals or moves by much: sizes of new pipes shrink when all its pipes together hold 64 MiB,
  which one bot of several processes can reach. A worker that is root gives every bot a user of its own.
- **Memory without a control group** (level FULL1 and below) is bounded, not counted: 512 MiB of address
  space, up to 520 MiB of page tables for single pages far apart (`sprinkles_pages`), 8 MiB of scratch disk
  and under 20 MiB in pipes and sockets (`hoards_pipes`). Plan 1.1 GiB a bot for the worst case, or give the
  worker a control group.
- **Lines in the kernel's log.** Where the kernel reports crashes (`debug.exception-trace`, on by default on
  x86-64; audit records where auditing is on), a bot that crashes leaves a few lines with its own choice of a
  name, up to 15 characters, and up to 64 bytes of its code in hex. The kernel limits their rate and escapes
  control codes. `sysctl debug.exception-trace=0` turns them off. Filters of a bot's own, which could write
  without crashing, are refused (`calls_the_kernel`).
- **Being killed for want of the machine's memory.** Where memory has run out, the kernel ends bots first. A
  bot cannot end itself in this way (`fakes_a_kill`), but below FULL bots together may bring a machine without
  memory to spare there. A kill that its own limits do not explain has the table played again once for each
  bot, uncharged, and is charged the second time; so at most one replay of a table is to be had by it.
- **A kernel vulnerability** behind one of the allowed calls. Keep the kernel patched; run the workers of a
  public site on separate machines: [what a compromised worker can reach](#a-compromised-worker).
- **The pace of a sealed round**: see [below](#the-pace-of-a-sealed-round).

## The pace of a sealed round

While boards are sealed nobody but staff is told when a table or a fixture ended, or how long bots thought;
of a table that ended nobody is told when it began. What stays visible is progress: the state of each table
and fixture, on pages since when a table is being played, `boards_done`, the event `fixture.done`, and that
a stream says something has changed. Whoever polls these, or listens, can time them from outside, to a
second or so. A table that is forfeited ends sooner than its boards would, its last boards all at once, so
that a watcher may guess that somebody forfeited it, and by several tables of an entry who; a long board may
be told from a short one. It is accepted, for progress is what a round is followed by and what its organiser
decides by, and a guess at how a table ended has no card in it: no bot can ask for it while it plays, as
none has a network, knows its board or fixture, or leaves anything to another table. Its author may, but
cannot change a version that is locked. For the same reason an organiser sees the CPU that an event has
spent so far, which a budget needs.

## An organiser

An organiser writes no results: a fixture is played, or forfeited by a bot's conduct or by leaving. What
remains are rulings:

- An account with an entry in an event, staff included, cannot rule on its fixtures or pairs, replay its
  tables or take out another entry after the lock ([organisers.md](organisers.md#when-something-goes-wrong)).
  A second account of the same person can; the audit log has who ruled, and the integrity report names rulings
  on entries of [linked accounts](integrity.md#what-is-looked-for).
- A forfeit or a draw by ruling never enters a rating: the boards count as played or not at all
  ([ratings.md](ratings.md#what-counts)).
- An organiser with an entry can still send tables back to wait, end early or cancel, which is published as
  done by an entrant; and choose settings, seeds and the field until the lock, which everybody sees.

## A compromised worker

A bot that escapes the sandbox, by a kernel vulnerability or otherwise, runs as the worker's user. All
programs of an installation use one user, one configuration and the same credentials, so **a compromised
worker is a compromised installation**. It can reach:

- **The database**, by `DATABASE_URL` with every right on the tables, or the file of SQLite: accounts, hashes
  of passwords and tokens, addresses, sources of private bots, results, the secrets of running events and so
  their deals, the key that signs exports. It can change all of these.
- **The queue and the cache**, by `REDIS_URL`, one server for both. Tasks are JSON with the platform's own
  names, so it can order work but send no code. The shared cache is not JSON: Django pickles its values, so
  **one that can write to the cache runs code in every process that reads it**, the web server included.
- **The site key**, `SECRET_KEY` or the file `secret_key`: all that Django signs, such as one-time links.
- **Blobs**, to read and write: records, logs, bundles. A changed one no longer has the hash that is its name,
  which is compared whenever it is read.
- **Other bots** on the machine: the bundles in the staging area, and from the same user, or as root, their
  processes, what they are sent and what they answer.
- **The network**, as far as the machine can reach it.

What limits it:

- The sandbox itself, and a patched kernel. Bots run with no network, no `/proc`, no capabilities and, from a
  root worker, users of their own.
- The units run as `rensho`, not root, with `NoNewPrivileges` and without access to home folders. So other
  services of a machine are safe as far as users keep them apart. A worker that is root has no such limit.
- Workers on machines of their own: what else runs on the web host is out of reach, apart from what the
  credentials open. Let a firewall allow these machines the database, the queue and the shared folder, and
  nothing else; require TLS and passwords for each. They need the same credentials: roles of less rights for
  workers, in the database or the queue's server, are not supported.
- What was published before: commitments to deals, records and exports. A change to the results of an exported
  event is found by comparing with a copy; the signature alone proves nothing, as the key lies in the
  database.
- Afterwards: restore a backup from before, made to a machine that workers cannot write to; replace
  `SECRET_KEY`, the passwords of database and queue, and all tokens; empty the queue's server.
"""


def document() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_rows(), *_ideas(), OPEN, *figures.lines()])


def _rows() -> list[str]:
    lines = [
        "## The threat table",
        "",
        "| # | Attack | What happens | Layer | Bots |",
        "|---|---|---|---|---|",
    ]
    for number, row in ROWS.items():
        bots = [f"`{case.bot}`" for case in CASES.values() if number in case.rows]
        tests = ", ".join([*bots, *([row.tests] if row.tests else [])])
        lines.append(f"| {number} | {row.attack} | {row.what_happens} | {row.layer} | {tests} |")
    return [*lines, ""]


def _ideas() -> list[str]:
    bots = ", ".join(f"`{case.bot}`" for case in CASES.values() if not case.rows)
    return [f"Beyond the table: {bots}.", ""]


if __name__ == "__main__":
    print(document(), end="")
