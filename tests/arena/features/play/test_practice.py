"""Practice tables: hints from what the person sees, and take-backs of one play."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from arena.common.errors import ArenaError
from arena.features.analysis.heartbeat import Queue, heartbeat
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.runner.solve_worker import SolveWorker
from arena.features.play import practice
from arena.features.play.models import CasualTable
from arena.features.play.pages.hints import request_hint
from arena.features.play.person import Person
from arena.features.play.position import seat_position
from arena.features.play.practice import decision_to_take_back, take_back
from arena.features.play.selectors import table_of
from arena.features.play.services import open_table
from arena.tables.live.history import position_history
from referee.contract import SeatOrder, TableOrder
from referee.driver import Driver
from referee.inprocess import InProcessDriver
from tests import factories
from tests.arena.features.play.casual_tables import in_process, serve
from tests.arena.features.play.tables import GUEST, act, advance, aya
from tests.referee.speakers import Seeded

pytestmark = pytest.mark.django_db
SCRIPT = {"part": "1"}


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(ArenaError) as error:
        call()
    return error.value.code


def opened(person: Person | None = None, *, is_practice: bool = True, deals: str = "1") -> CasualTable:
    """A table with a bot of Ben's in all other seats; the house needs none."""
    bot = factories.a_version(factories.a_bot(factories.ben())).public_id
    table = open_table(
        person or aya(),
        preset="kakeya4",
        opponents="public",
        versions=[bot],
        partner=bot,
        deals=deals,
        practice=is_practice,
    )
    return advance(table)


def practising(plays: int = 4) -> CasualTable:
    """A practice table at which the person has played so often and has a choice again."""
    table = opened()
    while plays > 0 or len(seat_position(table).legal) < 2:
        position = seat_position(table)
        plays -= len(position.legal) > 1
        act(aya(), table.public_id, position.n, position.legal[0])
        advance(table)
    return table


def test_a_take_back_restores_the_observation_exactly() -> None:
    table = practising()
    before = seat_position(table)
    act(aya(), table.public_id, before.n, before.legal[-1])
    advance(table)
    assert seat_position(table).observation != before.observation
    take_back(table, table.length)
    table.refresh_from_db()
    assert seat_position(table) == before
    assert (table.length, len(table.actions), table.taken_back) == (before.n, before.n, [before.n])
    assert table.state == CasualTable.State.PLAYING
    assert (table.claimed_by, table.pending) == ("", None)
    # The same choice after a take-back leads to the same position, the other one to another.
    act(aya(), table.public_id, before.n, before.legal[0])
    advance(table)
    assert position_history(table).end.length == table.length


def test_each_decision_is_taken_back_once_and_none_before_the_last() -> None:
    table = practising()
    at = table.length
    act(aya(), table.public_id, at, seat_position(table).legal[0])
    advance(table)
    take_back(table, table.length)
    table.refresh_from_db()
    assert decision_to_take_back(table) is None, "the play before it stands"
    assert refused(lambda: take_back(table, at)) == "nothing_to_take_back"
    act(aya(), table.public_id, at, seat_position(table).legal[0])
    advance(table)
    while len(seat_position(table).legal) < 2:
        act(aya(), table.public_id, table.length, seat_position(table).legal[0])
        advance(table)
    assert refused(lambda: take_back(table, table.length)) == "nothing_to_take_back"
    later = table.length
    act(aya(), table.public_id, later, seat_position(table).legal[0])
    advance(table)
    take_back(table, table.length)
    table.refresh_from_db()
    assert table.taken_back == [at, later]


def test_a_play_of_an_earlier_deal_stays() -> None:
    table = opened(deals="4")
    while seat_position(table).board == 1:
        position = seat_position(table)
        act(aya(), table.public_id, position.n, position.legal[0])
        advance(table)
    assert decision_to_take_back(table) is None


def test_refusals() -> None:
    table = practising()
    plain = opened(GUEST, is_practice=False)
    assert refused(lambda: take_back(plain, plain.length)) == "not_practice"
    assert refused(lambda: practice.hint_question(plain, plain.length)) == "not_practice"
    assert refused(lambda: take_back(table, table.length - 1)) == "not_your_turn"
    act(aya(), table.public_id, table.length, seat_position(table).legal[0])
    table.refresh_from_db()
    assert refused(lambda: take_back(table, table.length)) == "not_your_turn", "it is being played"
    CasualTable.objects.filter(pk=table.pk).update(state="finished", pending=None)
    table.refresh_from_db()
    assert refused(lambda: take_back(table, table.length)) == "casual_table_finished"
    assert refused(lambda: practice.hint_question(table, table.length)) == "casual_table_finished"


def test_of_a_late_duplicate_of_a_play_that_was_taken_back_nothing_comes() -> None:
    table = practising()
    at, legal = table.length, seat_position(table).legal
    act(aya(), table.public_id, at, legal[0])
    advance(table)
    take_back(table, table.length)
    client = Client()
    client.force_login(factories.aya())
    late = {"n": str(at), "action": legal[0], "taken_back": "0", **SCRIPT}
    answer = client.post(f"/play/{table.public_id}/act", late)
    assert (answer.status_code, answer.json()["code"]) == (409, "not_your_turn")
    table.refresh_from_db()
    assert table.pending is None
    assert client.post(f"/play/{table.public_id}/act", {**late, "taken_back": "1"}).status_code == 204


