"""What can go wrong in the referee on our side; a bot's misconduct is a verdict, never an exception.

RefereeError
├── SandboxUnavailable      bots cannot be run safely on this machine
├── OrderInvalid            the order cannot be carried out as written
├── PlatformFault           a fault of ours, or an unknown one: nobody is to blame, try again
│   └── BotKilled           a bot was killed from outside, for the first time at this table
├── PlayStopped             whoever ordered the table no longer wants it
├── FaultFileInvalid        no fault file, or one that the rules contradict
└── BundleError             an archive that is no bot; ``code`` says why
"""

from __future__ import annotations

import errno
from collections.abc import Iterator

from engine.refusals import clipped
from referee.contract import FaultCause


class RefereeError(Exception):
    """Root of every error the referee raises on purpose; its message has at most ``REFUSAL_CHARS``."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(message))


class SandboxUnavailable(RefereeError):
    """Bots cannot be run safely here: ``step`` failed, ``remedy`` says what to do about it."""

    def __init__(self, step: str, remedy: str) -> None:
        self.step = step
        self.remedy = remedy
        super().__init__(f"sandbox unavailable: {step}. {remedy}")


class OrderInvalid(RefereeError, ValueError):
    """The order contradicts itself or names what does not exist; the message quotes it."""


class PlatformFault(RefereeError):
    """The table came to nothing without any bot being to blame; the same order may be tried again."""

    def __init__(self, message: str, platform_cause: FaultCause = FaultCause.INTERNAL) -> None:
        self.platform_cause = platform_cause
        super().__init__(message)


class BotKilled(PlatformFault):
    """A bot was killed from outside the sandbox, and was not before at this table.

    Put ``bundle_sha256`` into the ``killed_bundles`` of the next attempt's order.
    """

    def __init__(self, message: str, bundle_sha256: str) -> None:
        self.bundle_sha256 = bundle_sha256
        super().__init__(message, FaultCause.KILLED)


class PlayStopped(RefereeError):
    """Raised by an ``on_progress`` to stop a table, as when its lease is lost; passes through untouched."""


class FaultFileInvalid(RefereeError, ValueError):
    """Bytes that are no fault file, or a fault that does not belong to its record; the message says why."""


class BundleError(RefereeError, ValueError):
    """An archive that cannot become a bundle.

    ``code`` is stable, for machines; the message says what to change. With ``is_unreadable`` the bytes
    are no archive at all or exceed a size, so that there is nothing to keep (HTTP 400); without, the
    upload is a bot that is refused.
    """

    def __init__(self, code: str, message: str, *, is_unreadable: bool = False) -> None:
        self.code = code
        self.message = clipped(message)
        self.is_unreadable = is_unreadable
        super().__init__(message)


DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ESTALE, errno.ENXIO})
RESOURCE_ERRORS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})


def cause_of(error: BaseException) -> FaultCause:
    """The cause of a fault, from the exception or any that led to it.

    What the machine lacks goes before all else. Other exceptions may carry a ``platform_cause`` with a
    value of ``FaultCause``, as ``PlatformFault`` does; so whoever fetches bundles can say what was wrong
    with one.

    >>> cause_of(OSError(errno.ENOSPC, "No space left on device")).value
    'disk'
    >>> cause_of(ValueError("no such card")).value
    'internal'
    """
    named: FaultCause | None = None
    for each in chain_of(error):
        if isinstance(each, OSError) and each.errno in DISK_ERRORS:
            return FaultCause.DISK
        if isinstance(each, OSError) and each.errno in RESOURCE_ERRORS:
            return FaultCause.RESOURCES
        if isinstance(each, SandboxUnavailable):
            named = FaultCause.SANDBOX
        if named is None and (cause := getattr(each, "platform_cause", None)) is not None:
            named = FaultCause(cause)
    return named or FaultCause.INTERNAL


def chain_of(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and those that led to it, each once, the latest first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
