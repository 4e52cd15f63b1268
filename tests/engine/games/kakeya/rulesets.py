"""Rulesets of every variant, with every option that changes how a board goes; games are short."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.games.kakeya.options import (
    ETORI_MEIJI,
    ETORI_SIMPLE,
    ETORI_SIMPLE6,
    KAKEYA4,
    KAKEYA6,
    OPTIONS,
    Choice,
)
from tests.engine.games.kakeya.positions import KAKEYA

VARIANTS = (KAKEYA4, KAKEYA6, ETORI_SIMPLE, ETORI_SIMPLE6, ETORI_MEIJI)
LENGTHS = {
    "stones": st.integers(1, 9),
    "hand_cap": st.integers(1, 6),
    "hands": st.integers(1, 6),
}


def _consistent(options):
    """The same options without contradictions."""
    if options.get("aces_timing") == "remaining":
        options = options | {"schedule": "standard"}
    if options.get("trump_fixed"):
        defaults = {"meiji_trump": "cycle_cdh", "trump_right6": "others"}
        options = options | {name: value for name, value in defaults.items() if name in options}
    return options


def rulesets(*variants):
    """Rulesets of these variants, or of all."""

    def options(variant):
        domains = OPTIONS[variant].items()
        choices = {n: st.sampled_from(d.values) if isinstance(d, Choice) else LENGTHS[n] for n, d in domains}
        return st.fixed_dictionaries(choices).map(_consistent)

    return st.sampled_from(variants or VARIANTS).flatmap(
        lambda variant: options(variant).map(lambda chosen: KAKEYA.ruleset(variant, chosen))
    )
