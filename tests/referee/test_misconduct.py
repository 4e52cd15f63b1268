"""Bots that misbehave, in process: verdict, fallback, forfeit, and nothing changes for anybody else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.record import replay
from referee.contract import Clock, FaultPolicy, Verdict
from referee.driver import DriverFault, ExitReason
from referee.inprocess import InProcessDriver
from referee.table import play_table
from tests.chance import examples
from tests.referee import speakers
from tests.referee.orders import Store, acts, make_order, play, silent_progress
from tests.referee.speakers import Honest, NotReady, Sometimes

HOSTILE = 2

ONCE = [
    (speakers.silent, Verdict.OUT_OF_TIME, "wall-clock"),
    (speakers.too_slow, Verdict.OUT_OF_TIME, "CPU limit"),
    (speakers.wrong_id, Verdict.PROTOCOL, "the id"),
    (speakers.no_id, Verdict.PROTOCOL, "no 'id'"),
    (speakers.illegal_card, Verdict.ILLEGAL_ACTION, "illegal action"),
    (speakers.no_card, Verdict.ILLEGAL_ACTION, "'the best one'"),
    (speakers.garbage, Verdict.PROTOCOL, "not JSON"),
    (speakers.chatty, Verdict.PROTOCOL, "standard error"),
]
"""Faults a bot survives."""

AT_ONCE = [
    (speakers.endless_line, Verdict.OVER_OUTPUT, "too long"),
    (speakers.invalid_utf8, Verdict.PROTOCOL, "not UTF-8"),
    (speakers.crash, Verdict.CRASHED, "log"),
    (speakers.leave, Verdict.CRASHED, "ended"),
]
"""Faults that end it."""

TIGHT = Clock(increment_cpu_ms=20, bank_cpu_ms_per_deal_board=0)


def table_with(speaker, **order):
    seated = {seat: Honest() for seat in range(1, 5)} | {HOSTILE: speaker}
    return play(seated, **{"boards": 2, "clock": TIGHT, "attempt": 2, **order})


def honest_record(store, **order):
    report, store = table_with(Honest(), **order)
    return acts(store, report)


def name_of(value):
    return getattr(value, "__name__", None)


@pytest.mark.parametrize(("misbehave", "verdict", "reason"), ONCE + AT_ONCE, ids=name_of)
def test_a_fault_is_replaced_by_the_fallback_and_changes_nothing_for_the_others(misbehave, verdict, reason):
    report, store = table_with(Sometimes(misbehave, at={3}))
    seat = report.seats[HOSTILE - 1]
    assert seat.verdict is verdict
    assert [fault.verdict for fault in seat.faults] == [verdict]
    assert reason in seat.faults[0].reason
    assert acts(store, report, without=("by", "verdict")) == honest_record(store)
    assert replay(store.blobs[report.record_sha256]).verdicts[HOSTILE] == verdict
    assert [other.verdict for other in report.seats if other.seat != HOSTILE] == [Verdict.OK] * 3


@pytest.mark.parametrize(("misbehave", "verdict", "reason"), ONCE, ids=name_of)
def test_one_fault_does_not_forfeit_and_marks_one_act(misbehave, verdict, reason):
    report, store = table_with(Sometimes(misbehave, at={3}))
    assert not report.seats[HOSTILE - 1].forfeited
    marked = [act for act in acts(store, report) if "by" in act]
    assert [(act["seat"], act["by"], act["verdict"]) for act in marked] == [(HOSTILE, "referee", verdict)]


@pytest.mark.parametrize(("misbehave", "verdict", "reason"), AT_ONCE, ids=name_of)
def test_a_bot_that_is_gone_forfeits_and_the_table_is_played_to_the_end(misbehave, verdict, reason):
    speaker = Sometimes(misbehave, at={3})
    report, store = table_with(speaker)
    seat = report.seats[HOSTILE - 1]
    assert seat.forfeited
    assert seat.decisions == speaker.requests == 3
    marked = [act for act in acts(store, report) if "by" in act]
    assert len(marked) == sum(act["seat"] == HOSTILE for act in acts(store, report)) - 2
    assert {act["verdict"] for act in marked} == {verdict}
    assert [r.verdict for r in report.results if r.seat == HOSTILE] == [verdict] * 2
    assert replay(store.blobs[report.record_sha256]).forfeited == (HOSTILE,)


class TestThreeFaultsAreForgiven:
    def test_the_fourth_forfeits(self):
        report, _ = table_with(Sometimes(speakers.illegal_card, at={2, 4, 6}))
        assert not report.seats[HOSTILE - 1].forfeited
        speaker = Sometimes(speakers.illegal_card, at={2, 4, 6, 8})
        report, _ = table_with(speaker)
        seat = report.seats[HOSTILE - 1]
        assert seat.forfeited
        assert len(seat.faults) == 4
        assert speaker.requests == 8
        assert speaker.heard[-1]["type"] == "request"

    def test_after_it_the_causing_verdict_is_repeated_but_the_first_stays_the_seats(self):
        speaker = Sometimes(speakers.illegal_card, at={2, 4, 6, 8})
        speaker.misbehave = lambda request, honest: (
            speakers.garbage(request, honest)
            if speaker.requests == 8
            else speakers.illegal_card(request, honest)
        )
        report, store = table_with(speaker)
        assert report.seats[HOSTILE - 1].verdict is Verdict.ILLEGAL_ACTION
        verdicts = [act["verdict"] for act in acts(store, report) if "by" in act]
        assert verdicts[:3] == ["ILLEGAL_ACTION"] * 3
        assert set(verdicts[3:]) == {"PROTOCOL"}
        by_board = {r.board: r.verdict for r in report.results if r.seat == HOSTILE}
        assert by_board == {1: Verdict.ILLEGAL_ACTION, 2: Verdict.PROTOCOL}

    def test_a_board_has_its_own_first_fault(self):
        report, _ = table_with(Sometimes(speakers.illegal_card, at={20}))
        by_board = {r.board: r.verdict for r in report.results if r.seat == HOSTILE}
        assert by_board == {1: Verdict.OK, 2: Verdict.ILLEGAL_ACTION}

    def test_under_strict_the_first_forfeits(self):
        speaker = Sometimes(speakers.illegal_card, at={2})
        report, _ = table_with(speaker, fault_policy=FaultPolicy.STRICT)
        assert report.seats[HOSTILE - 1].forfeited
        assert speaker.requests == 2


class Eager(InProcessDriver):
    """Part of each answer is there before the request: a blank, say."""

    def collect(self, **limits):
        return super().collect(**limits)._replace(early=True)


class TestAnswersThatComeAtTheWrongTime:
    def test_the_answer_to_a_request_already_settled_is_discarded_without_fault(self):
        late = Sometimes(speakers.chatty, at={3})
        report, _ = table_with(late)
        # The garbage line settled request 3; the true answer behind it came too late and hurts nobody.
        assert len(report.seats[HOSTILE - 1].faults) == 1

    def test_it_is_discarded_once_only(self):
        def chatty_and_twice(request, honest):
            return b"let me see\n" + honest + b"\n" + honest

        report, _ = table_with(Sometimes(chatty_and_twice, at={3}))
        faults = report.seats[HOSTILE - 1].faults
        assert [fault.verdict for fault in faults] == [Verdict.PROTOCOL] * 2
        assert "not JSON" in faults[0].reason
        assert "before" in faults[1].reason

    def test_an_answer_given_in_time_may_not_be_repeated(self):
        report, _ = table_with(Sometimes(speakers.twice, at={3}))
        (fault,) = report.seats[HOSTILE - 1].faults
        assert fault.verdict is Verdict.PROTOCOL
        assert "before" in fault.reason
        assert "the id" in fault.reason

    def test_not_even_a_part_of_an_answer_may_be_written_ahead(self):
        drivers = {seat: InProcessDriver(Honest()) for seat in (1, 3, 4)} | {HOSTILE: Eager(Honest())}
        report = play_table(make_order(boards=1), drivers, silent_progress, Store().keep)
        fault = report.seats[HOSTILE - 1].faults[0]
        assert fault.verdict is Verdict.PROTOCOL
        assert "before" in fault.reason
        assert json.loads(fault.answer)["id"] == json.loads(fault.request)["id"]

    def test_writing_ahead_of_the_request_never_fits(self):
        class Ahead(Honest):
            def on_request(self, request):
                return super().on_request(request) + b'\n{"id":"00","action":"AS"}'

        report, _ = table_with(Ahead())
        assert report.seats[HOSTILE - 1].verdict is Verdict.PROTOCOL
        assert report.seats[HOSTILE - 1].forfeited


class TestStarting:
    @pytest.mark.parametrize(
        ("reply", "verdict", "reason"),
        [
            (None, Verdict.OUT_OF_TIME, "hello"),
            (b"hello yourself", Verdict.PROTOCOL, "not JSON"),
            (b'{"type":"request"}', Verdict.PROTOCOL, "answer {"),
            (b"x" * 5000, Verdict.OVER_OUTPUT, "too long"),
        ],
    )
    def test_a_bot_that_is_not_ready_forfeits_before_the_first_card(self, reply, verdict, reason):
        report, store = table_with(NotReady(reply))
        seat = report.seats[HOSTILE - 1]
        assert (seat.verdict, seat.forfeited, seat.decisions) == (verdict, True, 0)
        fault = seat.faults[0]
        assert (fault.phase, fault.board, fault.decision, fault.request, fault.action) == (
            "start",
            0,
            0,
            None,
            None,
        )
        assert reason in fault.reason
        assert acts(store, report, without=("by", "verdict")) == honest_record(store)
        assert [r.verdict for r in report.results if r.seat == HOSTILE] == [verdict] * 2

    def test_the_time_it_takes_is_not_charged(self):
        class SlowToStart(Honest):
            def on_hello(self, hello):
                speakers.too_slow(hello, b"")
                return super().on_hello(hello)

        speaker = SlowToStart()
        report, _ = table_with(speaker, clock=Clock())
        assert speaker.heard[1]["clock"]["bank_ms"] == 1000
        assert report.seats[HOSTILE - 1].verdict is Verdict.OK


class TestTheFaultReport:
    def test_it_has_the_exact_request_answer_log_and_clock(self):
        speaker = Sometimes(speakers.crash, at={3})
        report, _ = table_with(speaker)
        fault = report.seats[HOSTILE - 1].faults[0]
        request = [message for message in speaker.heard if message["type"] == "request"][2]
        assert request["id"] in fault.request
        assert fault.answer is None
        assert f"ValueError: no idea what to do with {request['id']}" in fault.log_tail
        assert (fault.board, fault.decision, fault.phase) == (1, 3, "play")
        assert fault.action in request["legal"]
        assert set(fault.clock) == {
            "bank_ms",
            "limit_cpu_ms",
            "used_cpu_ms",
            "limit_wall_ms",
            "used_wall_ms",
        }

    def test_an_illegal_answer_is_quoted_with_the_rule(self):
        report, _ = table_with(Sometimes(speakers.illegal_card, at={3}))
        fault = report.seats[HOSTILE - 1].faults[0]
        assert json.loads(fault.answer)["id"] == json.loads(fault.request)["id"]
        assert "by seat 2" in fault.reason

    def test_the_same_crash_has_the_same_fingerprint(self):
        early, _ = table_with(Sometimes(speakers.crash, at={3}))
        late, _ = table_with(Sometimes(speakers.crash, at={9}))
        other, _ = table_with(Sometimes(speakers.leave, at={9}))
        prints = [report.seats[HOSTILE - 1].faults[0].fingerprint for report in (early, late, other)]
        assert prints[0] == prints[1] != prints[2]


class Dozing(InProcessDriver):
    """Every answer takes 900 ms of wall time, by this driver's account, and hardly any CPU."""

    def collect(self, **limits):
        reply = super().collect(**limits)
        if limits["wall_limit_ms"] < 900:
            raise DriverFault(ExitReason.TURN_WALL, "", wall_ms=limits["wall_limit_ms"])
        return reply._replace(wall_ms=900)


