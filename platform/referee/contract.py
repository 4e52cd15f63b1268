"""Input and output of the referee: plain values with JSON conversion and units in their names.

Has no dependencies within the project. ``from_json`` inverts ``to_json``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

WALL_BANK_PER_CPU = 3
"""A seat's wall bank at a table is this multiple of its CPU bank,"""
WALL_BANK_EXTRA_MS = 10_000
"""plus this constant."""
MACHINE_DELAY_EXTRA_MS = 10_000
"""Constant part of the maximum time *held up*: ready to run without a core, so not own wall time.
The maximum applies per table and per turn.
"""
MACHINE_DELAY_TURN_MS = 100
"""Part of the maximum for each turn."""
MACHINE_DELAY_PER_CPU = 16
"""Part of the maximum as a multiple of the CPU time used: no loss next to this many others on its core.

A maximum exists because a bot can fake waits by yielding its core repeatedly on a busy machine.
"""
MACHINE_DELAY_PER_WALL = 8
"""Maximum of all seats together, as a multiple of the table's wall limit."""
TABLE_SLACK_S = 60.0
"""Time to set up sandboxes and read bundles; generous."""


class Verdict(StrEnum):
    """How a bot behaved at a table, as a code. Source: docs/contracts.md#clocks-faults-verdicts."""

    OK = "OK"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    OUT_OF_TIME = "OUT_OF_TIME"
    CRASHED = "CRASHED"
    PROTOCOL = "PROTOCOL"
    OVER_MEMORY = "OVER_MEMORY"
    OVER_OUTPUT = "OVER_OUTPUT"
    SANDBOX_VIOLATION = "SANDBOX_VIOLATION"
    DISCONNECTED = "DISCONNECTED"
    """Only of remote bots, which never play in events."""


class FaultCause(StrEnum):
    """Cause of a table that failed through no fault of a bot, as a code, as far as known."""

    DISK = "disk"
    """File system full, read-only, over quota or broken."""
    RESOURCES = "resources"
    """This machine is out of file descriptors, processes or memory."""
    SANDBOX = "sandbox"
    """Bots cannot be run safely on this machine."""
    RUNTIME = "runtime"
    """This machine cannot provide the runtime of the bot."""
    STORE = "store"
    """The storage of bundles and artefacts does not answer or refuses its key."""
    DRIVER = "driver"
    """The sandbox of one bot failed; a probe must show whether the sandbox works at all."""
    KILLED = "killed"
    """A bot was killed from outside its sandbox, for example by the kernel's OOM killer."""
    BUNDLE = "bundle"
    """The bundle of a bot is missing or damaged."""
    INTERNAL = "internal"
    """Anything else, including defects of the platform."""


class FaultPolicy(StrEnum):
    """When a seat forfeits: after more than ``Limits.faults_before_forfeit`` faults, or after one."""

    SUBSTITUTE = "substitute"
    STRICT = "strict"


@dataclasses.dataclass(frozen=True)
class Clock:
    """Time limits of a seat, sent to the bot. CPU time includes the bot's whole process tree."""

    start_wall_ms: int = 3000
    """Time until ``ready``, from the moment the bot can run; also the maximum CPU time of the start.

    Bots start in parallel; a bot that is not ready within a second then gets this time again, alone.
    """
    increment_cpu_ms: int = 20
    """Added to the bank for every decision."""
    bank_cpu_ms_per_deal_board: int = 500
    bank_cpu_ms_per_game_board: int = 5000
    decision_cpu_cap_ms: int = 2000
    """Maximum per decision, however large the bank is."""

    def bank_cpu_ms(self, kinds: list[str]) -> int:
        return sum(
            self.bank_cpu_ms_per_deal_board if kind == "deal" else self.bank_cpu_ms_per_game_board
            for kind in kinds
        )


def table_wall_limit_s(clock: Clock, kinds: list[str], seats: int, decisions: int) -> float:
    """Return the seconds after which an unfinished table must be a fault of the platform.

    Exceeds the sum of the wall banks and start-ups of all seats. ``kinds`` has one entry per board;
    ``decisions`` is the maximum for one seat. Source: docs/contracts.md#clocks-faults-verdicts.
    """
    granted_ms = clock.bank_cpu_ms(kinds) + clock.increment_cpu_ms * decisions
    seat_ms = clock.start_wall_ms + WALL_BANK_PER_CPU * granted_ms + WALL_BANK_EXTRA_MS
    return seats * seat_ms / 1000 + TABLE_SLACK_S


