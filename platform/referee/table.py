"""Plays one table: all boards of an order, whatever the bots do."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib.metadata
import itertools
import time
from collections.abc import Callable, Collection, Iterator, Mapping

from engine.errors import EngineError
from engine.game import Board, Game, Ruleset, Seat, State
from engine.games import game_named
from engine.lines import format_line
from engine.record import RecordWriter
from engine.wire import Tokens, hello_line
from referee.clocks import RemoteClock, hello_clock
from referee.contract import BoardOrder, BoardSeatResult, SeatReport, TableOrder, TableReport, Verdict
from referee.driver import Driver
from referee.errors import OrderInvalid, PlatformFault
from referee.seat import SeatPlayer

Progress = Callable[[int, int, float], None]
"""Called with the boards done, decisions so far, and seconds held up; may raise PlayStopped."""
Keep = Callable[[bytes], str]
"""Stores bytes and returns their hex SHA-256."""
OnStep = Callable[[State, State, Mapping[Seat, Verdict]], None]
"""Called with the states before and after a complete step, and verdicts by seat; may raise PlayStopped."""

PROGRESS_S = 0.5
KEY_BYTES = 32
PARALLEL_START_MS = 1000
"""Time during which the bots of a table start in parallel; slower ones continue alone, in turn."""
TIMINGS_FORMAT = "rensho-timings/1"


def engine_version() -> str:
    try:
        return importlib.metadata.version("rensho")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def play_table(
    order: TableOrder,
    drivers: Mapping[Seat, Driver],
    on_progress: Progress,
    keep: Keep,
    *,
    sandbox_level: str = "NONE",
    once_ready: Callable[[], None] | None = None,
    on_step: OnStep | None = None,
    persons: Collection[Seat] = (),
    remote: Mapping[Seat, RemoteClock] | None = None,
) -> TableReport:
    """Play every board of the order and return the report; the drivers are always closed.

    Deterministic bots produce the same record, byte for byte, however slow they are within their time.
    ``once_ready`` is called when every bot is ready or has failed. The seats of ``persons`` never forfeit.
    ``remote`` has the clock of each seat of a remote bot.
    Raise ``OrderInvalid`` if the order cannot be carried out as written, ``PlatformFault`` (or any other
    exception) if no bot is to blame, ``PlayStopped`` if ``on_progress`` stopped the table.
    """
    try:
        with _gc_paused():
            table = _Table(order, drivers, on_progress, on_step, persons, remote or {})
            table.start()
            if once_ready is not None:
                once_ready()
            table.play()
            return table.report(keep, sandbox_level)
    finally:
        for driver in drivers.values():
            driver.close()


@contextlib.contextmanager
def _gc_paused() -> Iterator[None]:
    """Pause the garbage collector, which would cost every bot time; states have no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Table:
    def __init__(
        self,
        order: TableOrder,
        drivers: Mapping[Seat, Driver],
        on_progress: Progress,
        on_step: OnStep | None,
        persons: Collection[Seat],
        remote: Mapping[Seat, RemoteClock],
    ) -> None:
        self._order = order
        self._game, self._ruleset = rules_of(order)
        tokens = _checked_tokens(order, drivers, self._game.seats(self._ruleset))
        self._tokens = tokens
        bundles = {seat.seat: seat.bundle_sha256 for seat in order.seats}
        self._record = RecordWriter(self._game, self._ruleset, bundles)
        seats = range(1, len(order.seats) + 1)
        self._players = {
            seat: SeatPlayer(seat, drivers[seat], order, tokens, seat in persons, remote.get(seat))
            for seat in seats
        }
        self._remote = remote
        self._results: list[BoardSeatResult] = []
        self._substituted: set[Seat] = set()
        """Seats for which the referee has played."""
        self._on_progress = on_progress
        self._on_step = on_step
        self._boards_done = 0
        self._decisions = 0
        self._progress_at = 0.0
        self._deadline = time.monotonic() + order.wall_limit_s

    def start(self) -> None:
        """Start all bots in parallel, so that no bot pays for another: see ``SeatPlayer.wait_ready``."""
        self._progress()
        players = self._players.values()
        for player in players:
            player.begin()
        for seat, player in self._players.items():
            player.send_hello(self._hello(seat))
        end = time.monotonic() + min(PARALLEL_START_MS, self._order.clock.start_wall_ms) / 1e3
        late = [p for p in players if not p.wait_ready(max(end - time.monotonic(), 0.0) * 1e3)]
        for player in late:
            self._progress()
            player.wait_ready_alone()

    def play(self) -> None:
        for board in self._order.boards:
            self._play_board(board)
            self._boards_done += 1
            self._progress()
        for player in self._players.values():
            player.say_bye()

    def report(self, keep: Keep, sandbox_level: str) -> TableReport:
        players = self._players
        forfeited = [seat for seat, player in players.items() if player.conduct.forfeited_for]
        record = self._record.end(*self._record_ending(forfeited))
        seats = tuple(self._close_player(player, keep) for player in players.values())
        return TableReport(
            table=self._order.table,
            attempt=self._order.attempt,
            record_sha256=keep(record),
            timings_sha256=keep(self._timings()),
            results=tuple(self._results),
            seats=seats,
            platform_fault=None,
            sandbox_level=sandbox_level,
            engine_version=engine_version(),
            runtime_artifacts={
                seat.runtime: seat.runtime_sha256 for seat in self._order.seats if seat.runtime_sha256
            },
        )

    def _hello(self, seat: Seat) -> bytes:
        remote = self._remote.get(seat)
        clock = hello_clock(self._order.clock, self._order.boards) if remote is None else remote.hello()
        return hello_line(self._game, self._ruleset, seat, clock=clock, rng=self._tokens.rng(seat))

    def _play_board(self, ordered: BoardOrder) -> None:
        board = Board(ordered.kind, ordered.number, ordered.seed)
        players, record = self._players, self._record
        for player in players.values():
            player.begin_board(board.number)
        state: State = self._game.start(self._ruleset, board)
        record.start_board(board, state)
        recorded = state
        """Up to here the record is written."""
        while to_act := state.to_act:
            for seat in to_act:
                players[seat].send_request(state)
            before, substituted = state, None
            for seat in to_act:
                action, verdict = players[seat].await_decision()
                if verdict is not None:
                    substituted = {**(substituted or {}), seat: verdict}
                    self._substituted.add(seat)
                state = state.apply(seat, action)
            # Decisions of bots are written to the record in batches: single writes take 50 % longer.
            if substituted is not None:
                record.add(recorded, before)
                record.add(before, state, substituted)
                recorded = state
            if self._on_step is not None:
                self._on_step(before, state, substituted or {})
            self._decisions += len(to_act)
            if time.monotonic() >= self._progress_at:
                self._progress()
        record.add(recorded, state)
        record.end_board(state)
        outcome = state.outcome()
        assert outcome is not None, "nobody is to act, so the board is over"
        for seat, player in players.items():
            player.end_board(state)
            self._results.append(
                BoardSeatResult(board.number, seat, outcome.stones[seat], player.conduct.board_verdict)
            )

    def _progress(self) -> None:
        now = time.monotonic()
        machine_delay_s = sum(player.machine_delay_ms for player in self._players.values()) / 1e3
        if now > self._deadline + machine_delay_s:
            raise PlatformFault(
                f"not done after {self._order.wall_limit_s + machine_delay_s:.0f} s, {machine_delay_s:.0f} "
                f"s of them for "
                "a busy machine, which all clocks together cannot explain"
            )
        self._progress_at = now + PROGRESS_S
        self._on_progress(self._boards_done, self._decisions, machine_delay_s)

    def _record_ending(self, forfeited: list[Seat]) -> tuple[list[Seat], dict[Seat, Verdict]]:
        """Return the forfeits and verdicts for the record: only of seats that had a decision to make."""
        verdicts = {
            seat: player.conduct.verdict if seat in self._substituted else Verdict.OK
            for seat, player in self._players.items()
        }
        return [seat for seat in forfeited if seat in self._substituted], verdicts

    def _close_player(self, player: SeatPlayer, keep: Keep) -> SeatReport:
        report, log = player.close()
        return dataclasses.replace(report, log_sha256=keep(log)) if log else report

    def _timings(self) -> bytes:
        """Return the time of each answer, as a separate file: times differ between runs, records do not."""
        lines: list[dict[str, object]] = [
            {"format": TIMINGS_FORMAT, "table": self._order.table, "attempt": self._order.attempt}
        ]
        for seat, player in self._players.items():
            for board, decision, cpu_ms, wall_ms, machine_delay_ms, policy in player.timings:
                line: dict[str, object] = {
                    "board": board,
                    "seat": seat,
                    "n": decision,
                    "cpu_us": round(cpu_ms * 1000),
                    "wall_us": round(wall_ms * 1000),
                }
                if machine_delay_ms:
                    line["machine_delay_us"] = round(machine_delay_ms * 1000)
                lines.append(line if policy is None else {**line, "policy": policy})
        return b"".join(map(format_line, lines))


