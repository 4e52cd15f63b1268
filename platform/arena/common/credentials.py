"""Rate limits for invalid tokens and sessions, by address, checked before any query.

An address with too many failures is blocked for a while, except for credentials that were valid recently: one
faulty program in a school does not lock out the others.
"""

from __future__ import annotations

import hashlib

from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request

from arena.common.client_address import client_network
from arena.common.rates import rate_consume, rate_usage

BAD_CREDENTIAL_RATE = "bad_tokens"
EXEMPTION_S = 900
"""Seconds that a valid credential stays exempt from the block."""


class Credential:
    """A token or session of a request, not verified yet."""

    def __init__(self, request: HttpRequest | Request, text: str) -> None:
        self._network = client_network(request)
        self._key = f"credential:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:40]}"
        self._counted = 0

    def wait_s(self) -> float:
        """Return the seconds until it may be verified; 0: now."""
        use = rate_usage(BAD_CREDENTIAL_RATE, self._network)
        self._counted = use.counted
        return use.wait_s if use.wait_s and cache.get(self._key) is None else 0.0

    def record_success(self) -> None:
        if self._counted:
            cache.set(self._key, 1, EXEMPTION_S)

    def record_failure(self) -> None:
        rate_consume(BAD_CREDENTIAL_RATE, self._network)
