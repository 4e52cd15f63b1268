"""Tables of common boards that share an entry, a version or an owner: never in play at once on a kernel."""

from __future__ import annotations

import datetime
import random
from typing import NamedTuple

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.accounts.models import User
from arena.common.causes import WaitingFor
from arena.competition.models import Entry, Tournament
from arena.matches.common_boards import (
    blocking_table,
    board_waits_end,
    lost_lease_end,
    lost_leases_sweep,
)
from arena.matches.dispatch import tables_due
from arena.matches.leases import Lease, table_claim, table_fail, table_heartbeat, tables_sweep
from arena.matches.models import Fixture, LostLease, Table, TableSeat
from arena.matches.results import fixture_void, table_finish
from arena.matches.workers import worker_heartbeat
from arena.roster.models import Bot, BotVersion
from referee.contract import machine_delay_limit_s
from tests import factories
from tests.arena.overlaps import overlapping
from tests.arena.play import played, started
from tests.arena.transactions import in_thread
from tests.chance import examples

pytestmark = pytest.mark.django_db
State = Table.State
PYTHON = {"python/1"}
KERNELS = ("aaaa", "bbbb")


class Play(NamedTuple):
    """What really runs: a process of a kernel at a table."""

    kernel: str
    lease: Lease


def house(name: str) -> User:
    return factories._user(name)


def shared_event() -> Tournament:
    """Four fixtures; Aya, Ben and a kind of house bot have two entries each."""
    owners = [factories.aya(), factories.ben(), house("house"), factories.chie(), house("house-random")]
    return started_by(*owners, *owners[:3], boards_per_round=3)


def in_chunks(event: Tournament, chance: random.Random) -> None:
    """Have the tables of a round play any ranges of its boards, also such that overlap in part."""
    for table in Table.objects.filter(tournament=event):
        first = chance.randint(1, 3)
        Table.objects.filter(pk=table.pk).update(first_board=first, board_count=chance.randint(1, 4 - first))


class Sitting(NamedTuple):
    """Who sits at a table: entries, versions, and accounts of people."""

    entries: set[int]
    versions: set[int]
    people: set[str]


def sittings(events: list[Tournament]) -> dict[int, Sitting]:
    found = {}
    for table in Table.objects.filter(tournament__in=events):
        seats = list(table.seats.select_related("version__bot__owner__user"))
        names = {seat.version.bot.owner.user.username for seat in seats}
        found[table.pk] = Sitting(
            {seat.entry_id for seat in seats},
            {seat.version_id for seat in seats},
            names - {"house", "house-random"},
        )
    return found


def may_meet(table: Table, other: Table, sitting: dict[int, Sitting]) -> bool:
    """The rule in other words than the code's: whether two tables may be in play on one kernel."""
    boards = [set(range(t.first_board, t.first_board + t.board_count)) for t in (table, other)]
    if table.fixture.board_set_id != other.fixture.board_set_id or not boards[0] & boards[1]:
        return True
    return not any(mine & theirs for mine, theirs in zip(sitting[table.pk], sitting[other.pk], strict=True))


