"""Following one tournament: the version of its page at once and after every change, never anything else."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from arena.matches.changes import Change, changes_of
from arena.streams.hub import Hub, Look, Source
from arena.streams.hub import Listener as AnyListener
from arena.streams.places import Caller


class Changes(Source["Listener"]):
    """The versions of all tournaments that are followed, looked up together."""

    def __init__(self) -> None:
        self.known: dict[int, Change | None] = {}
        """By primary key; None for one that is gone."""

    @property
    def listener_type(self) -> type[Listener]:
        """Those of this module."""
        return Listener

    def look(self, listeners: Sequence[Listener]) -> Look | None:
        """Two queries, however many tournaments."""
        pks = {listener.tournament_pk for listener in listeners}
        if not pks:
            self.known.clear()
            return None
        return functools.partial(_look, pks)

    def take(
        self, found: dict[int, Change | None], listeners: Sequence[Listener]
    ) -> tuple[Sequence[Listener], bool]:
        """Those who follow a tournament that has changed."""
        before, self.known = self.known, found
        changed = {pk for pk, change in found.items() if pk not in before or before[pk] != change}
        return [listener for listener in listeners if listener.tournament_pk in changed], False


def _look(pks: set[int]) -> dict[int, Change | None]:
    return {**dict.fromkeys(pks), **changes_of(pks)}


class Listener(AnyListener):
    """Follows one tournament. ``change`` is what it was when the client was let in."""

    kind = "changes"

    def __init__(self, source: Changes, caller: Caller, tournament_pk: int, change: Change) -> None:
        super().__init__(caller)
        self._source = source
        self.tournament_pk = tournament_pk
        self._change: Change | None = change
        self._sent: str | None = None

    @property
    def is_over(self) -> bool:
        """It is final, archived, cancelled or gone."""
        return self._change is None or self._change.is_last

    async def pending(self, hub: Hub) -> list[bytes]:
        """The version, if it is not the one sent last."""
        change = self._change = self._source.known.get(self.tournament_pk, self._change)
        if change is None or change.version == self._sent:
            return []
        self._sent = change.version
        return [f'id: {change.version}\ndata: {{"version":"{change.version}"}}\n\n'.encode()]
