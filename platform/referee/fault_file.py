"""The document ``rensho-fault/1``: one fault with all it takes to put a bot into that very position again.

JSON in ASCII, one field a line and one line of the record a line, so that two files can be compared.
It holds what the seat's bot was told, and the table's record up to the faulted decision: whoever makes one
does so only once the record may be read. Of other seats' bots it knows their hash and what they played.
"""

from __future__ import annotations

import collections
import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.errors import EngineError
from engine.game import Action, Board, BoardKind, Game, Observation, Ruleset, Seat, State, partner_of
from engine.games import game_named
from engine.record import FORMAT as RECORD_FORMAT
from engine.record import REFEREE, Line, RecordWriter, format_line
from engine.wire import Tokens, hello_line, request_line
from referee.clocks import decisions_bound, process_cpu_limit_s, told_clock
from referee.contract import (
    BoardOrder,
    Clock,
    Fault,
    FaultPolicy,
    Limits,
    SeatReport,
    TableOrder,
    Verdict,
)
from referee.errors import FaultFileInvalid

FORMAT = "rensho-fault/1"
FILE_BYTES = 64 << 20
"""The largest file that is read."""
ORIGIN_LABELS = 16
LABEL_CHARACTERS = 200


class PlayedAct(NamedTuple):
    """What was played for a seat."""

    seat: Seat
    action: Action
    verdict: str | None
    """None if its bot chose it; else why the referee did."""


class Position(NamedTuple):
    """One state of a table in which somebody had to act."""

    board: Board
    state: State
    acts: tuple[PlayedAct, ...]
    """What was answered, a seat of ``state.to_act`` each; empty at the faulted decision."""
    lines: int
    """How many lines of the record precede the answers."""
    after: State | None
    """What came of the answers; None at the faulted decision."""


@dataclasses.dataclass(frozen=True)
class FaultFile:
    """A fault file, read and found to agree with the rules; see docs/kit.md for every field."""

    origin: Mapping[str, str]
    """Free labels: tournament, table, bot, version."""
    seat: Seat
    runtime: str
    entry_point: str
    bundle_sha256: str
    limits: Limits
    clock: Clock
    fault_policy: FaultPolicy
    boards: tuple[tuple[int, BoardKind], ...]
    """Number and kind of every board of the table: the clock follows from them."""
    hello: str
    """The exact line."""
    fault: Fault
    skips_forced: bool
    """Whether the bot was asked only where it had a choice."""
    request_ids: tuple[str, ...]
    """Of the requests sent to the seat, the faulted one last; empty for a fault at the start."""
    spent_ms: tuple[float, ...] | None
    """CPU used for each earlier request; None where it is not known."""
    record: tuple[Line, ...]
    """The record's lines up to the faulted decision."""

    @property
    def is_start(self) -> bool:
        """Whether the bot failed before it was asked anything."""
        return self.fault.request is None

    @property
    def preset(self) -> str:
        """The preset of the table."""
        return str(self.record[0]["preset"])

    @property
    def rules(self) -> tuple[Game, Ruleset]:
        """Game and ruleset of the table."""
        return _rules_of(self.record[0])

    @property
    def cpu_limit_s(self) -> int:
        """Whole seconds of CPU after which the kernel ends the bot, as at the table."""
        game, ruleset = self.rules
        boards = self.board_orders
        return process_cpu_limit_s(self.clock, boards, decisions_bound(game, ruleset, boards))

    @property
    def board_orders(self) -> tuple[BoardOrder, ...]:
        """The table's boards, their seeds left out."""
        return tuple(BoardOrder(number, kind, "") for number, kind in self.boards)

    def positions(self) -> Iterator[Position]:
        """Every position of the record in order; the faulted one last, unless the fault is of the start."""
        if not self.is_start:
            yield from walk(self.record)

    def encoded(self) -> bytes:
        """The document. ``read_fault_file`` gives an equal value back."""
        fields = {
            "format": FORMAT,
            "origin": dict(self.origin),
            "seat": self.seat,
            "runtime": self.runtime,
            "entry_point": self.entry_point,
            "bundle_sha256": self.bundle_sha256,
            "fault": dataclasses.asdict(self.fault),
            "limits": dataclasses.asdict(self.limits),
            "clock": dataclasses.asdict(self.clock),
            "fault_policy": self.fault_policy.value,
            "boards": [{"number": number, "kind": kind} for number, kind in self.boards],
            "hello": self.hello,
            "skips_forced": self.skips_forced,
            "request_ids": list(self.request_ids),
            "spent_ms": None if self.spent_ms is None else list(self.spent_ms),
        }
        head = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in fields.items())
        lines = b",\n".join(b"  " + format_line(line).rstrip() for line in self.record)
        return b"{\n" + head.encode("ascii") + b' "record": [\n' + lines + b"\n ]\n}\n"


