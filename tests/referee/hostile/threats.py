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
        "`/proc`: memory, environment and descriptors of others; kernel settings",
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
        "Sleeping, stopping itself, never being ready; yielding its core again and again",
        "OUT_OF_TIME at the wall limit, or at the CPU limit",
        "wall limit and wall bank, minus only the time that other processes take: `sandbox/machine_delay.py`",
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
        "CPU time of children without a waiting parent",
        "cannot start one; with several processes allowed the time is charged",
        "system calls; the group's clock",
    ),
    28: Row(
        "Thinking during other bots' turns",
        "the bot is stopped between turns",
        "SIGSTOP; freezer of the group",
    ),
    29: Row(
        "Waking up: timers, alarms, signals of its choice",
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
        "Crashes of every kind, false exit codes, exits that imitate a kill by the platform",
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
        "State that all bots share: counters of the machine, numbers of pipes and "
        "sockets, waits at words of common files, descriptors in flight",
        "`EPERM`; waits `EAGAIN`; free space `ENOSYS`; numbers specific to the bot",
        "system calls; answers of the worker: `sandbox/stat_supervisor.py`",
    ),
}
"""The threat table: known threats to a referee that runs untrusted programs."""

INTRODUCTION = """\
# Threats

For operators and reviewers of the sandbox: the attacks of a hostile bot, the result of each, and the layer
that prevents it. `python -m tests.referee.hostile.threats` generates this page from the declarations of the
test bots in `tests/referee/hostile/bots/`; a test keeps it up to date. [sandbox.md](sandbox.md) describes
the layers.

Each bot plays a whole table in the real sandbox, in four modes: as root and as an ordinary user, with a
control group and without. It is contained if all of these hold:

- It gets the declared verdict, every attempt has the declared outcome, and its author gets the reason.
- The other seats are asked and play exactly as they do next to an obedient bot.
- No message to it reveals the table's key, seed or opponents.
- Its log and fault report contain no control codes.
- No process, descriptor, mount, control group or file is left.

A mode that the machine does not support is reported, and fails if it should be supported.
`pytest tests/referee/hostile` plays all of them.
"""

