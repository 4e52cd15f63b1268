"""Data of a Kakkuri state, shared by rules, refusals and observations."""

from __future__ import annotations

from engine.game import Past, Seat, State
from engine.games.kakkuri.deal import Deal
from engine.games.kakkuri.scoring import Ending
from engine.games.kakkuri.standing import Standing


class KakkuriPosition(State):
    """Attributes of a state, hidden cards included. Uses slots and masks: a turn creates several states."""

    __slots__ = (
        "deal",
        "ended",
        "follow",
        "last",
        "opened",
        "past",
        "phase",
        "played",
        "standing",
        "to_act",
        "turn",
    )

    phase: str
    """``deal``, ``fuwaru``, ``turn`` or ``over``."""
    to_act: tuple[Seat, ...]
    past: Past
    standing: Standing
    """Hands, active seats, pot and box, which few actions change."""
    follow: int
    """Value to follow; 0 before the start card."""
    last: Seat
    """L, the last seat that played, to which the turn returns; 0 before the start card."""
    played: int
    opened: int
    """Cards played before this turn."""
    turn: int
    """Flags of this turn, see ``turns``."""
    ended: Ending | None
    """How the deal ended, or None."""

    def __init__(
        self,
        deal: Deal,
        phase: str,
        to_act: tuple[Seat, ...],
        past: Past,
        standing: Standing,
        follow: int = 0,
        last: Seat = 0,
        played: int = 0,
        opened: int = 0,
        turn: int = 0,
        ended: Ending | None = None,
    ) -> None:
        self.deal = deal
        self.phase = phase
        self.to_act = to_act
        self.past = past
        self.standing = standing
        self.follow = follow
        self.last = last
        self.played = played
        self.opened = opened
        self.turn = turn
        self.ended = ended