def fault_file(
    order: TableOrder,
    seat: Seat,
    fault: Fault,
    record: bytes,
    *,
    origin: Mapping[str, str],
    spent_ms: Sequence[float] | None = None,
) -> bytes:
    """The document for one fault of a seat, from the table's order and its whole record.

    ``origin`` is kept as it is. ``spent_ms`` is CPU by decision of the seat, from the first (see
    ``spent_by_decision``); what lies after the fault is left out. Without it the clock of earlier
    requests can only be guessed when the fault is reproduced.

    Raises:
        FaultFileInvalid: order, fault and record do not belong together.
    """
    lines = _record_lines(record)
    game, ruleset = _rules_of(lines[0] if lines else {})
    seated = next((one for one in order.seats if one.seat == seat), None)
    if seated is None:
        raise FaultFileInvalid(f"table {order.table} has no seat {seat}")
    tokens = Tokens(order.key)
    skips_forced, cut = (False, 1) if fault.request is None else _faulted(lines, seat, fault)
    earlier = max(fault.decision - 1, 0)
    return FaultFile(
        origin=dict(origin),
        seat=seat,
        runtime=seated.runtime,
        entry_point=seated.entry_point,
        bundle_sha256=seated.bundle_sha256,
        limits=order.limits,
        clock=order.clock,
        fault_policy=order.fault_policy,
        boards=tuple((board.number, board.kind) for board in order.boards),
        hello=hello_line(
            game=game.key,
            ruleset=ruleset,
            seat=seat,
            seats=game.seats(ruleset),
            partner=partner_of(game.sides(ruleset), seat),
            clock=told_clock(order.clock, order.boards),
            rng=tokens.rng(seat),
        ).decode("ascii"),
        fault=fault,
        skips_forced=skips_forced,
        request_ids=tuple(tokens.request_id(seat, count) for count in range(1, fault.decision + 1)),
        spent_ms=None if spent_ms is None else tuple(map(float, spent_ms[:earlier])),
        record=tuple(lines[:cut]),
    ).encoded()


def spent_by_decision(timings: bytes, report: SeatReport) -> list[float]:
    """CPU in ms of a seat's decisions in order, from the table's timings and the seat's faults."""
    spent = {fault.decision: float(fault.clock["used_cpu_ms"]) for fault in report.faults if fault.decision}
    for line in map(json.loads, timings.splitlines()):
        if line.get("seat") == report.seat:
            spent[line["n"]] = line["cpu_us"] / 1000
    return [spent.get(decision, 0.0) for decision in range(1, max(spent, default=0) + 1)]


