"""What a server refuses, said by the names of the kit: options and commands instead of the API's fields."""

from __future__ import annotations

from bots.kit.client.errors import Refused

INSTEAD = {
    "partners_not_accepted": "there your bot partners every other one in turn: agree with --accept-partners",
    "pair_impossible": "everybody enters one bot alone there: leave out --partner",
    "version_twice": "a version cannot meet itself: name another bot, or let it play itself with rensho play",
}
"""By code, in place of the server's sentence."""
REMEDIES = {
    "sides_mismatch": "Name a bot for each side, or choose other rules with --preset.",
    "wrong_game": "Choose rules of its game with --preset, or name another bot.",
    "not_ready": "rensho bots shows the state of your versions, rensho faults what went wrong with them.",
    "not_yours": "Ask its owner to make it public, or name another bot.",
    "challenge_quota": "Until then rensho play plays any number of boards at home.",
}
"""By code, after the server's sentence."""


def refusal_text(refusal: Refused) -> str:
    """What to print of a refusal: what is wrong and what to do about it."""
    text = INSTEAD.get(refusal.code, str(refusal))
    remedy = REMEDIES.get(refusal.code)
    return f"{text} {remedy}" if remedy else text
