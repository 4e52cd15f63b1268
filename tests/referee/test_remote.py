"""A seat of a person, steps told as they are complete, and bots brought back to where they were."""

from __future__ import annotations

import dataclasses
import threading
import time

import pytest

from engine import Board, game_named
from engine.record import replay
from referee.contract import Verdict
from referee.driver import DriverFault, ExitReason
from referee.errors import PlayStopped
from referee.inprocess import InProcessDriver
from referee.remote import PastAction, RemoteDriver, ResumedDriver, Turn
from referee.table import play_table
from tests.referee.orders import Store, acts, make_order, silent_progress
from tests.referee.speakers import (
    Honest,
    Seeded,
    SkipsForced,
    Sometimes,
    WithEvents,
    crash,
    endless_line,
    garbage,
    illegal_card,
    silent,
)
from tests.refusals import refusal

PERSON = 2


class Steps:
    """Notes what is published, and answers for the person at once with the last legal action."""

    def __init__(self, order, *, plays=True):
        self.order = order
        self.published = []
        self.replaced = {}
        self.asked = []
        self.state = None
        self.plays = plays
        self.remote = None

    def on_step(self, before, after, substituted):
        told = [event.public for event in after.happened_since(before) if event.kind == "act"]
        assert [act["seat"] for act in told] == list(before.to_act)
        for act in told:
            if act["seat"] in substituted:
                self.replaced[len(self.published)] = substituted[act["seat"]]
            forced = len(before.legal(act["seat"])) == 1
            self.published.append((act["seat"], act["action"], forced))

    def on_ask(self):
        n = len(self.published)
        self.asked.append(n)
        return Turn(n, None)

    def past(self, length):
        """What each seat did up to there."""
        found = {seat.seat: [] for seat in self.order.seats}
        for n, (seat, action, forced) in enumerate(self.published[:length]):
            found[seat].append(PastAction(action, self.replaced.get(n), forced))
        return found


def table(bots, *, person=None, store=None, steps=None, past=None, until=None, **order):
    """A table with a person at ``PERSON`` who always plays the highest of its legal actions; gives the
    report, the steps and the store. ``until``: stop when the person is asked at this position or later."""
    store, made = store or Store(), make_order(**order)
    steps = steps or Steps(made)
    remote = RemoteDriver(lambda: person(steps), (past or {}).get(PERSON, ()))
    steps.remote = remote
    drivers = {}
    for seat in made.seats:
        if seat.seat == PERSON:
            drivers[PERSON] = remote
            continue
        inner = InProcessDriver(bots[seat.seat](), made.limits)
        drivers[seat.seat] = inner if past is None else ResumedDriver(inner, past[seat.seat])
    report = play_table(made, drivers, silent_progress, store.keep, on_step=steps.on_step, persons=(PERSON,))
    return report, steps, store


def answering(games, stop_at=None):
    """A person who answers as soon as it is asked, by what the published actions say."""

    def person(steps):
        asked = steps.on_ask()
        if stop_at is not None and asked.n >= stop_at:
            steps.remote.stop(PlayStopped("away"))
            return asked
        state = position(steps.order, steps.published)
        steps.remote.give(asked.n, state.legal(PERSON)[-1])
        return asked

    return person


def position(order, published):
    """The state after these actions, by the rules."""
    game = game_named(order.game)
    ruleset = game.ruleset(order.preset, order.ruleset)
    boards = iter(order.boards)
    board = next(boards)
    state = game.start(ruleset, Board(board.kind, board.number, board.seed))
    for seat, action, _ in published:
        if not state.to_act:
            board = next(boards)
            state = game.start(ruleset, Board(board.kind, board.number, board.seed))
        state = state.apply(seat, action)
    if not state.to_act:
        board = next(boards, None)
        if board is not None:
            state = game.start(ruleset, Board(board.kind, board.number, board.seed))
    return state


def four(kind):
    return dict.fromkeys(range(1, 5), kind)


def test_a_person_plays_in_any_time_and_costs_no_clock():
    report, steps, store = table(four(Seeded), person=answering(None))
    assert report.seats[PERSON - 1].verdict is Verdict.OK
    assert report.seats[PERSON - 1].cpu_ms == 0
    replayed = replay(store.blobs[report.record_sha256])
    told = [(act.seat, act.action) for board in replayed.boards for step in board.decisions for act in step]
    assert told == [(seat, action) for seat, action, _ in steps.published]