def read_fault_file(data: bytes) -> FaultFile:
    """The fault file in these bytes, its record walked through by the rules.

    Raises:
        FaultFileInvalid: it is none, is damaged, or was made under rules this engine does not know.
    """
    raw = _document(data)
    try:
        fault = Fault(**{**raw["fault"], "verdict": Verdict(raw["fault"]["verdict"])})
        spent = raw["spent_ms"]
        file = FaultFile(
            origin={_text(name): _text(label) for name, label in raw["origin"].items()},
            seat=_whole(raw["seat"]),
            runtime=_text(raw["runtime"]),
            entry_point=_text(raw["entry_point"]),
            bundle_sha256=_text(raw["bundle_sha256"]),
            limits=Limits(**raw["limits"]),
            clock=Clock(**raw["clock"]),
            fault_policy=FaultPolicy(raw["fault_policy"]),
            boards=tuple((_whole(board["number"]), _kind(board["kind"])) for board in raw["boards"]),
            hello=_text(raw["hello"]),
            fault=fault,
            skips_forced=raw["skips_forced"] is True,
            request_ids=tuple(map(_text, raw["request_ids"])),
            spent_ms=None if spent is None else tuple(map(float, spent)),
            record=tuple(dict(line) for line in raw["record"]),
        )
        _check_numbers(file)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FaultFileInvalid(f"not a whole {FORMAT}: {_trouble(error)}; fetch the file again") from None
    _check_position(file)
    return file


def walk(lines: Sequence[Line]) -> Iterator[Position]:
    """Every position the lines of a record lead to, each line found to be what the rules write.

    The lines may end where they like; if somebody has to act there, that position comes last.

    Raises:
        FaultFileInvalid: a line contradicts the rules.
    """
    game, ruleset = _rules_of(lines[0])
    try:
        writer = RecordWriter(game, ruleset, {bot["seat"]: bot["sha256"] for bot in lines[0]["bots"]})
        agreed = _agreed(lines, writer, 0)
        while agreed < len(lines) and lines[agreed].get("e") == "board":
            line = lines[agreed]
            board = Board(_kind(line["kind"]), _whole(line["board"]), _text(line["seed"]))
            state = game.start(ruleset, board)
            writer.start_board(board, state)
            agreed = _agreed(lines, writer, agreed)
            while state.to_act:
                if agreed == len(lines):
                    yield Position(board, state, (), agreed, None)
                    return
                before, acts = state, []
                for offset, seat in enumerate(before.to_act):
                    act = _act(lines, agreed + offset, seat)
                    state = state.apply(seat, act.action)
                    acts.append(act)
                yield Position(board, before, tuple(acts), agreed, state)
                writer.add(before, state, {act.seat: act.verdict for act in acts if act.verdict})
                agreed = _agreed(lines, writer, agreed)
            writer.end_board(state)
            agreed = _agreed(lines, writer, agreed)
    except (EngineError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, FaultFileInvalid):
            raise
        raise FaultFileInvalid(f"its record contradicts the rules: {_trouble(error)}") from None


def _agreed(lines: Sequence[Line], writer: RecordWriter, since: int) -> int:
    """How many lines have been found to be what the writer writes; ``since`` were before."""
    for at, written in enumerate(writer.written_since(since), start=since):
        if at >= len(lines):
            raise FaultFileInvalid("its record ends between two decisions")
        if format_line(lines[at]) != written:
            raise FaultFileInvalid(f"its record contradicts the rules in line {at + 1}")
    return writer.length


def _act(lines: Sequence[Line], at: int, seat: Seat) -> PlayedAct:
    line = lines[at] if at < len(lines) else {}
    if line.get("e") != "act" or line.get("seat") != seat:
        raise FaultFileInvalid(f"line {at + 1} of its record must tell what seat {seat} answered")
    verdict = _text(line["verdict"]) if line.get("by") == REFEREE else None
    return PlayedAct(seat, _text(line["action"]), verdict)


def _faulted(lines: Sequence[Line], seat: Seat, fault: Fault) -> tuple[bool, int]:
    """Whether the seat skipped forced decisions, and how many lines precede the faulted one."""
    asked, chosen = 0, 0
    for position in walk(lines):
        state = position.state
        if seat not in state.to_act:
            continue
        asked += 1
        chosen += len(state.legal(seat)) > 1
        is_there = position.board.number == fault.board and fault.decision in (asked, chosen)
        if is_there and _question(fault.request or "") == _question(_request(state, seat)):
            return asked != fault.decision, position.lines
    raise FaultFileInvalid(
        f"the record has no decision {fault.decision} of seat {seat} as the fault tells it"
    )


