"""The header Retry-After of an answer."""

from __future__ import annotations

import datetime
import email.utils
import math

import httpx


def retry_after_s(answer: httpx.Response) -> int:
    """Seconds to wait before the next try, given as a number or as a date; 0 if there is neither.

    A date is compared with that of the answer, so that a wrong clock of this computer does not matter.
    """
    text = answer.headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return int(text[:9])
    until = _http_date(text)
    now = _http_date(answer.headers.get("date", "")) or datetime.datetime.now(datetime.UTC)
    return max(0, math.ceil((until - now).total_seconds())) if until else 0


def _http_date(text: str) -> datetime.datetime | None:
    """The date of a header, always with a zone; None if it is no date."""
    try:
        date = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=datetime.UTC)
