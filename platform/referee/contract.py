"""Input and output of the referee: plain values that convert to and from JSON.

Has no dependencies of ours, so that code that orders a table need not import the referee.
Every number carries its unit in its name; ``to_json``/``from_json`` are inverse to each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

WALL_BANK_PER_CPU = 3
"""A seat's wall bank at a table is this many times its CPU,"""
WALL_BANK_EXTRA_MS = 10_000
"""and this much more."""
HELD_UP_EXTRA_MS = 10_000
"""Wall time in which a bot was ready to run and the machine gave it no core is not its own: so much at a
table, and in one turn,"""
HELD_UP_TURN_MS = 100
"""for each turn this much more,"""
HELD_UP_PER_CPU = 16
"""and so many times the CPU time it uses: beside so many others on its core a bot loses nothing. More is not
believed, since a bot could make it: by giving its core away again and again on a busy machine."""
HELD_UP_PER_WALL = 8
"""All seats together at most so many times the table's wall limit."""
TABLE_SLACK_S = 60.0
"""For setting up sandboxes and reading bundles: far more than needed."""


class Verdict(StrEnum):
    """How a bot behaved at a table. Machines read this; people read the fault report.

    Source: docs/contracts.md#clocks-faults-verdicts.
    """

    OK = "OK"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    OUT_OF_TIME = "OUT_OF_TIME"
    CRASHED = "CRASHED"
    PROTOCOL = "PROTOCOL"
    OVER_MEMORY = "OVER_MEMORY"
    OVER_OUTPUT = "OVER_OUTPUT"
    SANDBOX_VIOLATION = "SANDBOX_VIOLATION"


class FaultCause(StrEnum):
    """What ended a table through no fault of a bot, as far as the referee can tell. Machines read this."""

    DISK = "disk"
    """The file system: full, read-only, over its quota, broken."""
    RESOURCES = "resources"
    """Files, processes or memory have run out on this machine."""
    SANDBOX = "sandbox"
    """Bots cannot be run safely on this machine."""
    RUNTIME = "runtime"
    """This machine cannot run the runtime of the bot."""
    DRIVER = "driver"
    """One bot's sandbox failed; whether the sandbox works at all must be checked."""
    KILLED = "killed"
    """A bot was killed from outside its sandbox, as by the kernel where memory has run out."""
    BUNDLE = "bundle"
    """The bundle of a bot is missing or damaged."""
    INTERNAL = "internal"
    """Anything else, defects of the platform included."""


class FaultPolicy(StrEnum):
    """When a seat's entry forfeits the table: from the fourth fault, or from the first."""

    SUBSTITUTE = "substitute"
    STRICT = "strict"


@dataclasses.dataclass(frozen=True)
class Clock:
    """Time limits of a seat, sent to the bot. CPU is that of the bot's process tree."""

    start_wall_ms: int = 3000
    """From the moment the bot can run to its ``ready``. Bots start in parallel; one that is not ready within
    a second of that then gets this time again, alone. At most as much CPU time in total."""
    increment_cpu_ms: int = 20
    """Added for every decision."""
    bank_cpu_ms_per_deal_board: int = 500
    bank_cpu_ms_per_game_board: int = 5000
    decision_cpu_cap_ms: int = 2000
    """The maximum of a decision, whatever is in the bank."""

    def bank_cpu_ms(self, kinds: list[str]) -> int:
        """The bank of a whole table that plays boards of these kinds."""
        return sum(
            self.bank_cpu_ms_per_deal_board if kind == "deal" else self.bank_cpu_ms_per_game_board
            for kind in kinds
        )


def table_wall_limit_s(clock: Clock, kinds: list[str], seats: int, decisions: int) -> float:
    """Seconds after which an unfinished table can only be a fault of the platform.

    More than the sum of all seats' wall banks and start-ups. ``kinds`` are those of its boards,
    ``decisions`` is the most one seat can be asked for on all of them.

    Source: docs/contracts.md#clocks-faults-verdicts.
    """
    granted_ms = clock.bank_cpu_ms(kinds) + clock.increment_cpu_ms * decisions
    seat_ms = clock.start_wall_ms + WALL_BANK_PER_CPU * granted_ms + WALL_BANK_EXTRA_MS
    return seats * seat_ms / 1000 + TABLE_SLACK_S


def held_up_limit_s(wall_limit_s: float) -> float:
    """By how many seconds, at most, a busy machine may stretch the wall limit of a table."""
    return HELD_UP_PER_WALL * wall_limit_s


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a bot's process may use. Sizes in bytes."""

    memory_bytes: int = 128 << 20
    """With a cgroup: everything except the runtime's own share. Without: see ``address_space_bytes``."""
    address_space_bytes: int = 512 << 20
    threads: int = 32
    """Of all its processes together, where the runtime allows more than one."""
    cores: float = 1.0
    """With a cgroup: CPU seconds a second of wall time, for runtimes of several processes."""
    stack_bytes: int = 8 << 20
    locked_bytes: int = 64 << 10
    pending_signals: int = 64
    open_files: int = 64
    file_bytes: int = 8 << 20
    scratch_bytes: int = 8 << 20
    scratch_inodes: int = 256
    line_bytes: int = 4096
    """The maximum length of an answer, including its line feed."""
    lines_ahead: int = 4
    """Unrequested output beyond this many lines of maximum length ends the bot."""
    unread_bytes: int = 1 << 20
    """Input a bot may leave unread, besides what the pipe itself holds."""
    stderr_keep_bytes: int = 16 << 10
    stderr_kill_bytes: int = 1 << 20
    faults_before_forfeit: int = 3


