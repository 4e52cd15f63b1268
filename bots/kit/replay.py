"""A record as text: every board, deal, trick and result, once the rules have confirmed each."""

from __future__ import annotations

import argparse
import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from bots.kit.errors import DONE, FoundWrong, InputUnusable
from bots.kit.register import Commands
from engine import Act, Event, RecordError, Replay, replay

GZIP_MAGIC = b"\x1f\x8b"
RECORD_BYTES = 64 << 20
"""The largest record that is read, uncompressed."""


def register(commands: Commands) -> None:
    """Add ``rensho replay``."""
    show = commands.add_parser("replay", help="show the record of a table as text, every line confirmed")
    show.add_argument("file", type=Path, help="a rensho-record/1 file, gzipped or not")
    show.set_defaults(command=_replay)


def _replay(arguments: argparse.Namespace) -> int:
    record = read_record(arguments.file)
    try:
        for line in replay_lines(record):
            print(line)
    except RecordError as error:
        raise FoundWrong(f"{arguments.file}: {error}") from None
    return DONE


def read_record(path: Path) -> bytes:
    """The bytes of a record, uncompressed if it was gzipped.

    Raises:
        InputUnusable: it cannot be read or is too large.
    """
    try:
        with path.open("rb") as file:
            is_zipped = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        with gzip.open(path) if is_zipped else path.open("rb") as file:
            data: bytes = file.read(RECORD_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputUnusable(
            f"cannot read record {path}: {getattr(error, 'strerror', None) or error}"
        ) from None
    if len(data) > RECORD_BYTES:
        raise InputUnusable(f"record {path} is larger than {RECORD_BYTES >> 20} MiB")
    return data


def replay_lines(record: bytes) -> Iterator[str]:
    """The lines of text a record tells.

    Raises:
        RecordError: the record contradicts the rules or itself.
    """
    told = replay(record)
    yield f"{told.ruleset.preset}, rules_version {told.game.rules_version}"
    for seat, sha256 in told.bots.items():
        yield f"seat {seat}: bot {sha256}"
    yield from _board_lines(told)
    for seat, verdict in told.verdicts.items():
        yield f"seat {seat}: {verdict}{', forfeited' if seat in told.forfeited else ''}"


def _board_lines(told: Replay) -> Iterator[str]:
    """Decisions gathered up to the next event, each event on a line of its own, and each result."""
    said: list[str] = []
    previous = None
    for step in told.steps():
        if not step.acts:
            previous = None
            yield ""
            yield f"board {step.board.number} ({step.board.kind}, seed {step.board.seed})"
        said += [_act_text(act) for act in step.acts]
        events = [event for event in step.state.happened_since(previous) if event.kind != "act"]
        phase_ends = previous is not None and previous.phase != step.state.phase
        if said and (events or phase_ends):
            yield f"  {previous.phase if previous else ''}: {', '.join(said)}"
            said = []
        for event in events:
            yield f"  {_event_text(event)}"
        previous = step.state
        outcome = step.state.outcome()
        if outcome is not None:
            yield f"  stones: {_mapping_text(outcome.stones)}"


def _act_text(act: Act) -> str:
    by_referee = f" (referee: {act.verdict})" if act.verdict else ""
    return f"{act.seat} {act.action}{by_referee}"


def _event_text(event: Event) -> str:
    fields = {name: value for name, value in event.recorded().items() if name not in ("e", "deal")}
    number = event.public.get("deal")
    return f"{event.kind}{'' if number is None else f' {number}'}: {_mapping_text(fields)}"


def _mapping_text(fields: Mapping[object, object] | Mapping[str, object] | Mapping[int, int]) -> str:
    return ", ".join(f"{name} {_value_text(value)}" for name, value in fields.items())


def _value_text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "nobody"
    if isinstance(value, dict):
        return " ".join(f"{name}={item}" for name, item in value.items())
    return str(value)
