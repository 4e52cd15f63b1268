"""The check that a bot must pass before it may play: its bundle, then a trial table in the sandbox.

The server and ``rensho check`` run the same code. The trial is derived from a seed drawn for each check,
which reproduces it; a bot cannot tell it from a tournament table.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import EngineError
from engine.game import Game, Ruleset, Seat
from engine.games import game_named
from engine.refusals import clipped
from referee.bundle import Bundle, program_machine, read_bundle
from referee.capability import offer_named
from referee.clocks import decisions_bound
from referee.contract import (
    BoardOrder,
    Clock,
    Fault,
    FaultCause,
    FaultPolicy,
    Limits,
    SeatOrder,
    TableOrder,
    TableReport,
    Verdict,
    table_wall_limit_s,
)
from referee.driver import Driver
from referee.errors import BundleError, OrderInvalid
from referee.execute import MakeDriver, execute, plain_driver, sandboxed_driver
from referee.inprocess import InProcessDriver
from referee.runtimes.elf import host_machine
from referee.seat import START_PHASE
from referee.table import Keep

TRIAL_BOARDS = (2, 3)
"""Minimum and maximum number of boards; the bot can infer the number from its clock."""
TRIAL_FIRST_BOARDS = 32
"""Maximum number of the first board; boards are consecutive, as at one table of a fixture."""
SEED_BYTES = 16
MAX_REASONS = 10
LOG_QUOTE_CHARS = 200
"""Maximum length of a quote from a bot's log in a reason."""


class CheckStep(NamedTuple):
    """One step of a check; ``detail`` has at most ``REFUSAL_CHARS``."""

    name: str
    ok: bool
    detail: str


class TrialTable(NamedTuple):
    order: TableOrder
    seat: Seat
    """Seat of the bot; the other seats play any legal actions."""


class RejectionReason(NamedTuple):
    """Why a bot is rejected: a stable code, and the remedy in at most ``REFUSAL_CHARS``."""

    code: str
    message: str


@dataclasses.dataclass(frozen=True)
class CheckReport:
    """Result of a check. If ``platform_fault`` is set, ignore the other fields and check again."""

    accepted: bool
    steps: tuple[CheckStep, ...]
    reasons: tuple[RejectionReason, ...]
    """Empty if the bot is accepted or the platform failed."""
    report: TableReport | None
    """Report of the trial table, with the exact request and answer of each fault."""
    platform_fault: str | None
    runtime_digest: str
    """Digest of the runtime used; empty if none was."""
    platform_cause: FaultCause | None = None
    """Code of ``platform_fault``; None without one."""
    seed: str = ""
    seat: Seat = 0

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "steps": [step._asdict() for step in self.steps],
            "reasons": [reason._asdict() for reason in self.reasons],
            "report": None if self.report is None else self.report.to_json(),
        }


_START_CODES = {
    Verdict.OUT_OF_TIME: "not_ready",
    Verdict.PROTOCOL: "bad_ready",
    Verdict.CRASHED: "crashed_at_start",
}
_CODES = {
    Verdict.ILLEGAL_ACTION: "illegal_action",
    Verdict.OUT_OF_TIME: "too_slow",
    Verdict.CRASHED: "crashed",
    Verdict.PROTOCOL: "bad_answer",
    Verdict.OVER_MEMORY: "over_memory",
    Verdict.OVER_OUTPUT: "over_output",
    Verdict.SANDBOX_VIOLATION: "sandbox_violation",
}

_HINTS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(r"BlockingIOError: .*Resource temporarily unavailable|can't start new thread"),
        "too_many_processes",
        "bots may use some threads but start no processes; do the work in the one that was started",
    ),
    (
        re.compile(r"^MemoryError|JavaScript heap out of memory", re.MULTILINE),
        "over_memory",
        "the bot used more memory than it may; keep less",
    ),
    (
        re.compile(r"^fatal error: failed to reserve .* memory", re.MULTILINE),
        "over_memory",
        "the program reserves more address space than it may, as those of Go do; write it in another "
        "language, or ask the organisers for a larger address_space_bytes",
    ),
    (
        re.compile(r"(?:ModuleNotFoundError: No module named|Error: Cannot find module) '([^']*)'"),
        "missing_module",
        "the runtime has no module {0!r}; put it into the bundle or do without",
    ),
    (
        re.compile(r'^  File ".*", line \d+$[\s\S]*^(?:Syntax|Indentation|Tab)Error: (.*)$', re.MULTILINE),
        "syntax_error",
        "the bot is not valid Python: {0}",
    ),
    (
        re.compile(r"^SyntaxError: (.*)$", re.MULTILINE),
        "syntax_error",
        "the bot is not valid JavaScript: {0}",
    ),
    (
        re.compile(r"^(?:OSError: .*Read-only file system|Error: EROFS\b)", re.MULTILINE),
        "not_permitted",
        "the bot's folder is read-only; write to the working directory, /tmp, which is deleted afterwards",
    ),
    (
        re.compile(
            r"^(?:OSError: .*(?:File too large|No space left on device)|Error: (?:EFBIG|ENOSPC)\b)",
            re.MULTILINE,
        ),
        "not_permitted",
        "the bot wrote more to its disk than it may (file_bytes, scratch_bytes); write less",
    ),
    (
        re.compile(
            r"^(?:socket\.gaierror: |urllib\.error\.URLError: "
            r"|Error: (?:getaddrinfo|connect|listen) E[A-Z_]+\b)",
            re.MULTILINE,
        ),
        "not_permitted",
        "bots have no network; put what the bot needs into its folder",
    ),
    (
        re.compile(r"PermissionError: .*Operation not permitted"),
        "not_permitted",
        "the sandbox forbids what the bot tried (network, devices, other processes); do without",
    ),
)
"""Patterns in the log of a crash, with code and remedy."""


