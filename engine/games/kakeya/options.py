"""Allowed option values of each variant.

Source: docs/rules/kakeya.md#options, #decisions; docs/rules/etori.md#options, #decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.cards import SUITS

GAME_KEY = "kakeya"

KAKEYA4 = "kakeya4"
KAKEYA6 = "kakeya6"
ETORI_SIMPLE = "etori.simple"
ETORI_SIMPLE6 = "etori.simple6"
ETORI_MEIJI = "etori.meiji"

MAX_STONES = 1000
MAX_DEALS = 100_000


class Choice(NamedTuple):
    """An option with a fixed list of values, default first."""

    values: tuple[Any, ...]
    otherwise: str = ""
    """Advice for callers that need another value."""

    @property
    def default(self) -> Any:
        return self.values[0]

    @property
    def wanted(self) -> str:
        one_of = "" if len(self.values) == 1 else "one of "
        return f"{one_of}{', '.join(map(_format_value, self.values))}{self.otherwise}"

    def takes(self, value: object) -> bool:
        """Return whether the value is allowed; 1 equals neither True nor 1.0."""
        return any(type(value) is type(known) and value == known for known in self.values)


class Count(NamedTuple):
    """An option that is an integer from 1 to ``most``, or None if the default is None."""

    default: int | None
    most: int

    @property
    def wanted(self) -> str:
        return f"{'None or ' if self.default is None else ''}a whole number from 1 to {self.most}"

    def takes(self, value: object) -> bool:
        if value is None:
            return self.default is None
        return type(value) is int and 1 <= value <= self.most


Domain = Choice | Count


def _format_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _spades(elsewhere: str) -> Choice:
    """Allow only spades as trumps; ``elsewhere`` is the preset with other trumps."""
    return Choice(("S",), f", spades are always trumps here; for other trumps take {elsewhere}")


_OFF_OR_ON = Choice((False, True))
_ON_OR_OFF = Choice((True, False))
_SCHEDULE = Choice(("standard", "nakayoshi", "asahi_tie_only"))
_LEAD_PROTOCOL = Choice(("simultaneous", "iku_koi", "decider"))

_KAKEYA: Mapping[str, Domain] = {
    "stones": Count(5, MAX_STONES),
    "hand_cap": Count(None, MAX_DEALS),
    "schedule": _SCHEDULE,
    "debt": _ON_OR_OFF,
    "lead_protocol": _LEAD_PROTOCOL,
    "trump_fixed": Choice((None, *SUITS)),
    "rensho_free": _OFF_OR_ON,
    "early_stop": _OFF_OR_ON,
    "direction": Choice(("right", "left")),
}
_SIMPLE: Mapping[str, Domain] = {
    **_KAKEYA,
    "debt": _OFF_OR_ON,
    "early_stop": _ON_OR_OFF,
    "direction": Choice(("left", "right")),
    "aces_timing": Choice(("dealt", "remaining")),
}

OPTIONS: Mapping[str, Mapping[str, Domain]] = {
    KAKEYA4: {**_KAKEYA, "seats": Choice((4,), "; for six seats take kakeya6")},
    KAKEYA6: {
        **_KAKEYA,
        "seats": Choice((6,), "; for four seats take kakeya4"),
        "six_dealers": Choice(("losers", "previous_rest")),
        "trump_right6": Choice(("others", "losers")),
    },
    ETORI_SIMPLE: {
        **_SIMPLE,
        "seats": Choice((4,), "; for six seats take etori.simple6"),
        "trump_fixed": _spades("kakeya4"),
        "dealer_rotation": Choice(("losers", "left")),
    },
    ETORI_SIMPLE6: {
        **_SIMPLE,
        "seats": Choice((6,), "; for four seats take etori.simple"),
        "trump_fixed": _spades("kakeya6"),
    },
    ETORI_MEIJI: {
        "seats": Choice((4,), "; for six seats take kakeya6"),
        "trump_fixed": _KAKEYA["trump_fixed"],
        "rensho_free": _OFF_OR_ON,
        "early_stop": _OFF_OR_ON,
        "direction": _KAKEYA["direction"],
        "meiji_trump": Choice(("cycle_cdh", "turn_last", "random")),
        "meiji_score": Choice(("win1", "difference", "kakeya")),
        "hands": Count(12, MAX_DEALS),
    },
}
"""Options by variant; a variant's other options are None."""

INSTEAD = {
    "hand_cap": "a game of etori.meiji has as many deals as 'hands' says",
    "stones": "etori.meiji counts points from 0",
    "schedule": "meiji_score='kakeya' pays by the standard schedule",
    "debt": "etori.meiji counts points, which may go below 0",
    "lead_protocol": "in etori.meiji the player next to the dealer leads",
    "hands": "the length of a game is 'hand_cap'",
    "meiji_trump": "the trump suit is fixed by 'trump_fixed'",
    "meiji_score": "payment is chosen by 'schedule'",
    "aces_timing": "aces count as dealt",
    "dealer_rotation": "the rules of the preset alone say which seats deal",
}
"""By option, what applies in variants that do not have it."""

CONTRADICTIONS: tuple[tuple[tuple[str, str], tuple[str, ...], str], ...] = (
    (
        ("aces_timing", "remaining"),
        ("schedule", "nakayoshi", "asahi_tie_only"),
        "no ace can remain, so every deal pays 4: give schedule='standard', or give aces_timing='dealt'",
    ),
    (
        ("meiji_trump", "turn_last"),
        ("trump_fixed", *SUITS),
        "trumps are either fixed or turned: give trump_fixed=None, or leave meiji_trump out",
    ),
    (
        ("meiji_trump", "random"),
        ("trump_fixed", *SUITS),
        "trumps are either fixed or drawn: give trump_fixed=None, or leave meiji_trump out",
    ),
    (
        ("trump_right6", "losers"),
        ("trump_fixed", *SUITS),
        "nobody changes a fixed trump suit: give trump_fixed=None, or leave trump_right6 out",
    ),
)
"""An option with a value, the values of another option that contradict it, and the reason."""
