"""Dispatch order: fair shares of the workers for tournaments, and for the fixtures of a round.

Only so many messages are out as the workers can soon take: a window, refilled by every table that ends.
A place in it goes to the tournament with the fewest tables being played or about to be; all challenges
together count as one, and of those an account's own stay within its share (``matches.shares``). Within a
tournament tables go by board chunk, then rotation, then fixture, so that no fixture is more than one table
ahead of another of its round.

Rounds of ladders and batches of experiments come after all of these: they get the places that are free while
no table of an event or challenge that those workers could play waits for one. While an event or challenge
runs, whose next round may open at any moment, one place is kept from them; and so that they go on beside
events that never end, one turn in ``BACKGROUND_INTERVAL`` is theirs.

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
"""Messages out for each table the workers play at once: one that is played and one that waits its turn."""
SPARE_MESSAGES = 2
"""Messages out besides, for each kind of worker: also where no worker has come yet."""
TURN_FACTOR = 1 << 15
"""More than there are rotations: a turn as one number is ``first_board * TURNS + rotation``."""
LAST_SERVED_KEY = "turns:last"
LAST_SERVED_TTL_S = 3600
"""Where the shared cache keeps which tournament was served last, and for how long."""
CAPACITY_COLUMNS = ("runtimes", "capacity", "cause")
"""Columns of a worker that say what it can play."""
CHALLENGES, LADDERS, EXPERIMENTS = 0, -1, -2
"""What stands for all challenges together where tournaments are counted; for all rounds of ladders; for all
batches of experiments."""
SHARED_OWNERS: Mapping[str, int] = {
    Tournament.Kind.CHALLENGE: CHALLENGES,
    Tournament.Kind.LADDER: LADDERS,
    Tournament.Kind.EXPERIMENT: EXPERIMENTS,
}
BACKGROUND_INTERVAL = 40
"""While events or challenges wait, one table in so many is a ladder's or experiment's. If all tables take
equally long an event then has 0.975 of what it would have alone; 0.95 if theirs take twice as long."""
RESERVED_PLACES = 1
"""Places that ladders and experiments leave while an event or challenge runs: between two rounds none of its
tables waits, and all it has to do then would wait for the end of theirs."""
SINCE_BACKGROUND_KEY = "turns:since-background"
LAST_BACKGROUND_KEY = "turns:last-background"
"""Where the shared cache counts tables of events and challenges since such a turn, and keeps whose it was."""
Key = TypeVar("Key", bound=int)
RuntimeSets = Mapping[int, frozenset[str]]
"""Sets of runtimes by primary key."""


class DispatchCandidate(NamedTuple):
    """A table that may be published to workers."""

    turn: tuple[int, int]
    """Its first board and its rotation: what comes first within a tournament."""
    id: int
    runtimes: frozenset[str]
    """What it needs."""
    tournament: int = 0


class DispatchWindow:
    """How many more messages may be out, in all and for each set of runtimes."""

    def __init__(
        self,
        workers: Iterable[tuple[frozenset[str], int]],
        out: Mapping[frozenset[str], int],
        ahead: int = MESSAGES_PER_TABLE,
        spare: int = SPARE_MESSAGES,
    ) -> None:
        """``workers``: runtimes and tables at once of each living one; ``out``: what is out, by runtimes;
        ``ahead``, ``spare``: messages for each of those tables, and besides for each kind of worker.
        """
        self._workers = [(runtimes, capacity) for runtimes, capacity in workers if runtimes]
        self._out = Counter(out)
        self._ahead, self._spare = ahead, spare
        kinds = len({runtimes for runtimes, _ in self._workers}) or 1
        self._window = ahead * sum(capacity for _, capacity in self._workers) + spare * kinds

    def left(self, runtimes: frozenset[str]) -> int:
        """Messages that may be sent of tables that need these runtimes: no more than those able to play them
        can soon take, so that work for a few workers does not fill the window of all."""
        able = [capacity for has, capacity in self._workers if runtimes <= has]
        if self._workers and not able:
            return 0
        own = self._ahead * sum(able) + self._spare - self._out[runtimes]
        return max(0, min(own, self._window - self._out.total()))

    def take(self, runtimes: frozenset[str]) -> None:
        """Note that one more message is out."""
        self._out[runtimes] += 1

    @property
    def is_full(self) -> bool:
        """Whether nothing more may be sent, whatever it needs."""
        return self._out.total() >= self._window


def free_places(
    workers: Iterable[tuple[frozenset[str], int]], out: Mapping[frozenset[str], int]
) -> DispatchWindow:
    """The window of ladders and experiments: places for which there is neither a table nor a message.

    ``out`` is everything that is out. None of theirs waits in the queue, where it would be before the table
    of an event that is published later.
    """
    return DispatchWindow(workers, out, ahead=1, spare=0)


def max_background_tables(capacity: int, out: int, *, is_event_running: bool) -> int:
    """How many more tables of ladders and experiments may begin, of which ``out`` are out.

    ``capacity`` is how many tables the workers play at once.

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
    """Owners and candidates to publish, in order: each place goes to the owner with the fewest out.

    ``loads`` counts what is out by owner (none: 0), ``offers`` are the owners with candidates, each asked
    only if its turn comes. Equal loads: the owner named first.
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
    """Owners and candidates to publish, in order, each with how many of ``first`` there were since the last
    of ``turns``.

    All of ``first``, whatever else there is, and after every ``BACKGROUND_INTERVAL - 1`` of them one of
    ``turns``;
    then at most ``most`` of ``rest``, which is what ``share_fairly`` gives in the places that are ``free``.
    ``since`` is from before.
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
    """The owners in round-robin order, beginning after the one served last.

    >>> [round_robin_order([1, 2, 5], last) for last in (2, 3, None)]
    [[5, 1, 2], [5, 1, 2], [1, 2, 5]]
    """
    return sorted(owners, key=lambda owner: (last is not None and owner <= last, owner))


