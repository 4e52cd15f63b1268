"""Options of Kakkuri. Source: docs/rules/kakkuri.md#options, #decisions."""

from __future__ import annotations

import dataclasses

from engine.errors import RulesetError
from engine.game import Ruleset
from engine.refusals import quoted

GAME_KEY = "kakkuri"
RULES_VERSION = 1

CHOICES: dict[str, tuple[str, ...]] = {
    "bankruptcy": ("debt", "stop"),
    "first_dealer": ("random", "draw"),
    "court_order": ("JQK", "QJK"),
    "wild_mode": ("named", "reset"),
    "box_empty": ("free_lead", "dead"),
}
"""Allowed values of the options that are words, default first."""

SWITCHES = ("fuwaru", "deal_pass", "wild_in_sansoku", "pass_penalty", "turn_forced", "dropped_pay")
"""Boolean options."""

MIN_SEATS = 2
MAX_SEATS = 8
MAX_STONES = 1000
MAX_DEALS = 100_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class KakkuriRuleset(Ruleset):
    """Options of Kakkuri; defaults define preset ``kakkuri``. Raise ``RulesetError`` for invalid values."""

    seats: int = 7
    """Number of seats, 2 to 8 (D22)."""
    stones: int = 20
    """Stones of each seat before the first deal, at least 1 (D52)."""
    hands: int = 50
    """Number of deals of a game, at least 1 (D52)."""
    bankruptcy: str = "debt"
    """Whether stones may become negative (debt), or a seat without stones ends the game (stop; D52)."""
    fuwaru: bool = True
    """Whether each seat may swap its unseen hand with the dealer's (docs/rules/kakkuri.md#fuwaru)."""
    deal_pass: bool = False
    """Whether a winner may pass the next deal to the right (D25)."""
    first_dealer: str = "random"
    """First dealer of a game (D24): a random seat, or the seat that draws the highest card (draw)."""
    court_order: str = "JQK"
    """Values of the court cards (D23): jack 10, queen 11 (JQK), or queen 10, jack 11 (QJK)."""
    wild_mode: str = "named"
    """Whether a wild card played alone has a value named by its player, or lets anything follow
    (reset; D30).
    """
    wild_in_sansoku: bool = False
    """Whether a wild card may stand for another value in one of the three pairs (D34): such hands may declare
    sansoku, and each pair played must leave cards that split into pairs.
    """
    pass_penalty: bool = False
    """Whether passing a turn without playing costs a stone, paid to the pot (D40)."""
    turn_forced: bool = False
    """Whether a returned turn must turn up a box card before anything is played (D42)."""
    dropped_pay: bool = False
    """Whether seats that dropped also pay for a guri (D50)."""
    box_empty: str = "free_lead"
    """Effect of a returned turn with an empty box (D47): any value may be led (free_lead), or the deal is
    dead.
    """

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in choices:
                raise RulesetError(self._refusal(name, f"one of {', '.join(choices)}"))
        for name in SWITCHES:
            if type(getattr(self, name)) is not bool:
                raise RulesetError(self._refusal(name, "true or false"))
        for name, fewest, most in (
            ("seats", MIN_SEATS, MAX_SEATS),
            ("stones", 1, MAX_STONES),
            ("hands", 1, MAX_DEALS),
        ):
            value = getattr(self, name)
            if type(value) is not int or not fewest <= value <= most:
                raise RulesetError(self._refusal(name, f"a whole number from {fewest} to {most}"))

    def _refusal(self, name: str, allowed: str) -> str:
        return f"option {name!r} of {self.preset} cannot be {quoted(getattr(self, name))}: give {allowed}"


PRESETS = {
    ruleset.preset: ruleset
    for ruleset in (
        KakkuriRuleset(preset="kakkuri"),
        KakkuriRuleset(preset="kakkuri.league", fuwaru=False),
    )
}
"""Source: docs/rules/kakkuri.md#presets."""
