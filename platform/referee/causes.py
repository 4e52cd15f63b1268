"""The kind of platform fault of an exception: decided by types, numbers and codes, never by text."""

from __future__ import annotations

import errno
from collections.abc import Iterator

from referee.contract import FaultCause
from referee.errors import SandboxUnavailable

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
