"""What can go wrong with a command of the kit, and the status it ends with.

KitError
├── InputUnusable    something named on the command line cannot be used (status 2)
├── FoundWrong       what was looked at is wrong: a bot that does not start, a record that lies (status 1)
├── MachineUnable    this machine cannot do it: no sandbox, no server within reach (status 3)
└── OutputFailed     the result cannot be written to standard output (status 4)
"""

from __future__ import annotations

from typing import ClassVar

from engine.printable import printable
from engine.refusals import clipped

DONE = 0
FOUND_WRONG = 1
UNUSABLE = 2
MACHINE_UNABLE = 3
OUTPUT_FAILED = 4
INTERRUPTED = 130
"""What shells say of a program ended by Ctrl-C."""
READER_GONE = 141
"""What shells say of a program ended because nobody read its output any more."""

INSTEAD = {
    "partners_not_accepted": "there your bot partners every other one in turn: agree with --accept-partners",
    "pair_impossible": "everybody enters one bot alone there: leave out --partner",
}
"""By code, in place of the server's sentence: options and commands instead of the API's fields."""
REMEDIES = {
    "not_ready": "The page of the bot shows the state of its versions, and what went wrong with them."
}
"""By code, after the server's sentence."""


class KitError(Exception):
    """Root of every error the kit raises on purpose; one printable line, ``REFUSAL_CHARS`` at most."""

    status: ClassVar[int] = UNUSABLE
    """The exit status of a command that ends so."""
    code: str = ""
    """Why a server refused, for programs, such as ``wrong_state``; empty for errors of our own."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(printable(message)))


class InputUnusable(KitError):
    """Something named on the command line cannot be read, or is not what the command takes."""


class FoundWrong(KitError):
    """What the command looked at is wrong; the text says what and how to put it right."""

    status = FOUND_WRONG


class MachineUnable(KitError):
    """This machine cannot do what was asked; the text names the remedy."""

    status = MACHINE_UNABLE


class OutputFailed(KitError):
    """The result cannot be written to standard output, such as to a full device."""

    status = OUTPUT_FAILED


def error_text(error: KitError) -> str:
    """What to print of an error: what is wrong and what to do about it."""
    text = INSTEAD.get(error.code, str(error))
    remedy = REMEDIES.get(error.code)
    return f"{text} {remedy}" if remedy else text