OPEN = """\
## What gets through

Isolation cannot stop these attacks. The tests cover them all the same.

- **Time between turns** (`delays_its_answers`). A bot may answer at once or late, and its partner, which
  reads the wall clock between its own turns, sees the delay. At 20 ms each, every bit arrives. Without
  delays the gaps vary by half a millisecond, so up to ten bits a turn would fit into the second that a
  decision may always take. Two limits apply, and the test asserts both. Every delay is charged to the
  seat's wall bank (10 s and three times its CPU for a whole table). And it appears in the table's file of
  timings, one line an answer, as wall time without CPU time. The wall time of an honest bot is little more
  than its CPU time. The integrity report of the tournament ([integrity.md](integrity.md)) lists bots that
  wait more than others, or more against some opponents.
- **Caches.** A bot reads parts of the common runtime faster if another bot has just read them, because they
  are in the processor's caches. Nothing is read from a disk, and the calls that query or evict memory pages
  are refused.
- **The start time of a table.** Within its wall bank, a bot decides when its table ends. The bot of the
  next table on this worker sees by the clock when it starts: two bits a pair of tables at steps of 100 ms,
  up to seven or eight if a whole bank of 10 s is spent. Tables that share boards and entrants run one after
  the other, so the next may be the partner's; if other tables wait, one of them usually comes first. The
  wait is charged and appears in the timings, like every delay. To hide it, a worker would have to pause for
  longer than a bank before such tables. Removing the clock is not possible, since programs read it without
  the kernel.
- **A moment after each answer.** A bot with threads may continue for up to a time slice of the scheduler
  (some milliseconds) after it was stopped (`thinks_between_turns`, `sneaks_ahead`). That time is charged to
  it.
- **Small facts about the host**: the kernel's version, the core of a table, the time when its bundle was
  staged, and, from device numbers, how many file systems were mounted when it started.
- **Bots of an ordinary user** (a worker that is not root) share a few counters of that user in the kernel.
  No allowed call reveals them or moves them by much. An exception are the sizes of new pipes, which shrink
  when all pipes of the user together hold 64 MiB; one bot of several processes can reach that. A root
  worker gives every bot a separate user.
- **Memory without a control group** (level FULL1 and below) is bounded, not counted: 512 MiB of address
  space, up to 520 MiB of page tables for single pages far apart (`sprinkles_pages`), 8 MiB of scratch disk
  and under 20 MiB in pipes and sockets (`hoards_pipes`). Plan 1.1 GiB a bot for the worst case, or give the
  worker a control group.
- **Lines in the kernel's log.** Where the kernel reports crashes (`debug.exception-trace`, on by default on
  x86-64; audit records where auditing is on), a bot that crashes leaves a few lines. They contain a name of
  its choice, up to 15 characters, and up to 64 bytes of its code in hex. The kernel limits their rate and
  escapes control codes. `sysctl debug.exception-trace=0` turns them off. A bot cannot install filters,
  which could write to the log without a crash (`calls_the_kernel`).
- **Kills for lack of memory on the machine.** If memory runs out, the kernel kills bots first. A bot cannot
  end itself in this way (`fakes_a_kill`), but below FULL several bots together may exhaust a machine
  without spare memory. A kill that the bot's own limits do not explain is not charged the first time: the
  table is played again once for each bot. The second time it is charged. So a bot gains at most one replay
  of a table.
- **A kernel vulnerability** behind one of the allowed calls. Keep the kernel patched, and run the workers
  of a public site on separate machines: [what a compromised worker can reach](#a-compromised-worker).
- **The pace of a sealed round**: see [below](#the-pace-of-a-sealed-round).

## The pace of a sealed round

While boards are sealed, only staff see when a table or a fixture ended and how long bots thought. For a
table that has ended, only staff see when it began. Progress remains visible: the state of each table and
fixture, on pages the start of a running table, `boards_done`, the event `fixture.done`, and notifications
of a stream that something has changed. By polling or listening, anybody can measure these times to a second
or so. A forfeited table ends early, with its last boards all at once. So an observer may guess that a bot
forfeited it, which one from several tables of an entry, and which boards are long.

This is accepted. Spectators follow a round by its progress, and its organiser decides by it. A guess about
the end of a table contains no card. No bot can use it during play: a bot has no network, does not know its
board or fixture, and leaves nothing to another table. Its author can, but cannot change a locked version.
For the same reason an organiser sees the CPU time of a tournament so far, which a budget needs.

## An organiser

An organiser writes no results. A fixture is played, or forfeited by a bot's conduct or by leaving. Rulings
remain:

- An account with an entry in a tournament, staff included, cannot rule on its own fixtures or pairs, replay
  its tables or take out another entry after the lock
  ([organisers.md](organisers.md#when-something-goes-wrong)). A second account of the same person can. The
  audit log shows who ruled, and the integrity report names rulings on entries of [linked
  accounts](integrity.md#what-the-tests-look-for).
- A forfeit or a draw by ruling never enters a rating: the boards count as played or not at all
  ([ratings.md](ratings.md#what-counts)).
- An organiser with an entry can still return tables to the queue, end early or cancel; the site publishes
  that an entrant did it. Until the lock they can also choose settings, seeds and the field, which everybody
  sees.

## Sign-in through a provider

With an OpenID Connect provider ([operators.md](operators.md#openid-connect)), each of these ends with an
error page and a line in the log, and changes nothing
(`tests/arena/accounts/openid/test_hostile.py`):

- **A response that is replayed, late, or of another browser.** The state is in the session of the browser
  that began, for 15 minutes, and is removed before the response is verified. The nonce is in the ID token.
- **An injected code.** PKCE (S256) binds the code to the browser that began.
- **An ID token of another issuer, client, key or time, without a signature, or with a keyed hash.** Only
  asymmetric signatures with the provider's published keys are accepted; issuer, audience, authorised party,
  times, nonce and the hash of the access token are verified.
- **A response of another provider** (mix-up). There is one provider, and its responses name their issuer if
  it supports that (RFC 9207).
- **Taking over an account by its e-mail address.** Only issuer and subject select an account.
- **Linking an attacker's identity.** A link of another site cannot begin a sign-in. After the provider, the
  account, which has signed in within the last hour, confirms the identity with a form.
- **A provider that is slow, endless, redirects or answers with something else.** 5 s and 256 KiB a request,
  no redirects, four requests at once.
- **An open redirect, a fixed session.** `next` must be a page of this site; the session key changes.

The provider itself is trusted: its operator, or a thief of its keys, can sign in to every linked account.
Accounts of staff need no linked identity.

## A compromised worker

A bot that escapes the sandbox, by a kernel vulnerability or otherwise, runs as the worker's user. All
programs of an installation use one user, one configuration and the same credentials, so **a compromised
worker is a compromised installation**. It can reach:

- **The database**, by `DATABASE_URL` with every right on the tables, or the file of SQLite: accounts,
  hashes of passwords and tokens, addresses, sources of private bots, results, the secrets of running
  tournaments and so their deals, and the key that signs exports. It can change all of these.
- **The queue and the cache**, by `REDIS_URL`, one server for both. Tasks are JSON with the platform's own
  names, so it can order work but send no code. The shared cache is not JSON: Django pickles its values, so
  **a process that can write to the cache runs code in every process that reads it**, the web server
  included.
- **The site key**, `SECRET_KEY` or the file `secret_key`, and earlier keys in `SECRET_KEY_FALLBACKS`:
  everything that Django signs, such as cookies of guests and links in mails.
- **Blobs**, to read and write: records, logs, bundles. A changed blob no longer matches its name, which is
  its hash and is compared at every read.
- **Other bots** on the machine: the bundles in the staging area, and from the same user, or as root, their
  processes and messages.
- **The network**, as far as the machine can reach it.

Limits and measures:

- The sandbox itself, and a patched kernel. Bots run without network, `/proc` and capabilities, and from a
  root worker as separate users.
- The units run as `rensho`, not root, with `NoNewPrivileges` and without access to home folders. So other
  services of a machine are safe as far as users separate them. A root worker has no such limit.
- Separate machines for workers. Other services on the web host are then out of reach, except through the
  credentials. Let a firewall allow these machines only the database, the queue and the shared folder;
  require TLS and passwords for each. Workers need the same credentials as the site: roles with fewer
  rights, in the database or the queue's server, are not supported.
- Earlier publications: commitments to deals, records and exports. Comparison with a copy reveals a change
  to the results of an exported tournament. The signature alone proves nothing, as the key is in the
  database.
- Recovery: restore an earlier backup from a machine that workers cannot write to. Replace `SECRET_KEY`,
  without a fallback, the other secrets of [operators.md](operators.md#rotating-secrets), and all tokens.
  Empty the queue's server.
"""


def document() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_rows(), *_ideas(), OPEN, *figures.lines()])


def _rows() -> list[str]:
    lines = [
        "## The threat table",
        "",
        "| # | Attack | Result | Layer | Bots |",
        "|---|---|---|---|---|",
    ]
    for number, row in ROWS.items():
        bots = [f"`{case.bot}`" for case in CASES.values() if number in case.rows]
        tests = ", ".join([*bots, *([row.tests] if row.tests else [])])
        lines.append(f"| {number} | {row.attack} | {row.what_happens} | {row.layer} | {tests} |")
    return [*lines, ""]


def _ideas() -> list[str]:
    bots = ", ".join(f"`{case.bot}`" for case in CASES.values() if not case.rows)
    return [f"Further bots: {bots}.", ""]


if __name__ == "__main__":
    print(document(), end="")
