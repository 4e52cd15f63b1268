"""Kakeya and Etori as drawn: see ``viewer.games``."""

from viewer.games.kakeya import deals, position, sitting

DEALS = deals.deals
SITTING = sitting.trick_sitting
DEAL_END = sitting.trick_deal_end
POSITION = position.kakeya_of
