"""A bot's fault in words: what it was, the exact request, the answer, the log, and what to change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from referee.check import reason_for
from referee.contract import Fault, Verdict
from referee.seat import START_PHASE

_PLACE = re.compile(r'File "(?:/bot|[^"]*/bundles/[0-9a-f]{64})/([^"]+)", line (\d+)')
"""A line of a traceback that lies in the bot's own code, in the sandbox or outside it."""


def fault_lines(fault: Fault) -> Iterator[str]:
    """Everything an author needs to see of a fault."""
    yield fault_line(fault)
    yield f"  request: {fault.request or '(hello)'}"
    yield f"  answer:  {fault.answer or '(none)'}"
    for line in fault.log_tail.splitlines():
        yield f"  log:     {line}"


def fault_place(fault: Fault) -> str:
    """The verdict and where it was earned."""
    if fault.phase == START_PHASE:
        return f"{fault.verdict} at the start"
    return f"{fault.verdict} on board {fault.board}, decision {fault.decision}, phase {fault.phase}"


def fault_line(fault: Fault) -> str:
    """The fault in one line: what to change, or the bot's last words, and where in its code."""
    message = reason_for(fault).message
    if fault.verdict is Verdict.CRASHED and message == fault.reason:
        message = next(
            (line.strip() for line in reversed(fault.log_tail.splitlines()) if line.strip()), message
        )
    places = _PLACE.findall(fault.log_tail)
    where = f" ({places[-1][0]}, line {places[-1][1]})" if places else ""
    return f"{fault_place(fault)}: {message}{where}"