class Host:
    """Kernels whose processes claim, play, fail, hang and die."""

    def __init__(self, sitting: dict[int, Sitting]) -> None:
        self.sitting = sitting
        self.plays: list[Play] = []
        self.refused = 0

    def begin(self, kernel: str, table_id: int) -> None:
        lease = table_claim(table_id, f"{kernel}:{len(self.plays)}:1", PYTHON, kernel)
        if lease is None:
            self.refused += 1
            return
        self.plays.append(Play(kernel, lease))
        tables = Table.objects.select_related("fixture")
        known = tables.in_bulk([play.lease.table_id for play in self.plays])
        for play in self.plays[:-1]:
            begun, other = known[table_id], known[play.lease.table_id]
            assert play.kernel != kernel or may_meet(begun, other, self.sitting), (begun, other)

    def stop(self, play: Play) -> None:
        """A process notices that its lease is lost, and ends."""
        self.plays.remove(play)
        lost_lease_end(play.lease.fence)

    def finish(self, play: Play) -> None:
        table_id, fence = play.lease.table_id, play.lease.fence
        if not table_heartbeat(table_id, fence, 0, 0):
            self.stop(play)
        elif table_finish(table_id, fence, played(play.lease.order)):
            self.plays.remove(play)

    def fail(self, play: Play) -> None:
        if not table_fail(play.lease.table_id, play.lease.fence, "the sandbox did not start"):
            lost_lease_end(play.lease.fence)
        self.plays.remove(play)

    def expire(self, play: Play) -> None:
        """The lease runs out, and the process plays on."""
        past = timezone.now() - datetime.timedelta(seconds=1)
        Table.objects.filter(pk=play.lease.table_id, fence=play.lease.fence).update(lease_until=past)
        tables_sweep()

    def time_out(self) -> None:
        """Time passes until none can be in play that is not leased."""
        live = set(Table.objects.filter(state=State.LEASED).values_list("fence", flat=True))
        self.plays = [play for play in self.plays if play.lease.fence in live]
        LostLease.objects.update(until=timezone.now())
        lost_leases_sweep()

    def void(self, play: Play) -> None:
        fixture_void(Fixture.objects.get(tables=play.lease.table_id), {"code": "event_cancelled"})

    def offer(self) -> list[tuple[str, int]]:
        """The messages that would be sent: for which kernel (any: empty) and about which table."""
        sent = [(kernel, pk) for kernel, pks in board_waits_end().items() for pk in pks]
        return sent + [("", pk) for pk in tables_due()]


@pytest.mark.parametrize("kernels", [KERNELS[:1], KERNELS])
def test_whatever_happens_none_of_them_are_in_play_at_once_and_all_get_played(
    kernels: tuple[str, ...],
) -> None:
    events = [shared_event(), started_by(factories.aya(), factories.ben(), boards_per_round=3)]
    sitting = sittings(events)
    refused = 0

    @given(st.randoms(use_true_random=False))
    @settings(examples(12), suppress_health_check=list(HealthCheck))
    def property_holds(chance: random.Random) -> None:
        nonlocal refused
        with transaction.atomic():
            # In each example anew: on a busy machine all of them take longer than a worker may be silent.
            for kernel in kernels:
                worker_heartbeat(f"tables@{kernel}", "FULL1", {"python/1": "d"}, 3, kernel=kernel)
            host = Host(sitting)
            for event in events:
                in_chunks(event, chance)
            for _ in range(30):
                tables = Table.objects.filter(tournament__in=events)
                waiting = list(tables.filter(state=State.WAITING).order_by("pk").values_list("pk", flat=True))
                if waiting and chance.random() < 0.6:
                    host.begin(chance.choice(kernels), chance.choice(waiting))
                elif host.plays:
                    action = chance.choice([host.finish, host.finish, host.fail, host.expire, host.stop])
                    play = chance.choice(host.plays)
                    if action == host.stop and Table.objects.filter(fence=play.lease.fence).exists():
                        action = host.void if chance.random() < 0.3 else host.finish
                    action(play)
                if chance.random() < 0.05:
                    host.time_out()
            drain(host, events, kernels, chance)
            refused += host.refused
            transaction.set_rollback(True)

    property_holds()
    assert refused > 10, "nothing was ever in the way"


def drain(host: Host, events: list[Tournament], kernels: tuple[str, ...], chance: random.Random) -> None:
    """Play what is left as workers do: by messages alone, none of which may be lost."""
    Table.objects.update(retry_at=None, attempt=0, failures=0, published_at=None)
    Table.objects.filter(state=State.QUARANTINED).update(state=State.WAITING)
    left = Table.objects.filter(tournament__in=events, state__in=(State.WAITING, State.LEASED))
    queue: list[tuple[str, int]] = []
    rounds = 0
    while left.exists():
        rounds += 1
        assert rounds < 500, list(left.values_list("state", "waiting_for"))
        queue += host.offer()
        while queue:
            target, table = queue.pop(0)
            host.begin(target or chance.choice(kernels), table)
            queue += host.offer()
            assert len(queue) < 50, "the same is offered again and again"
        assert host.plays or LostLease.objects.exists(), "something waits, and nothing for which it waits"
        if host.plays:
            host.finish(chance.choice(host.plays))
        else:
            host.time_out()


