"""What can go wrong with a command of the kit, and the status it ends with.

KitError
├── InputUnusable    something named on the command line cannot be used (status 2)
├── FoundWrong       what was looked at is wrong: a bot that does not start, a record that lies (status 1)
└── MachineUnable    this machine cannot do it: no sandbox, no server within reach (status 3)
"""

from __future__ import annotations

from typing import ClassVar

from engine.refusals import clipped

DONE = 0
FOUND_WRONG = 1
UNUSABLE = 2
MACHINE_UNABLE = 3
INTERRUPTED = 130
"""What shells say of a program ended by Ctrl-C."""


class KitError(Exception):
    """Root of every error the kit raises on purpose; printed as it is, ``REFUSAL_CHARS`` at most."""

    status: ClassVar[int] = UNUSABLE
    """The exit status of a command that ends so."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(message))


class InputUnusable(KitError):
    """Something named on the command line cannot be read, or is not what the command takes."""


class FoundWrong(KitError):
    """What the command looked at is wrong; the text says what and how to put it right."""

    status = FOUND_WRONG


class MachineUnable(KitError):
    """This machine cannot do what was asked; the text names the remedy."""

    status = MACHINE_UNABLE
