"""Options of Kakeya Toranpu, each with its meaning. Source: RULES.md 6, table of decisions."""

from __future__ import annotations

import dataclasses

from engine.cards import SUITS
from engine.errors import RulesetError
from engine.game import Ruleset

CHOICES: dict[str, tuple[str | None, ...]] = {
    "schedule": ("standard", "nakayoshi"),
    "lead_protocol": ("simultaneous", "iku_koi", "decider"),
    "trump_fixed": (None, *SUITS),
    "trump_change": ("any", "unanimous"),
    "priority": ("alternate", "lower"),
}
"""What each option of words may be, default first."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class KakeyaRuleset(Ruleset):
    """Options of Kakeya; the defaults are those of ``kakeya4``.

    Raises:
        RulesetError: a value is none of those its option takes.
    """

    stones: int = 5
    """Stones of each pair before the first deal, 1 or more (D3)."""
    hand_cap: int | None = None
    """A game ends after this many deals at the latest; None: only when a pair has no stones left (D17)."""
    schedule: str = "standard"
    """Which table of RULES.md 2.9 the winners are paid by: standard or nakayoshi (D13)."""
    debt: bool = True
    """Whether losers short of stones go negative and winners get all; else they pay what they have (D16)."""
    lead_protocol: str = "simultaneous"
    """How the opening lead is settled (D8): both leaders declare at once; or the decider alone says
    whether to lead (iku_koi); or the decider leads unasked (decider)."""
    trump_fixed: str | None = None
    """The trump suit of every deal, and no trump phase; None: the dealers may change it (D7)."""
    trump_change: str = "any"
    """Whether one dealer's proposal changes trumps (any) or both must name the same suit (unanimous; D6)."""
    priority: str = "alternate"
    """Which member of a pair takes precedence (D5): lower seat on odd deals and higher on even ones, or
    always the lower."""

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str | None) or value not in choices:
                raise RulesetError(self._refusal(name, f"one of {', '.join(map(str, choices))}"))
        if type(self.stones) is not int or not 1 <= self.stones <= MOST_STONES:
            raise RulesetError(self._refusal("stones", f"a whole number from 1 to {MOST_STONES}"))
        if self.hand_cap is not None and (
            type(self.hand_cap) is not int or not 1 <= self.hand_cap <= MOST_DEALS
        ):
            raise RulesetError(self._refusal("hand_cap", f"None or a whole number from 1 to {MOST_DEALS}"))
        if type(self.debt) is not bool:
            raise RulesetError(self._refusal("debt", "true or false"))

    @property
    def seats(self) -> int:
        """Places at the table; opposite ones are partners."""
        return 4

    def _refusal(self, name: str, wanted: str) -> str:
        return f"option {name!r} of {self.preset} cannot be {getattr(self, name)!r}: give {wanted}"


MOST_STONES = 1000
MOST_DEALS = 100_000

PRESETS = {
    ruleset.preset: ruleset
    for ruleset in (
        KakeyaRuleset(preset="kakeya4"),
        KakeyaRuleset(preset="kakeya4.league", hand_cap=60),
        KakeyaRuleset(preset="kakeya4.nakayoshi", schedule="nakayoshi"),
    )
}
"""Source: RULES.md 6.1."""
