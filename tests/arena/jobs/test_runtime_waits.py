"""Work that no living worker can run: it waits with a reason, spends nothing, and is in nobody's way."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.competition.models import Tournament
from arena.jobs import tasks
from arena.jobs.publish import tables_offer, waiting_publish
from arena.jobs.queues import queue_for, queues_served
from arena.matches.dispatch import tables_due
from arena.matches.leases import table_claim, table_fail, tables_sweep
from arena.matches.models import Fixture, Table, Worker
from arena.matches.waits import runtime_waits_update
from arena.matches.workers import Fleet, fleet_alive, runtime_sets, worker_heartbeat
from arena.roster.models import BotVersion, CheckRun
from arena.roster.services import check_claim
from tests import factories
from tests.arena.play import WORKER, claimed, started, waiting

PYTHON = {"python/1": "a" * 64}
BOTH = {**PYTHON, "node/1": "b" * 64}
NEEDS_BOTH = queue_for("tables", BOTH)
State = Table.State

Messages = list[tuple[str, int]]
Collect = Callable[[Callable[[], object]], Messages]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks) -> Collect:
    """Runs something and gives queue and id of every message it sent."""

    def collect(action: Callable[[], object]) -> Messages:
        messages: Messages = []

        def send(task: str, args: tuple[int], *, queue: str, **options: object) -> None:
            messages.append((queue, args[0]))

        monkeypatch.setattr("arena.jobs.publish.app.send_task", send)
        with django_capture_on_commit_callbacks(execute=True):
            action()
        return messages

    return collect


def lacks(runtimes: str) -> dict[str, str]:
    """The note of what waits for these runtimes."""
    return {"code": "runtime_lacking", "runtimes": runtimes}


class Mixed:
    """A round of four: at one fixture's two tables a bot of Chie's sits that needs node/1."""

    def __init__(self) -> None:
        tournament = factories.an_open_tournament()
        for owner in factories.players(4):
            factories.an_entry(tournament, owner)
        self.version = BotVersion.objects.get(bot__owner__user=factories.chie())
        BotVersion.objects.filter(pk=self.version.pk).update(runtime="node/1")
        self.tournament: Tournament = started(tournament)
        tables = waiting(self.tournament)
        self.foreign = [table for table in tables if table.seats.filter(version=self.version).exists()]
        self.plain = [table for table in tables if table not in self.foreign]
        Table.objects.update(published_at=None)

    def notes(self) -> list[list[dict[str, Any]]]:
        """Of the tables that need node/1 and of the others."""
        both = ([table.pk for table in tables] for tables in (self.foreign, self.plain))
        return [
            [*Table.objects.filter(pk__in=keys).order_by().values_list("note", flat=True).distinct()]
            for keys in both
        ]

    def reread(self) -> list[Table]:
        """The tables that need node/1 as they are now."""
        return list(Table.objects.filter(pk__in=[table.pk for table in self.foreign]))


@pytest.fixture
def mixed(db: None) -> Mixed:
    return Mixed()


def messages_for(mixed: Mixed, *, foreign: bool = True, plain: bool = True) -> set[tuple[str, int]]:
    expected = {(NEEDS_BOTH, table.pk) for table in mixed.foreign if foreign}
    return expected | {("tables.python-1", table.pk) for table in mixed.plain if plain}


def first_of(messages: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Those about tables of the first rotation: two queues that share a round go on together."""
    first = set(Table.objects.filter(rotation=0).values_list("pk", flat=True))
    return {(queue, table) for queue, table in messages if table in first}


def test_a_queue_is_claimed_by_exactly_those_who_can_run_all_it_may_hold() -> None:
    names = ["binary/1", "node/1", "python/1"]
    sets = [{name for bit, name in enumerate(names) if number >> bit & 1} for number in range(1, 8)]
    for able in sets:
        served = queues_served("tables", able, sets)
        assert len(served) == len(set(served))
        for needed in sets:
            assert (queue_for("tables", needed) in served) == (needed <= able)