def rules_of(order: TableOrder) -> tuple[Game, Ruleset]:
    """Return the game and the ruleset of an order, or raise ``OrderInvalid``."""
    try:
        game = game_named(order.game)
        if game.rules_version < order.rules_version:
            raise OrderInvalid(
                f"table {order.table}: made for rules_version {order.rules_version} of {order.game}, this "
                f"engine has {game.rules_version}"
            )
        return game, game.ruleset(order.preset, order.ruleset)
    except EngineError as error:
        raise OrderInvalid(f"table {order.table}: {error}") from error


def _checked_tokens(order: TableOrder, drivers: Mapping[Seat, Driver], seats: int) -> Tokens:
    """Return the table's tokens after checking that the order is complete."""
    expected = list(range(1, seats + 1))
    if [seat.seat for seat in order.seats] != expected or sorted(drivers) != expected:
        raise OrderInvalid(
            f"table {order.table}: seats {[seat.seat for seat in order.seats]} with drivers for "
            f"{sorted(drivers)}, but {order.preset} has the seats {expected}"
        )
    numbers = [board.number for board in order.boards]
    if not numbers or any(after <= before for before, after in itertools.pairwise(numbers)):
        raise OrderInvalid(f"table {order.table}: boards {numbers} must be ascending and not empty")
    try:
        tokens = Tokens(order.key)
    except ValueError as error:
        raise OrderInvalid(f"table {order.table}: the key is not hex") from error
    if len(order.key) != 2 * KEY_BYTES:
        raise OrderInvalid(f"table {order.table}: the key must have {KEY_BYTES} bytes")
    return tokens
