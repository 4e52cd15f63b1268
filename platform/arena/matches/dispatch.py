"""Dispatch order: fair shares of the workers for tournaments, and for the fixtures of a round.

The queue is limited to a window that workers can soon take. A free place goes to the tournament with the
fewest tables in play or in the queue. All challenges and trial runs together count as one, and an
account's stay within its share (``matches.shares``). Within a tournament, tables are ordered by board chunk,
then rotation, then fixture, so that no fixture is more than one table ahead of another of its round.

Rounds of ladders and batches of experiments get places that are free while no other table waits that those
workers could play. While an event or challenge runs, one place is reserved, because its next round may open
at any moment. To prevent starvation, one turn in ``BACKGROUND_INTERVAL`` is theirs.

Source: docs/contracts.md#invariants, the ninth.
"""

from __future__ import annotations

import datetime
import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import BigIntegerField, Exists, F, Min, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from arena.common.backoff import retry_is_due
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.matches.shares import checks_by_owner, own_work_limit
from arena.matches.waits import tables_waiting
from arena.matches.workers import runtime_sets, workers_alive
from arena.roster.models import CheckRun

MESSAGES_PER_TABLE = 2
"""Messages per table that the workers play at once: one in play, and one in the queue."""
SPARE_MESSAGES = 2
"""Further messages for each kind of worker; also while no worker is live."""
TURN_FACTOR = 1 << 15
"""Greater than the number of rotations: a turn as an integer is ``first_board * TURN_FACTOR + rotation``."""
LAST_SERVED_KEY = "turns:last"
LAST_SERVED_TTL_S = 3600
"""Key and lifetime (seconds) of the tournament served last, in the shared cache."""
CAPACITY_COLUMNS = ("runtimes", "capacity", "cause")
CHALLENGES, LADDERS, EXPERIMENTS = 0, -1, -2
"""Owner ids that stand for all challenges, all rounds of ladders, and all batches of experiments."""
SHARED_OWNERS: Mapping[str, int] = {
    Tournament.Kind.CHALLENGE: CHALLENGES,
    Tournament.Kind.TRIAL: CHALLENGES,
    Tournament.Kind.LADDER: LADDERS,
    Tournament.Kind.EXPERIMENT: EXPERIMENTS,
}
"""Owner id under which all tournaments of a kind are counted together."""
BACKGROUND_INTERVAL = 40
"""While events or challenges wait, one table in this many is a ladder's or experiment's: 2.5 % of throughput,
or 5 % if these take twice as long.
"""
RESERVED_PLACES = 1
"""Places reserved for the next round while an event or challenge runs, between whose rounds none waits."""
SINCE_BACKGROUND_KEY = "turns:since-background"
LAST_BACKGROUND_KEY = "turns:last-background"
"""Cache keys: tables of events and challenges since the last background turn, and the owner of that turn."""
Key = TypeVar("Key", bound=int)
RuntimeSets = Mapping[int, frozenset[str]]


class DispatchCandidate(NamedTuple):
    turn: tuple[int, int]
    """First board and rotation: the order within a tournament."""
    id: int
    runtimes: frozenset[str]
    tournament: int = 0


class DispatchWindow:
    """Number of messages that may still be sent, in total and for each set of runtimes."""

    def __init__(
        self,
        workers: Iterable[tuple[frozenset[str], int]],
        out: Mapping[frozenset[str], int],
        ahead: int = MESSAGES_PER_TABLE,
        spare: int = SPARE_MESSAGES,
    ) -> None:
        """``workers``: runtimes and number of tables of each live worker. ``out``: messages sent and tables
        in play, by runtimes. ``ahead``, ``spare``: messages per table, and further ones per kind of worker.
        """
        self._workers = [(runtimes, capacity) for runtimes, capacity in workers if runtimes]
        self._out = Counter(out)
        self._ahead, self._spare = ahead, spare
        kinds = len({runtimes for runtimes, _ in self._workers}) or 1
        self._window = ahead * sum(capacity for _, capacity in self._workers) + spare * kinds

    def left(self, runtimes: frozenset[str]) -> int:
        able = [capacity for has, capacity in self._workers if runtimes <= has]
        if self._workers and not able:
            return 0
        own = self._ahead * sum(able) + self._spare - self._out[runtimes]
        return max(0, min(own, self._window - self._out.total()))

    def take(self, runtimes: frozenset[str]) -> None:
        self._out[runtimes] += 1

    @property
    def is_full(self) -> bool:
        return self._out.total() >= self._window


