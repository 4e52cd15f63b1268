"""Running a casual table: what is stored when, going on with it, its end, its field, faults of ours."""

from __future__ import annotations

import datetime
import json
import random

import pytest
from django.utils import timezone

from arena.common.blobs import blob_get
from arena.common.models import Blob
from arena.features.play.limits import QUOTA_PERIOD_S
from arena.features.play.models import PERSON_SHA256, CasualTable
from arena.features.play.offers import offers
from arena.features.play.position import seat_position
from arena.features.play.prune import tables_prune
from arena.features.play.runner.endings import FIELD
from arena.features.play.runner.session import (
    DEAL_END_S,
    GRACE_S,
    PAUSE_S,
    TableSession,
)
from arena.features.play.selectors import fairness_of, view_of
from arena.features.play.services import leave, open_table, resume
from arena.matches.runtime_artifacts import artifact_publish, artifacts_current
from arena.roster.models import BotVersion
from arena.settings.play import PlayLimits
from arena.tables.live.history import position_history
from arena.tables.live.orders import seat_versions, table_order
from arena.tables.live.session import MAX_FAILURES, ClaimLost
from engine.record import replay
from league.fairness import board_seed, commitment, field_digest
from referee.errors import PlatformFault
from referee.remote import Turn
from tests.arena.features.play.casual_tables import CLAIM, Scripted, serve
from tests.arena.features.play.tables import GUEST, a_table, act, aya, house
from tests.chance import some, times

pytestmark = pytest.mark.django_db
State = CasualTable.State


def begin_again(table: CasualTable) -> CasualTable:
    """The same row as it was when it was opened, but for the field, which nobody asks for."""
    CasualTable.objects.filter(pk=table.pk).update(
        state=State.SEATING,
        actions=[],
        length=0,
        substituted=[],
        pending=None,
        result=None,
        field=[],
        record_sha256="",
        view_sha256="",
        ended_at=None,
        claimed_by="",
        cpu_ms=0,
    )
    table.refresh_from_db()
    return table


def test_a_table_is_played_to_its_end_and_can_be_looked_at_and_checked() -> None:
    table = serve(a_table(deals="4", seat=3))
    assert table.state == State.FINISHED
    assert table.is_over
    assert table.claimed_by == ""
    assert not table.failures
    record, view = blob_get(table.record_sha256), view_of(table)
    assert view is not None
    assert b'"hands"' in view
    replayed = replay(record)
    assert replayed.bots[3] == PERSON_SHA256
    told = [[act.seat, act.action] for board in replayed.boards for step in board.decisions for act in step]
    assert told == table.actions
    assert table.length == len(told)
    assert table.result["substituted"] == []
    assert [board["stones"] for board in table.result["boards"]] == [
        {str(seat): won for seat, won in board.outcome.stones.items()} for board in replayed.boards
    ]
    proof = fairness_of(table)
    secret = bytes.fromhex(proof["secret"])
    assert commitment(secret) == table.commitment
    assert proof["field_digest"] == field_digest(proof["bundles"])
    for dealt, board in zip(replayed.boards, proof["boards"], strict=True):
        seed = board_seed(secret, table.public_id, proof["field_digest"], 0, 0, board["number"])
        assert dealt.board.seed == seed == board["seed"]


def test_a_person_has_no_cpu_time_and_no_bank() -> None:
    found = view_of(serve(a_table(seat=3)))
    assert found is not None
    timed = set()
    for board in json.loads(found)["boards"]:
        for deal in board["deals"]:
            timed |= {item["s"] for item in deal["before"] + deal["steps"] if "us" in item}
            timed |= set(map(int, deal.get("bank", {})))
    assert timed == {1, 2, 4}


def test_the_field_plays_the_same_cards_in_the_seat_of_the_person() -> None:
    table = serve(a_table())
    labels = [place["label"] for place in table.field]
    assert labels == ["you", *(f"house {kind}" for kind, count in FIELD for _ in range(count))]
    assert [place["mine"] for place in table.field] == [True] + [False] * (len(labels) - 1)
    assert table.field[0]["stones"] == sum(b["stones"]["1"] for b in table.result["boards"])