def test_a_fleet_names_what_it_lacks() -> None:
    fleet = Fleet(frozenset({frozenset({"python/1", "binary/1"}), frozenset({"python/1", "node/1"})}))
    assert fleet.refusal({"python/1"}) == fleet.refusal({"python/1", "node/1"}) == {}
    assert fleet.refusal({"jvm/1", "python/1"}) == {"code": "runtime_lacking", "runtimes": "jvm/1"}
    together = {"code": "runtimes_apart", "runtimes": "binary/1, node/1"}
    assert fleet.refusal({"node/1", "binary/1"}) == together
    assert Fleet(frozenset()).refusal({"python/1"}) == {"code": "runtime_lacking", "runtimes": "python/1"}


def test_only_living_workers_that_can_run_bots_count(db: None) -> None:
    worker_heartbeat("a", "FULL1", PYTHON, 2)
    worker_heartbeat("b", "FULL", BOTH, 2)
    worker_heartbeat("c", "NONE", {}, 2, "no bubblewrap")
    assert fleet_alive().kinds == {frozenset(PYTHON), frozenset(BOTH)}
    Worker.objects.filter(name="b").update(heartbeat_at=timezone.now() - datetime.timedelta(seconds=61))
    assert fleet_alive().kinds == {frozenset(PYTHON)}


def test_what_nobody_can_run_waits_with_a_reason_and_the_rest_is_offered(mixed: Mixed, sent: Collect) -> None:
    worker_heartbeat("plain", "FULL1", PYTHON, 2)
    revision = mixed.tournament.revision
    assert set(sent(waiting_publish)) == messages_for(mixed, foreign=False)
    assert mixed.notes() == [[lacks("node/1")], [{}]]
    assert not Table.objects.exclude(state=State.WAITING, attempt=0).exists()
    mixed.tournament.refresh_from_db()
    assert mixed.tournament.revision > revision, "whoever follows it is told to look again"

    revision = mixed.tournament.revision
    assert sent(waiting_publish) == [], "no messages pile up"
    mixed.tournament.refresh_from_db()
    assert mixed.tournament.revision == revision


def test_a_worker_that_comes_gets_it_at_once_and_the_reason_goes(mixed: Mixed, sent: Collect) -> None:
    worker_heartbeat("plain", "FULL1", PYTHON, 2)
    sent(waiting_publish)
    worker_heartbeat("able", "FULL", BOTH, 2)
    assert set(sent(waiting_publish)) == first_of(messages_for(mixed, plain=False))
    assert mixed.notes() == [[{}], [{}]]


def test_with_no_worker_at_all_everything_says_so(mixed: Mixed, sent: Collect) -> None:
    assert sent(waiting_publish) == []
    assert mixed.notes() == [[lacks("node/1, python/1")], [lacks("python/1")]]
    worker_heartbeat("able", "FULL", BOTH, 2)
    assert set(sent(waiting_publish)) == first_of(messages_for(mixed))


def test_codes_decide_and_the_words_beside_them_may_change(mixed: Mixed, sent: Collect) -> None:
    worker_heartbeat("plain", "FULL1", PYTHON, 2)
    sent(waiting_publish)
    Table.objects.exclude(waiting_for="").update(note={"code": "runtime_lacking", "runtimes": "node/2"})
    assert tables_due() == []
    assert {table.waiting_for for table in mixed.reread()} == {"runtime_unavailable"}
    for table in mixed.plain:
        Table.objects.filter(pk=table.pk).update(note={"code": "runtime_lacking", "runtimes": "node/1"})
    Table.objects.update(published_at=None)
    assert set(sent(tables_offer)) == messages_for(mixed, foreign=False)
    worker_heartbeat("able", "FULL", BOTH, 2)
    runtime_waits_update(fleet_alive())
    assert {(table.waiting_for, table.reason) for table in mixed.reread()} == {("", "")}


def test_a_tick_offers_again_what_waited(mixed: Mixed, sent: Collect) -> None:
    sent(waiting_publish)
    worker_heartbeat("able", "FULL", BOTH, 2)
    assert set(sent(tasks.tick)) == first_of(messages_for(mixed))


