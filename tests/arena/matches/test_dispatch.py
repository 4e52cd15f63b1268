"""Fair shares of the workers: among tournaments, and among the fixtures of a round."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from arena.competition.models import Tournament
from arena.matches.dispatch import (
    BACKGROUND_INTERVAL,
    MESSAGES_PER_TABLE,
    SPARE_MESSAGES,
    DispatchCandidate,
    DispatchWindow,
    free_places,
    interleave_background,
    max_background_tables,
    round_robin_order,
    share_fairly,
    table_in_turn,
    tables_due,
)
from arena.matches.leases import table_claim
from arena.matches.models import Table
from arena.matches.workers import worker_heartbeat
from arena.roster.models import BotVersion
from tests import factories
from tests.arena.play import WORKER, begun, started
from tests.chance import examples

State = Table.State
PY = frozenset({"python/1"})

backlogs = st.dictionaries(st.integers(0, 9), st.integers(0, 40), min_size=1, max_size=8)


class Event:
    """A tournament of plain values: so many tables wait, so many are out."""

    def __init__(self, number: int, tables: int) -> None:
        self.waiting = [DispatchCandidate((1, place), 1000 * number + place, PY) for place in range(tables)]
        self.out: list[DispatchCandidate] = []

    def offer(self) -> Iterator[DispatchCandidate]:
        return iter(list(self.waiting))


def fill(events: dict[int, Event], capacity: int, last: list[int]) -> list[int]:
    """One filling of the window; the owners in the order served. ``last`` holds who was served last."""
    loads = {number: len(event.out) for number, event in events.items()}
    window = DispatchWindow([(PY, capacity)], {PY: sum(loads.values())})
    circle = round_robin_order(
        [number for number, event in events.items() if event.waiting], last[-1] if last else None
    )
    served = []
    for number, candidate in share_fairly(loads, {number: events[number].offer for number in circle}, window):
        served.append(number)
        last[:] = [number]
        events[number].waiting.remove(candidate)
        events[number].out.append(candidate)
    return served


@given(backlogs, st.integers(0, 6), st.randoms(use_true_random=False))
@examples(60)
def test_no_tournament_gets_a_second_place_before_one_that_waits_has_as_many(
    backlog, capacity, random
) -> None:
    events = {number: Event(number, tables) for number, tables in backlog.items()}
    window, last = MESSAGES_PER_TABLE * capacity + SPARE_MESSAGES, []
    while any(event.waiting or event.out for event in events.values()):
        before = {number: len(event.out) for number, event in events.items()}
        served = Counter(fill(events, capacity, last))
        out = {number: len(event.out) for number, event in events.items()}
        assert sum(out.values()) <= window
        assert sum(out.values()) == window or not any(event.waiting for event in events.values())
        for rich, poor in ((a, b) for a in events for b in events if served[a]):
            if events[poor].waiting:
                assert out[poor] >= out[rich] - 1, (before, dict(served), out)
        playing = [event for event in events.values() if event.out]
        event = random.choice(playing)
        event.out.pop(random.randrange(len(event.out)))


@given(backlogs)
@examples(40)
def test_one_that_comes_late_is_served_within_a_window(backlog) -> None:
    events = {number: Event(number, tables + 30) for number, tables in backlog.items()}
    last: list[int] = []
    fill(events, 2, last)
    late = max(events) + 1
    events[late] = Event(late, 5)
    # Each of the others comes before it once at most.
    for _ in range(len(events)):
        rich = max(events.values(), key=lambda event: len(event.out))
        rich.out.pop(0)
        if late in fill(events, 2, last):
            return
    raise AssertionError("it waits while others are served")


class Mixed:
    """Events and ladders of plain values, and workers that need the same runtimes."""

    def __init__(self, backlog: dict[int, int], ladders: dict[int, int], capacity: int) -> None:
        self.events = {number: Event(number, tables) for number, tables in backlog.items()}
        self.ladders = {-1 - number: Event(-1 - number, tables) for number, tables in ladders.items()}
        self.capacity = capacity
        self.last: list[int] = []
        self.since = 0
        self.begun: list[int] = []

    def out(self, of: dict[int, Event]) -> int:
        return sum(len(event.out) for event in of.values())

    def fill(self) -> list[int]:
        """One filling; the owners in order."""
        both = {**self.events, **self.ladders}
        loads = {number: len(event.out) for number, event in both.items()}
        workers = [(PY, self.capacity)]
        out = {PY: self.out(both)}
        circle = round_robin_order(
            [n for n, event in self.events.items() if event.waiting], (self.last or [None])[-1]
        )
        asked = {number: iter(list(event.waiting)) for number, event in self.ladders.items()}
        offers = {number: (lambda number=number: asked[number]) for number in asked}
        free = free_places(workers, out)
        window = DispatchWindow(workers, {PY: self.out(self.events)})
        runs = any(event.waiting or event.out for event in self.events.values())
        most = max_background_tables(self.capacity, self.out(self.ladders), is_event_running=runs)
        found = interleave_background(
            share_fairly(loads, {number: self.events[number].offer for number in circle}, window),
            share_fairly(loads, offers, DispatchWindow(workers, {})),
            share_fairly(loads, offers, free),
            free,
            self.since,
            most,
        )
        served = []
        for number, candidate, since in found:
            both[number].waiting.remove(candidate)
            both[number].out.append(candidate)
            served.append(number)
            self.since = since
            if number >= 0:
                self.last[:] = [number]
        return served


ladders = st.dictionaries(st.integers(0, 3), st.integers(0, 30), max_size=3)


@given(backlogs, ladders, st.integers(1, 6), st.randoms(use_true_random=False))
@examples(60)
def test_ladders_get_free_places_alone_and_events_all_they_would_get_without_them(
    backlog, waiting, capacity, random
) -> None:
    mixed, alone = Mixed(backlog, waiting, capacity), Mixed(backlog, {}, capacity)
    published = 0
    while any(event.waiting or event.out for event in {**mixed.events, **mixed.ladders}.values()):
        before = mixed.out({**mixed.events, **mixed.ladders})
        background = mixed.out(mixed.ladders)
        served = mixed.fill()
        first = [number for number in served if number >= 0]
        assert first == alone.fill(), "an event never waits for a message about something else"
        published += len(first)
        later = len(served) - len(first)
        turns = (published // (BACKGROUND_INTERVAL - 1)) - (
            (published - len(first)) // (BACKGROUND_INTERVAL - 1)
        )
        assert later <= max(0, capacity - before - len(first)) + max(turns, 0) + 1
        if capacity > 1 and any(event.waiting or event.out for event in mixed.events.values()):
            assert later <= max(0, capacity - 1 - background) + turns + 1, "one place is kept"
        if any(event.waiting for event in mixed.events.values()):
            assert later <= turns + 1, "only a turn of its own while an event's table waits"
        playing = [e for e in mixed.events.values() if e.out]
        if playing:
            event = random.choice(playing)
            gone = event.out.pop(random.randrange(len(event.out)))
            for other in alone.events.values():
                other.out = [candidate for candidate in other.out if candidate != gone]
        for ladder in mixed.ladders.values():
            if ladder.out and random.random() < 0.5:
                ladder.out.pop()


@given(st.integers(1, 4))
@examples(4)
def test_a_ladder_beside_an_event_that_never_ends_has_its_turns_and_no_more(capacity) -> None:
    mixed = Mixed({1: 5000}, {0: 100}, capacity)
    turns = Counter[bool]()
    mixed.fill()
    while turns.total() < 400:
        event = mixed.events[1]
        event.out.pop(0)
        for ladder in mixed.ladders.values():
            ladder.out.clear()
        turns.update(number < 0 for number in mixed.fill())
    assert turns[True] >= 400 // BACKGROUND_INTERVAL - 1
    assert turns[True] * BACKGROUND_INTERVAL <= 400 + BACKGROUND_INTERVAL


def test_work_for_few_workers_leaves_room_for_the_others() -> None:
    both = PY | {"node/1"}
    workers = [(PY, 4), (both, 1)]
    window = DispatchWindow(workers, {})
    for _ in range(100):
        if window.left(both):
            window.take(both)
    assert not window.is_full
    assert window.left(PY) > 0
    assert DispatchWindow(workers, {}).left(frozenset({"jvm/1"})) == 0, "nobody could take it"


def waiting_of(tournament: Tournament) -> list[Table]:
    return list(Table.objects.filter(tournament=tournament, state=State.WAITING).order_by("pk"))


def nudge_all() -> list[Table]:
    """One filling, in the order of the messages."""
    found = Table.objects.in_bulk(ids := tables_due())
    return [found[pk] for pk in ids]


def is_plain(table: Table) -> bool:
    """Whether it needs Python alone."""
    return frozenset(table.runtimes.names) == PY


def play(table: Table) -> None:
    """As far as its turn is concerned."""
    Table.objects.filter(pk=table.pk).update(
        state=State.VOID,
        attempt=1,
    )


def begin(table: Table, runtimes: list[str] | None = None) -> Table:
    """What a worker takes at the message about a table."""
    chosen = table_in_turn(table.pk)
    assert table_claim(chosen, WORKER, runtimes), "the table in turn is free"
    return Table.objects.get(pk=chosen)


def begun_by_fixture(tournament: Tournament) -> list[int]:
    counts = Counter(
        dict.fromkeys(Table.objects.filter(tournament=tournament).values_list("fixture", flat=True), 0)
    )
    counts.update(
        Table.objects.filter(tournament=tournament, attempt__gt=0).values_list("fixture", flat=True)
    )
    return sorted(counts.values())


@pytest.mark.django_db
def test_a_big_event_cannot_keep_a_small_one_waiting() -> None:
    Table.objects.update(published_at=None)
    big, small = begun(8), begun(2)
    Table.objects.update(published_at=None)
    worker_heartbeat("w", "FULL1", {"python/1": "a"}, 1)
    first = nudge_all()
    assert len(first) == MESSAGES_PER_TABLE + SPARE_MESSAGES
    assert Counter(table.tournament_id for table in first) == {big.pk: 2, small.pk: 2}
    assert nudge_all() == [], "the window is full"
    play(next(table for table in first if table.tournament_id == small.pk))
    assert [table.tournament_id for table in nudge_all()] == [big.pk], "the small one has no more"


@pytest.mark.django_db
def test_challenges_together_have_one_share() -> None:
    event = begun(8)
    challenges = [begun(2) for _ in range(4)]
    accounts = [factories.aya(), factories.ben(), factories.chie(), factories.odo()]
    for challenge, account in zip(challenges, accounts, strict=True):
        Tournament.objects.filter(pk=challenge.pk).update(kind="challenge", organiser=account)
    Table.objects.update(published_at=None)
    worker_heartbeat("w", "FULL1", {"python/1": "a"}, 1)
    first = nudge_all()
    assert Counter(table.tournament_id == event.pk for table in first) == {True: 2, False: 2}
    assert len({table.tournament_id for table in first}) == 2 or len({t.tournament_id for t in first}) == 3


@pytest.mark.django_db
def test_ladders_and_experiments_wait_until_places_are_free() -> None:
    event, ladder, experiment = begun(2), begun(4), begun(4)
    Tournament.objects.filter(pk=ladder.pk).update(kind="ladder")
    Tournament.objects.filter(pk=experiment.pk).update(kind="experiment", organiser=factories.aya())
    Table.objects.update(published_at=None)
    worker_heartbeat("w", "FULL1", {"python/1": "a"}, 4)
    first = nudge_all()
    assert [table.tournament_id for table in first[:2]] == [event.pk] * 2
    assert Counter(table.tournament_id for table in first[2:]) == {ladder.pk: 1, experiment.pk: 1}
    assert nudge_all() == [], "no message of theirs waits for a place"
    play(first[2])
    (again,) = nudge_all()
    assert again.tournament_id == first[2].tournament_id
    late = begun(8)
    out = Table.objects.filter(tournament=late).exclude(published_at=None).count()
    assert out == 4 * MESSAGES_PER_TABLE + SPARE_MESSAGES - 2, "what is out of theirs is in no way"


@pytest.mark.django_db
def test_a_place_is_kept_while_an_event_runs_though_none_of_its_tables_waits() -> None:
    event, ladder = begun(2), begun(4)
    Tournament.objects.filter(pk=ladder.pk).update(kind="ladder")
    Table.objects.update(published_at=None)
    Table.objects.filter(tournament=event).update(state=State.VOID)
    worker_heartbeat("w", "FULL1", {"python/1": "a"}, 3)
    assert len(nudge_all()) == 2
    assert nudge_all() == []
    Tournament.objects.filter(pk=event.pk).update(state="provisional")
    assert [table.tournament_id for table in nudge_all()] == [ladder.pk]


@pytest.mark.django_db
def test_experiments_of_an_account_have_half_of_the_places_and_ladders_all() -> None:
    ladder, experiment = begun(8), begun(8)
    Tournament.objects.filter(pk=ladder.pk).update(state="paused", kind="ladder")
    Tournament.objects.filter(pk=experiment.pk).update(kind="experiment", organiser=factories.aya())
    Table.objects.update(published_at=None)
    worker_heartbeat("w", "FULL1", {"python/1": "a"}, 4)
    assert len(nudge_all()) == 2
    Tournament.objects.filter(pk=ladder.pk).update(state="running")
    assert [table.tournament_id for table in nudge_all()] == [ladder.pk] * 2


@pytest.mark.django_db
def test_what_is_out_in_a_paused_tournament_takes_no_room_and_comes_back_with_it() -> None:
    paused, running = begun(4), begun(4)
    worker_heartbeat("w", "FULL1", {"python/1": "a"}, 1)
    Table.objects.update(published_at=timezone.now())
    Table.objects.filter(tournament=running).update(published_at=None)
    Tournament.objects.filter(pk=paused.pk).update(state="paused")
    assert {table.tournament_id for table in nudge_all()} == {running.pk}
    Table.objects.filter(tournament=running).update(state=State.VOID)
    Tournament.objects.filter(pk=paused.pk).update(state="running", state_at=timezone.now())
    assert {table.tournament_id for table in nudge_all()} == {paused.pk}


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(4))
def test_started_tables_of_a_round_differ_by_one_at_most_whatever_is_lost(seed: int) -> None:
    """Workers take messages in order, lose some, get some twice, and tables end in any order."""
    import random

    chance = random.Random(seed)
    tournament = begun(8)
    Table.objects.update(published_at=None)
    worker_heartbeat("w", "FULL1", {"python/1": "a"}, 2)
    queue: list[Table] = []
    while waiting_of(tournament):
        queue += nudge_all()
        if not queue:
            # Whatever was lost runs out after a minute.
            Table.objects.update(published_at=timezone.now() - datetime.timedelta(minutes=2))
            continue
        table = queue.pop(0)
        if chance.random() < 0.3:
            continue
        table.refresh_from_db()
        if table.state == State.WAITING:
            play(begin(table))
        counts = begun_by_fixture(tournament)
        assert counts[-1] - counts[0] <= 1, counts


@pytest.mark.django_db
def test_in_a_mixed_fleet_the_slow_queue_holds_the_others_back_by_one_rotation() -> None:
    tournament = factories.an_open_tournament()
    for owner in factories.players(4):
        factories.an_entry(tournament, owner)
    BotVersion.objects.filter(bot__owner__user=factories.chie()).update(runtime="node/1")
    started(tournament)
    Table.objects.update(published_at=None)
    worker_heartbeat("plain", "FULL1", {"python/1": "a"}, 2)
    worker_heartbeat("able", "FULL1", {"python/1": "a", "node/1": "b"}, 1)
    first = nudge_all()
    assert {table.rotation for table in first} == {0}
    plain = next(table for table in first if is_plain(table))
    play(begin(plain, ["python/1"]))
    assert [table for table in nudge_all() if is_plain(table)] == [], "the other has not begun"
    slow = next(table for table in first if not is_plain(table))
    begin(slow)
    assert [table.rotation for table in nudge_all() if is_plain(table)] == [1]


@pytest.mark.django_db
def test_a_message_about_a_later_table_plays_the_one_whose_message_was_lost() -> None:
    tournament = begun(4)
    tables = waiting_of(tournament)
    early = next(table for table in tables if table.rotation == 0)
    late = next(table for table in tables if table.rotation == 1)
    assert table_in_turn(early.pk) == early.pk
    assert begin(late).rotation == 0
    late.refresh_from_db()
    assert late.published_at is None, "its message is used up"


@pytest.mark.parametrize(("capacity", "out", "most"), [(1, 0, 1), (2, 0, 1), (4, 0, 3), (4, 3, 0)])
def test_events_leave_one_table_to_the_background_at_least(capacity: int, out: int, most: int) -> None:
    assert max_background_tables(capacity, out, is_event_running=True) == most
    assert max_background_tables(capacity, out, is_event_running=False) == capacity - out
