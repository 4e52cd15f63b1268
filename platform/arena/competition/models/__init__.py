"""What the organisers run: tournaments with stages and rounds, entries, invitations, series."""

from arena.competition.models.entries import Entry, Invitation, StageEntry
from arena.competition.models.series import Series, Subscription
from arena.competition.models.tournaments import Round, Stage, Tournament, new_secret

__all__ = [
    "Entry",
    "Invitation",
    "Round",
    "Series",
    "Stage",
    "StageEntry",
    "Subscription",
    "Tournament",
    "new_secret",
]
