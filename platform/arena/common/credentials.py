"""Requests with a bad token or session: counted for their address, and refused before the database is asked.

A token cannot be guessed, but each try costs a query. An address that has sent too many of them is refused
unread for a while, except for what was good lately from anywhere: one careless program in a school does
not shut out its neighbours.
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
"""So long something that was good stays exempt."""


class Credential:
    """A token or session as it came with a request, not yet looked up."""

    def __init__(self, request: HttpRequest | Request, text: str) -> None:
        self._network = client_network(request)
        self._key = f"credential:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:40]}"
        self._counted = 0

    def wait_s(self) -> float:
        """Seconds until it will be looked up; 0: now."""
        use = rate_usage(BAD_CREDENTIAL_RATE, self._network)
        self._counted = use.counted
        return use.wait_s if use.wait_s and cache.get(self._key) is None else 0.0

    def record_success(self) -> None:
        """It was: kept in mind if others from this address were not."""
        if self._counted:
            cache.set(self._key, 1, EXEMPTION_S)

    def record_failure(self) -> None:
        """It was not: counted for the address."""
        rate_consume(BAD_CREDENTIAL_RATE, self._network)