def free_places(
    workers: Iterable[tuple[frozenset[str], int]], out: Mapping[frozenset[str], int]
) -> DispatchWindow:
    """Return the window of ladders and experiments: places with neither a table nor a message.

    Their messages must not wait in the queue, before the table of an event that is published later.
    """
    return DispatchWindow(workers, out, ahead=1, spare=0)


def max_background_tables(capacity: int, out: int, *, is_event_running: bool) -> int:
    """Return how many more tables of ladders and experiments may begin while ``out`` are in play or queued.

    >>> max_background_tables(2, 0, is_event_running=False)
    2
    >>> [max_background_tables(*places, is_event_running=True) for places in ((2, 0), (1, 0), (4, 3))]
    [1, 1, 0]
    """
    places = max(1, capacity - RESERVED_PLACES) if is_event_running else capacity
    return max(0, places - out)


def share_fairly(
    loads: Mapping[Key, int],
    offers: Mapping[Key, Callable[[], Iterator[DispatchCandidate]]],
    window: DispatchWindow,
) -> Iterator[tuple[Key, DispatchCandidate]]:
    """Yield owners and candidates in order: each place goes to the owner with the fewest tables out.

    ``loads`` counts tables out by owner. An offer is called only when its owner's turn comes. With equal
    loads, the owner listed first wins.
    """
    queue = [(loads.get(owner, 0), index, owner) for index, owner in enumerate(offers)]
    heapq.heapify(queue)
    iterators: dict[Key, Iterator[DispatchCandidate]] = {}
    while queue and not window.is_full:
        load, index, owner = heapq.heappop(queue)
        if owner not in iterators:
            iterators[owner] = offers[owner]()
        for candidate in iterators[owner]:
            if window.left(candidate.runtimes):
                window.take(candidate.runtimes)
                yield owner, candidate
                heapq.heappush(queue, (load + 1, index, owner))
                break


def interleave_background(
    first: Iterable[tuple[Key, DispatchCandidate]],
    turns: Iterator[tuple[Key, DispatchCandidate]],
    remaining: Iterable[tuple[Key, DispatchCandidate]],
    free: DispatchWindow,
    since: int,
    most: int,
) -> Iterator[tuple[Key, DispatchCandidate, int]]:
    """Yield owners and candidates in order, with the number of ``first`` since the last background turn.

    Yields all of ``first``, with one of ``turns`` after every ``BACKGROUND_INTERVAL - 1`` of them; then at
    most ``most`` of ``remaining`` for the places that are ``free``. ``since`` is the count before this call.
    """
    for owner, candidate in first:
        free.take(candidate.runtimes)
        since += 1
        yield owner, candidate, since
        if since >= BACKGROUND_INTERVAL - 1 and (turn := next(turns, None)):
            free.take(turn[1].runtimes)
            since = 0
            yield *turn, since
    for owner, candidate in islice(remaining, most):
        yield owner, candidate, since


def round_robin_order(owners: Sequence[Key], last: Key | None) -> list[Key]:
    return sorted(owners, key=lambda owner: (last is not None and owner <= last, owner))


