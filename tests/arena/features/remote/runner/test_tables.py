"""Remote tables from the first request to the score: answers, faults, clocks and forfeits."""

from __future__ import annotations

import datetime
import json

import pytest
from django.utils import timezone

from arena.common.blobs import blob_get
from arena.features.remote.models import REMOTE_SHA256, RemoteBot, RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.scores import table_score
from arena.features.remote.services import answer_digest, bot_unpause
from arena.tables.live.session import ClaimLost
from engine.record import replay
from league.fairness import board_seed, commitment, field_digest
from tests.arena.features.remote.runner.play import (
    Played,
    a_remote_table,
    after,
    answer,
    nothing,
    prompt,
    seat_of,
    serve,
)

pytestmark = pytest.mark.django_db
State = RemoteTable.State


def test_a_rated_table_is_played_scored_and_can_be_checked() -> None:
    table = a_remote_table(versions=(3,))
    sent: dict[str, str] = {}

    def client(session: Played) -> None:
        for seat in session.pending:
            assert seat.deadline_at == seat.asked_at + datetime.timedelta(milliseconds=seat.bank_ms + 300)
            sent[seat.request_id] = answer(seat, session.at, debug="\x1b[31mhm")

    serve(table, client)
    assert table.state == State.FINISHED
    assert table.claimed_by == ""
    seat = seat_of(table)
    assert [each[0] for each in seat.answers] == list(sent)
    assert [each[1] for each in seat.answers] == [answer_digest(text) for text in sent.values()]
    assert (seat.is_active, seat.verdict, seat.request_id, seat.request) == (False, "OK", "", None)
    assert seat.hello["clock"] == {
        "start_ms": 0, "bank_ms": 120_000, "increment_ms": 5_000, "decision_cap_ms": 120_000
    }  # fmt: skip
    assert "hm" in seat.log
    assert "\x1b" not in seat.log
    won = table.result["boards"][0]["stones"]["3"]
    field = [each["stones"] for each in table.field]
    assert table.score == won - sum(field) / len(field)
    assert [each["label"] for each in table.field] == ["house rules", "house greedy"]
    replayed = replay(blob_get(table.record_sha256))
    assert replayed.bots[3] == REMOTE_SHA256
    acts = [[act.seat, act.action] for board in replayed.boards for step in board.decisions for act in step]
    assert acts == table.actions
    secret = bytes(table.secret)
    assert commitment(secret) == table.commitment
    seed = board_seed(secret, table.public_id, field_digest(table.bundles), 0, 0, table.first_board)
    assert replayed.boards[0].board.seed == seed
    assert blob_get(table.view_sha256)
    assert table.cpu_ms > 0


def test_events_between_two_requests_are_stored_with_the_second() -> None:
    table = a_remote_table()
    kinds: list[list[str]] = []

    def client(session: Played) -> None:
        for seat in session.pending:
            kinds.append([event["e"] for event in seat.events])
            answer(seat, session.at)

    serve(table, client)
    # Each trick of four seats has the plays of the others and one's own.
    assert kinds[-1].count("act") == 4
    assert all("deal_end" not in each for each in kinds)


def test_thinking_is_charged_beyond_the_grace_and_the_increment_is_added() -> None:
    table = a_remote_table()
    banks: list[int] = []

    def client(session: Played) -> None:
        for seat in session.pending:
            thought = datetime.timedelta(seconds=0.1 if seat.answers else 2.3)
            if session.at >= seat.asked_at + thought:  # read by the service later: not charged
                banks.append(seat.bank_ms)
                answer(seat, seat.asked_at + thought)

    serve(table, client)
    assert banks[:3] == [125_000, 128_000, 133_000]
    assert [each[2] for each in seat_of(table).answers[:2]] == [2300, 100]


def test_the_slow_clock() -> None:
    table = a_remote_table(is_slow=True)
    serve(
        table, after(1, nothing), lambda session: session.stop(ClaimLost("x")) if session.waits > 3 else None
    )
    assert seat_of(table).bank_ms == 1_320_000


def test_an_illegal_answer_is_a_fault_and_the_fallback_is_played() -> None:
    table = a_remote_table()

    def client(session: Played) -> None:
        for seat in session.pending:
            answer(seat, session.at, action="XX" if len(seat.answers) == 2 else None)

    serve(table, client)
    seat = seat_of(table)
    assert seat.verdict == "ILLEGAL_ACTION"
    assert [verdict for _, verdict in table.substituted] == ["ILLEGAL_ACTION"]
    assert all(digest for _, digest, _ in seat.answers)
    assert not table.is_forfeit
    assert "ILLEGAL_ACTION" in seat.log


def test_no_answer_until_the_deadline_is_out_of_time_and_the_fourth_forfeits() -> None:
    table = a_remote_table()
    serve(table, nothing)
    seat = seat_of(table)
    assert seat.verdict == "OUT_OF_TIME"
    # The first uses the bank and its increment, the others have the increment alone.
    assert [each[1:] for each in seat.answers] == [["", 125_300], ["", 5_300], ["", 5_300], ["", 5_300]]
    assert table.is_forfeit
    won = table.result["boards"][0]["stones"]["1"]
    field = [each["stones"] for each in table.field]
    assert table.score == min(won, -2) - sum(field) / len(field)


