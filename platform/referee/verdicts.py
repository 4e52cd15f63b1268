"""Maps the end reasons of a driver to verdicts, and counts the faults of a seat.

Source: docs/contracts.md#clocks-faults-verdicts.
"""

from __future__ import annotations

from referee.contract import Fault, FaultCause, FaultPolicy, TableOrder, Verdict
from referee.driver import DriverFault, ExitReason
from referee.errors import PlatformFault
from referee.explanations import explained

_VERDICTS: dict[ExitReason, Verdict] = {
    ExitReason.EXITED: Verdict.CRASHED,
    ExitReason.CRASHED: Verdict.CRASHED,
    ExitReason.SIGNALED: Verdict.CRASHED,
    ExitReason.KILLED: Verdict.CRASHED,
    ExitReason.CLOSED: Verdict.CRASHED,
    ExitReason.PROCESSES: Verdict.CRASHED,
    ExitReason.START_TIMEOUT: Verdict.OUT_OF_TIME,
    ExitReason.TURN_WALL: Verdict.OUT_OF_TIME,
    ExitReason.TURN_CPU: Verdict.OUT_OF_TIME,
    ExitReason.MATCH_CPU: Verdict.OUT_OF_TIME,
    ExitReason.MATCH_WALL: Verdict.OUT_OF_TIME,
    ExitReason.MEMORY: Verdict.OVER_MEMORY,
    ExitReason.LINE_TOO_LONG: Verdict.OVER_OUTPUT,
    ExitReason.OUTPUT_LIMIT: Verdict.OVER_OUTPUT,
    ExitReason.STDERR_LIMIT: Verdict.OVER_OUTPUT,
    ExitReason.PROTOCOL: Verdict.PROTOCOL,
    ExitReason.EARLY_OUTPUT: Verdict.PROTOCOL,
    ExitReason.NOT_UTF8: Verdict.PROTOCOL,
    ExitReason.STDIN_BLOCKED: Verdict.PROTOCOL,
    ExitReason.BAD_SYSCALL: Verdict.SANDBOX_VIOLATION,
    ExitReason.DISCONNECTED: Verdict.DISCONNECTED,
}

_ADVICE: dict[ExitReason, str] = {
    ExitReason.EXITED: "the bot ended before the table did; answer until bye or the end of input",
    ExitReason.CRASHED: "the bot ended with an error; its log shows where",
    ExitReason.SIGNALED: "a signal ended the bot; look for memory errors or a kill in its code",
    ExitReason.KILLED: "the bot was killed at two attempts at this table, which neither the referee nor its "
    "limits explain; use less memory",
    ExitReason.CLOSED: "the bot closed its standard output; keep it open until bye",
    ExitReason.PROCESSES: "the bot started too many processes or threads; use fewer",
    ExitReason.START_TIMEOUT: "the bot was not ready in time; answer hello first, flush the answer and load "
    "less at the start",
    ExitReason.TURN_WALL: "no answer within the wall-clock limit; answer every request, flush each "
    "answer and do not sleep",
    ExitReason.TURN_CPU: "no answer within the CPU limit; watch clock.bank_ms and think less",
    ExitReason.MATCH_CPU: "the CPU time of the whole table is spent; think less",
    ExitReason.MATCH_WALL: "the wall-clock time of the whole table is spent; answer sooner and do not sleep",
    ExitReason.MEMORY: "the bot used more memory than it may; keep less",
    ExitReason.LINE_TOO_LONG: "an answer was too long; send the action and little else",
    ExitReason.OUTPUT_LIMIT: "the bot wrote more than answers; write one line a request",
    ExitReason.STDERR_LIMIT: "the bot's log is too long; write less to standard error",
    ExitReason.PROTOCOL: "the bot broke the protocol; see docs/bot-protocol.md",
    ExitReason.EARLY_OUTPUT: "output came before the request; read each request, then write one line",
    ExitReason.NOT_UTF8: "the answer is not UTF-8; send ASCII or UTF-8",
    ExitReason.STDIN_BLOCKED: "the bot does not read its input; read every line",
    ExitReason.BAD_SYSCALL: "the bot made a system call the sandbox forbids; see docs/bot-protocol.md",
    ExitReason.DISCONNECTED: "the remote bot was disconnected until its disconnect bank was used up; "
    "reconnect sooner",
}


def verdict_of(fault: DriverFault) -> Verdict:
    """Return the verdict charged to the bot, for KILLED only after a second kill.

    Raise ``PlatformFault`` if the fault is the platform's or unknown; no bot is charged.
    """
    verdict = _VERDICTS.get(fault.reason)
    if verdict is None:
        raise PlatformFault(str(fault), FaultCause.DRIVER)
    return verdict


def advice_for(reason: ExitReason, detail: str, *, is_start: bool = False) -> str:
    """Return one sentence for the author: problem and remedy, with the driver's detail."""
    has_not_run = is_start and reason is ExitReason.EXITED
    advice = explained("not_run", {}) if has_not_run else _ADVICE[reason]
    return f"{advice} ({detail})" if detail else advice


class SeatConduct:
    __slots__ = ("_most_faults", "_never_forfeits", "board_verdict", "faults", "forfeited_for", "verdict")

    def __init__(self, order: TableOrder, never_forfeits: bool = False) -> None:
        self._most_faults = order.limits.faults_before_forfeit
        self._never_forfeits = never_forfeits
        if order.fault_policy is FaultPolicy.STRICT:
            self._most_faults = 0
        self.faults: list[Fault] = []
        self.forfeited_for: Verdict | None = None
        """Verdict for which the seat forfeited; None while the bot is still asked."""
        self.verdict = Verdict.OK
        self.board_verdict = Verdict.OK
        """Verdict of its first fault on the current board, or of an earlier forfeit."""

    def begin_board(self) -> None:
        self.board_verdict = self.forfeited_for or Verdict.OK

    def charge(self, fault: Fault, *, is_final: bool) -> bool:
        """Count a fault; return whether the seat forfeits the table, as it does if ``is_final``."""
        self.faults.append(fault)
        if self.verdict is Verdict.OK:
            self.verdict = fault.verdict
        if self.board_verdict is Verdict.OK:
            self.board_verdict = fault.verdict
        if not self._never_forfeits and (is_final or len(self.faults) > self._most_faults):
            self.forfeited_for = fault.verdict
            return True
        return False
