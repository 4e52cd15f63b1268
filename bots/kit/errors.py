"""What can go wrong with a command of the kit, and the status it ends with.

KitError
├── InvalidInput    something named on the command line cannot be used (status 2)
├── CheckFailed       what was looked at is wrong: a bot that does not start, a record that lies (status 1)
├── EnvironmentFailure    this machine cannot do it: no sandbox, no server within reach (status 3)
└── OutputFailed     the result cannot be written to standard output (status 4)
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
"""What shells say of a program ended by Ctrl-C."""
BROKEN_PIPE = 141
"""What shells say of a program ended because nobody read its output any more."""

REPLACEMENT_TEXTS = {
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

    status: ClassVar[int] = INVALID_INPUT
    """The exit status of a command that ends so."""
    code: str = ""
    """Why a server refused, for programs, such as ``wrong_state``; empty for errors of our own."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(printable(message)))


class InvalidInput(KitError):
    """Something named on the command line cannot be read, or is not what the command takes."""


class CheckFailed(KitError):
    """What the command looked at is wrong; the text says what and how to put it right."""

    status = CHECK_FAILED


class EnvironmentFailure(KitError):
    """This machine cannot do what was asked; the text names the remedy."""

    status = ENVIRONMENT_FAILURE


class OutputFailed(KitError):
    """The result cannot be written to standard output, such as to a full device."""

    status = OUTPUT_FAILED


def error_text(error: KitError) -> str:
    """What to print of an error: what is wrong and what to do about it."""
    text = REPLACEMENT_TEXTS.get(error.code, str(error))
    remedy = REMEDIES.get(error.code)
    return f"{text} {remedy}" if remedy else text
