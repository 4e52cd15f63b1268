"""Errors of commands and their exit status.

KitError
├── InvalidInput         an argument or a file cannot be used (status 2)
├── CheckFailed          a check failed: a bot does not start, a record is wrong (status 1)
├── EnvironmentFailure   not possible on this machine: no sandbox, no server (status 3)
└── OutputFailed         standard output cannot be written (status 4)
"""

from __future__ import annotations

from typing import ClassVar

from engine.printable import printable
from engine.refusals import clipped

DONE = 0
CHECK_FAILED = 1
INVALID_INPUT = 2
ENVIRONMENT_FAILURE = 3
OUTPUT_FAILED = 4
INTERRUPTED = 130
"""Exit status of a program that Ctrl-C ended, as in shells."""
BROKEN_PIPE = 141
"""Exit status of a program whose reader closed the pipe, as in shells."""

REPLACEMENT_TEXTS = {
    "partners_not_accepted": "this tournament mixes partners: accept every partner with --accept-partners",
    "invalid_pair": "this tournament takes single bots only: omit --partner",
}
"""By error code, messages that replace the server's: with options of the kit instead of API fields."""
REMEDIES = {"not_ready": "The page of the bot shows the state of its versions and their errors."}
"""By error code, remedies that follow the server's message."""


class KitError(Exception):
    """Base class of the kit's errors: one printable line of at most ``REFUSAL_CHARS`` characters."""

    status: ClassVar[int] = INVALID_INPUT
    code: str = ""
    """Error code of a server, such as ``wrong_state``; empty for the kit's own errors."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(printable(message)))


class InvalidInput(KitError):
    pass


class CheckFailed(KitError):
    """A check failed. The message names the fault and the remedy."""

    status = CHECK_FAILED


class EnvironmentFailure(KitError):
    """The command is not possible on this machine. The message names the remedy."""

    status = ENVIRONMENT_FAILURE


class OutputFailed(KitError):
    status = OUTPUT_FAILED


def error_text(error: KitError) -> str:
    text = REPLACEMENT_TEXTS.get(error.code, str(error))
    remedy = REMEDIES.get(error.code)
    return f"{text} {remedy}" if remedy else text
