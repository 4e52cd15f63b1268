"""A table of well-behaved bots: the record, the report, what bots are told, progress."""

from __future__ import annotations

import dataclasses
import json

import pytest

from engine.record import replay
from referee.contract import BoardOrder, Clock, FaultCause, TableOrder, TableReport, Verdict
from referee.driver import DriverFault, ExitReason
from referee.errors import BotKilled, OrderInvalid, PlatformFault, PlayStopped
from referee.inprocess import InProcessDriver
from referee.table import play_table
from tests.referee.orders import BUNDLES, Store, acts, make_order, play, silent_progress
from tests.referee.speakers import Honest, Remarks, Seeded, SkipsForced, Slowed, WithEvents
from tests.refusals import refusal


def four(kind=Honest):
    return {seat: kind() for seat in range(1, 5)}


class Killed(InProcessDriver):
    """Killed from outside while it thinks of its third answer."""

    collected = 0

    def collect(self, **limits):
        self.collected += 1
        if self.collected == 3:
            self._end = (ExitReason.KILLED, "killed")
        return super().collect(**limits)


def play_killed(order, seat):
    """Play with a bot in this seat that is killed."""
    drivers = {number: InProcessDriver(Honest()) for number in range(1, 5)} | {seat: Killed(Honest())}
    return play_table(order, drivers, silent_progress, Store().keep)


class TestTheRecord:
    def test_it_agrees_with_the_rules_and_names_order_and_bots(self):
        report, store = play(four(Seeded), boards=3)
        replayed = replay(store.blobs[report.record_sha256])
        assert [board.board.number for board in replayed.boards] == [1, 2, 3]
        assert [board.board.seed for board in replayed.boards] == ["seed-1", "seed-2", "seed-3"]
        assert replayed.bots == {seat: BUNDLES[seat] for seat in range(1, 5)}
        assert replayed.forfeited == ()
        stones = {(r.board, r.seat): r.stones for r in report.results}
        assert stones == {
            (board.board.number, seat): won
            for board in replayed.boards
            for seat, won in board.outcome.stones.items()
        }

    def test_the_same_order_gives_the_same_bytes_even_when_bots_are_slowed_down(self):
        first, store = play(four(Seeded))
        again, _ = play(four(Seeded), store)
        slowed, _ = play({1: Slowed(), 2: Seeded(), 3: Slowed(), 4: Slowed()}, store)
        assert first.record_sha256 == again.record_sha256 == slowed.record_sha256
        assert first.results == slowed.results

    def test_another_key_gives_the_bots_other_randomness(self):
        first, _ = play(four(Seeded))
        other, _ = play(four(Seeded), key="5b" * 32)
        assert first.record_sha256 != other.record_sha256

    def test_results_of_every_board_sum_to_zero(self):
        report, _ = play(four(Seeded), boards=8)
        for board in range(1, 9):
            assert sum(r.stones for r in report.results if r.board == board) == 0

    def test_a_game_board_is_played_to_its_end(self):
        report, store = play(four(Seeded), boards=1, kind="game", options={"hand_cap": 3})
        assert replay(store.blobs[report.record_sha256]).boards[0].board.kind == "game"
        assert {act["phase"] for act in acts(store, report)} == {"trump", "lead", "play"}

    def test_a_chunk_may_start_at_any_board(self):
        boards = (BoardOrder(9, "deal", "x"), BoardOrder(10, "deal", "y"))
        report, _ = play(four(), boards=1)
        chunk = make_order()
        chunk = dataclasses.replace(chunk, boards=boards)
        store = Store()
        drivers = {seat: InProcessDriver(Honest()) for seat in range(1, 5)}
        report = play_table(chunk, drivers, silent_progress, store.keep)
        assert [r.board for r in report.results[::4]] == [9, 10]


