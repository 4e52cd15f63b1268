"""How many requests anybody may make: by address, by account, and fewer of what costs much."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from arena.accounts.models import User
from arena.common.client_address import client_network
from arena.common.rates import retry_after_s, take

__all__ = ["Limit", "limits_for", "retry_after_s"]

ANONYMOUS = "anonymous"
USER = "user"


class Limit(BaseThrottle):
    """One limit for one caller: the rate of ``name``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rate_text = settings.API_RATES[name]
        self.left_s = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request, unless it is one too many."""
        self.left_s = take(self.name, caller_of(request))
        return not self.left_s

    def wait(self) -> float:
        """Seconds until one more request passes, if nobody asks meanwhile."""
        return self.left_s


def caller_of(request: Request) -> str:
    """Whose requests are counted together: an account's, or those of an address."""
    user = request.user
    return f"u{user.pk}" if isinstance(user, User) else f"a{client_network(request)}"


def limits_for(request: Request, reads: str | None, writes: str | None) -> list[Limit]:
    """The limits a request counts for: the caller's own, and what the end point says of itself."""
    is_read = request.method in SAFE_METHODS
    named = reads if is_read else writes
    general = USER if isinstance(request.user, User) else ANONYMOUS
    return [Limit(name) for name in (named, general) if name is not None]
