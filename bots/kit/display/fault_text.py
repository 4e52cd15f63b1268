"""A bot's fault in words: what it was, the exact request, the answer, the log, and what to change."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bots.kit.errors import InvalidInput
from referee.check import reason_for
from referee.contract import Fault, Verdict
from referee.faults import last_error_line
from referee.seat import START_PHASE

_PYTHON_FRAME = re.compile(r'File "(?:/bot|[^"]*/bundles/[0-9a-f]{64})/([^"]+)", line (\d+)')
"""A line of a traceback that lies in the bot's own code, in the sandbox or outside it."""
_NODE_FRAME = re.compile(r"(?:^|[( ])(?:/bot|\S*/bundles/[0-9a-f]{64})/([^\s:)]+):(\d+)", re.MULTILINE)
"""The same of node."""


def fault_lines(fault: Fault) -> Iterator[str]:
    """Everything an author needs to see of a fault."""
    yield fault_line(fault)
    yield f"  request: {fault.request or '(hello)'}"
    yield f"  answer:  {fault.answer or '(none)'}"
    for line in fault.log_tail.splitlines():
        yield f"  log:     {line}"


def fault_from_json(sample: Mapping[str, Any]) -> Fault:
    """A fault as a server describes it; what a newer server says besides is left out."""
    known = {field.name: sample.get(field.name) for field in dataclasses.fields(Fault)}
    return Fault(**{**known, "verdict": Verdict(sample["verdict"])})  # type: ignore[arg-type]


def reproduce_command(file: Path, bot: str, sandbox_level: str) -> str:
    """The command that puts this bot into the position of a fault, with or without walls as it was."""
    words = ["rensho", "reproduce", str(file), bot]
    return shlex.join(words if sandbox_level != "NONE" else [*words, "--no-sandbox"])


def save_fault(folder: Path, name: str, data: bytes) -> Path:
    """Save a fault file in a folder, made if need be; one of the same name is replaced. Gives its path.

    Raises:
        InvalidInput: it cannot be written.
    """
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from None
    return path


def fault_location(fault: Fault) -> str:
    """The verdict and where it was earned."""
    if fault.phase == START_PHASE:
        return f"{fault.verdict} at the start"
    return f"{fault.verdict} on board {fault.board}, decision {fault.decision}, phase {fault.phase}"


def fault_line(fault: Fault) -> str:
    """The fault in one line: where it was earned, and what to change."""
    return f"{fault_location(fault)}: {fault_message(fault)}"


def fault_message(fault: Fault) -> str:
    """What to change, or the error that ended the bot, and where in its code.

    The last line of a log is an error if a traceback stands with it; otherwise it may be any note of the bot
    and only follows the reason.
    """
    message = reason_for(fault).message
    # Python names the innermost call last, node first.
    places = _PYTHON_FRAME.findall(fault.log_tail)[-1:] or _NODE_FRAME.findall(fault.log_tail)[:1]
    where = f" ({places[0][0]}, line {places[0][1]})" if places else ""
    if fault.verdict is Verdict.CRASHED and message == fault.reason:
        words = last_error_line(fault.log_tail)
        if places:
            message = words or message
        elif words:
            message = f"{message}; its log ends: {words}"
    return f"{message}{where}"
