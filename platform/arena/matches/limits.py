"""What a bot's process may use at a table, as plain values for whoever wants to know."""

from __future__ import annotations

import dataclasses

from django.conf import settings

from referee.contract import Limits


def bot_limits() -> Limits:
    """The limits of this installation (settings ``BOT_...``): every table and check is ordered with them."""
    limits: Limits = settings.BOT_LIMITS
    return limits


def process_limits() -> dict[str, int | float]:
    """The same by name; each name says its unit."""
    return dataclasses.asdict(bot_limits())
