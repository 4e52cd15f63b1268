"""Models of competition: tournaments, stages, rounds, entries, cups, courses, statements, commitments."""

from arena.competition.models.commitments import Commitment
from arena.competition.models.courses import Course, CourseMember
from arena.competition.models.entries import Entry, Invitation, StageEntry
from arena.competition.models.reports import ProblemReport
from arena.competition.models.series import Series, Subscription
from arena.competition.models.statements import Label, SigningKey, Statement
from arena.competition.models.tournaments import Round, Stage, Tournament, faults_allowed, new_secret

__all__ = [
    "Commitment",
    "Course",
    "CourseMember",
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