@pytest.fixture
def event() -> Tournament:
    """A fixture of Aya and Ben: two rotations of the same boards."""
    worker_heartbeat("tables@aaaa", "FULL1", {"python/1": "d"}, 2, kernel="aaaa")
    tournament = factories.an_open_tournament()
    for owner in (factories.aya(), factories.ben()):
        factories.an_entry(tournament, owner)
    return started(tournament)


def rotations(event: Tournament) -> list[Table]:
    return list(Table.objects.filter(tournament=event).order_by("rotation", "first_board"))


def claim(table: Table, kernel: str = "aaaa") -> Lease | None:
    return table_claim(table.pk, f"{kernel}:1:1", PYTHON, kernel)


def test_the_rotations_of_a_fixture_follow_one_another_on_one_kernel(event: Tournament) -> None:
    first, second = rotations(event)
    lease = claim(first)
    assert lease is not None
    assert claim(second) is None
    second.refresh_from_db()
    assert (second.state, second.attempt, second.waiting_for) == (State.WAITING, 0, WaitingFor.BOARDS)
    assert (second.note["code"], blocking_table(second)) == ("table_in_play", first.public_id)
    assert first.public_id in second.reason
    since = second.note["since"]
    assert claim(second) is None
    second.refresh_from_db()
    assert second.note["since"] == since, "it is the same wait"
    assert tables_due() == []
    assert board_waits_end() == {}, "it is not offered again while the first is in play"
    assert table_finish(lease.table_id, lease.fence, played(lease.order))
    assert board_waits_end() == {}
    assert tables_due() == [second.pk]
    second.refresh_from_db()
    assert (second.waiting_for, second.note, blocking_table(second)) == ("", {}, None)
    assert claim(second) is not None


def test_another_machine_may_play_what_one_may_not(event: Tournament) -> None:
    worker_heartbeat("tables@bbbb", "FULL1", {"python/1": "d"}, 1, kernel="bbbb")
    first, second = rotations(event)
    assert claim(first)
    assert claim(second) is None
    assert board_waits_end() == {"bbbb": [second.pk]}
    assert board_waits_end() == {}, "it has a message"
    second.refresh_from_db()
    assert second.published_at is not None
    assert claim(second, "bbbb") is not None


def test_a_machine_without_a_free_place_is_sent_nothing(event: Tournament) -> None:
    worker_heartbeat("tables@bbbb", "FULL1", {"python/1": "d"}, 1, kernel="bbbb")
    other = started_by(factories.ben(), factories.chie())
    assert claim(rotations(other)[0], "bbbb")
    first, second = rotations(event)
    assert claim(first)
    assert claim(second) is None
    assert board_waits_end() == {}
    Table.objects.filter(tournament=other).update(state=State.VOID)
    assert board_waits_end() == {"bbbb": [second.pk]}


def started_by(*owners: User, **fields: object) -> Tournament:
    """A tournament with an entry of each of the owners in turn, its first round open."""
    tournament = factories.an_open_tournament(entries_per_player=2, **fields)
    for seed, owner in enumerate(owners, 1):
        entry = factories.an_entry(tournament, owner)
        Entry.objects.filter(pk=entry.pk).update(seed=seed)
    return started(tournament)


def test_a_kernel_that_is_not_known_bars_nothing(event: Tournament) -> None:
    first, second = rotations(event)
    assert claim(first, "")
    assert claim(second, "")


def test_the_same_entrants_at_other_boards_may_be_in_play(event: Tournament) -> None:
    first, second = rotations(event)
    Table.objects.filter(pk=second.pk).update(first_board=3)
    assert claim(first)
    assert claim(second)


def test_other_boards_are_those_of_another_event_too(event: Tournament) -> None:
    other = started_by(factories.aya(), factories.ben())
    assert claim(rotations(event)[0])
    assert claim(rotations(other)[0])


