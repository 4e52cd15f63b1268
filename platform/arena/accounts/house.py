"""The accounts of the house bots, which the installation itself owns."""

from __future__ import annotations

HOUSE_USERNAME = "house"
"""What their names begin with. Nobody can sign in to them: they have no password."""
LADDER_USERNAME = f"{HOUSE_USERNAME}-ladder"
"""The account that runs the rounds of ladders."""

REFERENCE_KIND = "greedy"
"""The kind of house bot whose account has the plain name."""
SEARCHING_KINDS = ("ismcts", "pimc", "search")
"""The kinds that search: they need the kernel, which not every installation has, and more time."""


def house_username(kind: str) -> str:
    """The account of a kind of house bot: each has its own, so that none meets a bot of the same owner.

    >>> house_account("greedy"), house_account("random")
    ('house', 'house-random')
    """
    return HOUSE_USERNAME if kind == REFERENCE_KIND else f"{HOUSE_USERNAME}-{kind}"


def is_house_account(username: str) -> bool:
    """Whether an account is one of the house's: each kind of house bot has its own.

    >>> is_house_account("house"), is_house_account("house-random"), is_house_account("houseboat")
    (True, True, False)
    """
    return username == HOUSE_USERNAME or username.startswith(f"{HOUSE_USERNAME}-")
