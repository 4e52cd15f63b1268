"""Following one tournament: the version of its page at once and after every change, and for its page the
parts that changed, rendered once for everybody who follows it in one language."""

from __future__ import annotations

import dataclasses
import functools
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from django.db import DatabaseError

from arena.common.outage import Outage
from arena.matches.changes import Change, changes_of
from arena.streams.hub import Hub, Look, StreamSource
from arena.streams.hub import Listener as AnyListener
from arena.streams.slots import Caller

log = logging.getLogger(__name__)

MIN_RENDER_INTERVAL_S = 2.5
"""Between two renderings of one tournament: what changes meanwhile is sent together."""
RENDER_BUDGET_S = 0.3
"""So long one look renders; what is due besides waits for the next one, which follows at once."""
SPREAD_MS = 1000
SPREAD_PER_LISTENER_MS = 20
"""Over this time, and for each listener so much, those spread their requests who must ask what changed."""


class RenderedParts(NamedTuple):
    """What everybody may see of a tournament's page, rendered."""

    change: Change
    """Where the tournament stood."""
    parts: tuple[tuple[str, str], ...]
    """Of each part the name with its version, and what is sent to a page that has another one."""


Render = Callable[[int, str], RenderedParts | None]
"""The parts of a tournament, by primary key, in a language; None if not everybody may see it."""
Key = tuple[int, str]
"""Primary key of a tournament, and a language."""


@dataclasses.dataclass
class Rendering:
    """The parts of one tournament in one language as listeners are sent them."""

    change: Change
    parts: tuple[tuple[str, str], ...] | None
    """None: it is not for everybody, so that each asks for itself what changed."""
    made_at: float
    spread_ms: int = SPREAD_MS
    _messages: dict[tuple[str, ...], bytes] = dataclasses.field(default_factory=dict)

    def message(self, have: Collection[str]) -> bytes:
        """For a page that has these parts: one text for all that have the same."""
        missing = tuple(known_as for known_as, _ in self.parts or () if known_as not in have)
        found = self._messages.get(missing)
        if found is None:
            data: dict[str, object] = {"own": self.change.own}
            if self.change.is_last:
                data["last"] = True
            if self.parts is not None:
                data["parts"] = [known_as for known_as, _ in self.parts]
                data["html"] = "".join(update for known_as, update in self.parts if known_as in missing)
            found = self._messages[missing] = tournament_message(self.change.version, self.spread_ms, **data)
        return found


class TournamentSource(StreamSource["TournamentListener"]):
    """The versions of all tournaments that are followed, looked up together."""

    def __init__(self, apart_s: float = MIN_RENDER_INTERVAL_S, render_s: float = RENDER_BUDGET_S) -> None:
        self.apart_s = apart_s
        self.render_s = render_s
        self.known: dict[int, Change | None] = {}
        """By primary key; None for one that is gone."""
        self.renderings: dict[Key, Rendering] = {}
        """The newest of each tournament and language that a page follows; older ones are not kept."""
        self.renderings_made = 0
        self.spread_ms: dict[int, int] = {}
        """By primary key."""
        self._outage = Outage(log, "rendering what streams send")

    @property
    def listener_type(self) -> type[TournamentListener]:
        """Those of this module."""
        return TournamentListener

    def look(self, listeners: Sequence[TournamentListener]) -> Look | None:
        """Two queries, however many tournaments, and the rendering of those that changed."""
        pks = {listener.tournament_pk for listener in listeners}
        if not pks:
            self.known.clear()
            self.renderings.clear()
            return None
        wanted = {
            listener.key: listener.render for listener in listeners if isinstance(listener, PageListener)
        }
        self.renderings = {key: made for key, made in self.renderings.items() if key in wanted}
        now = time.monotonic()
        asked = []
        for key, render in wanted.items():
            before = self.renderings.get(key)
            if before is None:
                asked.append(_RenderRequest(key, render, 0.0, "", is_rested=True))
            else:
                is_rested = now - before.made_at >= self.apart_s
                asked.append(_RenderRequest(key, render, before.made_at, before.change.version, is_rested))
        # Whoever has waited longest first: what this look leaves over begins the next one.
        asked.sort(key=lambda one: one.made_at)
        return functools.partial(self._look, pks, asked)

    def _look(self, pks: set[int], asked: Sequence[_RenderRequest]) -> PollResult:
        changes = {**dict.fromkeys(pks), **changes_of(pks)}
        due = []
        for one in asked:
            change = changes[one.key[0]]
            if change is not None and one.is_due(change):
                due.append((one, change))
        made: dict[Key, Rendering] = {}
        until = time.monotonic() + self.render_s
        for one, change in due:
            if made and time.monotonic() > until:
                break
            made[one.key] = self._rendered(one, change)
        return PollResult(changes, made, len(made) < len(due))

    def _rendered(self, asked: _RenderRequest, change: Change) -> Rendering:
        shared = None
        try:
            shared = asked.render(*asked.key)
        except DatabaseError:
            raise
        except Exception as error:  # a mistake of ours: its listeners ask, and others go on
            self._outage.failed(error)
        if shared is None:
            return Rendering(change, None, time.monotonic())
        return Rendering(shared.change, shared.parts, time.monotonic())

    def take(
        self, found: PollResult, listeners: Sequence[TournamentListener]
    ) -> tuple[Sequence[TournamentListener], bool]:
        """Those who follow a tournament that has changed, or a page of which there is a new rendering."""
        before, self.known = self.known, found.changes
        changed = {pk for pk, change in self.known.items() if pk not in before or before[pk] != change}
        counts = Counter(listener.tournament_pk for listener in listeners)
        self.spread_ms = {pk: max(SPREAD_MS, SPREAD_PER_LISTENER_MS * count) for pk, count in counts.items()}
        for (pk, _), rendering in found.made.items():
            rendering.spread_ms = self.spread_ms.get(pk, SPREAD_MS)
        self.renderings.update(found.made)
        self.renderings_made += len(found.made)
        concerned = [listener for listener in listeners if listener.is_concerned(changed, found.made)]
        return concerned, found.has_more


