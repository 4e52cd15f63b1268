"""A board of Kakkuri at one moment as data, for rules, refusals and observations."""

from __future__ import annotations

from engine.game import Past, Seat, State
from engine.games.kakkuri.deal import Deal
from engine.games.kakkuri.scoring import Ending
from engine.games.kakkuri.standing import Standing


class KakkuriPosition(State):
    """What a state holds. The attributes are the whole truth, to be read only.

    A slots class, cards as masks, bit *i* for card *i* of the pack: a turn takes several states.
    """

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
    """One of ``deal``, ``fuwaru``, ``turn``, ``over``."""
    to_act: tuple[Seat, ...]
    past: Past
    standing: Standing
    """Hands, seats still in, the pot and the box: what few actions change."""
    follow: int
    """The value to follow; 0 before the start card."""
    last: Seat
    """L, the last to play, to whom the turn comes back; 0 before the start card."""
    played: int
    """Cards played in this deal."""
    opened: int
    """Cards played before this turn began."""
    turn: int
    """What has been done in this turn, see ``turns``."""
    ended: Ending | None
    """How the deal ended, if it has."""

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
