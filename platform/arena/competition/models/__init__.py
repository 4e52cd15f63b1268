"""Models of competition: tournaments with stages and rounds, entries, cups, statements, commitments."""

from arena.competition.models.commitments import Commitment
from arena.competition.models.entries import Entry, Invitation, StageEntry
from arena.competition.models.reports import ProblemReport
from arena.competition.models.series import Series, Subscription
from arena.competition.models.statements import Label, SigningKey, Statement
from arena.competition.models.tournaments import Round, Stage, Tournament, faults_allowed, new_secret

__all__ = [
    "Commitment",
    "Entry",
    "Invitation",
    "Label",
    "ProblemReport",
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
