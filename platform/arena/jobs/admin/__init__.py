"""The pages of the admin on which organisers run their tournaments.

They are here because what follows from a deed, such as the next round, is the business of ``jobs``.
"""

from arena.jobs.admin.entries import EntryAdmin
from arena.jobs.admin.play import FixtureAdmin, TableAdmin
from arena.jobs.admin.tournaments import TournamentAdmin

__all__ = ["EntryAdmin", "FixtureAdmin", "TableAdmin", "TournamentAdmin"]