class PollResult(NamedTuple):
    """What one look at the database gave."""

    changes: dict[int, Change | None]
    made: dict[Key, Rendering]
    has_more: bool
    """Whether some renderings are due that were left over."""


class _RenderRequest(NamedTuple):
    """A rendering that somebody follows."""

    key: Key
    render: Render
    made_at: float
    version: str
    """Of the newest one; empty if there is none."""
    is_rested: bool

    def is_due(self, change: Change) -> bool:
        return change.version != self.version and (self.is_rested or change.is_last)


class TournamentListener(AnyListener):
    """Follows one tournament. ``change`` is what it was when the client was let in."""

    kind = "changes"

    def __init__(
        self,
        source: TournamentSource,
        caller: Caller,
        tournament_pk: int,
        change: Change,
        *,
        of_settled: bool = False,
    ) -> None:
        """``of_settled``: nothing is said of the progress of tables."""
        super().__init__(caller)
        self._source = source
        self.tournament_pk = tournament_pk
        self._change: Change | None = change
        self._of_settled = of_settled
        self._sent: str | None = None

    @property
    def is_over(self) -> bool:
        """It is final, archived, cancelled or gone."""
        return self._change is None or self._change.is_last

    def is_concerned(self, changed: Collection[int], made: Collection[Key]) -> bool:
        """Whether there may be something new for it, of what was found."""
        return self.tournament_pk in changed

    async def pending(self, hub: Hub) -> list[bytes]:
        """The version, if it is not the one sent last."""
        change = self._change = self._source.known.get(self.tournament_pk, self._change)
        if change is None:
            return []
        version = change.settled if self._of_settled else change.version
        if version == self._sent:
            return []
        self._sent = version
        return [tournament_message(version, self._source.spread_ms.get(self.tournament_pk, SPREAD_MS))]


class PageListener(TournamentListener):
    """Follows the page of one tournament: is sent the parts that it does not have.

    It takes the newest rendering when the client has taken what was sent before: nothing piles up for a slow
    one, which misses what came in between. One that was made before it was let in, of what has changed since,
    is older than its page and not sent: the next follows soon.
    """

    def __init__(
        self,
        source: TournamentSource,
        caller: Caller,
        tournament_pk: int,
        change: Change,
        *,
        render: Render,
        language: str,
        have: Collection[str],
    ) -> None:
        """``have``: names and versions of the parts in the page."""
        super().__init__(source, caller, tournament_pk, change)
        self.key = (tournament_pk, language)
        self.render = render
        self._have = frozenset(have)
        self._is_over = False
        self._since = time.monotonic()

    @property
    def is_over(self) -> bool:
        """The last rendering was sent, or the tournament is gone."""
        return self._is_over

    def is_concerned(self, changed: Collection[int], made: Collection[Key]) -> bool:
        """Whether its page was rendered anew, or there is no page any more."""
        return self.key in made or (
            self.tournament_pk in changed and self._source.known[self.tournament_pk] is None
        )

    async def pending(self, hub: Hub) -> list[bytes]:
        """The newest rendering, if it was not sent."""
        if self._source.known.get(self.tournament_pk, self._change) is None:
            self._is_over = True
            return []
        rendering = self._source.renderings.get(self.key)
        if rendering is None:
            hub.wake()
            return []
        if rendering.made_at < self._since and rendering.change != self._change:
            return []
        self._is_over = rendering.change.is_last
        if rendering.change.version == self._sent:
            return []
        self._sent = rendering.change.version
        message = rendering.message(self._have)
        if rendering.parts is not None:
            self._have = frozenset(known_as for known_as, _ in rendering.parts)
        return [message]


def tournament_message(version: str, spread_ms: int, **more: object) -> bytes:
    """One message; ``spread_ms`` only where it is more than pages take by themselves."""
    spread = {"spread_ms": spread_ms} if spread_ms > SPREAD_MS else {}
    data = json.dumps({"version": version, **more, **spread}, separators=(",", ":"))
    return f"id: {version}\ndata: {data}\n\n".encode()
