"""Fault files, ``rensho-fault/1``: one fault with everything needed to reproduce it.

JSON in ASCII, with one field or record line per line. Contains the lines sent to the seat's bot and the
table's record up to the faulted decision, so create one only when the record is public.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from engine.game import BoardKind, Game, Observation, Ruleset, Seat, State
from engine.lines import format_line
from engine.record import FORMAT as RECORD_FORMAT
from engine.record import Line
from engine.refusals import quoted
from engine.wire import Tokens, hello_line, request_line
from referee.clocks import decisions_bound, hello_clock, process_cpu_limit_s
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
from referee.faults import capped, clean_text
from referee.record_walk import (
    RecordPosition,
    error_text,
    require_board_kind,
    require_int,
    require_text,
    rules_of,
    walk,
)

FORMAT = "rensho-fault/1"
FILE_BYTES = 64 << 20
"""Maximum size of a file."""
ORIGIN_LABELS = 16
LABEL_CHARACTERS = 200


@dataclasses.dataclass(frozen=True)
class FaultFile:
    """A fault file that was read and agrees with the rules; docs/kit.md documents every field."""

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
    """Number and kind of every board of the table, from which the clock follows."""
    hello: str
    """The exact line."""
    fault: Fault
    skips_forced: bool
    request_ids: tuple[str, ...]
    """Ids of the requests to the seat, the faulted one last; empty for a fault during the start."""
    spent_ms: tuple[float, ...] | None
    """CPU time of each earlier request; None if unknown."""
    record: tuple[Line, ...]
    """Lines of the record up to the faulted decision."""

    @property
    def is_start(self) -> bool:
        return self.fault.request is None

    @property
    def preset(self) -> str:
        return str(self.record[0]["preset"])

    @property
    def rules(self) -> tuple[Game, Ruleset]:
        return rules_of(self.record[0])

    @property
    def cpu_limit_s(self) -> int:
        game, ruleset = self.rules
        boards = self.board_orders
        return process_cpu_limit_s(self.clock, boards, decisions_bound(game, ruleset, boards))

    @property
    def board_orders(self) -> tuple[BoardOrder, ...]:
        return tuple(BoardOrder(number, kind, "") for number, kind in self.boards)

    def positions(self) -> Iterator[RecordPosition]:
        """Yield every position of the record, the faulted one last; nothing for a fault during the start."""
        if not self.is_start:
            yield from walk(self.record)

    def encoded(self) -> bytes:
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
    """Return the document for one fault of a seat, from the table's order and complete record.

    ``origin`` is stored, with long labels cut. ``spent_ms`` is the CPU time of each decision of the seat (see
    ``spent_by_decision``); without it, a reproduction estimates the clock. Raise ``FaultFileInvalid`` if
    order, fault and record do not belong together.
    """
    lines = record_lines(record)
    skips_forced, cut = (False, 1) if fault.request is None else _locate_fault(lines, seat, fault)
    return fault_document(
        order, seat, fault, lines[:cut], origin=origin, spent_ms=spent_ms, skips_forced=skips_forced
    )


def fault_document(
    order: TableOrder,
    seat: Seat,
    fault: Fault,
    lines: Sequence[Line],
    *,
    origin: Mapping[str, str],
    spent_ms: Sequence[float] | None,
    skips_forced: bool,
) -> bytes:
    """Return the document for a fault, given the lines of the record that lead to it; as ``fault_file``."""
    game, ruleset = rules_of(lines[0] if lines else {})
    seated = next((each for each in order.seats if each.seat == seat), None)
    if seated is None:
        raise FaultFileInvalid(f"table {order.table} has no seat {seat}")
    tokens = Tokens(order.key)
    earlier = max(fault.decision - 1, 0)
    return FaultFile(
        origin={_label(name): _label(label) for name, label in origin.items()},
        seat=seat,
        runtime=seated.runtime,
        entry_point=seated.entry_point,
        bundle_sha256=seated.bundle_sha256,
        limits=order.limits,
        clock=order.clock,
        fault_policy=order.fault_policy,
        boards=tuple((board.number, board.kind) for board in order.boards),
        hello=hello_line(
            game, ruleset, seat, clock=hello_clock(order.clock, order.boards), rng=tokens.rng(seat)
        ).decode("ascii"),
        fault=fault,
        skips_forced=skips_forced,
        request_ids=tuple(islice(tokens.request_ids(seat), fault.decision)),
        spent_ms=None if spent_ms is None else tuple(map(float, spent_ms[:earlier])),
        record=tuple(lines),
    ).encoded()


def _label(text: str) -> str:
    return capped(clean_text(text), LABEL_CHARACTERS)


def spent_by_decision(timings: bytes, report: SeatReport) -> list[float]:
    """Return the CPU time in ms of a seat's decisions, from the table's timings and the seat's faults."""
    spent = {fault.decision: float(fault.clock["used_cpu_ms"]) for fault in report.faults if fault.decision}
    for line in map(json.loads, timings.splitlines()):
        if line.get("seat") == report.seat:
            spent[line["n"]] = line["cpu_us"] / 1000
    return [spent.get(decision, 0.0) for decision in range(1, max(spent, default=0) + 1)]


