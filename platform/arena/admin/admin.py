"""Every page. Django's admin imports the module of this name of each app."""

from arena.admin import (
    accounts,
    competition,
    entries,
    fixtures,
    matches,
    roster,
    standings,
    tournaments,
    webhooks,
)

__all__ = [
    "accounts",
    "competition",
    "entries",
    "fixtures",
    "matches",
    "roster",
    "standings",
    "tournaments",
    "webhooks",
]
