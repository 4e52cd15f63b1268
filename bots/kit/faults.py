"""A bot's fault in words: what it was, the exact request, the answer, the log, and what to change."""

from __future__ import annotations

from collections.abc import Iterator

from referee.check import reason_for
from referee.contract import Fault
from referee.seat import START_PHASE


def fault_lines(fault: Fault) -> Iterator[str]:
    """Everything an author needs to see of a fault."""
    yield f"{fault_place(fault)}: {reason_for(fault).message}"
    yield f"  request: {fault.request or '(hello)'}"
    yield f"  answer:  {fault.answer or '(none)'}"
    for line in fault.log_tail.splitlines():
        yield f"  log:     {line}"


def fault_place(fault: Fault) -> str:
    """The verdict and where it was earned."""
    if fault.phase == START_PHASE:
        return f"{fault.verdict} at the start"
    return f"{fault.verdict} on board {fault.board}, decision {fault.decision}, phase {fault.phase}"


def last_words(fault: Fault) -> str:
    """The last line of the log with anything in it, or the empty string."""
    return next((line.strip() for line in reversed(fault.log_tail.splitlines()) if line.strip()), "")
