"""Guesses from names that it looks up which hand was held at another table of the same board."""

from lookups import guess_hand, play

play(guess_hand)