@transaction.atomic
def tables_due() -> list[int]:
    """Return the tables to publish now, in order, and mark them as published.

    The caller publishes each with ``expires=settings.TABLE_MESSAGE_TTL_S``: a table has one live message at a
    time. Omitted are tables that no live worker can run, challenges and experiments of accounts that use up
    their share, and all tables while every worker is out of order. Five queries if the window is full; else
    one more for each table, and a few for each tournament whose turn comes.
    """
    now = timezone.now()
    out = _Outstanding(runtime_sets())
    alive = [
        (frozenset(names), n, cause) for names, n, cause in workers_alive().values_list(*CAPACITY_COLUMNS)
    ]
    workers = [(names, n) for names, n, cause in alive if not cause]
    window = DispatchWindow(workers, out.first)
    is_stopped = any(names for names, *_ in alive) and not any(names for names, _ in workers)
    if window.is_full or is_stopped:
        return []
    due = _due_tables(OuterRef("state_at")).filter(tournament=OuterRef("pk"))
    events = Tournament.objects.filter(Exists(due), state=Tournament.State.RUNNING).order_by("pk")
    resumed_at: dict[int, datetime.datetime] = {}
    offers: dict[int, Callable[[], Iterator[DispatchCandidate]]] = {}
    together: dict[int, list[tuple[int, int]]] = {}
    for pk, kind, state_at, organiser in events.values_list("pk", "kind", "state_at", "organiser"):
        resumed_at[pk] = state_at
        if kind in SHARED_OWNERS:
            together.setdefault(SHARED_OWNERS[kind], []).append((pk, organiser))
        else:
            offers[pk] = _offer(pk, resumed_at, window, out.sets)
    # Window for background turns, which do not depend on other messages.
    wide = DispatchWindow(workers, {})
    for owner, of_kind in together.items():
        own: Counter[int] | None = None
        if owner != LADDERS:
            # A check is short and its owner waits for it, so it precedes other own work of the account.
            own = out.own + checks_by_owner(CheckRun.State.RUNNING, CheckRun.State.WAITING)
        of_kind.sort(key=lambda row: (own[row[1]] if own is not None else 0, out.loads[row[0]], row[0]))
        limit = own_work_limit(n for names, n in workers if names)
        window_of_owner = window if owner == CHALLENGES else wide
        offers[owner] = _combined_offer(of_kind, own, limit, resumed_at, window_of_owner, out.sets)
    return _publish_in_turn(offers, out, workers, window, resumed_at, now)


def _publish_in_turn(
    offers: Mapping[int, Callable[[], Iterator[DispatchCandidate]]],
    out: _Outstanding,
    workers: Sequence[tuple[frozenset[str], int]],
    window: DispatchWindow,
    resumed_at: Mapping[int, datetime.datetime],
    now: datetime.datetime,
) -> list[int]:
    free = free_places(workers, out.all)
    circle = round_robin_order([owner for owner in offers if owner >= CHALLENGES], cache.get(LAST_SERVED_KEY))
    later = round_robin_order(
        [owner for owner in offers if owner < CHALLENGES], cache.get(LAST_BACKGROUND_KEY)
    )
    # One offer per owner: turns and free places draw from the same candidates.
    background_offers = {owner: _once(offers[owner]) for owner in later}
    most = 0
    if later:
        running = Tournament.objects.filter(state=Tournament.State.RUNNING)
        is_event_running = running.exclude(kind__in=Tournament.BACKGROUND).exists()
        capacity = sum(n for _, n in workers)
        most = max_background_tables(capacity, out.background, is_event_running=is_event_running)
    ids = []
    served: dict[str, int] = {}
    for owner, candidate, since in interleave_background(
        share_fairly(out.loads, {owner: offers[owner] for owner in circle}, window),
        share_fairly(out.loads, background_offers, DispatchWindow(workers, {})),
        share_fairly(out.loads, background_offers, free),
        free,
        cache.get(SINCE_BACKGROUND_KEY, 0),
        most,
    ):
        # Two processes may fill the window concurrently; each table is published by one of them.
        still_due = _due_tables(resumed_at[candidate.tournament]).filter(pk=candidate.id)
        if still_due.update(published_at=now):
            ids.append(candidate.id)
        served[LAST_SERVED_KEY if owner >= CHALLENGES else LAST_BACKGROUND_KEY] = owner
        served[SINCE_BACKGROUND_KEY] = since
    if ids:
        cache.set_many(served, LAST_SERVED_TTL_S)
    return ids


