"""Parsing of the Retry-After header."""

from __future__ import annotations

import datetime
import email.utils
import math

import httpx


def retry_after_s(answer: httpx.Response) -> int:
    """Return the seconds to wait; 0 without a valid header.

    A date is compared with the Date header of the answer, so that a wrong local clock does not matter.
    """
    text = answer.headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return int(text[:9])
    until = _http_date(text)
    now = _http_date(answer.headers.get("date", "")) or datetime.datetime.now(datetime.UTC)
    return max(0, math.ceil((until - now).total_seconds())) if until else 0


def _http_date(text: str) -> datetime.datetime | None:
    try:
        date = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=datetime.UTC)
