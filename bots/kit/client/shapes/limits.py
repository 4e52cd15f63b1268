"""Shapes of the API: addresses under limits. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import TypedDict


class Limits(TypedDict):
    """The limits of this installation; names say units."""

    clock_defaults: dict[str, int]
    clock_bounds: dict[str, list[int]]
    process: dict[str, float]
    bundle: dict[str, int]
    throttles: dict[str, str]
    """Requests by account; anonymous: by address."""
    bots_per_player: int
    challenges_per_day: int
    """Of an account, within 24 hours."""
    challenge_worker_s_per_day: int
    """Seconds that an account's challenges may hold workers within 24 hours."""
    page_size_max: int
