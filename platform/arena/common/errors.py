"""The platform's own error: one class, told apart by a stable code.

ArenaError
├── NotFound     404: no such thing, or not yours to see
├── Forbidden    403: yours to see, not to do
├── Conflict     409: not in this state
├── Invalid      400: the request itself is wrong
├── Sealed       423: waits for its board set to close
└── Unavailable  503: the database is away, or every place is taken; the same works in a while
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, ClassVar, TypeVar

MAX_MESSAGE_CHARACTERS = 500
"""The longest message of any refusal."""
MAX_QUOTED_CHARACTERS = 80
"""So much of a value that was sent is repeated in a message about it."""
ELLIPSIS = " ... "


MAX_WORD_CHARACTERS = 40
"""A cut looks so far back for the end of a word, and on for the beginning of one."""


def shortened(text: str, most: int = MAX_MESSAGE_CHARACTERS) -> str:
    """The text in at most ``most`` characters; of a longer one its beginning and its end, in whole words
    unless they are long.

    >>> shortened("a" * 20 + "z" * 20, 15)
    'aaaaaaa ... zzz'
    >>> shortened("one of kakeya4, kakeya6, etori.league or kakkuri", 40)
    'one of kakeya4, kakeya6, ... or kakkuri'
    """
    if len(text) <= most:
        return text
    kept = most - len(ELLIPSIS)
    tail = kept // 3
    return _first_words(text, kept - tail) + ELLIPSIS + _last_words(text, tail)


def _first_words(text: str, most: int) -> str:
    """The whole words in its first characters."""
    begun = text[:most]
    end = most if text[most : most + 1].isspace() else begun.rfind(" ")
    return begun[:end].rstrip() if end > most - MAX_WORD_CHARACTERS and end > 0 else begun


def _last_words(text: str, most: int) -> str:
    """The whole words in its last characters."""
    start = len(text) - most
    ended = text[start:]
    at = 0 if text[start - 1].isspace() else ended.find(" ") + 1
    return ended[at:] if at <= MAX_WORD_CHARACTERS else ended


def quoted(value: object, most: int = MAX_QUOTED_CHARACTERS) -> str:
    """A value as a message quotes it: its ``repr``, shortened.

    >>> quoted("kakeya5")
    "'kakeya5'"
    """
    return shortened(repr(value), most)


def problem_type(code: str) -> str:
    """The address of what a code means, relative to the site's own: a line of docs/problems.md.

    >>> problem_type("wrong_state")
    '/docs/problems#wrong_state'
    """
    return f"/docs/problems#{code}"


def problem_body(status: int, code: str, detail: str) -> dict[str, Any]:
    """The members that every problem of the API has (RFC 9457)."""
    return {
        "type": problem_type(code),
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }


class ArenaError(Exception):
    """Something a caller asked for cannot be; ``code`` is for machines, ``message`` for people.

    A message longer than ``MAX_MESSAGE_CHARACTERS`` loses its middle, as it names the culprit first and the
    remedy last.
    """

    status: ClassVar[int] = 400
    is_translated = False
    """The message is in the reader's language: pages translate what they say themselves."""

    def __init__(self, message: str, code: str, **extra: Any) -> None:
        self.message = shortened(message)
        self.code = code
        self.extra = extra
        super().__init__(f"{code}: {self.message}")


_Error = TypeVar("_Error", bound=ArenaError)


def mark_translated(error: _Error) -> _Error:
    """An error of a page whose message is in the reader's language."""
    error.is_translated = True
    return error


class NotFound(ArenaError):
    """No such thing, or none the caller may know of."""

    status = 404


class Forbidden(ArenaError):
    """The caller may see it but not do this to it."""

    status = 403


class Conflict(ArenaError):
    """The thing is not in a state that allows this; ``extra`` says which state and what is allowed now."""

    status = 409


class Invalid(ArenaError):
    """The request cannot be understood or breaks a stated limit."""

    status = 400


class Sealed(ArenaError):
    """It exists but stays closed until the last table on these boards is done."""

    status = 423

    def __init__(self, what: str, tournament: str = "", *, are_several: bool = False) -> None:
        """``what`` begins the sentence; ``tournament``: the public id of that which opens it."""
        self.tournament = tournament
        super().__init__(
            f"{what} {'are' if are_several else 'is'} sealed until every table on these boards is done: "
            "nobody learns the deals early.",
            "sealed",
        )


class Unavailable(ArenaError):
    """It would work at another time: ``retry_s`` is when to ask again, in seconds."""

    status = 503

    def __init__(self, message: str, code: str, retry_s: int, **extra: Any) -> None:
        self.retry_s = retry_s
        super().__init__(message, code, **extra)
