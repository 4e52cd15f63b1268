"""Options of Kakeya Toranpu and Etori.

Source: docs/rules/kakeya.md#options, #decisions; docs/rules/etori.md#options, #decisions.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from engine.errors import RulesetError
from engine.game import Ruleset
from engine.games.kakeya.options import (
    CONTRADICTIONS,
    ETORI_MEIJI,
    ETORI_SIMPLE,
    ETORI_SIMPLE6,
    INSTEAD,
    KAKEYA4,
    KAKEYA6,
    OPTIONS,
)
from engine.refusals import quoted

VARIANT_OF = {
    "kakeya4": KAKEYA4,
    "kakeya4.league": KAKEYA4,
    "kakeya4.nakayoshi": KAKEYA4,
    "kakeya6": KAKEYA6,
    "kakeya6.league": KAKEYA6,
    "kakeya6.nakayoshi": KAKEYA6,
    "etori.simple": ETORI_SIMPLE,
    "etori.simple6": ETORI_SIMPLE6,
    "etori.meiji": ETORI_MEIJI,
}
"""Variant by preset. Source: docs/rules/kakeya.md#presets; docs/rules/etori.md#presets."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class KakeyaRuleset(Ruleset):
    """Options of a preset; None for options of other variants (``options.OPTIONS``).

    Raise ``RulesetError`` if a value is not allowed in this variant, or contradicts another option.
    """

    seats: int = 4
    """Number of seats: 6 in kakeya6 and etori.simple6, otherwise 4. Opposite seats are partners."""
    stones: int | None = 5
    """Stones of each pair before the first deal, at least 1 (D3); None in etori.meiji, which
    counts points.
    """
    hand_cap: int | None = None
    """Maximum deals of a game; with None, a game ends when a pair has no stones left (D17)."""
    schedule: str | None = "standard"
    """Payment table: standard, nakayoshi or asahi_tie_only (D13). Source: docs/rules/kakeya.md#payment."""
    debt: bool | None = True
    """Whether losers pay in full and may go negative; otherwise they pay what they have (D16)."""
    lead_protocol: str | None = "simultaneous"
    """How the opening lead is settled (D8): both leaders declare at once (simultaneous), the decider alone
    declares (iku_koi), or the decider leads without a question (decider, and None in etori.meiji).
    """
    trump_fixed: str | None = None
    """Trump suit of every deal, without a trump phase; with None, trumps may change (D7)."""
    six_dealers: str | None = None
    """Pair that rests and deals next in kakeya6 (D1): the losers, or the pair that rested (previous_rest)."""
    trump_right6: str | None = None
    """Pair that may change trumps in kakeya6 from deal 2 on (D2): the pair that neither deals nor leads
    (others), or the losers.
    """
    rensho_free: bool = False
    """Whether Rensho may be played by a seat that could follow suit (D10)."""
    aces_timing: str | None = None
    """Aces that count in simplified Etori (D14): dealt, or remaining in hand at the end (always none)."""
    early_stop: bool = False
    """Whether a deal stops with the trick that takes the sixteenth picture; the result is the same (D18)."""
    direction: str = "right"
    """Direction of deal and play: right (anticlockwise) or left (D19)."""
    dealer_rotation: str | None = None
    """Next dealer in etori.simple (D20): the losers in turn (losers), or the seat on the left (left). None in
    etori.simple6, where the losers deal.
    """
    meiji_trump: str | None = None
    """Trumps of etori.meiji (D21): clubs, diamonds, hearts in turn (cycle_cdh), the suit of the last card
    dealt (turn_last), or random. ``trump_fixed`` overrides the cycle.
    """
    meiji_score: str | None = None
    """Points of a deal of etori.meiji (D21): 1 for more pictures (win1), pictures minus 8 (difference), or
    the standard payment of Kakeya (kakeya).
    """
    hands: int | None = None
    """Number of deals of a game of etori.meiji (D21)."""

    def __post_init__(self) -> None:
        if self.preset not in VARIANT_OF:
            raise RulesetError(
                f"unknown preset {quoted(self.preset)} of kakeya; presets: {', '.join(VARIANT_OF)}"
            )
        domains = OPTIONS[self.variant]
        for name, value in self.as_dict().items():
            if name in domains:
                if not domains[name].takes(value):
                    raise RulesetError(self._refusal(name, f"give {domains[name].wanted}"))
            elif value is not None:
                raise RulesetError(self._refusal(name, self._homes(name)))
        for (name, value), (other, *values), reason in CONTRADICTIONS:
            if getattr(self, name) == value and getattr(self, other) in values:
                raise RulesetError(
                    f"options {name!r}={quoted(value)} and {other!r}={quoted(getattr(self, other))} "
                    f"of {self.preset} contradict each other: {reason}"
                )

    @property
    def variant(self) -> str:
        """A key of ``options.OPTIONS``."""
        return VARIANT_OF[self.preset]

    @property
    def most_deals(self) -> int | None:
        return self.hands if self.hands is not None else self.hand_cap

    def _refusal(self, name: str, fix: str) -> str:
        return f"option {name!r} of {self.preset} cannot be {quoted(getattr(self, name))}: {fix}"

    def _homes(self, name: str) -> str:
        """Say which variants have the option, and what applies here."""
        homes = ", ".join(variant for variant, domains in OPTIONS.items() if name in domains)
        instead = f"; {INSTEAD[name]}" if name in INSTEAD else ""
        return f"it belongs to {homes}; leave it out or give None{instead}"


def _preset(preset: str, **options: Any) -> KakeyaRuleset:
    """Return the defaults of the preset's variant, with some options changed."""
    domains = OPTIONS[VARIANT_OF[preset]]
    names = [field.name for field in dataclasses.fields(KakeyaRuleset) if field.name != "preset"]
    values: dict[str, Any] = {name: domains[name].default if name in domains else None for name in names}
    return KakeyaRuleset(preset=preset, **(values | options))


PRESETS = {
    ruleset.preset: ruleset
    for ruleset in (
        _preset("kakeya4"),
        _preset("kakeya4.league", hand_cap=60),
        _preset("kakeya4.nakayoshi", schedule="nakayoshi"),
        _preset("kakeya6"),
        _preset("kakeya6.league", hand_cap=60),
        _preset("kakeya6.nakayoshi", schedule="nakayoshi"),
        _preset("etori.simple"),
        _preset("etori.simple6"),
        _preset("etori.meiji"),
    )
}
"""Source: docs/rules/kakeya.md#presets; docs/rules/etori.md#presets."""