@pytest.mark.parametrize(
    ("owner", "is_admitted"), [("aya", False), ("house", True), ("house-random", True), ("houseboat", False)]
)
def test_a_person_with_two_bots_in_a_round_bars_them_and_the_house_does_not(
    owner: str, is_admitted: bool
) -> None:
    user = factories._user(owner)
    tournament = started_by(user, user, factories.ben(), factories.chie())
    versions = BotVersion.objects.filter(bot__in=Bot.objects.filter(owner__user=user))
    tables = [
        Table.objects.filter(tournament=tournament, seats__version=version).order_by("rotation")[0]
        for version in versions
    ]
    assert tables[0].fixture_id != tables[1].fixture_id
    assert claim(tables[0])
    assert (claim(tables[1]) is not None) == is_admitted


def test_a_version_of_the_house_bars_itself() -> None:
    tournament = started_by(house("house"), house("house"), factories.ben(), factories.chie())
    seats = TableSeat.objects.filter(version__bot__owner__user__username="house")
    first, second = BotVersion.objects.filter(seats__in=seats).distinct().order_by("pk")
    seats.filter(version=second).update(version=first)
    tables = {seat.entry_id: seat.table for seat in seats.filter(table__tournament=tournament)}
    begun, other = tables.values()
    assert begun.fixture_id != other.fixture_id
    assert claim(begun)
    assert claim(other) is None


def test_a_lease_that_ran_out_bars_until_its_worker_stops(event: Tournament) -> None:
    first, second = rotations(event)
    lease = claim(first)
    assert lease is not None
    Table.objects.filter(pk=first.pk).update(lease_until=timezone.now() - datetime.timedelta(seconds=1))
    tables_sweep()
    Table.objects.update(retry_at=None)
    assert claim(second) is None
    assert claim(first) is None, "nor is it played twice at once there"
    assert claim(first, "bbbb") is not None
    assert lost_lease_end(lease.fence)
    assert claim(second) is not None
    assert not lost_lease_end(lease.fence)


def test_a_fixture_that_is_ruled_on_bars_until_its_worker_stops(event: Tournament) -> None:
    lease = claim(rotations(event)[0])
    assert lease is not None
    fixture_void(Fixture.objects.get(tables=lease.table_id), {"code": "event_cancelled"})
    lost = LostLease.objects.get()
    assert (lost.fence, lost.kernel) == (lease.fence, "aaaa")
    limit_s = Table.objects.get(pk=lease.table_id).wall_limit_s
    assert lost.until <= timezone.now() + datetime.timedelta(seconds=limit_s + machine_delay_limit_s(limit_s))
    LostLease.objects.update(until=timezone.now())
    tables_sweep()
    assert not LostLease.objects.exists()


def test_a_worker_that_returns_its_table_bars_nothing(event: Tournament) -> None:
    first, second = rotations(event)
    lease = claim(first)
    assert lease is not None
    assert table_fail(lease.table_id, lease.fence, "the sandbox did not start")
    assert not LostLease.objects.exists()
    assert claim(second) is not None


@pytest.mark.django_db(transaction=True)
def test_two_workers_of_a_kernel_do_not_begin_both_at_the_same_moment(event: Tournament) -> None:
    first, second = rotations(event)
    lease, other = overlapping(lambda: claim(first), lambda: claim(second))
    assert lease is not None
    assert other is None
    second.refresh_from_db()
    assert (second.state, second.waiting_for) == (State.WAITING, WaitingFor.BOARDS)


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="about PostgreSQL: SQLite lets one transaction at a time write"
)
@pytest.mark.django_db(transaction=True)
def test_claims_of_another_kernel_or_event_do_not_wait(event: Tournament) -> None:
    other = started_by(factories.aya(), factories.ben())
    first, second = rotations(event)
    with transaction.atomic():
        assert claim(first)
        seen: list[object] = []

        def beside() -> None:
            seen.append(claim(rotations(other)[0]) is not None)
            seen.append(claim(second, "bbbb") is not None)

        with in_thread(beside):
            pass
        assert seen == [True, True]