def test_the_field_ends_where_the_quota_does(settings: object) -> None:
    table = a_table()
    settings.PLAY = PlayLimits(cpu_s=1)  # type: ignore[attr-defined]
    CasualTable.objects.filter(pk=table.pk).update(cpu_ms=5000)
    assert [place["label"] for place in serve(table).field] == ["you"]


def test_going_on_gives_what_playing_on_would_have_given() -> None:
    """For presets that are drawn, with bots told their past again, from pauses drawn anew each time."""
    house()
    for offer in some(offers()):
        seats = offer.seat_counts[0] + 1 if offer.seat_counts else None
        table = open_table(aya(), preset=offer.key, seats=seats, seat=2, opponents="random", partner="random")
        table = begin_again(table)
        whole = serve(table)
        assert whole.is_over, offer.key
        actions, record = whole.actions, whole.record_sha256
        chance = random.Random(offer.key)
        for _ in range(times(2)):
            table = begin_again(table)
            pauses = sorted(chance.sample(range(len(actions)), 3))
            for pause in pauses:
                serve(table, until=pause)
                assert table.actions == actions[: table.length], offer.key
                if table.is_over:
                    break
            if not table.is_over:
                serve(table)
            assert (table.actions, table.record_sha256) == (actions, record), (offer.key, pauses)


def test_a_choice_made_while_nobody_runs_the_table_is_played_when_somebody_does() -> None:
    table = serve(a_table(), until=9)
    at = seat_position(table)
    leave(aya(), table.public_id)
    act(aya(), table.public_id, at.n, at.legal[-1])
    sitting = Scripted(table, until=at.n + 1)
    sitting.serve()
    table.refresh_from_db()
    assert [1, at.legal[-1]] in table.actions[at.n : at.n + 4]
    assert table.pending is None


def test_who_has_a_clock_is_told_until_when_and_the_referee_plays_after_it() -> None:
    table = a_table(clock_s=15)
    sitting = Scripted(table, until=8)
    sitting.serve()
    table.refresh_from_db()
    assert table.deadline_at is not None
    left_s = (table.deadline_at - timezone.now()).total_seconds()
    assert 5 < left_s <= 15 + 10
    assert sitting.asked[-1].within_s == pytest.approx(left_s + GRACE_S, abs=5)
    # The person does not act, and its time is over: the deadline lies in the past.
    late = timezone.now() - datetime.timedelta(seconds=5)
    CasualTable.objects.filter(pk=table.pk).update(deadline_at=late, clock_left_ms=None, pending=None)
    table.refresh_from_db()
    before = position_history(table).end.state
    fallback = before.fallback(1)

    class Absent(Scripted):
        def _begin_turn(self):  # type: ignore[no-untyped-def]
            asked = TableSession._begin_turn(self)
            if self.asked:
                self.stop(ClaimLost("enough"))
            self.asked.append(asked)
            return asked

    absent = Absent(table)
    absent.serve()
    table.refresh_from_db()
    assert absent.asked[0].within_s == GRACE_S
    n, verdict = table.substituted[0]
    assert verdict == "OUT_OF_TIME"
    assert table.actions[n] == [1, fallback]


def test_what_was_left_of_a_turn_is_what_one_comes_back_to() -> None:
    table = serve(a_table(clock_s=60), until=6)
    soon = timezone.now() + datetime.timedelta(seconds=12)
    CasualTable.objects.filter(pk=table.pk).update(deadline_at=soon)
    leave(aya(), table.public_id)
    resume(aya(), table.public_id)
    sitting = Scripted(CasualTable.objects.get(pk=table.pk), until=0)
    sitting.serve()
    within_s = sitting.asked[0].within_s
    assert within_s is not None
    assert within_s <= 12 + GRACE_S


