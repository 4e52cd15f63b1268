"""Streams that follow one tournament: its version now and after every change.

For its page, also the changed parts, rendered once per language for all listeners.
"""

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

RENDER_SHARE = 0.1
"""Maximum share of a core that renderings of one tournament and language take; changes in between are sent
together."""
MAX_RENDER_INTERVAL_S = 2.5
"""Maximum seconds between two renderings of a changing tournament, whatever a rendering takes."""
RENDER_BUDGET_S = 0.3
"""Seconds that one poll may render. The next poll follows at once and renders the remaining parts."""
SPREAD_MS = 1000
SPREAD_PER_LISTENER_MS = 20
"""Milliseconds per listener over which clients spread their requests; at least ``SPREAD_MS`` in total."""


class RenderedParts(NamedTuple):
    """The rendered parts of a tournament page that every visitor may see."""

    change: Change
    """State of the tournament that was rendered."""
    parts: tuple[tuple[str, str], ...]
    """For each part, its name with version, and the HTML sent to a page that has another version."""


Render = Callable[[int, str], RenderedParts | None]
"""Renders the parts of a tournament, by primary key, in a language; None if the tournament is not public."""
Key = tuple[int, str]


@dataclasses.dataclass
class Rendering:
    """One rendering of a tournament in one language, with its cached messages."""

    change: Change
    parts: tuple[tuple[str, str], ...] | None
    """None if the tournament is not public: each client then requests the changes itself."""
    made_at: float
    seconds: float = 0.0
    """CPU time that it took, which other programs of the machine hardly change."""
    spread_ms: int = SPREAD_MS
    _messages: dict[tuple[str, ...], bytes] = dataclasses.field(default_factory=dict)

    def message(self, have: Collection[str]) -> bytes:
        """Return the message for a page that has these parts; cached per set of missing parts."""
        missing = tuple(known_as for known_as, _ in self.parts or () if known_as not in have)
        message = self._messages.get(missing)
        if message is None:
            data: dict[str, object] = {"own": self.change.own}
            if self.change.is_last:
                data["last"] = True
            if self.parts is not None:
                data["parts"] = [known_as for known_as, _ in self.parts]
                data["html"] = "".join(update for known_as, update in self.parts if known_as in missing)
            message = self._messages[missing] = tournament_message(
                self.change.version, self.spread_ms, **data
            )
        return message


def render_interval_s(seconds: float) -> float:
    """Return the seconds from a rendering, with ``seconds`` of CPU, until the next one of its tournament."""
    return min(MAX_RENDER_INTERVAL_S, seconds / RENDER_SHARE)