def machine_delay_limit_s(wall_limit_s: float) -> float:
    """Return the maximum seconds by which a busy machine may extend the wall limit of a table."""
    return MACHINE_DELAY_PER_WALL * wall_limit_s


@dataclasses.dataclass(frozen=True)
class Limits:
    """Resources that a bot's processes may use. Sizes in bytes."""

    memory_bytes: int = 128 << 20
    """With a cgroup: all memory except the runtime's own. Without: see ``address_space_bytes``."""
    address_space_bytes: int = 512 << 20
    threads: int = 32
    """Of all its processes together, if the runtime allows several."""
    cores: float = 1.0
    """With a cgroup: CPU seconds per second of wall time, for runtimes with several processes."""
    stack_bytes: int = 8 << 20
    locked_bytes: int = 64 << 10
    pending_signals: int = 64
    open_files: int = 64
    file_bytes: int = 8 << 20
    scratch_bytes: int = 8 << 20
    scratch_inodes: int = 256
    line_bytes: int = 4096
    """Maximum length of an answer, including its line feed."""
    lines_ahead: int = 4
    """Maximum unrequested output, in lines of maximum length; more ends the bot."""
    unread_bytes: int = 1 << 20
    """Maximum input that a bot leaves unread, in addition to the pipe's buffer."""
    stderr_keep_bytes: int = 16 << 10
    stderr_kill_bytes: int = 1 << 20
    faults_before_forfeit: int = 3


@dataclasses.dataclass(frozen=True)
class BoardOrder:
    """One board to play. Its seed must never reach a bot."""

    number: int
    kind: Literal["deal", "game"]
    seed: str


@dataclasses.dataclass(frozen=True)
class SeatOrder:
    seat: int
    bundle_sha256: str
    runtime: str
    entry_point: str
    runtime_sha256: str = ""
    """Hash of the runtime's artefact; empty if the runtime takes none, or to use the installed one."""


@dataclasses.dataclass(frozen=True)
class TableOrder:
    """One complete table: with the bundles, everything needed to play it."""

    table: str
    attempt: int
    game: str
    preset: str
    ruleset: Mapping[str, Any]
    """All options, from ``Ruleset.as_dict``."""
    boards: tuple[BoardOrder, ...]
    seats: tuple[SeatOrder, ...]
    clock: Clock
    limits: Limits
    fault_policy: FaultPolicy
    key: str
    """32 bytes in hex, from which request ids and the bots' ``rng`` are derived; unrelated to the deals."""
    wall_limit_s: float
    killed_bundles: tuple[str, ...] = ()
    """Hashes of bundles whose bots were killed from outside before. A second kill is charged to the bot."""
    rules_version: int = 0
    """Version of the game's rules for which the table was made; 0: the engine's."""
    release: str = ""
    """Release of the code that wrote the order; empty outside of a site."""

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TableOrder:
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
    """Stones of one seat on one board as played; forfeits are not applied."""

    board: int
    seat: int
    stones: int
    verdict: Verdict
    """Verdict of the seat's first fault on this board, else OK; after a forfeit, of its cause."""


@dataclasses.dataclass(frozen=True)
class Fault:
    verdict: Verdict
    reason: str
    """One sentence: the problem and the remedy."""
    board: int
    decision: int
    """Number of the seat's decisions so far, including this one; 0 during the start."""
    phase: str
    request: str | None
    """The exact line sent; None during the start."""
    answer: str | None
    """The line received, cut at the line limit and without control codes; None if there was none."""
    log_tail: str
    """Last lines of standard error, without control codes."""
    clock: Mapping[str, float]
    """bank_ms, limit_cpu_ms, used_cpu_ms, limit_wall_ms, used_wall_ms; the last excludes the time held up."""
    fingerprint: str
    """Equal for faults with the same verdict, phase and normalised last log line."""
    action: str | None
    """The fallback played instead."""


@dataclasses.dataclass(frozen=True)
class SeatReport:
    seat: int
    verdict: Verdict
    forfeited: bool
    decisions: int
    cpu_ms: int
    wall_ms: int
    peak_bytes: int
    faults: tuple[Fault, ...]
    log_sha256: str | None
    """Hash of the stored log; None if the bot wrote nothing."""


@dataclasses.dataclass(frozen=True)
class TableReport:
    """Outcome of a table. If ``platform_fault`` is set, ignore the other fields: no bot is charged."""

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
    """Code of ``platform_fault``; None without one."""
    killed_bundle: str = ""
    """With the cause ``killed``: hash of the bundle whose bot was killed."""
    runtime_artifacts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Artefact hash by name of each runtime used that takes one."""

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TableReport:
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
