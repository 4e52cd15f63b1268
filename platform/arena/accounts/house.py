"""The accounts of the house bots, which the installation itself owns."""

from __future__ import annotations

HOUSE = "house"
"""What their names begin with. Nobody can sign in to them: they have no password."""
LADDER = f"{HOUSE}-ladder"
"""The account that runs the rounds of ladders."""


def is_house_account(username: str) -> bool:
    """Whether an account is one of the house's: each kind of house bot has its own.

    >>> is_house_account("house"), is_house_account("house-random"), is_house_account("houseboat")
    (True, True, False)
    """
    return username == HOUSE or username.startswith(f"{HOUSE}-")
