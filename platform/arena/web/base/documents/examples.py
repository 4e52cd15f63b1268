"""Examples drawn on the introductions of the games; a test checks each against the engine."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class TrickExample(NamedTuple):
    trump: str
    cards: tuple[str, ...]
    """Order of play."""
    winner: int
    """Index of the winning card."""
    pictures: int
    why: str | Promise


class TurnExample(NamedTuple):
    follow: str
    """Card to follow, at its printed value."""
    hand: tuple[str, ...]
    """Cards that may follow, and others."""
    may: tuple[str, ...]
    """Cards of the hand that may be played next, each alone."""
    why: str | Promise


class RunExample(NamedTuple):
    follow: str
    melds: tuple[str, ...]
    """Melds in the engine's notation."""
    why: str | Promise

    @property
    def cards(self) -> tuple[str, ...]:
        return tuple(card for meld in self.melds for card in meld.partition("@")[0].split("+"))


SUITS = {"S": _("Spades"), "H": _("Hearts"), "D": _("Diamonds"), "C": _("Clubs")}

PICTURES = tuple(rank + suit for suit in "SHDC" for rank in "AKQJ")

FOLLOWED = TrickExample(
    "S",
    ("7H", "KH", "2H", "AH"),
    3,
    2,
    _("Every player could follow suit, so the highest heart takes the trick."),
)
TRUMPED = TrickExample(
    "S",
    ("AH", "2S", "KH", "3H"),
    1,
    2,
    _("The second player has no heart and plays a trump. Even the smallest trump beats the ace of hearts."),
)
RENSHO = TrickExample(
    "S",
    ("AH", "2S", "AC", "9S"),
    2,
    2,
    _("Spades are trumps, so the ace of clubs is the Rensho. It beats both trumps."),
)
RENSHO_LED = TrickExample(
    "H",
    ("AS", "KS", "2H", "AH"),
    0,
    3,
    _("Hearts are trumps, so the ace of spades is the Rensho. Not even the ace of trumps beats it."),
)
KAKEYA = (FOLLOWED, TRUMPED, RENSHO, RENSHO_LED)
SPECULATION = TrickExample(
    "C",
    ("KS", "2C", "AS", "5S"),
    2,
    2,
    _("This is Meiji Etori with clubs as trumps. The ace of spades beats them, as it does in every deal."),
)

STANDARD = (
    (_("no ace"), 4, 4, None),
    (_("an ace, but neither the Rensho nor the ace of trumps"), 2, 2, None),
    (_("the Rensho, the ace of trumps, or both"), 1, 2, 4),
)
"""Stones by the aces dealt to the winners, for 8-11, 12-15 and 16 pictures."""

TURNS = (
    TurnExample("3C", ("4H", "5D", "9S", "KC", "3S", "7H"), ("4H",), _("Only a 4 may follow a 3.")),
    TurnExample(
        "AH", ("AS", "2S", "3D"), ("AS", "2S"), _("A 1 or a 2 may follow a 1. A 2 or a 3 may follow a 2.")
    ),
    TurnExample(
        "KH", ("AH", "5D", "KS"), ("AH", "5D", "KS"), _("Any card may follow a 12, as at the start.")
    ),
    TurnExample(
        "5C", ("AC", "7H", "QS"), ("AC",), _("A wild card takes the value that its player names, here a 6.")
    ),
)
RUNS = (
    RunExample(
        "3C",
        ("4H@4", "5D@5", "6S@6", "7C@7", "8H@8", "9D@9"),
        _("The player plays six cards in one turn, each one value higher than the last, and goes out."),
    ),
    RunExample(
        "JH",
        ("QH@11", "KS@12", "3D@3", "4C@4", "AC@5", "6H@6"),
        _("Any card may follow a 12, so the turn continues with a 3. The wild card takes the value 5."),
    ),
    RunExample(
        "9C",
        ("JH@10", "QH@11", "KS+KH+KD@12", "5C@5"),
        _("Three cards of one value may be played together. Any card may follow them, as after a 12."),
    ),
)
"""Turns in which all six cards of a hand are played."""

ENDS = (
    (_("in the ordinary way"), "ordinary", 1),
    (_("with all six cards in one turn (guri)"), "guri", 2),
    (
        _("at once, before any play, with the aces of spades, diamonds and hearts in hand (utazu)"),
        "utazu",
        3,
    ),
)
"""Ends of a deal, with the engine's name and the stones that each remaining player pays."""