def _once(offer: Callable[[], Iterator[DispatchCandidate]]) -> Callable[[], Iterator[DispatchCandidate]]:
    iterators: list[Iterator[DispatchCandidate]] = []

    def offered() -> Iterator[DispatchCandidate]:
        if not iterators:
            iterators.append(offer())
        return iterators[0]

    return offered


def table_in_turn(table_id: int) -> int:
    """Return the table to play for a message: an earlier one of its tournament, or itself. 2-3 queries."""
    table = (
        tables_waiting()
        .filter(pk=table_id)
        .values("tournament", "first_board", "rotation", "runtimes", "board_count", "wall_limit_s")
        .first()
    )
    if table is None:
        return table_id
    before = Q(first_board__lt=table["first_board"]) | Q(
        first_board=table["first_board"], rotation__lt=table["rotation"]
    )
    # A table that failed waits for the tick, since the cause probably persists.
    first = (
        tables_waiting()
        .filter(before, tournament=table["tournament"], runtimes=table["runtimes"], failures=0)
        .filter(wall_limit_s__lte=wall_limit_granted_s(table["wall_limit_s"], table["board_count"]))
        .filter(waiting_for="")
        .order_by("first_board", "rotation", "pk")
        .values_list("pk", flat=True)
        .first()
    )
    if first is None:
        return table_id
    # The message about this table is consumed, so the table is due again.
    Table.objects.filter(pk=table_id, state=Table.State.WAITING).update(published_at=None)
    return first


def wall_limit_granted_s(wall_limit_s: float, board_count: int) -> float:
    """Return the seconds granted to a worker; enough for a table with one more board."""
    return wall_limit_s * (board_count + 1) / board_count


def _due_tables(resumed_at: datetime.datetime | OuterRef) -> QuerySet[Table]:
    """Return waiting tables without a live message, of tournaments running since ``resumed_at``."""
    now = timezone.now()
    limit = now - datetime.timedelta(seconds=settings.TABLE_MESSAGE_TTL_S)
    # Claims for messages from before a pause are refused.
    stale = Q(published_at=None) | Q(published_at__lte=limit) | Q(published_at__lt=resumed_at)
    return Table.objects.filter(stale, retry_is_due(now), state=Table.State.WAITING, waiting_for="")


class _Outstanding:
    """Counts of tables in play or with a live message. Four queries."""

    def __init__(self, sets: RuntimeSets) -> None:
        self.sets = sets
        self.all: Counter[frozenset[str]] = Counter()
        self.first: Counter[frozenset[str]] = Counter()
        self.background = 0
        self.loads: Counter[int] = Counter()
        self.own: Counter[int] = Counter()
        for tournament, runtimes in _outstanding_tables():
            self.all[sets[runtimes]] += 1
            self.loads[tournament.pk] += 1
            if tournament.kind not in Tournament.BACKGROUND:
                self.first[sets[runtimes]] += 1
            else:
                self.background += 1
            if tournament.kind in SHARED_OWNERS:
                self.loads[SHARED_OWNERS[tournament.kind]] += 1
            if tournament.kind in Tournament.OWN_WORK:
                self.own[tournament.organiser_id] += 1


def _outstanding_tables() -> Iterator[tuple[Tournament, int]]:
    """Yield tournament and runtimes of each table in play or with a live message. Three queries.

    No join and no GROUP BY, with which a database may scan the tables of all tournaments.
    """
    limit = timezone.now() - datetime.timedelta(seconds=settings.TABLE_MESSAGE_TTL_S)
    leased = Table.objects.order_by().filter(state=Table.State.LEASED)
    nudged = Table.objects.order_by().filter(state=Table.State.WAITING, published_at__gt=limit)
    out: list[tuple[int, int, datetime.datetime | None]] = [
        (tournament, runtimes, None)
        for tournament, runtimes in leased.values_list("tournament_id", "runtimes")
    ]
    out += nudged.values_list("tournament_id", "runtimes", "published_at")
    known = Tournament.objects.only("kind", "state", "state_at", "organiser").in_bulk({row[0] for row in out})
    for number, runtimes, published_at in out:
        tournament = known[number]
        # Claims fail for messages sent before or during a pause.
        is_live = tournament.state == Tournament.State.RUNNING
        if published_at is None or (is_live and published_at >= tournament.state_at):
            yield tournament, runtimes