class TestTheReport:
    def test_it_and_the_order_survive_json(self):
        order = make_order()
        assert TableOrder.from_json(json.loads(json.dumps(order.to_json()))) == order
        report, _ = play({**four(), 3: lambda line: b"?"})
        assert TableReport.from_json(json.loads(json.dumps(report.to_json()))) == report

    def test_honest_bots_have_no_faults(self):
        report, _ = play(four())
        assert [seat.verdict for seat in report.seats] == [Verdict.OK] * 4
        assert not any(seat.forfeited or seat.faults for seat in report.seats)
        assert {result.verdict for result in report.results} == {Verdict.OK}
        assert report.platform_fault is None
        assert report.sandbox_level == "NONE"
        assert sum(seat.decisions for seat in report.seats) == 2 * (52 + 2)

    def test_times_lie_beside_the_record(self):
        report, store = play(four(Remarks))
        head, *timings = store.lines(report.timings_sha256)
        assert head == {"format": "rensho-timings/1", "table": "t1", "attempt": 1}
        assert len(timings) == 2 * 54
        assert set(timings[0]) == {"board", "seat", "n", "cpu_us", "wall_us", "policy"}
        assert timings[-1]["n"] == report.seats[3].decisions
        assert abs(sum(timings[0]["policy"].values()) - 1) < 1e-9

    def test_debug_goes_to_the_log_cleaned_and_capped(self):
        report, store = play({**four(), 2: Remarks()}, boards=4)
        assert [seat.log_sha256 is None for seat in report.seats] == [True, False, True, True]
        log = store.blobs[report.seats[1].log_sha256]
        assert b"board 1, decision 1: thinking xxx" in log
        assert b"\x1b" not in log
        assert len(log) < (64 << 10) + 100
        assert not log.endswith(b"[debug cut]\n")
        long, store = play({**four(), 2: Remarks()}, boards=6)
        assert store.blobs[long.seats[1].log_sha256].endswith(b"[debug cut]\n")


class TestWhatBotsAreTold:
    def test_a_request_tells_all_and_nothing_of_the_board(self):
        speakers = four()
        play(speakers, boards=1)
        hello, *requests, bye = speakers[2].heard
        assert (hello["seat"], hello["partner"], hello["seats"]) == (2, 4, 4)
        assert hello["clock"] == {
            "start_ms": 3000,
            "bank_ms": 500,
            "increment_ms": 20,
            "decision_cap_ms": 2000,
        }
        assert bye == {"type": "bye"}
        for request in requests:
            assert set(request) == {"type", "id", "phase", "legal", "observation", "clock"}
            assert request["legal"] == request["observation"]["legal"]
            assert set(request["clock"]) == {"bank_ms", "increment_ms"}
        everything = json.dumps([speaker.heard for speaker in speakers.values()])
        assert "seed-1" not in everything
        assert not any(bundle in everything for bundle in BUNDLES.values())

    def test_both_answers_to_a_lead_question_are_asked_before_any_is_read(self):
        order_of_events = []

        class Watched(InProcessDriver):
            def __init__(self, seat):
                super().__init__(Honest())
                self.seat = seat

            def post(self, line):
                if b'"phase":"lead"' in line:
                    order_of_events.append(("asked", self.seat))
                super().post(line)

            def collect(self, **limits):
                reply = super().collect(**limits)
                order_of_events.append(("read", self.seat))
                return reply

        play_table(
            make_order(boards=1), {seat: Watched(seat) for seat in range(1, 5)}, silent_progress, Store().keep
        )
        asked = [event for event in order_of_events if event[0] == "asked"]
        at = order_of_events.index(asked[0])
        assert order_of_events[at : at + 2] == asked
        assert [event for event, _ in order_of_events[at + 2 : at + 4]] == ["read", "read"]

    def test_events_come_before_the_request_to_those_who_asked_for_them(self):
        speakers = {**four(), 3: WithEvents()}
        play(speakers, boards=2)
        assert not any(message["type"] == "event" for message in speakers[1].heard)
        events = [message for message in speakers[3].heard if message["type"] == "event"]
        kinds = [event["e"] for event in events]
        assert kinds.count("deal") == 2
        # What follows the last request is told to nobody.
        assert kinds.count("deal_end") == 1
        deal = events[0]
        assert len(deal["hand"]) == 13
        assert "deck" not in deal

    def test_who_skips_forced_decisions_is_not_asked_them_and_plays_the_same(self):
        asked, skipping = four(), {**four(), 2: SkipsForced()}
        report, store = play(asked)
        skipped, _ = play(skipping, store)
        assert skipped.record_sha256 == report.record_sha256
        requests = [m for m in skipping[2].heard if m["type"] == "request"]
        assert all(len(request["legal"]) > 1 for request in requests)
        assert skipped.seats[1].decisions == len(requests) < report.seats[1].decisions