def test_a_seat_that_uses_up_its_wall_bank_forfeits():
    speaker = Honest()
    drivers = {seat: InProcessDriver(Honest()) for seat in (1, 2, 3)} | {4: Dozing(speaker)}
    store = Store()
    report = play_table(make_order(clock=TIGHT), drivers, silent_progress, store.keep)
    seat = report.seats[3]
    assert seat.forfeited
    assert [fault.verdict for fault in seat.faults] == [Verdict.OUT_OF_TIME]
    assert "whole table" in seat.faults[0].reason
    # 10 s and three times the 20 ms of each decision, in steps of 0.9 s.
    assert speaker.requests == seat.decisions == 12
    assert seat.wall_ms == 900 + 10_000 + 3 * 20 * 12  # the start is measured, not charged


def test_the_fallbacks_are_those_of_the_rules():
    report, store = table_with(NotReady(b"?"), boards=1, kind="game", options={"hand_cap": 8})
    played = [act for act in acts(store, report) if act["seat"] == HOSTILE]
    assert all(act["by"] == "referee" for act in played)
    by_phase = {
        phase: {act["action"] for act in played if act["phase"] == phase} for phase in ("trump", "lead")
    }
    assert by_phase == {"trump": {"KEEP"}, "lead": {"DEFER"}}
    for step in replay(store.blobs[report.record_sha256]).steps():
        if step.state.phase == "play" and step.state.to_act == (HOSTILE,):
            assert step.state.fallback(HOSTILE) == step.state.legal(HOSTILE)[0]