def test_a_worker_never_takes_what_it_cannot_run(mixed: Mixed) -> None:
    foreign, plain = mixed.foreign[0], mixed.plain[0]
    assert table_claim(foreign.pk, WORKER, PYTHON) is None
    foreign.refresh_from_db()
    assert (foreign.state, foreign.attempt) == (State.WAITING, 0)
    assert table_claim(foreign.pk, WORKER, {"node/1"}) is None, "the others at the table need python/1"
    assert table_claim(plain.pk, WORKER, PYTHON)
    assert table_claim(foreign.pk, WORKER, BOTH)


def test_whoever_takes_it_clears_the_reason_but_not_that_of_a_failure(mixed: Mixed) -> None:
    foreign, plain = mixed.foreign[0], mixed.plain[0]
    table_fail(plain.pk, claimed(plain).fence, "the disk is full")
    runtime_waits_update(Fleet(frozenset({frozenset(PYTHON)})))
    claimed(foreign)
    claimed(plain)
    foreign.refresh_from_db()
    plain.refresh_from_db()
    assert (foreign.reason, foreign.attempt) == ("", 1)
    assert plain.reason == "the disk is full", "why the last attempt came to nothing"


def test_waiting_for_a_runtime_is_bounded_like_any_other_waiting(mixed: Mixed) -> None:
    runtime_waits_update(Fleet(frozenset({frozenset(PYTHON)})))
    long_ago = timezone.now() - datetime.timedelta(hours=25)
    Table.objects.update(state_at=long_ago)
    Tournament.objects.update(state_at=long_ago)
    tables_sweep()
    lacking = {"code": "lacking_too_long", "why": lacks("node/1"), "hours": 24}
    assert mixed.notes() == [[lacking], [{"code": "not_taken", "hours": 24}]]
    assert set(Table.objects.values_list("state", flat=True)) == {State.QUARANTINED}


def test_a_paused_tournament_is_left_alone(mixed: Mixed) -> None:
    Tournament.objects.update(state=Tournament.State.PAUSED)
    runtime_waits_update(Fleet(frozenset()))
    assert mixed.notes() == [[{}], [{}]]


def an_event_of_bots_in(runtimes: int) -> dict[str, str]:
    """Begins an event of twenty bots that need so many runtimes in turn; the digests of these by name."""
    tournament = factories.an_open_tournament()
    for owner in factories.players(20):
        factories.an_entry(tournament, owner)
    names = [f"lang{number}/1" for number in range(runtimes)]
    for place, version in enumerate(BotVersion.objects.order_by("pk")):
        BotVersion.objects.filter(pk=version.pk).update(runtime=names[place % runtimes])
    started(tournament)
    Table.objects.update(published_at=None)
    return dict.fromkeys(names, "a" * 64)


def costs_of(runtimes: int, sent: Collect) -> list[int]:
    """Queries and messages: noting that nobody can play, the same again, offers, a claim that is refused."""
    digests = an_event_of_bots_in(runtimes)
    counts = []
    claim = partial(table_claim, waiting(Tournament.objects.get())[0].pk, WORKER, {"lang99/1"})
    able = partial(worker_heartbeat, "able", "FULL", digests, 3)
    for action in (waiting_publish, waiting_publish, able, waiting_publish, tables_offer, claim):
        with CaptureQueriesContext(connection) as seen:
            messages = sent(action)
        counts += [len(seen), len(messages)]
    return counts


def test_twenty_runtimes_cost_as_many_queries_as_two(db: None, sent: Collect) -> None:
    with transaction.atomic():
        two = costs_of(2, sent)
        transaction.set_rollback(True)
    assert costs_of(20, sent) == two
    sets = runtime_sets().values()
    fixtures = Fixture.objects.count()
    assert fixtures == 10
    assert len(sets) <= fixtures, "a row for each set that occurs"
    served = queues_served("tables", [f"lang{number}/1" for number in range(20)], sets)
    assert len(served) <= 20 + fixtures, "and a queue"


