"""Errors of the referee and the platform. Misconduct of a bot is a verdict, never an exception.

RefereeError
├── SandboxUnavailable      bots cannot be run safely on this machine
├── OrderInvalid            the order cannot be carried out as written
├── PlatformFault           a fault of the platform or an unknown one: no bot is charged, retry
│   └── BotKilled           a bot was killed from outside, for the first time at this table
├── PlayStopped             the caller no longer wants the table
├── FaultFileInvalid        not a fault file, or one that contradicts the rules
└── BundleError             an archive that is not a bot; ``code`` has the reason
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping

from engine.refusals import clipped
from referee.contract import FaultCause
from referee.explanations import EXPLANATIONS, explained


class RefereeError(Exception):
    """Base of all errors that the referee raises; the message has at most ``REFUSAL_CHARS``."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(message))


class SandboxUnavailable(RefereeError):
    """Bots cannot be run safely on this machine: ``step`` failed, ``remedy`` fixes it."""

    def __init__(self, step: str, remedy: str) -> None:
        self.step = step
        self.remedy = remedy
        super().__init__(f"sandbox unavailable: {step}. {remedy}")


class OrderInvalid(RefereeError, ValueError):
    """The order contradicts itself or names something unknown; the message quotes it."""


class PlatformFault(RefereeError):
    """The table failed and no bot is to blame; the same order may be retried."""

    def __init__(self, message: str, platform_cause: FaultCause = FaultCause.INTERNAL) -> None:
        self.platform_cause = platform_cause
        super().__init__(message)


class BotKilled(PlatformFault):
    """A bot was killed from outside, for the first time: list it in ``killed_bundles`` of the next order."""

    def __init__(self, message: str, bundle_sha256: str) -> None:
        self.bundle_sha256 = bundle_sha256
        super().__init__(message, FaultCause.KILLED)


class PlayStopped(RefereeError):
    """Raised by ``on_progress`` to stop a table, for example after a lost lease; the referee passes it on."""


class FaultFileInvalid(RefereeError, ValueError):
    """Not a fault file, or a fault that does not match its record; the message has the reason."""


class BundleError(RefereeError, ValueError):
    """An archive that cannot become a bundle. ``code`` is stable; the message has the remedy.

    With ``is_unreadable`` nothing is stored (HTTP 400); otherwise the bot is stored and rejected.
    """

    explanation = ""
    """Key in ``EXPLANATIONS`` of the message; empty for a message in English alone."""
    values: Mapping[str, str] = {}
    """Values of the explanation."""

    def __init__(self, code: str, message: str, *, is_unreadable: bool = False) -> None:
        self.code = code
        self.message = clipped(message)
        self.is_unreadable = is_unreadable
        super().__init__(message)

    @classmethod
    def explained(cls, key: str, **values: str) -> BundleError:
        """Return the error with the code and the text of an explanation."""
        error = cls(EXPLANATIONS[key].code, explained(key, values))
        error.explanation, error.values = key, values
        return error


DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ESTALE, errno.ENXIO})
RESOURCE_ERRORS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})


def cause_of(error: BaseException) -> FaultCause:
    """Return the cause of a fault from the exception and its chain; disk and resource errors first.

    Any exception may carry a ``platform_cause``, as ``PlatformFault`` does.

    >>> cause_of(OSError(errno.ENOSPC, "No space left on device")).value
    'disk'
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
    visited: set[int] = set()
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
