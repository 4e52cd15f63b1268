"""A tournament to follow, and what happens to it meanwhile."""

import threading
import time

from django.db import connection

from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.streams import live
from tests import factories
from tests.bots.kit.server.conftest import PATIENCE_S


def under_way():
    """A running tournament of Aya and Ben."""
    event = factories.an_open_tournament(name="Spring cup")
    for owner in (factories.aya(), factories.ben()):
        factories.an_entry(event, owner)
    tournament_lock(event, event.organiser)
    tournament_start(event, event.organiser)
    tournament_advance(event)
    return event


class Meanwhile(threading.Thread):
    """Does something once somebody listens to the tournament, or gives up: a failed command never does."""

    def __init__(self, action, event):
        super().__init__(daemon=True)
        self.action, self.event_pk = action, event.pk
        self.start()

    def run(self):
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not live.hub.places:
                assert time.monotonic() < deadline, "nobody listens"
                time.sleep(0.01)
            self.action(Tournament.objects.get(pk=self.event_pk))
        finally:
            connection.close()
