"""Options of Kakkuri, each with its meaning.

Source: docs/rules/kakkuri.md#options, #decisions.
"""

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
"""What each option of words may be, default first."""

SWITCHES = ("fuwaru", "deal_pass", "wild_in_sansoku", "pass_penalty", "turn_forced", "dropped_pay")
"""The options that are true or false."""

FEWEST_SEATS = 2
MOST_SEATS = 8
MOST_STONES = 1000
MOST_DEALS = 100_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class KakkuriRuleset(Ruleset):
    """Options of Kakkuri; the defaults are those of ``kakkuri``.

    Raises:
        RulesetError: a value is none of those its option takes.
    """

    seats: int = 7
    """Places at the table, 2 to 8 (D22)."""
    stones: int = 20
    """Stones of each seat before the first deal, 1 or more (D52)."""
    hands: int = 50
    """Deals of a game, 1 or more (D52)."""
    bankruptcy: str = "debt"
    """Whether stones may go below nothing (debt), or a game ends with the deal that leaves a seat with
    none (stop; D52)."""
    fuwaru: bool = True
    """Whether each seat may swap its unseen hand for the dealer's (docs/rules/kakkuri.md#fuwaru)."""
    deal_pass: bool = False
    """Whether a winner may hand the next deal to the right (D25)."""
    first_dealer: str = "random"
    """Who deals first in a game (D24): a random seat, or the one that draws the highest card (draw)."""
    court_order: str = "JQK"
    """What the court cards count (D23): jack 10, queen 11 (JQK), or queen 10, jack 11 (QJK)."""
    wild_mode: str = "named"
    """Whether a wild card played alone stands for a value its player names, or lets anything follow
    (reset; D30)."""
    wild_in_sansoku: bool = False
    """Whether a wild card may stand for another value in a pair of three (D34): such hands may declare
    sansoku too, and each pair must leave cards that can be split into pairs."""
    pass_penalty: bool = False
    """Whether passing a turn without playing costs a stone to the pot (D40)."""
    turn_forced: bool = False
    """Whether a turn that comes back must turn up a box card before anything is played (D42)."""
    dropped_pay: bool = False
    """Whether seats that dropped pay for a guri too (D50)."""
    box_empty: str = "free_lead"
    """What happens when a turn comes back and the box is empty (D47): its player must play and may play
    anything (free_lead), or the deal is dead."""

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in choices:
                raise RulesetError(self._refusal(name, f"one of {', '.join(choices)}"))
        for name in SWITCHES:
            if type(getattr(self, name)) is not bool:
                raise RulesetError(self._refusal(name, "true or false"))
        for name, fewest, most in (
            ("seats", FEWEST_SEATS, MOST_SEATS),
            ("stones", 1, MOST_STONES),
            ("hands", 1, MOST_DEALS),
        ):
            value = getattr(self, name)
            if type(value) is not int or not fewest <= value <= most:
                raise RulesetError(self._refusal(name, f"a whole number from {fewest} to {most}"))

    def _refusal(self, name: str, wanted: str) -> str:
        return f"option {name!r} of {self.preset} cannot be {quoted(getattr(self, name))}: give {wanted}"


PRESETS = {
    ruleset.preset: ruleset
    for ruleset in (
        KakkuriRuleset(preset="kakkuri"),
        KakkuriRuleset(preset="kakkuri.league", fuwaru=False),
    )
}
"""Source: docs/rules/kakkuri.md#presets."""
