"""Looks up names for the cards it holds."""

from lookups import play, tell_hand

play(tell_hand)