def test_of_two_take_backs_at_once_one_counts() -> None:
    table = practising()
    act(aya(), table.public_id, table.length, seat_position(table).legal[0])
    advance(table)
    # Both have read the row before either writes it.
    first, second = (table_of(aya(), table.public_id) for _ in range(2))
    take_back(first, first.length)
    assert refused(lambda: take_back(second, second.length)) == "not_your_turn"
    table.refresh_from_db()
    assert len(table.taken_back) == 1


def test_bots_restarted_by_a_take_back_decide_as_before() -> None:
    table = practising(0)
    table = serve(table, until=table.length + 1)
    at = next(n for n in range(table.length - 1, -1, -1) if table.actions[n][0] == table.seat)
    before = list(table.actions)
    CasualTable.objects.filter(pk=table.pk).update(claimed_by="")
    table.refresh_from_db()
    back_to = decision_to_take_back(table)
    take_back(table, table.length)
    table.refresh_from_db()
    assert back_to is not None
    assert back_to <= at
    assert table.length == back_to
    table = serve(table)
    assert table.is_over
    # The person of these tests chooses the same again, and so do the bots.
    assert table.actions[: len(before)] == before
    assert table.result is not None


def test_a_fault_of_a_bot_after_a_take_back_is_a_verdict() -> None:
    class Illegal(Seeded):
        """A bot whose answers are no actions."""

        def choose(self, request: Any) -> str:
            return "nonsense"

    def faulty(order: TableOrder, seat: SeatOrder) -> Driver:
        return InProcessDriver(Illegal(), order.limits) if seat.seat == 2 else in_process(order, seat)

    table = practising()
    act(aya(), table.public_id, table.length, seat_position(table).legal[0])
    advance(table)
    take_back(table, table.length)
    table.refresh_from_db()
    back_to = table.length
    table = serve(table, make_driver=faulty)
    assert table.state == CasualTable.State.FINISHED
    bots = [n for n, (seat, _) in enumerate(table.actions) if seat == 2 and n >= back_to]
    assert {n for n, _ in table.substituted} >= set(bots)


def test_a_hint_is_estimated_outside_of_this_process_and_shown() -> None:
    heartbeat(Queue.INTERACTIVE)
    table = practising(6)
    client = Client()
    client.force_login(factories.aya())
    address = f"/play/{table.public_id}/hint"
    asked = {"n": str(table.length), **SCRIPT}
    assert "data-waits" in client.post(address, asked).content.decode()
    worker = SolveWorker(threading.Event())
    try:
        assert worker.step()
    finally:
        worker.close()
    hint = request_hint(table, aya(), table.length)
    assert hint is not None
    assert hint.state == "ready"
    assert {each["action"] for each in hint.estimate["actions"]} == set(seat_position(table).legal)
    shown = client.post(address, asked).content.decode()
    assert "data-waits" not in shown
    assert client.post(address, {"n": asked["n"]}).status_code == 302, "without script"
    page = client.get(f"/play/{table.public_id}").content.decode()
    assert shown.strip().splitlines()[0] in page
    table.refresh_from_db()
    assert (table.hints, table.hinted_at) == (1, table.length)
    # What was stored is what the person sees, and no more.
    row = SolvedPosition.objects.get()
    assert row.position["hint"]["observation"] == seat_position(table).observation


def test_hints_have_the_quota_of_positions() -> None:
    table = practising()
    assert refused(lambda: request_hint(table, aya(), table.length)) == "solver_down"
    heartbeat(Queue.INTERACTIVE)
    assert request_hint(table, aya(), table.length).state == "waiting"  # type: ignore[union-attr]
    act(aya(), table.public_id, table.length, seat_position(table).legal[0])
    advance(table)
    while not practice.has_hint(seat_position(table)):
        act(aya(), table.public_id, table.length, seat_position(table).legal[0])
        advance(table)
    assert refused(lambda: request_hint(table, aya(), table.length)) == "solve_in_progress"


def test_strangers_find_no_table() -> None:
    table = practising()
    for client in (Client(), Client()):
        for page in ("hint", "take-back"):
            answer = client.post(f"/play/{table.public_id}/{page}", {"n": str(table.length)})
            assert answer.status_code == 404
        client.force_login(factories.ben())


def test_the_result_of_a_helped_table_is_not_compared() -> None:
    table = serve(opened())
    CasualTable.objects.filter(pk=table.pk).update(
        taken_back=[4],
        field=[
            {"label": "you", "stones": 0, "mine": True},
            {"label": "house greedy", "stones": -99, "mine": False},
        ],
    )
    client = Client()
    client.force_login(factories.aya())
    page = client.get(f"/play/{table.public_id}").content.decode()
    assert "1 play taken back" in page
    assert "did better with your cards" not in page
    CasualTable.objects.filter(pk=table.pk).update(taken_back=[])
    assert "No bot did better with your cards" in client.get(f"/play/{table.public_id}").content.decode()


def test_no_table_of_a_deal_that_others_play_is_for_practice() -> None:
    table = opened()
    with pytest.raises(IntegrityError), transaction.atomic():
        CasualTable.objects.filter(pk=table.pk).update(is_sealed=True)