class TournamentSource(StreamSource["TournamentListener"]):
    """Versions of all followed tournaments, read together."""

    def __init__(
        self,
        interval_of: Callable[[float], float] = render_interval_s,
        render_s: float = RENDER_BUDGET_S,
    ) -> None:
        self.interval_of = interval_of
        self.render_s = render_s
        self.known: dict[int, Change | None] = {}
        self.renderings: dict[Key, Rendering] = {}
        """Newest rendering of each tournament and language that a page follows."""
        self.renderings_made = 0
        self.spread_ms: dict[int, int] = {}
        self._outage = Outage(log, "rendering what streams send")

    @property
    def listener_type(self) -> type[TournamentListener]:
        return TournamentListener

    def look(self, listeners: Sequence[TournamentListener]) -> Look | None:
        """Return the poll function: two queries for any number of tournaments, then the due renderings."""
        pks = {listener.tournament_pk for listener in listeners}
        if not pks:
            self.known.clear()
            self.renderings.clear()
            return None
        renders = {
            listener.key: listener.render for listener in listeners if isinstance(listener, PageListener)
        }
        self.renderings = {key: rendering for key, rendering in self.renderings.items() if key in renders}
        now = time.monotonic()
        requests = []
        for key, render in renders.items():
            before = self.renderings.get(key)
            if before is None:
                requests.append(_RenderRequest(key, render, 0.0, "", is_rested=True))
            else:
                is_rested = now - before.made_at >= self.interval_of(before.seconds)
                requests.append(_RenderRequest(key, render, before.made_at, before.change.version, is_rested))
        # Oldest first: the renderings that exceed this poll's budget are the first of the next poll.
        requests.sort(key=lambda request: request.made_at)
        return functools.partial(self._look, pks, requests)

    def _look(self, pks: set[int], requests: Sequence[_RenderRequest]) -> PollResult:
        changes = {**dict.fromkeys(pks), **changes_of(pks)}
        due = []
        for request in requests:
            change = changes[request.key[0]]
            if change is not None and request.is_due(change):
                due.append((request, change))
        renderings: dict[Key, Rendering] = {}
        until = time.monotonic() + self.render_s
        for request, change in due:
            if renderings and time.monotonic() > until:
                break
            renderings[request.key] = self._rendered(request, change)
        return PollResult(changes, renderings, len(renderings) < len(due))

    def _rendered(self, request: _RenderRequest, change: Change) -> Rendering:
        shared, began = None, time.thread_time()
        try:
            shared = request.render(*request.key)
        except DatabaseError:
            raise
        except (
            Exception
        ) as error:  # a defect of ours: only these listeners must request the changes themselves
            self._outage.record_failure(error)
        made_at = time.monotonic()
        if shared is None:
            return Rendering(change, None, made_at)
        return Rendering(shared.change, shared.parts, made_at, time.thread_time() - began)

    def take(
        self, result: PollResult, listeners: Sequence[TournamentListener]
    ) -> tuple[Sequence[TournamentListener], bool]:
        """Store the result; return the listeners of changed tournaments and of new renderings."""
        before, self.known = self.known, result.changes
        changed = {pk for pk, change in self.known.items() if pk not in before or before[pk] != change}
        counts = Counter(listener.tournament_pk for listener in listeners)
        self.spread_ms = {pk: max(SPREAD_MS, SPREAD_PER_LISTENER_MS * count) for pk, count in counts.items()}
        for (pk, _), rendering in result.made.items():
            rendering.spread_ms = self.spread_ms.get(pk, SPREAD_MS)
        self.renderings.update(result.made)
        self.renderings_made += len(result.made)
        concerned = [listener for listener in listeners if listener.is_concerned(changed, result.made)]
        return concerned, result.has_more


class PollResult(NamedTuple):
    changes: dict[int, Change | None]
    made: dict[Key, Rendering]
    has_more: bool
    """Whether renderings are still due."""


class _RenderRequest(NamedTuple):
    key: Key
    render: Render
    made_at: float
    version: str
    """Version of the newest rendering; empty if there is none."""
    is_rested: bool

    def is_due(self, change: Change) -> bool:
        return change.version != self.version and (self.is_rested or change.is_last)


class TournamentListener(AnyListener):
    """Follows the version of one tournament. ``change`` is its state when the client connected."""

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
        """``of_settled``: ignore the progress of tables."""
        super().__init__(caller)
        self._source = source
        self.tournament_pk = tournament_pk
        self._change: Change | None = change
        self._of_settled = of_settled
        self._sent: str | None = None

    @property
    def is_over(self) -> bool:
        """Whether the tournament is final, archived, cancelled or deleted."""
        return self._change is None or self._change.is_last

    def is_concerned(self, changed: Collection[int], rendered: Collection[Key]) -> bool:
        return self.tournament_pk in changed

    async def pending(self, hub: Hub) -> list[bytes]:
        change = self._change = self._source.known.get(self.tournament_pk, self._change)
        if change is None:
            return []
        version = change.settled if self._of_settled else change.version
        if version == self._sent:
            return []
        self._sent = version
        return [tournament_message(version, self._source.spread_ms.get(self.tournament_pk, SPREAD_MS))]


class PageListener(TournamentListener):
    """Follows the page of one tournament: sends the parts that the page does not have.

    A slow client skips renderings instead of queueing them. A rendering older than the page is not sent.
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
        """Whether the last rendering was sent or the tournament is deleted."""
        return self._is_over

    def is_concerned(self, changed: Collection[int], rendered: Collection[Key]) -> bool:
        return self.key in rendered or (
            self.tournament_pk in changed and self._source.known[self.tournament_pk] is None
        )

    async def pending(self, hub: Hub) -> list[bytes]:
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
    """Return one message; it contains ``spread_ms`` only if longer than the default of pages."""
    spread = {"spread_ms": spread_ms} if spread_ms > SPREAD_MS else {}
    data = json.dumps({"version": version, **more, **spread}, separators=(",", ":"))
    return f"id: {version}\ndata: {data}\n\n".encode()