LEISURELY = (speakers.too_slow, speakers.silent)
"""These may use up the wall bank before their fourth fault."""
MISBEHAVIOURS = [misbehave for misbehave, _, _ in ONCE + AT_ONCE if misbehave not in LEISURELY]
DEADLY = [misbehave for misbehave, _, _ in AT_ONCE]


@examples(60)
@given(
    st.dictionaries(
        st.integers(1, 4),
        st.tuples(st.sampled_from(MISBEHAVIOURS), st.sets(st.integers(1, 30), max_size=6)),
        max_size=4,
    ),
    st.sampled_from(FaultPolicy),
)
def test_whatever_they_do_the_table_is_played_to_the_end_and_adds_up(plans, policy):
    seated = {
        seat: Sometimes(*plans[seat][:1], at=plans[seat][1]) if seat in plans else Honest()
        for seat in range(1, 5)
    }
    report, store = play(seated, boards=2, fault_policy=policy)
    replayed = replay(store.blobs[report.record_sha256])
    assert sum(result.stones for result in report.results) == 0
    assert [act["action"] for act in acts(store, report)] == [
        act["action"] for act in honest_record(store, clock=Clock(), attempt=1)
    ]
    for seat in report.seats:
        misbehave, at = plans.get(seat.seat, (None, set()))
        faults = len(seat.faults)
        assert (seat.verdict is Verdict.OK) == (faults == 0) == (not any(n <= 27 for n in at))
        assert seat.forfeited == (
            faults > 3 or (faults > 0 and (misbehave in DEADLY or policy is FaultPolicy.STRICT))
        )
        assert replayed.verdicts[seat.seat] == seat.verdict
    assert replayed.forfeited == tuple(seat.seat for seat in report.seats if seat.forfeited)


def test_several_misbehaving_bots_do_not_hinder_each_other():
    seated = {
        1: Sometimes(speakers.crash, at={1}),
        2: NotReady(b"?"),
        3: Sometimes(speakers.garbage, at=range(100)),
        4: Sometimes(speakers.illegal_card, at={1}),
    }
    report, store = play(seated, boards=2)
    assert [seat.verdict for seat in report.seats] == [
        Verdict.CRASHED,
        Verdict.PROTOCOL,
        Verdict.PROTOCOL,
        Verdict.ILLEGAL_ACTION,
    ]
    assert [seat.forfeited for seat in report.seats] == [True, True, True, False]
    assert acts(store, report, without=("by", "verdict")) == honest_record(store, clock=Clock(), attempt=1)
    assert replay(store.blobs[report.record_sha256]).forfeited == (1, 2, 3)