class TestProgress:
    def test_it_is_told_at_the_start_and_after_each_board(self):
        reports = []
        order = make_order(boards=2)
        drivers = {seat: InProcessDriver(Honest()) for seat in range(1, 5)}
        play_table(order, drivers, lambda *progress: reports.append(progress), Store().keep)
        assert reports[0] == (0, 0, 0.0)
        assert reports[-1] == (2, 108, 0.0)
        assert (1, 54, 0.0) in reports

    def test_it_may_stop_the_table_and_all_bots_are_closed(self):
        def stop(boards_done, decisions, machine_delay_s):
            if boards_done == 1:
                raise PlayStopped("lease lost")

        drivers = {seat: InProcessDriver(Honest()) for seat in range(1, 5)}
        with pytest.raises(PlayStopped, match="lease lost"):
            play_table(make_order(boards=2), drivers, stop, Store().keep)
        assert not any(driver.is_alive for driver in drivers.values())


class TestOurOwnFaults:
    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"game": "whist"}, "'whist'"),
            ({"preset": "kakeya9"}, "kakeya9"),
            ({"ruleset": {"colour": 1}}, "colour"),
            ({"boards": ()}, "boards"),
            ({"boards": (BoardOrder(2, "deal", "s"), BoardOrder(1, "deal", "s"))}, "ascending"),
            ({"key": "xyz"}, "not hex"),
            ({"key": "aa"}, "32 bytes"),
            ({"seats": make_order().seats[:3]}, "seats"),
        ],
    )
    def test_an_order_that_cannot_be_played_is_refused(self, change, complaint):
        order = dataclasses.replace(make_order(), **change)
        drivers = {seat: InProcessDriver(Honest()) for seat in range(1, 5)}
        with pytest.raises(OrderInvalid, match=complaint):
            play_table(order, drivers, silent_progress, Store().keep)

    def test_a_driver_that_breaks_down_charges_nobody(self):
        class Broken(InProcessDriver):
            def collect(self, **limits):
                raise DriverFault(ExitReason.INFRA, "no more processes")

        drivers = {**{seat: InProcessDriver(Honest()) for seat in (1, 2, 3)}, 4: Broken(Honest())}
        with pytest.raises(PlatformFault, match="processes"):
            play_table(make_order(), drivers, silent_progress, Store().keep)
        assert not any(driver.is_alive for driver in drivers.values())

    def test_a_first_kill_from_outside_charges_nobody_and_names_the_bot(self):
        caught = refusal(BotKilled, play_killed, make_order(), seat=4)
        assert caught.platform_cause is FaultCause.KILLED
        assert caught.bundle_sha256 == BUNDLES[4]

    def test_a_second_kill_of_the_same_bot_is_charged(self):
        report = play_killed(make_order(killed_bundles=(BUNDLES[4],)), seat=4)
        assert [seat.verdict for seat in report.seats] == [Verdict.OK] * 3 + [Verdict.CRASHED]
        assert [seat.forfeited for seat in report.seats] == [False] * 3 + [True]

    def test_the_first_kill_of_another_bot_is_not(self):
        caught = refusal(BotKilled, play_killed, make_order(killed_bundles=(BUNDLES[1],)), seat=4)
        assert caught.bundle_sha256 == BUNDLES[4]

    def test_a_start_that_hangs_without_using_cpu_does_not_get_the_table_played_again(self):
        def hangs(line):
            return None

        report, _ = play({**four(), 1: hangs})
        assert report.seats[0].verdict is Verdict.OUT_OF_TIME
        assert report.seats[0].forfeited

    def test_a_table_beyond_its_wall_limit_is_ours(self):
        assert "0 s" in str(refusal(PlatformFault, play, four(), wall_limit_s=0.0))

    def test_the_clock_of_the_order_counts(self):
        speakers = four()
        play(speakers, clock=Clock(increment_cpu_ms=7, bank_cpu_ms_per_deal_board=100))
        assert speakers[1].heard[1]["clock"] == {"bank_ms": 200, "increment_ms": 7}
