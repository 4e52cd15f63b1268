"""An event that goes on while a page shows it: made, and played to its end, in processes of the site."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from django.utils import timezone

from arena.competition.models import Series, Tournament
from arena.competition.series.editions import edition_create
from arena.competition.series.services import series_pause
from arena.competition.services import entry_create
from arena.jobs.flow import tournament_advance
from tests import factories
from tests.arena.play import play_table, started, waiting
from tests.browser.events import cup
from tests.browser.populate import facts_of
from tests.browser.site import Site, run

FACTS = "moving.json"


def begin(folder: str) -> None:
    """Make an event of two tables, the first of which is played, and a cup; write their public ids."""
    stages = [{"format": "round_robin", "options": {}}]
    tournament = factories.an_open_tournament(name="Moving", boards_per_round=2, stages=stages)
    soon = (timezone.now() + datetime.timedelta(hours=2)).time().replace(second=0, microsecond=0)
    series = cup(name="Moving cup", start_time=soon)
    assert edition_create(series)
    for owner in (factories.aya(), factories.ben()):
        version = factories.a_version(factories.a_bot(owner, name="Mover"))
        entry_create(tournament, version, owner)
    started(tournament)
    facts = facts_of("moving", tournament)
    facts |= {"moving_bot": version.bot.public_id, "moving_cup": series.public_id}
    play_table(waiting(tournament)[0])
    (Path(folder) / FACTS).write_text(json.dumps(facts))


def go_on(folder: str) -> None:
    """Play what is left of it, and let the cup rest."""
    facts = json.loads((Path(folder) / FACTS).read_text())
    tournament = Tournament.objects.get(public_id=facts["moving"])
    while tables := waiting(tournament):
        play_table(tables[0])
        tournament_advance(tournament)
    series_pause(Series.objects.get(public_id=facts["moving_cup"]), factories.odo(), "holidays")


def moving_event(site: Site) -> Site:
    """The site with a new event on it that goes on; its facts begin with ``moving``."""
    run(site.folder, "tests.browser.moving", str(site.folder), function="begin")
    return site._replace(facts={**site.facts, **json.loads((site.folder / FACTS).read_text())})


def move(site: Site) -> None:
    """Play the event to its end."""
    run(site.folder, "tests.browser.moving", str(site.folder), function="go_on")
