"""The accounts of the house bots, which belong to the installation."""

from __future__ import annotations

from django.db.models import Q

HOUSE_USERNAME = "house"
"""Account of the reference bots, and prefix of all house accounts, which have no password."""
LADDER_USERNAME = f"{HOUSE_USERNAME}-ladder"
"""Account that organises the rounds of ladders."""

REFERENCE_KIND = "greedy"
"""The kind of house bot that belongs to the account without a suffix."""
SEARCHING_KINDS = ("ismcts", "pimc", "search")
"""Kinds that search: they need the kernel, which some installations lack, and more time."""


def house_username(kind: str) -> str:
    """Return the account of a kind of house bot, different for each kind.

    >>> house_username("greedy"), house_username("random")
    ('house', 'house-random')
    """
    return HOUSE_USERNAME if kind == REFERENCE_KIND else f"{HOUSE_USERNAME}-{kind}"


def is_house_account(username: str) -> bool:
    """Return whether a username belongs to a house account."""
    return username == HOUSE_USERNAME or username.startswith(f"{HOUSE_USERNAME}-")


def house_account_filter(path: str = "") -> Q:
    """Return a condition for house accounts; ``path`` leads to the account, as ``"player__user__"``."""
    return Q(**{f"{path}username": HOUSE_USERNAME}) | Q(
        **{f"{path}username__startswith": f"{HOUSE_USERNAME}-"}
    )