def check_bundle(
    bundle: Bundle,
    game: str,
    preset: str,
    *,
    seed: str = "",
    keep: Keep | None = None,
    drivers_factory: MakeDriver = sandboxed_driver,
    limits: Limits = Limits(),  # noqa: B008  (frozen, so one will do for all)
    runtime_sha256: str = "",
    on_steps: Callable[[Sequence[CheckStep]], object] = lambda _: None,
) -> CheckReport:
    """Play a trial table with the bot; report whether it may play, and otherwise the remedies.

    No interpreter or compiler reads any file of the bot outside the sandbox. The trial is derived from
    ``seed``, any text; without one, from a new seed. ``keep`` stores the trial's record and logs.
    ``runtime_sha256`` is the hash of the staged artefact, if the runtime takes one. ``on_steps`` is called
    once with the steps before the trial, which takes most of the time. Never raises RefereeError; if this
    machine lacks the runtime, ``platform_cause`` is ``FaultCause.RUNTIME``.
    """
    steps: list[CheckStep] = []
    try:
        read_bundle(bundle.data)
    except BundleError as error:
        steps.append(CheckStep("bundle", False, error.message))
        return _rejected(steps, [RejectionReason(error.code, error.message)])
    manifest = bundle.manifest
    steps.append(CheckStep("bundle", True, f"{len(bundle.files)} files, {len(bundle.data)} bytes"))
    steps.append(
        CheckStep("manifest", True, f"{manifest.name}: {manifest.entry_point} on {manifest.runtime}")
    )
    try:
        rules = game_named(game)
        ruleset = rules.ruleset(preset)
    except EngineError as error:
        steps.append(CheckStep("game", False, str(error)))
        return _rejected(steps, [RejectionReason("unknown_game", clipped(f"{error}: choose one of these"))])
    steps.append(CheckStep("game", True, preset))
    digest = ""
    if drivers_factory is not plain_driver:
        try:
            offer = offer_named(manifest.runtime, runtime_sha256)
        except OrderInvalid as error:
            steps.append(CheckStep("runtime", False, str(error)))
            return _rejected(
                steps, [RejectionReason("unknown_runtime", clipped(f"{error}: choose one of these"))]
            )
        made_for = program_machine(bundle)
        if made_for not in ("", host_machine()):
            message = f"the program is for {made_for}, bots run on {host_machine()}: build it for that"
            steps.append(CheckStep("runtime", False, message))
            return _rejected(steps, [RejectionReason("wrong_machine", message)])
        if offer.refusal:
            return _failed(steps, "runtime", f"{offer.refusal}. {offer.remedy}", FaultCause.RUNTIME)
        digest = offer.digest
    steps.append(CheckStep("runtime", True, f"{manifest.runtime} {digest[:12]}".strip()))
    on_steps(steps)
    seed = seed or trial_seed()
    trial = trial_table(bundle, rules, ruleset, limits, seed, runtime_sha256)
    report = _play(trial, bundle, keep or _discard, drivers_factory)
    if report.platform_fault is not None:
        failed = _failed(steps, "trial", report.platform_fault, report.platform_cause)
        return dataclasses.replace(failed, seed=seed, seat=trial.seat)
    faults = report.seats[trial.seat - 1].faults
    steps += _trial_steps(report, trial, faults)
    tried = CheckReport(not faults, tuple(steps), (), report, None, digest, seed=seed, seat=trial.seat)
    reasons = list(dict.fromkeys(map(reason_for, faults)))[:MAX_REASONS]
    return dataclasses.replace(tried, reasons=tuple(reasons))