def test_a_late_answer_does_not_count() -> None:
    table = a_remote_table()

    def client(session: Played) -> None:
        for seat in session.pending:
            if not seat.answers and session.at < seat.deadline_at - datetime.timedelta(seconds=1):
                continue
            if not seat.answers:
                late = seat.deadline_at + datetime.timedelta(milliseconds=1)
                session.is_attended = False
                RemoteVersion.objects.update(attended_at=late)
                answer(seat, late)
            else:
                session.is_attended = True
                answer(seat, session.at)

    serve(table, client)
    seat = seat_of(table)
    assert seat.answers[0][1:] == ["", 125_300]
    assert seat.verdict == "OUT_OF_TIME"


def test_a_closed_client_forfeits_when_its_disconnect_bank_is_used_up() -> None:
    table = a_remote_table()
    asked: list[RemoteSeat] = []

    def close(session: Played) -> None:
        if not asked:
            RemoteVersion.objects.update(disconnected_at=session.at)
        asked.append(seat_of(table))

    session = serve(table, after(2, close))
    seat = seat_of(table)
    assert seat.verdict == "DISCONNECTED"
    assert table.is_forfeit
    assert table.state == State.FINISHED
    assert seat.disconnect_left_ms == 0
    assert seat.disconnects == 1
    # The clock of the turn stood meanwhile.
    assert asked[5].deadline_at is None
    assert asked[5].left_ms == asked[50].left_ms
    assert 59 <= len(asked) <= 63
    assert session._table.substituted[0][1] == "DISCONNECTED"


def test_who_reconnects_in_time_continues_and_the_bank_is_of_the_table() -> None:
    table = a_remote_table()
    lefts: list[tuple[int, int | None]] = []

    def flaky(session: Played) -> None:
        """Close for twenty seconds at each of two requests."""
        seat = seat_of(table)
        version = seat.version
        if len(seat.answers) >= 2:
            prompt(session)
        elif version.disconnected_at is None and len(lefts) == len(seat.answers):
            RemoteVersion.objects.update(disconnected_at=session.at)
            lefts.append((seat.disconnect_left_ms, seat.left_ms))
        elif version.disconnected_at and (session.at - version.disconnected_at).total_seconds() >= 20:
            RemoteVersion.objects.update(disconnected_at=None, attended_at=session.at, alive_at=session.at)
        elif (
            version.disconnected_at is None
            and seat.deadline_at is not None
            and seat.disconnects > len(seat.answers)
        ):
            answer(seat, session.at)

    serve(table, flaky)
    seat = seat_of(table)
    assert seat.verdict == "OK"
    assert seat.disconnects == 2
    assert 17_000 <= seat.disconnect_left_ms <= 24_000
    assert all(charged < 5_000 for _, _, charged in seat.answers)


def test_a_silent_client_is_noticed_after_25_seconds() -> None:
    table = a_remote_table()
    noticed: list[float] = []
    began: list[datetime.datetime] = []

    def silent(session: Played) -> None:
        began.append(session.at)
        session.is_attended = False
        RemoteVersion.objects.update(attended_at=session.at + datetime.timedelta(seconds=1))
        if seat_of(table).disconnected_at is not None and not noticed:
            noticed.append((session.at - began[0]).total_seconds())

    serve(table, silent)
    assert 25 <= noticed[0] <= 28
    assert seat_of(table).verdict == "DISCONNECTED"


def test_a_bot_that_disconnects_often_is_paused() -> None:
    house_table = a_remote_table()
    version = seat_of(house_table).version
    for number in range(4):
        table = house_table
        if number:
            table = a_remote_table()
            RemoteSeat.objects.filter(table=table).update(version=version)
        RemoteVersion.objects.update(disconnected_at=timezone.now())
        serve(table, nothing)
        bot = RemoteBot.objects.get(pk=version.bot_id)
        assert (bot.paused_at is not None) == (number == 2)
        if bot.paused_at is not None:
            assert bot.pause_note == {"code": "remote_disconnects", "disconnects": 3, "tables": 3}
            bot_unpause(bot, bot.owner.user)


def test_two_remote_bots_play_an_unrated_table_without_a_field() -> None:
    table = a_remote_table((1, 2), is_rated=False)
    serve(table)
    assert table.state == State.FINISHED
    assert (table.score, table.field, table.is_forfeit) == (None, None, False)
    assert {seat.verdict for seat in table.remote_seats.all()} == {"OK"}
    assert all(not seat.is_active for seat in table.remote_seats.all())


def test_a_forfeit_costs_two_stones_unless_the_play_lost_more() -> None:
    table = a_remote_table()
    assert table_score(table, 3, is_forfeit=False, field=[1, 2]) == 1.5
    assert table_score(table, 3, is_forfeit=True, field=[1, 2]) == -3.5
    assert table_score(table, -4, is_forfeit=True, field=[0]) == -4


def test_messages_are_those_of_the_bot_protocol() -> None:
    table = a_remote_table(versions=(2,))
    seen: list[dict[str, object]] = []

    def client(session: Played) -> None:
        for seat in session.pending:
            seen.append(seat.request)
            answer(seat, session.at)

    serve(table, client)
    assert {frozenset(each) for each in seen} == {
        frozenset(("type", "id", "phase", "legal", "observation", "clock"))
    }
    assert json.loads(json.dumps(seat_of(table).hello))["seat"] == 2
