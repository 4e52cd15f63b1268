"""The check that a bot must pass before it may play: its bundle, then a trial table in the sandbox.

The server and ``rensho check`` run the same code. The trial is derived from a seed drawn for each check,
which reproduces it; a bot cannot tell it from a tournament table.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import EngineError
from engine.game import Game, Ruleset, Seat
from engine.games import all_games, game_named
from engine.refusals import QUOTED_CHARS, clipped
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
    table_wall_limit_s,
)
from referee.driver import Driver, ExitReason
from referee.errors import BundleError, OrderInvalid, SandboxUnavailable
from referee.execute import MakeDriver, execute, plain_driver, sandboxed_driver
from referee.inprocess import InProcessDriver
from referee.rejections import UNKNOWN_BOT, FaultyBot, RejectionReason, reason_for, reason_of, rejection_of
from referee.runtimes import host_runtime
from referee.runtimes.elf import host_machine
from referee.seat import START_PHASE
from referee.table import Keep

TRIAL_BOARDS = (2, 3)
"""Minimum and maximum number of boards; the bot can infer the number from its clock."""
TRIAL_FIRST_BOARDS = 32
"""Maximum number of the first board; boards are consecutive, as at one table of a fixture."""
SEED_BYTES = 16
MAX_REASONS = 10


class CheckStep(NamedTuple):
    """One step of a check; ``detail`` has at most ``REFUSAL_CHARS``."""

    name: str
    ok: bool
    detail: str


class TrialTable(NamedTuple):
    order: TableOrder
    seat: Seat
    """Seat of the bot; the other seats play any legal actions."""


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
    runtime: str = ""
    """Name of the bot's runtime; empty without a trial."""
    bot: FaultyBot = UNKNOWN_BOT
    """The bot of a trial, with the versions in its runtime on this machine."""

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "steps": [step._asdict() for step in self.steps],
            "reasons": [reason.to_json() for reason in self.reasons],
            "report": None if self.report is None else self.report.to_json(),
            "bot": {**self.bot._asdict(), "files": list(self.bot.files), "versions": dict(self.bot.versions)},
        }


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
        return _rejected(steps, [rejection_of(error)])
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
    if refusal := _game_refusal(manifest.preset, rules):
        steps.append(CheckStep("game", False, refusal.message))
        return _rejected(steps, [refusal])
    steps.append(CheckStep("game", True, preset))
    digest = ""
    versions: Mapping[str, str]
    if drivers_factory is plain_driver:
        try:
            versions = host_runtime(manifest.runtime).versions
        except SandboxUnavailable as error:
            return _failed(steps, "runtime", f"{error.step}. {error.remedy}", FaultCause.RUNTIME)
    else:
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
        digest, versions = offer.digest, offer.versions
    measured = ", ".join(f"{name} {version}" for name, version in versions.items())
    detail = f"{manifest.runtime} {digest[:12]}".strip()
    steps.append(CheckStep("runtime", True, f"{detail} ({measured})" if measured else detail))
    on_steps(steps)
    seed = seed or trial_seed()
    trial = trial_table(bundle, rules, ruleset, limits, seed, runtime_sha256)
    report, end = _play(trial, bundle, keep or _discard, drivers_factory)
    if report.platform_fault is not None:
        failed = _failed(steps, "trial", report.platform_fault, report.platform_cause)
        return dataclasses.replace(failed, seed=seed, seat=trial.seat)
    faults = report.seats[trial.seat - 1].faults
    bot = FaultyBot(bundle.files, manifest.entry_point, versions)
    reasons = tuple(dict.fromkeys(reason_for(fault, bot, end) for fault in faults))[:MAX_REASONS]
    steps += _trial_steps(report, trial, faults, reasons)
    return CheckReport(
        not faults,
        tuple(steps),
        reasons,
        report,
        None,
        digest,
        seed=seed,
        seat=trial.seat,
        runtime=manifest.runtime,
        bot=bot,
    )


def _game_refusal(preset: str, game: Game) -> RejectionReason | None:
    """Return why a bot whose manifest names this preset cannot play the game; None if it can."""
    if not preset or preset in game.presets:
        return None
    name = clipped(preset, QUOTED_CHARS)
    if any(preset in each.presets for each in all_games().values()):
        return reason_of("other_game", {"preset": name, "game": game.key})
    return reason_of("unknown_preset", {"preset": name, "presets": " or ".join(game.presets)})


def _play(
    trial: TrialTable, bundle: Bundle, keep: Keep, drivers_factory: MakeDriver
) -> tuple[TableReport, ExitReason | None]:
    """Return the report of the trial, and why the bot's driver ended it (None if it was never made)."""
    drivers: list[Driver] = []

    def make_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
        if seat.seat == trial.seat:
            drivers.append(drivers_factory(order, seat, folder, cpu_limit_s))
            return drivers[-1]
        return InProcessDriver(_play_any_legal, order.limits)

    report = execute(trial.order, lambda _: bundle.data, keep, lambda *_: None, make_driver)
    return report, drivers[-1].close().reason if drivers else None


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


def _trial_steps(
    report: TableReport, trial: TrialTable, faults: tuple[Fault, ...], reasons: Sequence[RejectionReason]
) -> list[CheckStep]:
    seat = report.seats[trial.seat - 1]
    if faults and faults[0].phase == START_PHASE:
        return [CheckStep("start", False, reasons[0].message)]
    played = f"{seat.decisions} decisions on {len(trial.order.boards)} boards, {seat.cpu_ms} ms of CPU"
    counted = f"{len(faults)} fault{'' if len(faults) == 1 else 's'}"
    return [
        CheckStep("start", True, "ready"),
        CheckStep("trial", not faults, f"{counted} in {played}" if faults else played),
    ]


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
