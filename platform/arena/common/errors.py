"""The platform's exceptions, distinguished by a stable code.

ArenaError
├── NotFound     404: does not exist, or is not visible to the caller
├── Forbidden    403: visible, but not permitted
├── Conflict     409: not allowed in the current state
├── Invalid      400: the request itself is wrong
├── Sealed       423: sealed until its board set closes
└── Unavailable  503: the database is down or the process is busy; a retry may succeed
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, ClassVar, TypeVar

from arena.common.log_context import REQUEST_ID, log_fields

MAX_MESSAGE_CHARACTERS = 500
"""Maximum length of an error message."""
MAX_QUOTED_CHARACTERS = 80
"""Maximum length of a value quoted in a message."""
ELLIPSIS = " ... "


MAX_WORD_CHARACTERS = 40


def shortened(text: str, most: int = MAX_MESSAGE_CHARACTERS) -> str:
    """Return the beginning and end of a longer text, in ``most`` characters, cut between words if possible.

    >>> shortened("one of kakeya4, kakeya6, etori.league or kakkuri", 40)
    'one of kakeya4, kakeya6, ... or kakkuri'
    """
    if len(text) <= most:
        return text
    budget = most - len(ELLIPSIS)
    tail = budget // 3
    return _first_words(text, budget - tail) + ELLIPSIS + _last_words(text, tail)


def _first_words(text: str, most: int) -> str:
    begun = text[:most]
    end = most if text[most : most + 1].isspace() else begun.rfind(" ")
    return begun[:end].rstrip() if end > most - MAX_WORD_CHARACTERS and end > 0 else begun


def _last_words(text: str, most: int) -> str:
    start = len(text) - most
    ended = text[start:]
    word_start = 0 if text[start - 1].isspace() else ended.find(" ") + 1
    return ended[word_start:] if word_start <= MAX_WORD_CHARACTERS else ended


def quoted(value: object, most: int = MAX_QUOTED_CHARACTERS) -> str:
    """Return the ``repr`` of a value, shortened for a message."""
    return shortened(repr(value), most)


def problem_type(code: str) -> str:
    """Return the path that explains an error code: an anchor in docs/problems.md.

    >>> problem_type("wrong_state")
    '/docs/problems#wrong_state'
    """
    return f"/docs/problems#{code}"


def problem_body(status: int, code: str, detail: str) -> dict[str, Any]:
    """Return the members that all problems of the API have (RFC 9457); errors of the server also have the id
    of the request, by which the operator finds them in the logs.
    """
    body = {
        "type": problem_type(code),
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and (request_id := log_fields().get(REQUEST_ID)):
        body["request_id"] = request_id
    return body


class ArenaError(Exception):
    """An operation is not possible. Programs read ``code``, people read ``message``.

    A long message loses its middle, as it names the culprit first and the remedy last.
    """

    status: ClassVar[int] = 400
    is_translated = False
    """Whether the message is in the reader's language. Errors of pages are; others are in English."""

    def __init__(self, message: str, code: str, **extra: Any) -> None:
        self.message = shortened(message)
        self.code = code
        self.extra = extra
        super().__init__(f"{code}: {self.message}")


_Error = TypeVar("_Error", bound=ArenaError)


def mark_translated(error: _Error) -> _Error:
    """Mark an error whose message is in the reader's language, and return it."""
    error.is_translated = True
    return error


class NotFound(ArenaError):
    """The object does not exist, or the caller may not see it."""

    status = 404


class Forbidden(ArenaError):
    """The caller may see the object but lacks the permission."""

    status = 403


class Conflict(ArenaError):
    """The object's state does not allow the operation. ``extra`` contains the state and what is allowed."""

    status = 409


class Invalid(ArenaError):
    """The request is malformed or exceeds a documented limit."""

    status = 400


class Sealed(ArenaError):
    """The object exists but is sealed until all tables of its boards have finished."""

    status = 423

    def __init__(self, subject: str, tournament: str = "", *, are_several: bool = False) -> None:
        """Begin the message with ``subject``. ``tournament``: public id of the one that unseals it."""
        self.tournament = tournament
        super().__init__(
            f"{subject} {'are' if are_several else 'is'} sealed until all tables of these boards "
            "have finished, so that no entry learns the deals early.",
            "sealed",
        )


class Unavailable(ArenaError):
    """The operation may succeed after ``retry_s`` seconds."""

    status = 503

    def __init__(self, message: str, code: str, retry_s: int, **extra: Any) -> None:
        self.retry_s = retry_s
        super().__init__(message, code, **extra)