def _request(state: State, seat: Seat) -> str:
    """The request of a state, but for its id and its clock."""
    legal, seen = state.legal(seat), state.observe_text(seat)
    return request_line("", state.phase, legal, seen, bank_ms=0, increment_ms=0).decode("ascii")


def _question(request: str) -> str:
    """A request without its id and its clock, which are of one table."""
    return request.partition(',"phase":')[2].rpartition(',"clock":')[0]


def _check_position(file: FaultFile) -> None:
    """That the record leads to the position of the request."""
    if file.is_start:
        next(walk(file.record), None)
        return
    ending = collections.deque(walk(file.record), maxlen=1)
    last = ending.pop() if ending else None
    if last is None or last.acts or file.seat not in last.state.to_act:
        raise FaultFileInvalid(f"its record does not lead to a decision of seat {file.seat}")
    asked: Observation = _json_object(file.fault.request or "")
    if list(last.state.legal(file.seat)) != asked.get("legal"):
        raise FaultFileInvalid("its request is not that of the position its record leads to")
    if not file.request_ids or asked.get("id") != file.request_ids[-1]:
        raise FaultFileInvalid("its request has another id than its list of ids says")


def _check_numbers(file: FaultFile) -> None:
    """Raise ValueError if a number that a clock or a limit is made of is none."""
    for part in (file.clock, file.limits):
        for name, value in dataclasses.asdict(part).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                raise ValueError(f"{name} is {value!r}")
    for name, value in file.fault.clock.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} is {value!r}")
    if not file.record or not file.boards:
        raise ValueError("no record or no boards")
    labels = [*file.origin, *file.origin.values()]
    if len(labels) > 2 * ORIGIN_LABELS or any(len(label) > LABEL_CHARACTERS for label in labels):
        raise ValueError("too many or too long labels of its origin")
    for name in ("reason", "phase", "log_tail", "fingerprint"):
        _text(getattr(file.fault, name))
    for name in ("request", "answer", "action"):
        _text(getattr(file.fault, name) or "")
    for number in (file.fault.board, file.fault.decision):
        _whole(number)


def _document(data: bytes) -> dict[str, Any]:
    if len(data) > FILE_BYTES:
        raise FaultFileInvalid(f"larger than {FILE_BYTES >> 20} MiB, so no {FORMAT}")
    raw = _json_object(data)
    if raw.get("format") != FORMAT:
        raise FaultFileInvalid(f"its format is {raw.get('format')!r}, not {FORMAT!r}")
    return raw


def _json_object(data: bytes | str) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise FaultFileInvalid(f"not a {FORMAT}: it is not JSON") from None
    if not isinstance(raw, dict):
        raise FaultFileInvalid(f"not a {FORMAT}: it is no JSON object")
    return raw


def _record_lines(record: bytes) -> list[Line]:
    try:
        return [dict(json.loads(line)) for line in record.splitlines()]
    except (ValueError, TypeError) as error:
        raise FaultFileInvalid(f"not a {RECORD_FORMAT}: {error}") from None


def _rules_of(line: Line) -> tuple[Game, Ruleset]:
    """What the first line of a record says is played."""
    try:
        if line["format"] != RECORD_FORMAT:
            raise FaultFileInvalid(f"its record is no {RECORD_FORMAT}")
        game = game_named(line["game"])
        if line["rules_version"] != game.rules_version:
            raise FaultFileInvalid(
                f"it was made under rules_version {line['rules_version']} of {game.key}; this engine has "
                f"{game.rules_version}"
            )
        return game, game.ruleset(line["preset"], line["ruleset"])
    except (EngineError, KeyError, TypeError) as error:
        raise FaultFileInvalid(f"its record names no rules: {_trouble(error)}") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is no whole number")
    return value


def _kind(value: object) -> BoardKind:
    if value == "deal":
        return "deal"
    if value == "game":
        return "game"
    raise ValueError(f"{value!r} is no kind of board")


def _trouble(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