def _play(trial: TrialTable, bundle: Bundle, keep: Keep, drivers_factory: MakeDriver) -> TableReport:
    def make_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
        if seat.seat == trial.seat:
            return drivers_factory(order, seat, folder, cpu_limit_s)
        return InProcessDriver(_play_any_legal, order.limits)

    return execute(trial.order, lambda _: bundle.data, keep, lambda *_: None, make_driver)


def trial_seed() -> str:
    return secrets.token_hex(SEED_BYTES)


def _derive(seed: str, label: str) -> str:
    """Return 64 hex digits derived from the seed, which reveal no other derived value."""
    return hmac.new(seed.encode(), f"rensho-check/2|{label}".encode(), hashlib.sha256).hexdigest()


def _derive_index(seed: str, label: str, count: int) -> int:
    return int(_derive(seed, label), 16) % count


def trial_table(
    bundle: Bundle, game: Game, ruleset: Ruleset, limits: Limits, seed: str, runtime_sha256: str = ""
) -> TrialTable:
    """Return the trial table: equal for the same bot, rules, limits and seed, from which all else follows.

    Lines sent to the bot contain nothing that distinguishes a trial from a tournament table.
    """
    clock = Clock()
    seats = game.seats(ruleset)
    fewest, most = TRIAL_BOARDS
    first = 1 + _derive_index(seed, "first board", TRIAL_FIRST_BOARDS)
    count = fewest + _derive_index(seed, "boards", most - fewest + 1)
    boards = tuple(
        BoardOrder(number, "deal", _derive(seed, f"board {number}")) for number in range(first, first + count)
    )
    decisions = decisions_bound(game, ruleset, boards)
    manifest = bundle.manifest
    order = TableOrder(
        table=f"check-{bundle.sha256[:12]}",
        attempt=1,
        game=game.key,
        preset=ruleset.preset,
        ruleset=ruleset.as_dict(),
        boards=boards,
        seats=tuple(
            SeatOrder(seat, bundle.sha256, manifest.runtime, manifest.entry_point, runtime_sha256)
            for seat in range(1, seats + 1)
        ),
        clock=clock,
        limits=limits,
        # One fault rejects the bot, and its author waits for the result.
        fault_policy=FaultPolicy.STRICT,
        key=_derive(seed, "key"),
        wall_limit_s=table_wall_limit_s(clock, [board.kind for board in boards], seats, decisions),
    )
    return TrialTable(order, 1 + _derive_index(seed, "seat", seats))


def _trial_steps(report: TableReport, trial: TrialTable, faults: tuple[Fault, ...]) -> list[CheckStep]:
    seat = report.seats[trial.seat - 1]
    if faults and faults[0].phase == START_PHASE:
        return [CheckStep("start", False, reason_for(faults[0]).message)]
    played = f"{seat.decisions} decisions on {len(trial.order.boards)} boards, {seat.cpu_ms} ms of CPU"
    counted = f"{len(faults)} fault{'' if len(faults) == 1 else 's'}"
    return [
        CheckStep("start", True, "ready"),
        CheckStep("trial", not faults, f"{counted} in {played}" if faults else played),
    ]


def reason_for(fault: Fault) -> RejectionReason:
    if fault.verdict is Verdict.CRASHED:
        for pattern, code, message in _HINTS:
            match = pattern.search(fault.log_tail)
            if match:
                groups = (clipped(word, LOG_QUOTE_CHARS) for word in match.groups())
                return RejectionReason(code, clipped(message.format(*groups)))
    codes = _START_CODES if fault.phase == START_PHASE else {}
    return RejectionReason(codes.get(fault.verdict) or _CODES[fault.verdict], clipped(fault.reason))


def _rejected(steps: list[CheckStep], reasons: list[RejectionReason]) -> CheckReport:
    return CheckReport(False, tuple(steps), tuple(reasons), None, None, "")


def _failed(steps: list[CheckStep], name: str, fault: str, cause: FaultCause | None) -> CheckReport:
    fault = clipped(fault)
    return CheckReport(False, (*steps, CheckStep(name, False, fault)), (), None, fault, "", cause)


def _play_any_legal(line: bytes) -> bytes | None:
    """Answer for the other seats of a trial; the choice is derived from the request id."""
    message = json.loads(line)
    if message["type"] == "hello":
        return b'{"type":"ready"}'
    if message["type"] == "request":
        legal = message["legal"]
        choice = int(hashlib.sha256(message["id"].encode()).hexdigest(), 16) % len(legal)
        return json.dumps({"id": message["id"], "action": legal[choice]}).encode()
    return None


def _discard(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
