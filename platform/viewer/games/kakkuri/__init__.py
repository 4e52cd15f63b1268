"""Kakkuri as drawn: see ``viewer.games``."""

from viewer.games.kakkuri import deals, position, sitting

DEALS = deals.deals
SITTING = sitting.turn_sitting
DEAL_END = sitting.turn_deal_end
POSITION = position.kakkuri_of
