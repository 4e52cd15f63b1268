"""A bot that is killed from outside: its table is played again once, then the bot is charged."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from django.conf import settings

from arena.common.causes import Cause
from arena.competition.models import Tournament
from arena.competition.services import entry_create
from arena.jobs.play import lease_play
from arena.jobs.uploads import version_submit
from arena.matches.failures import RESET_COLUMNS
from arena.matches.models import Table, TableSeat
from benchmarks.demo.client import folder_zip
from referee.contract import SeatOrder, TableOrder, TableReport
from referee.driver import Driver
from referee.execute import execute, sandboxed_driver
from referee.sandbox import SandboxedDriver
from tests import factories
from tests.arena.jobs.player import Blobs, Keep, Progress, engine_player
from tests.arena.play import claimed, started, waiting
from tests.scores import all_results

State = Table.State
SEAT = 2


def killed_report(order: TableOrder, seat: int = SEAT) -> TableReport:
    """What the referee reports of a bot's first kill."""
    bundle = order.seats[seat - 1].bundle_sha256
    return TableReport(
        table=order.table,
        attempt=order.attempt,
        record_sha256=None,
        timings_sha256=None,
        results=(),
        seats=(),
        platform_fault=f"BotKilled: seat {seat}: the process was killed from outside the sandbox",
        sandbox_level="FULL",
        engine_version="x",
        platform_cause=Cause.KILLED,
        killed_bundle=bundle,
    )


def play_killed(order: TableOrder, blob_get: Blobs, keep: Keep, progress: Progress) -> TableReport:
    return killed_report(order)


def test_a_first_kill_sends_the_table_back_and_is_counted_on_it(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    assert not lease_play(lease, play_killed)
    table = Table.objects.get(pk=lease.table_id)
    assert (table.state, table.cause, table.attempt) == (State.WAITING, Cause.KILLED, 1)
    assert table.killed_bundles == [lease.order.seats[SEAT - 1].bundle_sha256]
    assert not all_results()
    assert set(TableSeat.objects.values_list("forfeited", flat=True)) == {False}

    Table.objects.filter(pk=table.pk).update(retry_at=None)
    again = claimed(table)
    assert list(again.order.killed_bundles) == table.killed_bundles
    assert lease_play(again, engine_player)


def test_each_bot_of_a_table_is_counted_by_itself(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    assert not lease_play(lease, play_killed)
    Table.objects.filter(pk=lease.table_id).update(retry_at=None)
    table = Table.objects.get(pk=lease.table_id)
    assert not lease_play(claimed(table), lambda order, *_: killed_report(order, SEAT + 1))
    table.refresh_from_db()
    assert table.killed_bundles == [lease.order.seats[seat - 1].bundle_sha256 for seat in (SEAT, SEAT + 1)]


def test_a_stale_worker_counts_no_kill(running: Tournament) -> None:
    table = waiting(running)[0]
    stale = claimed(table)
    Table.objects.filter(pk=table.pk).update(state=State.WAITING, fence="")
    assert not lease_play(stale, play_killed)
    table.refresh_from_db()
    assert table.killed_bundles == []


def test_a_table_that_is_played_as_new_counts_no_kill(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    assert not lease_play(lease, play_killed)
    Table.objects.filter(pk=lease.table_id).update(**RESET_COLUMNS)
    assert Table.objects.get(pk=lease.table_id).killed_bundles == []


class Killing:
    """Plays in the real sandbox and kills the bot of a seat after the first board."""

    def __init__(self) -> None:
        self.drivers: dict[int, SandboxedDriver] = {}

    def __call__(self, order: TableOrder, blob_get: Blobs, keep: Keep, progress: Progress) -> TableReport:
        def make_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
            driver = sandboxed_driver(order, seat, folder, cpu_limit_s)
            assert isinstance(driver, SandboxedDriver)
            self.drivers[seat.seat] = driver
            return driver

        def on_progress(boards_done: int, decisions: int, machine_delay_s: float) -> None:
            driver = self.drivers.get(SEAT)
            if boards_done == 1 and driver is not None and driver._child is not None:
                (pid,) = driver._child.pids()
                os.kill(pid, signal.SIGKILL)
            progress(boards_done, decisions, machine_delay_s)

        return execute(order, blob_get, keep, on_progress, make_driver)


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_in_the_sandbox_the_first_kill_is_replayed_and_the_second_charged() -> None:
    event = factories.an_open_tournament(boards_per_round=2)
    for number, name in enumerate(("kakeya_greedy", "kakeya_rules"), 1):
        bot = factories.a_bot(factories.players(number)[-1], game="kakeya")
        archive = folder_zip(Path(settings.REPOSITORY) / "bots" / "house" / name)
        submission = version_submit(bot, archive, f"{name}.zip", "", bot.owner.user)
        version = factories.passed(submission.version)
        entry_create(event, version, bot.owner.user)
    started(event)
    lease = claimed(waiting(event)[0])
    assert not lease_play(lease, Killing())
    table = Table.objects.get(pk=lease.table_id)
    assert (table.state, table.cause) == (State.WAITING, Cause.KILLED)
    assert not all_results()

    Table.objects.filter(pk=table.pk).update(retry_at=None)
    assert lease_play(claimed(table), Killing())
    table.refresh_from_db()
    assert table.state == State.FINISHED
    seats = dict(table.seats.values_list("seat", "verdict"))
    assert seats[SEAT] == "CRASHED"
    assert {seats[seat] for seat in seats if seat != SEAT} == {"OK"}
    assert table.seats.get(seat=SEAT).forfeited