@transaction.atomic
def tables_due() -> list[int]:
    """Tables to publish now, in order; marks them as published, so that a second call gives others.

    The caller publishes them, each with ``expires=settings.TABLE_MESSAGE_S``: so a table has one
    live message at a time, and a lost one is sent again. Those no living worker can run are left out, and
    challenges and experiments of accounts whose own work has its share; everything while all workers are out
    of order. Five queries if the window is full; else one more for each table, a few for each tournament
    whose turn comes, one if a ladder or an experiment has any.
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
    # What may be asked of ladders and experiments for their turns, whatever is out of the others.
    wide = DispatchWindow(workers, {})
    for owner, of_kind in together.items():
        own: Counter[int] | None = None
        if owner != LADDERS:
            # A check is short, and its owner waits for it: own work of the same account comes after it.
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
    """The tables whose turn it is, marked as published."""
    free = free_places(workers, out.all)
    circle = round_robin_order([owner for owner in offers if owner >= CHALLENGES], cache.get(LAST_SERVED_KEY))
    later = round_robin_order(
        [owner for owner in offers if owner < CHALLENGES], cache.get(LAST_BACKGROUND_KEY)
    )
    # Asked once: a turn and a free place are of the same candidates.
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
        # Two processes may fill the window at once: each table goes to one of them.
        still_due = _due_tables(resumed_at[candidate.tournament]).filter(pk=candidate.id)
        if still_due.update(published_at=now):
            ids.append(candidate.id)
        served[LAST_SERVED_KEY if owner >= CHALLENGES else LAST_BACKGROUND_KEY] = owner
        served[SINCE_BACKGROUND_KEY] = since
    if ids:
        cache.set_many(served, LAST_SERVED_TTL_S)
    return ids


def _once(offer: Callable[[], Iterator[DispatchCandidate]]) -> Callable[[], Iterator[DispatchCandidate]]:
    """Asks only the first time; each candidate is given once."""
    iterators: list[Iterator[DispatchCandidate]] = []

    def offered() -> Iterator[DispatchCandidate]:
        if not iterators:
            iterators.append(offer())
        return iterators[0]

    return offered


def table_in_turn(table_id: int) -> int:
    """The table to play at a message about this one: another that comes before it, or itself.

    Another of its tournament, if the message about that was lost or ran out. Two queries, or three.
    """
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
    # One that failed waits for the tick: what was wrong a moment ago still is.
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
    # This one's message is used up; it is due again.
    Table.objects.filter(pk=table_id, state=Table.State.WAITING).update(published_at=None)
    return first


def wall_limit_granted_s(wall_limit_s: float, board_count: int) -> float:
    """Seconds a worker is given at a message about a table: enough also for one that has a board more."""
    return wall_limit_s * (board_count + 1) / board_count


def _due_tables(resumed_at: datetime.datetime | OuterRef) -> QuerySet[Table]:
    """Waiting tables, of tournaments running since this time, without a live message."""
    now = timezone.now()
    limit = now - datetime.timedelta(seconds=settings.TABLE_MESSAGE_S)
    # A message from before a pause was refused by the claim.
    stale = Q(published_at=None) | Q(published_at__lte=limit) | Q(published_at__lt=resumed_at)
    return Table.objects.filter(stale, retry_is_due(now), state=Table.State.WAITING, waiting_for="")


class _Outstanding:
    """What is being played or has a live message. Four queries."""

    def __init__(self, sets: RuntimeSets) -> None:
        self.sets = sets
        self.all: Counter[frozenset[str]] = Counter()
        """By runtimes."""
        self.first: Counter[frozenset[str]] = Counter()
        """The same of events and challenges."""
        self.background = 0
        """How many are of ladders and experiments."""
        self.loads: Counter[int] = Counter()
        """By tournament, and of kinds that are counted together by what stands for them."""
        self.own: Counter[int] = Counter()
        """Own work by account."""
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
    """Each table being played or with a live message: tournament, runtimes. Three queries.

    They are no more than the window and what is played. Tournaments are looked up aside, and the caller
    counts: joined or grouped, a database may prefer to go through the tables of every tournament.
    """
    limit = timezone.now() - datetime.timedelta(seconds=settings.TABLE_MESSAGE_S)
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
        # Of a tournament that is paused, or was since, the message is or was in vain.
        is_live = tournament.state == Tournament.State.RUNNING
        if published_at is None or (is_live and published_at >= tournament.state_at):
            yield tournament, runtimes


def _offer(
    tournament: int, resumed_at: Mapping[int, datetime.datetime], window: DispatchWindow, sets: RuntimeSets
) -> Callable[[], Iterator[DispatchCandidate]]:
    """Asks a tournament for candidates."""
    return lambda: dispatch_candidates(tournament, resumed_at[tournament], window, sets)


def _combined_offer(
    tournaments: Sequence[tuple[int, int]],
    own: Counter[int] | None,
    limit: int,
    resumed_at: Mapping[int, datetime.datetime],
    window: DispatchWindow,
    sets: RuntimeSets,
) -> Callable[[], Iterator[DispatchCandidate]]:
    """Asks tournaments, given with the accounts that made them, for candidates, one after the other.

    ``own`` counts the own work of each account that is out; no candidate brings it above ``limit``. None: it
    is nobody's own work.
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
    """A running tournament's due tables in turn, as many as the window has room for.

    Fixtures whose bots need different runtimes wait in different queues, and one queue may be slower: a
    table is held back as long as another queue has one of an earlier turn that was not begun yet. Two
    queries; three with several queues, however many.
    """
    waiting = Table.objects.filter(tournament=tournament, state=Table.State.WAITING)
    # Of a set that occurred a moment ago the next call knows.
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
    """Tables of no later turn than any that waits for other runtimes and was not begun yet. One query."""
    turn = F("first_board") * TURN_FACTOR + F("rotation")
    fresh = waiting.filter(failures=0, attempt=0, reruns=0, waiting_for="").order_by()
    turns = fresh.values("runtimes").annotate(turn=Min(turn, output_field=BigIntegerField()))
    earliest = sorted((row["turn"], row["runtimes"]) for row in turns)
    if not earliest:
        return Q()
    (first, runtimes), *later = earliest
    # The queue that is furthest behind may go on to where the next one is.
    of_it = Q(runtimes=runtimes) & (_up_to_turn(later[0][0]) if later else Q())
    return _up_to_turn(first) | of_it


def _up_to_turn(turn: int) -> Q:
    """Tables up to a turn."""
    first_board, rotation = divmod(turn, TURN_FACTOR)
    return Q(first_board__lt=first_board) | Q(first_board=first_board, rotation__lte=rotation)