def test_declarations_of_several_seats_are_told_when_all_are_in():
    lengths = []

    def on_step(before, after, substituted):
        lengths.append(len(before.to_act))

    made = make_order(boards=8)
    drivers = {seat.seat: InProcessDriver(Seeded(), made.limits) for seat in made.seats}
    play_table(made, drivers, silent_progress, Store().keep, on_step=on_step)
    assert max(lengths) > 1


def test_waiting_is_no_time_of_the_table():
    """The bots take a fraction of the limit, on a busy machine too, and the person alone takes more."""
    limit_s, waits_s = 2.0, 2.5
    made = dataclasses.replace(make_order(boards=1), wall_limit_s=limit_s)

    def slowly(steps):
        asked = steps.on_ask()
        state = position(steps.order, steps.published)
        is_first = len(steps.asked) == 1
        given = (asked.n, state.legal(PERSON)[-1])
        threading.Timer(waits_s if is_first else 0.0, steps.remote.give, given).start()
        return asked

    report, _, _ = table(four(Seeded), person=slowly, steps=Steps(made), boards=1, wall_limit_s=limit_s)
    assert report.seats[PERSON - 1].wall_ms > limit_s * 1e3


def test_who_lets_turns_pass_has_the_fallback_played_and_never_forfeits():
    def absent(steps):
        return Turn(steps.on_ask().n, 0.0)

    report, _steps, store = table(four(Seeded), person=absent)
    person = report.seats[PERSON - 1]
    assert person.verdict is Verdict.OUT_OF_TIME
    assert not person.forfeited
    assert len(person.faults) == person.decisions > 20
    for act in acts(store, report):
        assert (act.get("verdict") == "OUT_OF_TIME") == (act["seat"] == PERSON)


def test_an_answer_for_another_position_is_not_taken():
    driver = RemoteDriver(lambda: Turn(7, 0.05))
    driver.start()
    driver.post(b'{"type":"hello"}')
    assert driver.collect(cpu_limit_ms=1, wall_limit_ms=1).line == b'{"type":"ready"}'
    driver.post(b'{"type":"request","id":"ab"}')
    driver.give(6, "2S")
    fault = refusal(DriverFault, driver.collect, cpu_limit_ms=1, wall_limit_ms=1)
    assert fault.reason is ExitReason.TURN_WALL
    assert fault.wall_ms == fault.machine_delay_ms >= 50
    driver.give(7, "3S")
    assert driver.collect(cpu_limit_ms=1, wall_limit_ms=1).line == b'{"id":"ab","action":"3S"}'


def test_a_table_whose_person_is_waited_for_ends_when_told_to():
    def stopping(steps):
        threading.Timer(0.01, steps.remote.stop, (PlayStopped("away"),)).start()
        return steps.on_ask()

    began = time.monotonic()
    assert "away" in str(refusal(PlayStopped, table, four(Seeded), person=stopping))
    assert time.monotonic() >= began


BOTS = {
    "seeded": four(Seeded),
    "with events and without forced ones": {**four(WithEvents), 3: SkipsForced},
    "faulty": {
        1: lambda: Sometimes(illegal_card, at={2, 5}),
        3: lambda: Sometimes(silent, at={1, 4}),
        4: lambda: Sometimes(garbage, at={3}),
    },
    "dying": {1: lambda: Sometimes(crash, at={4}), 3: lambda: Sometimes(endless_line, at={6}), 4: Honest},
}


@pytest.mark.parametrize("bots", BOTS.values(), ids=BOTS)
@pytest.mark.parametrize("stop_at", [0, 5, 17, 50, 80])
def test_a_table_gone_on_with_gives_the_same_record(bots, stop_at):
    whole, steps, store = table(bots, person=answering(None))
    halted = Steps(make_order())
    refusal(PlayStopped, table, bots, person=answering(None, stop_at), steps=halted)
    length = len(halted.published)
    assert halted.published == steps.published[:length]
    again, all_steps, _ = table(bots, person=answering(None), store=store, past=halted.past(length))
    assert all_steps.published == steps.published
    assert again.record_sha256 == whole.record_sha256


def test_a_bot_that_fails_while_it_is_told_its_past_is_at_fault_only_where_it_must_decide():
    made, steps = make_order(boards=1), None
    _, steps, _ = table(four(Honest), person=answering(None), boards=1)
    past = steps.past(20)
    bots = {**four(Honest), 1: lambda: Sometimes(crash, at={1})}
    report, again, _ = table(bots, person=answering(None), past=past, boards=1)
    assert again.published[:20] == steps.published[:20]
    assert not [n for n in again.replaced if n < 20]
    assert report.seats[0].verdict is Verdict.CRASHED
    assert made.seats[0].seat == 1