def _offer(
    tournament: int, resumed_at: Mapping[int, datetime.datetime], window: DispatchWindow, sets: RuntimeSets
) -> Callable[[], Iterator[DispatchCandidate]]:
    return lambda: dispatch_candidates(tournament, resumed_at[tournament], window, sets)


def _combined_offer(
    tournaments: Sequence[tuple[int, int]],
    own: Counter[int] | None,
    limit: int,
    resumed_at: Mapping[int, datetime.datetime],
    window: DispatchWindow,
    sets: RuntimeSets,
) -> Callable[[], Iterator[DispatchCandidate]]:
    """Return an offer of the candidates of several tournaments in turn, each with its requesting account.

    ``own`` counts the own work of each account that is out, at most ``limit``; None: not own work.
    """

    def offered() -> Iterator[DispatchCandidate]:
        counts = Counter(own)
        for pk, owner in tournaments:
            if own is not None and counts[owner] >= limit:
                continue
            for candidate in dispatch_candidates(pk, resumed_at[pk], window, sets):
                if own is not None and counts[owner] >= limit:
                    break
                counts[owner] += 1
                yield candidate

    return offered


def dispatch_candidates(
    tournament: int, resumed_at: datetime.datetime, window: DispatchWindow, sets: RuntimeSets
) -> Iterator[DispatchCandidate]:
    """Yield a running tournament's due tables in order, as many as the window has room for.

    A table is held back while another queue, for other runtimes, has an unstarted table of an earlier turn.
    Two queries; three with several queues.
    """
    waiting = Table.objects.filter(tournament=tournament, state=Table.State.WAITING)
    # Sets created since ``sets`` was read are handled by the next call.
    needed = [pk for pk in waiting.order_by().values_list("runtimes", flat=True).distinct() if pk in sets]
    left = {pk: window.left(sets[pk]) for pk in needed}
    due = _due_tables(resumed_at).filter(tournament=tournament, runtimes__in=[pk for pk in left if left[pk]])
    columns = ("first_board", "rotation", "pk")
    if len(left) > 1:
        position = Window(RowNumber(), partition_by="runtimes", order_by=columns)
        due = due.filter(_not_ahead(waiting)).annotate(place=position).filter(place__lte=max(left.values()))
        rows = [
            row
            for *row, position in due.values_list(*columns, "runtimes", "place")
            if position <= left[row[3]]
        ]
    else:
        rows = list(due.order_by(*columns).values_list(*columns, "runtimes")[: sum(left.values())])
    return iter(
        sorted(
            DispatchCandidate((board, rotation), pk, sets[runtimes], tournament)
            for board, rotation, pk, runtimes in rows
        )
    )


def _not_ahead(waiting: QuerySet[Table]) -> Q:
    """Filter for tables not later than the unstarted tables for other runtimes. One query."""
    turn = F("first_board") * TURN_FACTOR + F("rotation")
    fresh = waiting.filter(failures=0, attempt=0, reruns=0, waiting_for="").order_by()
    turns = fresh.values("runtimes").annotate(turn=Min(turn, output_field=BigIntegerField()))
    earliest = sorted((row["turn"], row["runtimes"]) for row in turns)
    if not earliest:
        return Q()
    (first, runtimes), *later = earliest
    # The queue that is furthest behind may advance to the position of the next one.
    of_it = Q(runtimes=runtimes) & (_up_to_turn(later[0][0]) if later else Q())
    return _up_to_turn(first) | of_it


def _up_to_turn(turn: int) -> Q:
    first_board, rotation = divmod(turn, TURN_FACTOR)
    return Q(first_board__lt=first_board) | Q(first_board=first_board, rotation__lte=rotation)