def read_fault_file(data: bytes) -> FaultFile:
    """Parse a fault file and verify its record against the rules, or raise ``FaultFileInvalid``."""
    raw = _document(data)
    try:
        fault = Fault(**{**raw["fault"], "verdict": Verdict(raw["fault"]["verdict"])})
        spent = raw["spent_ms"]
        file = FaultFile(
            origin={require_text(name): require_text(label) for name, label in raw["origin"].items()},
            seat=require_int(raw["seat"]),
            runtime=require_text(raw["runtime"]),
            entry_point=require_text(raw["entry_point"]),
            bundle_sha256=require_text(raw["bundle_sha256"]),
            limits=Limits(**raw["limits"]),
            clock=Clock(**raw["clock"]),
            fault_policy=FaultPolicy(raw["fault_policy"]),
            boards=tuple(
                (require_int(board["number"]), require_board_kind(board["kind"])) for board in raw["boards"]
            ),
            hello=require_text(raw["hello"]),
            fault=fault,
            skips_forced=raw["skips_forced"] is True,
            request_ids=tuple(map(require_text, raw["request_ids"])),
            spent_ms=None if spent is None else tuple(map(float, spent)),
            record=tuple(dict(line) for line in raw["record"]),
        )
        _check_numbers(file)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FaultFileInvalid(f"not a whole {FORMAT}: {error_text(error)}; fetch the file again") from None
    _check_position(file)
    return file


def _locate_fault(lines: Sequence[Line], seat: Seat, fault: Fault) -> tuple[bool, int]:
    """Return whether the seat skipped forced decisions, and the number of lines before the fault."""
    decisions, choices = 0, 0
    for position in walk(lines):
        state = position.state
        if seat not in state.to_act:
            continue
        decisions += 1
        choices += len(state.legal(seat)) > 1
        is_there = position.board.number == fault.board and fault.decision in (decisions, choices)
        if is_there and _comparable_request(fault.request or "") == _comparable_request(
            _request(state, seat)
        ):
            return decisions != fault.decision, position.lines
    raise FaultFileInvalid(
        f"the record has no decision {fault.decision} of seat {seat} that matches the fault"
    )


def _request(state: State, seat: Seat) -> str:
    legal, observation = state.legal(seat), state.observe_text(seat)
    return request_line("", state.phase, legal, observation, bank_ms=0, increment_ms=0).decode("ascii")


def _comparable_request(request: str) -> str:
    """Return a request without id and clock, which differ between tables."""
    return request.partition(',"phase":')[2].rpartition(',"clock":')[0]


def _check_position(file: FaultFile) -> None:
    """Raise FaultFileInvalid unless the record leads to the position of the request."""
    if file.is_start:
        next(walk(file.record), None)
        return
    ending = collections.deque(walk(file.record), maxlen=1)
    last = ending.pop() if ending else None
    if last is None or last.acts or file.seat not in last.state.to_act:
        raise FaultFileInvalid(f"its record does not lead to a decision of seat {file.seat}")
    request: Observation = _json_object(file.fault.request or "")
    if list(last.state.legal(file.seat)) != request.get("legal"):
        raise FaultFileInvalid("its request differs from the position its record leads to")
    if not file.request_ids or request.get("id") != file.request_ids[-1]:
        raise FaultFileInvalid("the id of its request differs from its list of ids")


def _check_numbers(file: FaultFile) -> None:
    """Raise ValueError for a field that is not a valid number or text."""
    for part in (file.clock, file.limits):
        for name, value in dataclasses.asdict(part).items():
            if not _is_number(value) or value < 0:
                raise ValueError(f"{name} is {quoted(value)}")
    for name, value in file.fault.clock.items():
        if not _is_number(value):
            raise ValueError(f"{name} is {quoted(value)}")
    if not file.record or not file.boards:
        raise ValueError("no record or no boards")
    labels = [*file.origin, *file.origin.values()]
    if len(labels) > 2 * ORIGIN_LABELS or any(len(label) > LABEL_CHARACTERS for label in labels):
        raise ValueError("too many or too long labels of its origin")
    for name in ("runtime", "entry_point", "bundle_sha256"):
        text = getattr(file, name)
        if len(text) > LABEL_CHARACTERS or not text.isprintable():
            raise ValueError(f"{name} is {quoted(text)}, {LABEL_CHARACTERS} printable characters are allowed")
    for name in ("reason", "phase", "log_tail", "fingerprint"):
        require_text(getattr(file.fault, name))
    for name in ("request", "answer", "action"):
        require_text(getattr(file.fault, name) or "")
    lines = [file.hello, file.fault.request or ""]
    texts = [file.fault.reason, file.fault.phase, file.fault.log_tail, file.fault.answer or "", *labels]
    if not all(line.isascii() and line.isprintable() for line in lines) or any(
        clean_text(text) != text for text in texts
    ):
        raise ValueError("text with control codes, which the referee never writes")
    for number in (file.fault.board, file.fault.decision):
        require_int(number)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _document(data: bytes) -> dict[str, Any]:
    if len(data) > FILE_BYTES:
        raise FaultFileInvalid(f"larger than {FILE_BYTES >> 20} MiB, so no {FORMAT}: fetch the file again")
    raw = _json_object(data)
    if raw.get("format") != FORMAT:
        raise FaultFileInvalid(f"its format is {quoted(raw.get('format'))}, not {FORMAT!r}")
    return raw


def _json_object(data: bytes | str) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise FaultFileInvalid(f"not a {FORMAT}: it is not JSON") from None
    if not isinstance(raw, dict):
        raise FaultFileInvalid(f"not a {FORMAT}: it is not a JSON object")
    return raw


def record_lines(record: bytes) -> list[Line]:
    """Return the lines of a record, or raise ``FaultFileInvalid``."""
    try:
        return [dict(json.loads(line)) for line in record.splitlines()]
    except (ValueError, TypeError) as error:
        raise FaultFileInvalid(f"not a {RECORD_FORMAT}: {error}") from None