@dataclasses.dataclass(frozen=True)
class BoardOrder:
    """One board to play; its seed must never reach a bot."""

    number: int
    kind: Literal["deal", "game"]
    seed: str


@dataclasses.dataclass(frozen=True)
class SeatOrder:
    """Which bundle plays which seat."""

    seat: int
    bundle_sha256: str
    runtime: str
    entry_point: str
    runtime_sha256: str = ""
    """Hash of the artefact of a runtime that takes one; empty: it takes none, or what is installed."""


@dataclasses.dataclass(frozen=True)
class TableOrder:
    """One complete table: this and the bundles are enough to play it."""

    table: str
    attempt: int
    game: str
    preset: str
    ruleset: Mapping[str, Any]
    """Every option, as ``Ruleset.as_dict`` gives it."""
    boards: tuple[BoardOrder, ...]
    seats: tuple[SeatOrder, ...]
    clock: Clock
    limits: Limits
    fault_policy: FaultPolicy
    key: str
    """Hex, 32 bytes. Request ids and the bots' ``rng`` derive from it; unrelated to the deals."""
    wall_limit_s: float
    killed_bundles: tuple[str, ...] = ()
    """Hashes of bundles whose bots were killed from outside at earlier attempts; the next time they are
    charged."""

    def to_json(self) -> dict[str, Any]:
        """Plain mappings, lists, strings and numbers."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TableOrder:
        """The order that ``to_json`` wrote; raises KeyError, TypeError or ValueError on anything else."""
        return cls(
            **{
                **data,
                "boards": tuple(BoardOrder(**board) for board in data["boards"]),
                "seats": tuple(SeatOrder(**seat) for seat in data["seats"]),
                "clock": Clock(**data["clock"]),
                "limits": Limits(**data["limits"]),
                "fault_policy": FaultPolicy(data["fault_policy"]),
                "killed_bundles": tuple(data["killed_bundles"]),
            }
        )


@dataclasses.dataclass(frozen=True)
class BoardSeatResult:
    """What one seat won on one board as played, forfeits not applied."""

    board: int
    seat: int
    stones: int
    verdict: Verdict
    """The seat's first fault on this board, else OK; after a forfeit the verdict that caused it."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """One fault, with everything an author needs to understand it."""

    verdict: Verdict
    reason: str
    """One sentence: what was wrong and what to change."""
    board: int
    decision: int
    """The seat's decisions at this table so far, this one included; 0 while starting."""
    phase: str
    request: str | None
    """The exact line sent, or None while starting."""
    answer: str | None
    """The exact line received, cut at the line limit, control codes stripped; None if there was none."""
    log_tail: str
    """Last lines of standard error, control codes stripped."""
    clock: Mapping[str, float]
    """bank_ms, limit_cpu_ms, used_cpu_ms, limit_wall_ms, used_wall_ms; the last without what a busy machine
    took."""
    fingerprint: str
    """Equal for faults with the same verdict, phase and normalised last log line."""
    action: str | None
    """The fallback that was played instead."""


@dataclasses.dataclass(frozen=True)
class SeatReport:
    """How one seat's bot behaved at the table."""

    seat: int
    verdict: Verdict
    forfeited: bool
    decisions: int
    cpu_ms: int
    wall_ms: int
    peak_bytes: int
    faults: tuple[Fault, ...]
    log_sha256: str | None
    """Hash of the kept log, which lies beside the record; None if the bot wrote nothing."""


@dataclasses.dataclass(frozen=True)
class TableReport:
    """What came of a table. With ``platform_fault`` set nothing else counts and nobody is to blame."""

    table: str
    attempt: int
    record_sha256: str | None
    timings_sha256: str | None
    results: tuple[BoardSeatResult, ...]
    seats: tuple[SeatReport, ...]
    platform_fault: str | None
    sandbox_level: str
    engine_version: str
    platform_cause: FaultCause | None = None
    """Of ``platform_fault``, for machines; None without one."""
    killed_bundle: str = ""
    """With the cause ``killed``: hash of the bundle whose bot was killed."""
    runtime_artifacts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Hash of its artefact by the name of each runtime that was played on and takes one."""

    def to_json(self) -> dict[str, Any]:
        """Plain mappings, lists, strings and numbers."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TableReport:
        """The report that ``to_json`` wrote; raises KeyError, TypeError or ValueError on anything else."""

        def fault(raw: Mapping[str, Any]) -> Fault:
            return Fault(**{**raw, "verdict": Verdict(raw["verdict"])})

        def seat(raw: Mapping[str, Any]) -> SeatReport:
            faults = tuple(fault(each) for each in raw["faults"])
            return SeatReport(**{**raw, "verdict": Verdict(raw["verdict"]), "faults": faults})

        def result(raw: Mapping[str, Any]) -> BoardSeatResult:
            return BoardSeatResult(**{**raw, "verdict": Verdict(raw["verdict"])})

        cause = data["platform_cause"]
        return cls(
            **{
                **data,
                "results": tuple(result(each) for each in data["results"]),
                "seats": tuple(seat(each) for each in data["seats"]),
                "platform_cause": None if cause is None else FaultCause(cause),
            }
        )
