"""Request rates by address and by account, with lower rates for expensive endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn

from django.http.response import HttpResponseBase
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from arena.accounts.models import User
from arena.common.client_address import client_network
from arena.common.rates import RateUsage, rate_consume, rate_of, retry_after_s

ANONYMOUS = "anonymous"
USER = "user"


class RateThrottle(BaseThrottle):
    """One rate of ``settings.API_RATES``, applied to one caller."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.usage: RateUsage | None = None
        """Usage of the rate, once the request is counted."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request, unless the rate is exhausted; return whether it was counted."""
        self.usage = rate_consume(self.name, caller_key(request))
        return not self.usage.wait_s

    def wait(self) -> float | None:
        """Return the seconds until the next request is allowed."""
        return self.usage and self.usage.wait_s


def rate_headers(limits: Sequence[RateThrottle]) -> dict[str, str]:
    """Return the RateLimit headers of the counted rates.

    Source: draft-ietf-httpapi-ratelimit-headers: ``r`` requests are left, ``t`` seconds until more are; ``q``
    requests are allowed in ``w`` seconds.
    """
    policies, states = [], []
    for limit in limits:
        if limit.usage is not None:
            rate = rate_of(limit.name)
            reset_s = retry_after_s(limit.usage.wait_s or limit.usage.window_s)
            policies.append(f'"{limit.name}";q={rate.requests};w={rate.seconds}')
            states.append(f'"{limit.name}";r={limit.usage.remaining};t={reset_s}')
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(states)} if policies else {}


def caller_key(request: Request) -> str:
    """Return the key under which requests are counted: the account, or the address."""
    user = request.user
    return f"u{user.pk}" if isinstance(user, User) else f"a{client_network(request)}"


def throttles_for(request: Request, reads: str | None, writes: str | None) -> list[RateThrottle]:
    """Return the throttles of a request: the endpoint's own rate, if any, and the caller's general rate."""
    is_read = request.method in SAFE_METHODS
    named = reads if is_read else writes
    general = USER if isinstance(request.user, User) else ANONYMOUS
    return [RateThrottle(name) for name in (named, general) if name is not None]


class LimitedView(APIView):
    """A view with the caller's general rate, and rates of its own."""

    read_rate: ClassVar[str | None] = None
    """Rate in ``settings.API_RATES`` for GET, besides the general rate."""
    write_rate: ClassVar[str | None] = None
    """Rate for the other methods, besides the general rate."""

    applied_throttles: Sequence[RateThrottle] = ()

    def get_throttles(self) -> list[Any]:
        self.applied_throttles = throttles_for(self.request, self.read_rate, self.write_rate)
        return self.applied_throttles

    def permission_denied(
        self, request: Request, message: str | None = None, code: str | None = None
    ) -> NoReturn:
        """Refuse the request, which counts nevertheless."""
        self.check_throttles(request)
        super().permission_denied(request, message, code)

    def finalize_response(  # type: ignore[override]
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        answer: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        for name, value in rate_headers(self.applied_throttles).items():
            answer[name] = value
        return answer
