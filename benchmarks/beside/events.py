"""Round robins one after another: as one ends the next begins."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from arena.competition.models import Tournament
from benchmarks.beside.people import Owner
from benchmarks.demo.client import Client
from benchmarks.demo.road import RoadBlocked, event_open

PRESET = "kakeya4"
BOARDS = 16
State = Tournament.State


class Events:
    """Tournaments of the same entrants, the next one locked while one runs."""

    def __init__(self, organiser: Client, entrants: Sequence[Owner]) -> None:
        self._organiser, self._entrants = organiser, entrants
        self._made = 0
        self._next = self._locked()
        self._current = ""

    def keep(self) -> None:
        """Begin the next one if none runs or is paused.

        Raises:
            RoadBlocked: the present one was cancelled, or waits for a person.
        """
        if self._current:
            state, reason = self._state()
            if state in (State.RUNNING, State.PAUSED):
                return
            if state == State.CANCELLED or reason:
                raise RoadBlocked(f"tournament {self._made - 1} is {state}: {reason}")
        self._current = self._next
        self._organiser.post(f"tournaments/{self._current}/start")
        self._next = self._locked()

    def pause(self) -> None:
        """No further table of the present one begins."""
        self._organiser.post(f"tournaments/{self._current}/pause", {"reason": "the ladder alone"})

    def resume(self) -> None:
        """Go on."""
        self._organiser.post(f"tournaments/{self._current}/resume")

    def _state(self) -> tuple[str, str]:
        try:
            rows = Tournament.objects.filter(public_id=self._current)
            return rows.values_list("state", "state_reason").get()
        finally:
            connection.close()

    def _locked(self) -> str:
        self._made += 1
        event = event_open(
            self._organiser,
            f"Round robin {self._made}",
            PRESET,
            BOARDS,
            stages=[{"format": "round_robin", "options": {}}],
        )
        for owner in self._entrants:
            owner.client.post(f"tournaments/{event['id']}/entries", {"version": owner.version})
        self._organiser.post(f"tournaments/{event['id']}/lock")
        return str(event["id"])
