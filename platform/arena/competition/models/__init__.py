"""What the organisers run: tournaments with stages and rounds, entries, invitations, series, statements."""

from arena.competition.models.entries import Entry, Invitation, StageEntry
from arena.competition.models.series import Series, Subscription
from arena.competition.models.statements import Label, SigningKey, Statement
from arena.competition.models.tournaments import Round, Stage, Tournament, faults_allowed, new_secret

__all__ = [
    "Entry",
    "Invitation",
    "Label",
    "Round",
    "Series",
    "SigningKey",
    "Stage",
    "StageEntry",
    "Statement",
    "Subscription",
    "Tournament",
    "faults_allowed",
    "new_secret",
]
