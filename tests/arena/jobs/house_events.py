"""Events of house bots with their first round open."""

from pathlib import Path

from django.conf import settings

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.competition.services import entry_create, tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.jobs.uploads import version_submit
from arena.roster.models import BotVersion
from benchmarks.demo.client import folder_zip
from tests import factories

HOUSE = Path(settings.REPOSITORY) / "bots" / "house"


def uploaded(owner: User, house: str) -> BotVersion:
    """A house bot as this owner's upload."""
    return version_submit(
        factories.a_bot(owner), folder_zip(HOUSE / house), f"{house}.zip", "", owner
    ).version


def started(*versions: BotVersion) -> Tournament:
    """A tournament of these versions with its first round open."""
    tournament = factories.an_open_tournament()
    for version in versions:
        entry_create(tournament, version, version.bot.owner.user)
    tournament_lock(tournament, tournament.organiser)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)
    return tournament
