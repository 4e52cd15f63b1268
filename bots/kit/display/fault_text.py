"""Text of a bot's fault: verdict, request, answer, log and remedy."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bots.kit.errors import InvalidInput
from referee.contract import Fault, Verdict
from referee.faults import last_error_line
from referee.rejections import UNKNOWN_BOT, FaultyBot, reason_for
from referee.seat import START_PHASE

_PYTHON_FRAME = re.compile(r'File "(?:/bot|[^"]*/bundles/[0-9a-f]{64})/([^"]+)", line (\d+)')
"""Line of a Python traceback within the bot's code, in the sandbox or outside."""
_NODE_FRAME = re.compile(r"(?:^|[( ])(?:/bot|\S*/bundles/[0-9a-f]{64})/([^\s:)]+):(\d+)", re.MULTILINE)
"""Line of a Node.js stack trace within the bot's code."""


def fault_lines(fault: Fault, bot: FaultyBot = UNKNOWN_BOT) -> Iterator[str]:
    yield fault_line(fault, bot)
    yield f"  request: {fault.request or '(hello)'}"
    yield f"  answer:  {fault.answer or '(none)'}"
    for line in fault.log_tail.splitlines():
        yield f"  log:     {line}"


def fault_from_json(sample: Mapping[str, Any]) -> Fault:
    """Return the fault that a server sent. Unknown fields of a newer server are ignored."""
    known = {field.name: sample.get(field.name) for field in dataclasses.fields(Fault)}
    return Fault(**{**known, "verdict": Verdict(sample["verdict"])})  # type: ignore[arg-type]


def reproduce_command(file: Path, bot: str, sandbox_level: str) -> str:
    """Return the ``rensho reproduce`` command for a fault file, without a sandbox if the fault had none."""
    command = ["rensho", "reproduce", str(file), bot]
    return shlex.join(command if sandbox_level != "NONE" else [*command, "--no-sandbox"])


def save_fault(folder: Path, name: str, data: bytes) -> Path:
    """Write a fault file, replacing one of the same name. Raise ``InvalidInput`` if that fails."""
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from None
    return path


def fault_location(fault: Fault) -> str:
    if fault.verdict is Verdict.OK:
        return f"Board {fault.board}, decision {fault.decision}, phase {fault.phase}"
    if fault.phase == START_PHASE:
        return f"{fault.verdict} at the start"
    return f"{fault.verdict} on board {fault.board}, decision {fault.decision}, phase {fault.phase}"


def fault_line(fault: Fault, bot: FaultyBot = UNKNOWN_BOT) -> str:
    return f"{fault_location(fault)}: {fault_message(fault, bot)}"


def fault_message(fault: Fault, bot: FaultyBot = UNKNOWN_BOT) -> str:
    """Return the remedy, or the error that ended the bot, with its position in the code.

    The last line of a log is an error only after a traceback; otherwise it is appended to the reason.
    """
    if fault.verdict is Verdict.OK:
        return fault.reason
    message = reason_for(fault, bot).message
    # Python names the innermost call last, node first.
    places = _PYTHON_FRAME.findall(fault.log_tail)[-1:] or _NODE_FRAME.findall(fault.log_tail)[:1]
    where = f" ({places[0][0]}, line {places[0][1]})" if places else ""
    if fault.verdict is Verdict.CRASHED and message == fault.reason:
        last_line = last_error_line(fault.log_tail)
        if places:
            message = last_line or message
        elif last_line:
            message = f"{message}; its log ends: {last_line}"
    return f"{message}{where}"