def test_a_tick_without_a_change_costs_two_queries(mixed: Mixed) -> None:
    worker_heartbeat("able", "FULL", BOTH, 1)
    fleet = fleet_alive()
    with CaptureQueriesContext(connection) as queries:
        runtime_waits_update(fleet)
    assert len(queries) == 2


class Machine:
    """A worker of a mixed fleet: takes messages of the queues it listens to, in turn, and plays them."""

    def __init__(self, name: str, runtimes: dict[str, str]) -> None:
        self.name = name
        self.runtimes = runtimes
        self.queues = queues_served("tables", runtimes, runtime_sets().values())
        self.played: list[int] = []

    def take(self, broker: dict[str, list[int]]) -> bool:
        """Take the next message there is; whether there was one."""
        for queue in list(self.queues):
            self.queues.append(self.queues.pop(0))
            if broker.get(queue):
                table = broker[queue].pop(0)
                lease = table_claim(table, self.name, self.runtimes)
                assert lease is not None, "every message it gets is one it can serve: nothing bounces"
                self.played.append(table)
                Table.objects.filter(pk=table).update(state=State.VOID)
                return True
        return False


def test_a_mixed_fleet_neither_bounces_nor_starves_a_table(mixed: Mixed, sent: Collect) -> None:
    plain, able = Machine("plain", PYTHON), Machine("able", BOTH)
    for worker in (plain, able):
        worker_heartbeat(worker.name, "FULL", worker.runtimes, 1)
    broker: dict[str, list[int]] = {}
    while messages := sent(tables_offer) or any(broker.values()):
        for queue, table in messages if isinstance(messages, list) else []:
            broker.setdefault(queue, []).append(table)
        busy = [worker.take(broker) for worker in (plain, able)]
        assert any(busy), f"nobody listens to {broker}"
    assert {*plain.played, *able.played} == {table.pk for table in (*mixed.plain, *mixed.foreign)}
    assert set(able.played) >= {table.pk for table in mixed.foreign}
    assert set(plain.played) <= {table.pk for table in mixed.plain}
    assert plain.played, "it was given what it can do"
    assert set(Table.objects.values_list("attempt", flat=True)) == {1}


def test_a_check_waits_like_a_table(db: None, sent: Collect) -> None:
    here, elsewhere = (factories.an_upload(factories.a_bot(factories.aya())) for _ in range(2))
    BotVersion.objects.filter(pk=elsewhere.pk).update(runtime="node/1")
    possible, impossible = here.checks.get(), elsewhere.checks.get()
    worker_heartbeat("plain", "FULL1", PYTHON, 2)
    assert sent(waiting_publish) == [("checks.python-1", possible.pk)]
    impossible.refresh_from_db()
    waits = (CheckRun.State.WAITING, 1, "runtime_unavailable: no live worker has node/1")
    assert (impossible.state, impossible.attempt, impossible.waiting_reason) == waits
    assert check_claim(impossible.pk, WORKER, PYTHON) is None
    elsewhere.refresh_from_db()
    assert elsewhere.state == BotVersion.State.UPLOADED

    worker_heartbeat("able", "FULL", BOTH, 2)
    assert set(sent(waiting_publish)) == {("checks.python-1", possible.pk), ("checks.node-1", impossible.pk)}
    impossible.refresh_from_db()
    assert impossible.reason == ""
    check = check_claim(impossible.pk, WORKER, BOTH)
    assert check is not None
    assert (check.worker, check.attempt) == (WORKER, 1)


def test_checks_that_must_wait_do_not_keep_others_from_being_offered(
    db: None, sent: Collect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.roster.checks.MAX_PUBLISHED_CHECKS", 2)
    versions = [factories.an_upload(factories.a_bot(factories.aya())) for _ in range(4)]
    BotVersion.objects.filter(pk__in=[version.pk for version in versions[:3]]).update(runtime="node/1")
    worker_heartbeat("plain", "FULL1", PYTHON, 2)
    assert sent(waiting_publish) == [("checks.python-1", versions[3].checks.get().pk)]
