"""Carrying out an order in the real sandbox: staging, determinism, and whose fault it is if it fails."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.record import replay
from referee.bundle import import_archive
from referee.contract import Clock, FaultCause, SeatOrder, Verdict
from referee.cores import pin_to_core, reserved_core
from referee.errors import PlatformFault, PlayStopped
from referee.execute import execute, plain_driver, sandboxed_driver
from referee.inprocess import InProcessDriver
from referee.staging import KEEP_S, staged_bundle, used_mark
from tests.referee.archives import FILES, zipped
from tests.referee.orders import Store, make_order, silent_progress
from tests.referee.seeded import SEEDED, seeded_bot
from tests.referee.speakers import Seeded
from tests.referee.stages import folder_in_memory
from tests.refusals import refusal

HALF = b"""
import json, sys, time
for line in sys.stdin:
    began = time.process_time()
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}')
    elif message["type"] == "request":
        allowed_ms = message["clock"]["bank_ms"] + message["clock"]["increment_ms"]
        while time.process_time() < began + allowed_ms / 2000:
            pass
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}))
"""


@contextlib.contextmanager
def busy_machine():
    """Two spinning processes a core for as long as the block lasts."""
    hogs = []
    try:
        for _ in range(2 * (os.cpu_count() or 1)):
            hogs.append(subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]))
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait(timeout=60)


def order_for(*bundles, **changes):
    order = make_order(**changes)
    seats = tuple(
        SeatOrder(seat.seat, bundle.sha256, bundle.manifest.runtime, bundle.manifest.entry_point)
        for seat, bundle in zip(order.seats, bundles, strict=True)
    )
    return dataclasses.replace(order, seats=seats)


def carry_out(order, *bundles, on_progress=silent_progress, factory=sandboxed_driver):
    store = Store()
    by_hash = {bundle.sha256: bundle.data for bundle in bundles}
    return execute(order, by_hash.__getitem__, store.keep, on_progress, factory), store


@pytest.mark.full
class TestInTheSandbox:
    def test_the_same_order_gives_the_same_record_and_the_log_is_kept(self):
        bot = import_archive(SEEDED.replace(b"time.sleep(PAUSE)", b"print(rng, file=sys.stderr)"), "bot.py")
        order = order_for(*[bot] * 4)
        first, store = carry_out(order, bot)
        again, _ = carry_out(order, bot)
        assert first.platform_fault is None
        assert first.record_sha256 == again.record_sha256
        assert first.sandbox_level in {"COMPAT", "FULL1", "FULL"}
        assert [seat.verdict for seat in first.seats] == [Verdict.OK] * 4
        assert all(seat.cpu_ms > 0 and seat.wall_ms > 0 for seat in first.seats)
        replay(store.blobs[first.record_sha256])
        for seat in first.seats:
            log = store.blobs[seat.log_sha256].decode().splitlines()
            assert len(log) == seat.decisions
            assert len(set(log)) == 1

    def test_the_same_order_gives_the_same_bytes_on_a_machine_that_is_busy(self):
        bot = seeded_bot()
        order = order_for(*[bot] * 4)
        calm, _ = carry_out(order, bot)
        with busy_machine():
            busy, _ = carry_out(order, bot)
        assert calm.record_sha256 == busy.record_sha256
        assert [seat.verdict for seat in busy.seats] == [Verdict.OK] * 4

    def test_a_bot_that_uses_half_its_cpu_is_in_time_on_a_machine_that_is_busy(self):
        bot = import_archive(HALF, "bot.py")
        order = order_for(*[bot] * 4, boards=1, clock=Clock(bank_cpu_ms_per_deal_board=80))
        with busy_machine():
            report, _ = carry_out(order, bot)
        assert report.platform_fault is None
        assert [seat.verdict for seat in report.seats] == [Verdict.OK] * 4
        # It did use its time: half of 100 ms at once, half of what was left, and so on.
        assert all(seat.cpu_ms >= 250 for seat in report.seats)

    def test_slowing_the_bots_down_changes_no_byte_but_their_own_name(self):
        quick, slow = seeded_bot(), seeded_bot("0.002")
        lines = []
        for bot in (quick, slow):
            report, store = carry_out(order_for(*[bot] * 4, boards=1), bot)
            lines.append(store.blobs[report.record_sha256].replace(bot.sha256.encode(), b"bot"))
            assert [seat.verdict for seat in report.seats] == [Verdict.OK] * 4
        assert lines[0] == lines[1]

    def test_the_walls_change_nothing_of_how_a_bot_plays(self):
        bot = seeded_bot()
        order = order_for(*[bot] * 4)
        walled, _ = carry_out(order, bot)
        plain, _ = carry_out(order, bot, factory=plain_driver)
        inprocess, _ = carry_out(order, bot, factory=lambda *_: InProcessDriver(Seeded()))
        assert walled.record_sha256 == plain.record_sha256 == inprocess.record_sha256
        assert (plain.sandbox_level, inprocess.sandbox_level) == ("NONE", "NONE")

    def test_a_bot_that_is_killed_from_outside_is_charged_only_the_second_time(self):
        bots = [seeded_bot(), seeded_bot("0")]
        order = order_for(*bots, *bots, boards=2)
        drivers = {}

        def factory(order, seat, folder, cpu_limit_s):
            drivers[seat.seat] = sandboxed_driver(order, seat, folder, cpu_limit_s)
            return drivers[seat.seat]

        def kill(boards_done, decisions, machine_delay_s):
            if boards_done == 1 and drivers[2].is_alive:
                os.kill(drivers[2]._child.pid, signal.SIGKILL)

        first, _ = carry_out(order, *bots, on_progress=kill, factory=factory)
        assert first.platform_cause is FaultCause.KILLED
        assert first.killed_bundle == bots[1].sha256
        assert (first.seats, first.results) == ((), ())
        again = dataclasses.replace(order, killed_bundles=(first.killed_bundle,))
        second, _ = carry_out(again, *bots, on_progress=kill, factory=factory)
        assert second.platform_fault is None
        assert [seat.verdict for seat in second.seats] == [
            *(Verdict.OK, Verdict.CRASHED),
            *(Verdict.OK, Verdict.OK),
        ]
        assert [seat.forfeited for seat in second.seats] == [False, True, False, False]
        undisturbed, _ = carry_out(again, *bots)
        assert [seat.verdict for seat in undisturbed.seats] == [Verdict.OK] * 4

    def test_stopping_it_passes_through_and_leaves_no_process(self):
        def stop(boards_done, decisions, machine_delay_s):
            if boards_done:
                raise PlayStopped("lease lost")

        bot = seeded_bot()
        refusal(PlayStopped, carry_out, order_for(*[bot] * 4), bot, on_progress=stop)


@pytest.fixture
def _own_stage(monkeypatch):
    with folder_in_memory("test") as stage:
        monkeypatch.setenv("RENSHO_STAGE", str(stage))
        yield


@pytest.mark.usefixtures("_own_stage")
class TestWhatGoesWrongOnOurSide:
    def faulty(self, order, *bundles, **options):
        report, _ = carry_out(order, *bundles, **options)
        assert report.results == report.seats == ()
        assert report.record_sha256 is None
        assert (report.table, report.attempt) == (order.table, order.attempt)
        return report.platform_fault

    def test_a_bundle_that_cannot_be_fetched(self):
        bot = seeded_bot("0.123")
        assert "KeyError" in self.faulty(order_for(*[bot] * 4))

    def test_other_bytes_than_those_ordered(self):
        bot, other = seeded_bot("0.124"), seeded_bot("0.125")
        order = order_for(*[bot] * 4)
        report = execute(order, lambda _: other.data, Store().keep, silent_progress)
        assert bot.sha256 in report.platform_fault

    def test_an_unknown_runtime(self):
        bot = seeded_bot()
        order = order_for(*[bot] * 4)
        seats = tuple(dataclasses.replace(seat, runtime="cobol/7") for seat in order.seats)
        assert "'cobol/7'" in self.faulty(dataclasses.replace(order, seats=seats), bot)

    def test_an_order_that_makes_no_sense(self):
        bot = seeded_bot()
        order = order_for(*[bot] * 4, game="whist")
        assert self.faulty(order, bot).startswith("OrderInvalid: table t1:")

    def test_a_store_that_is_full(self):
        def full(data):
            raise OSError("no space left")

        bot = seeded_bot()
        report = execute(
            order_for(*[bot] * 4),
            lambda _: bot.data,
            full,
            silent_progress,
            lambda *_: InProcessDriver(Seeded()),
        )
        assert report.platform_fault.startswith("OSError: ")


@pytest.mark.usefixtures("_own_stage")
class TestStaging:
    def test_a_bundle_is_fetched_once_and_readable_by_all(self):
        bundle = import_archive(zipped(FILES), "bot.zip")
        fetched = []

        def fetch(sha256):
            fetched.append(sha256)
            return bundle.data

        folder = staged_bundle(bundle.sha256, fetch)
        assert staged_bundle(bundle.sha256, fetch) == folder
        assert fetched == [bundle.sha256]
        assert (folder / "main.py").read_bytes() == FILES["main.py"]
        assert stat.S_IMODE(folder.stat().st_mode) == 0o755
        assert [path.name for path in folder.parent.iterdir()] == [bundle.sha256]

    def test_several_workers_may_want_it_at_once(self):
        bundle = import_archive(zipped(FILES), "bot.zip")

        def fetch(sha256):
            time.sleep(0.05)
            return bundle.data

        with ThreadPoolExecutor(4) as pool:
            folders = list(pool.map(lambda _: staged_bundle(bundle.sha256, fetch), range(4)))
        assert len(set(folders)) == 1
        assert [path.name for path in folders[0].parent.iterdir()] == [bundle.sha256]

    def test_what_nobody_asked_for_lately_is_removed(self):
        old = import_archive(zipped(FILES), "bot.zip")
        recent, new = seeded_bot("1"), seeded_bot("2")
        folders = [staged_bundle(bundle.sha256, lambda _, b=bundle: b.data) for bundle in (old, recent)]
        long_ago = time.time() - KEEP_S - 60
        os.utime(used_mark(folders[0]), (long_ago, long_ago))
        staged_bundle(new.sha256, lambda _: new.data)
        assert [folder.is_dir() for folder in folders] == [False, True]

    @pytest.mark.parametrize("name", ["../../etc", "x" * 64, ""])
    def test_only_a_hash_names_a_bundle(self, name):
        assert repr(name)[:10] in str(refusal(PlatformFault, staged_bundle, name, lambda _: b""))


class TestCores:
    def test_a_table_stays_where_it_is_until_it_moves_to_its_core_and_then_gets_its_cores_back(self):
        before = os.sched_getaffinity(0)
        with reserved_core() as core:
            assert os.sched_getaffinity(0) == before
            if core is not None:
                pin_to_core(core)
                assert os.sched_getaffinity(0) == {core}
        assert os.sched_getaffinity(0) == before

    def test_a_core_is_taken_once(self):
        if len(os.sched_getaffinity(0)) == 1:
            return  # Then there is nothing to choose.
        with reserved_core() as first, reserved_core() as second:
            assert first is None or first != second

    def test_whoever_has_one_core_has_that_one(self):
        before = os.sched_getaffinity(0)
        only = max(before)
        os.sched_setaffinity(0, {only})
        try:
            with reserved_core() as first, reserved_core() as second:
                assert (first, second) == (only, only)
        finally:
            os.sched_setaffinity(0, before)