@pytest.mark.parametrize("deals", ["4", "game"])
def test_the_end_of_a_deal_is_on_show_before_the_clock_runs(deals: str) -> None:
    table = a_table(preset="kakkuri", seats=2, deals=deals, clock_s=15)
    asked_in: list[tuple[int, int]] = []

    class Asking(Scripted):
        def _begin_turn(self) -> Turn:
            at = seat_position(CasualTable.objects.get(pk=self.pk))
            asked_in.append((at.board, at.observation["deal"]))
            return super()._begin_turn()

    sitting = Asking(table, until=150)
    sitting.serve()
    begins = [
        asked.within_s or 0
        for asked, before, deal in zip(sitting.asked[1:], asked_in, asked_in[1:], strict=False)
        if before != deal
    ]
    assert begins
    # What one other player shows takes less than the end of a deal.
    assert all(within_s > 15 + DEAL_END_S for within_s in begins)


def test_a_person_is_away_after_a_minute_but_never_before_its_turn_is_over() -> None:
    def waiting(clock_s: int | None) -> Scripted:
        CasualTable.objects.update(state=State.FAILED)
        sitting = Scripted(a_table(clock_s=clock_s), until=0)
        sitting.serve()
        return sitting

    plain, clocked = waiting(None), waiting(60)
    for sitting in (plain, clocked):
        assert not sitting.is_away()
        assert sitting._waiting_since is not None
        sitting._waiting_since -= PAUSE_S
    assert plain.is_away()
    assert not clocked.is_away()
    clocked._has_missed_turn = True
    assert clocked.is_away()


def test_a_house_bot_finishes_what_its_person_left() -> None:
    table = serve(a_table(GUEST), until=10, person=GUEST)
    CasualTable.objects.filter(pk=table.pk).update(state=State.ABANDONED, pending=None)
    done = table.actions
    table = serve(table, person=GUEST)
    assert table.state == State.ABANDONED
    assert table.is_over
    assert table.field is not None
    assert table.actions[: len(done)] == done
    assert view_of(table) is not None


def test_a_fault_of_ours_is_tried_again_and_then_said_plainly() -> None:
    table = a_table()

    def failing(order: object, seat: object) -> None:
        raise PlatformFault("the disk is on fire at /secret/path")

    for failures in range(1, MAX_FAILURES):
        serve(table, make_driver=failing)
        assert table.failures == failures
        assert table.state == State.SEATING
        assert table.claimed_by == ""
        assert table.claimed_until is not None
        assert table.claimed_until > timezone.now()
    serve(table, make_driver=failing)
    assert table.state == State.FAILED
    assert "void" in table.failure_reason
    assert "secret" not in table.failure_reason
    assert not table.is_over
    assert fairness_of(table)["secret"] is None
    a_table()


def test_bots_of_a_runtime_wait_for_its_artefact_which_their_order_names() -> None:
    table = a_table()
    named = [seat["version"] for seat in table.seats if seat["version"] is not None]
    BotVersion.objects.filter(public_id__in=named).update(runtime="python/2")
    with pytest.raises(PlatformFault, match="python/2 takes an artefact, and none was ordered"):
        table_order(table, seat_versions(table))
    artifact_publish("python/2", b"bytes", "s" * 64)
    hashes = {seat.runtime: seat.runtime_sha256 for seat in table_order(table, seat_versions(table)).seats}
    assert hashes == {"python/1": "", **artifacts_current()}


def test_who_lost_the_claim_writes_nothing_more() -> None:
    table = a_table()
    sitting = Scripted(table)
    CasualTable.objects.filter(pk=table.pk).update(claimed_by="another/1")
    sitting.serve()
    table.refresh_from_db()
    assert (table.length, table.state, table.claimed_by) == (0, State.SEATING, "another/1")
    assert table.claimed_by != CLAIM


def test_computing_time_of_bots_is_counted() -> None:
    table = serve(a_table())
    assert table.cpu_ms > 0


def test_tables_nobody_can_come_back_to_are_deleted_after_a_month() -> None:
    guests, own = serve(a_table(GUEST), person=GUEST), serve(a_table())
    assert Blob.objects.filter(sha256=guests.record_sha256).exists()
    assert tables_prune() == 0
    CasualTable.objects.update(
        last_action_at=timezone.now() - datetime.timedelta(days=31, seconds=QUOTA_PERIOD_S)
    )
    assert tables_prune() == 1
    assert list(CasualTable.objects.all()) == [own]
    assert not Blob.objects.filter(sha256__in=[guests.record_sha256, guests.view_sha256]).exists()
    assert blob_get(own.record_sha256)
