"""Variants of the game, one module per way of scoring."""

from __future__ import annotations

from collections.abc import Mapping

from engine.games.kakeya.options import ETORI_MEIJI, ETORI_SIMPLE, ETORI_SIMPLE6, KAKEYA4, KAKEYA6
from engine.games.kakeya.variants.kakeya import FourPlayers, SixPlayers
from engine.games.kakeya.variants.meiji import MeijiEtori
from engine.games.kakeya.variants.simple import SimpleEtori, SimpleEtoriOfSix
from engine.games.kakeya.variants.variant import Variant

VARIANTS: Mapping[str, Variant] = {
    KAKEYA4: FourPlayers(),
    KAKEYA6: SixPlayers(),
    ETORI_SIMPLE: SimpleEtori(),
    ETORI_SIMPLE6: SimpleEtoriOfSix(),
    ETORI_MEIJI: MeijiEtori(),
}
"""By ``KakeyaRuleset.variant``."""

__all__ = ["VARIANTS", "Variant"]
