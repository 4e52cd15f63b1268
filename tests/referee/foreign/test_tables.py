"""The example bots at whole tables: no fault, the same record again, and accepted by the check."""

from __future__ import annotations

import dataclasses

import pytest

from engine.record import replay
from referee.check import check_bundle
from referee.contract import FaultPolicy, SeatOrder, Verdict
from referee.execute import execute
from tests.referee.foreign import is_here
from tests.referee.orders import Store, acts, make_order, silent_progress
from tests.referee.seeded import seeded_bot

pytestmark = pytest.mark.full


def carried_out(bots, **changes):
    order = make_order(fault_policy=FaultPolicy.STRICT, **changes)
    seats = tuple(
        SeatOrder(seat.seat, bot.sha256, bot.manifest.runtime, bot.manifest.entry_point)
        for seat, bot in zip(order.seats, bots, strict=True)
    )
    store = Store()
    by_hash = {bot.sha256: bot.data for bot in bots}
    order = dataclasses.replace(order, seats=seats)
    return execute(order, by_hash.__getitem__, store.keep, silent_progress), store


def assert_flawless(report, level=None):
    assert report.platform_fault is None
    assert [seat.faults for seat in report.seats] == [()] * len(report.seats)
    assert {seat.verdict for seat in report.seats} == {Verdict.OK}
    assert sum(seat.decisions for seat in report.seats) > 40
    if level is not None:
        assert report.sandbox_level == level


def test_a_table_of_javascript_bots_is_played_and_repeats_to_the_byte(javascript_bot):
    if is_here("node/1"):
        first, store = carried_out([javascript_bot] * 4)
        assert_flawless(first, "FULL")
        again, _ = carried_out([javascript_bot] * 4)
        assert first.record_sha256 == again.record_sha256
        replay(store.blobs[first.record_sha256])


def test_a_table_of_c_bots_is_played_and_repeats_to_the_byte(c_bot):
    first, store = carried_out([c_bot] * 4)
    assert_flawless(first)
    again, _ = carried_out([c_bot] * 4)
    assert first.record_sha256 == again.record_sha256
    replay(store.blobs[first.record_sha256])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("preset", ["kakeya4.league", "etori.meiji", "kakeya6", "etori.simple6"])
def test_both_play_the_same_way_by_any_rules(javascript_bot, c_bot, preset):
    """They are one player written twice, so a slip in either shows."""
    if is_here("node/1"):
        seats = 6 if preset in ("kakeya6", "etori.simple6") else 4
        deals = {"options": {"hand_cap": 3}} if preset == "kakeya4.league" else {"boards": 1}
        kind = {"kind": "game", "boards": 1} if preset == "kakeya4.league" else {}
        played = [
            carried_out([bot] * seats, preset=preset, **deals, **kind) for bot in (javascript_bot, c_bot)
        ]
        for report, _ in played:
            assert_flawless(report)
        assert acts(played[0][1], played[0][0]) == acts(played[1][1], played[1][0])


def test_three_runtimes_meet_at_one_table(javascript_bot, c_bot):
    if is_here("node/1"):
        python_bot = seeded_bot()
        report, _ = carried_out([javascript_bot, python_bot, c_bot, python_bot])
        assert_flawless(report, "FULL")


@pytest.mark.parametrize("preset", ["kakeya4", "kakeya6", "etori.simple", "etori.simple6"])
@pytest.mark.parametrize("which", ["javascript_bot", "c_bot"])
def test_the_check_accepts_them(request, which, preset):
    bot = request.getfixturevalue(which)
    if is_here(bot.manifest.runtime):
        report = check_bundle(bot, "kakeya", preset)
        assert report.accepted, report.reasons or report.platform_fault
        assert len(report.runtime_digest) == 64
