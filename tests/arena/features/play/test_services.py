"""Opening a casual table, acting at it, leaving it and coming back; what each refusal says."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django import Settings

from arena.common.errors import ArenaError, Conflict, Invalid, NotFound
from arena.features.play.models import CasualTable
from arena.features.play.offers import offers, public_versions
from arena.features.play.person import Person
from arena.features.play.position import seat_position
from arena.features.play.selectors import active_table, fairness_of, table_of, view_of
from arena.features.play.services import finish, leave, open_table, resume
from arena.operations.account_deletion import account_delete
from arena.operations.own_data import own_data
from arena.settings.play import PlayLimits, play_limits_of
from engine.games import all_games
from tests import factories
from tests.arena.features.play.casual_tables import serve
from tests.arena.features.play.tables import GUEST, a_table, act, advance, aya, house

pytestmark = pytest.mark.django_db
State = CasualTable.State


def refused(code: str, **choice: Any) -> ArenaError:
    with pytest.raises(ArenaError) as error:
        a_table(**choice)
    assert error.value.code == code
    return error.value


def test_every_preset_and_number_of_seats_can_be_opened_and_played() -> None:
    house()
    for offer in offers():
        assert offer.strengths == ("random", "greedy", "rules", "search")
        for seats in offer.seat_counts or (None,):
            table = open_table(aya(), preset=offer.key, seats=seats, seat=2, opponents="random")
            assert len(table.seats) == (seats or offer.seats)
            for _ in range(500):
                advance(table)
                if table.is_over:
                    break
                position = seat_position(table)
                assert position.is_mine
                assert set(position.legal) == set(position.observation["legal"])
                act(aya(), table.public_id, position.n, position.legal[0])
            assert table.is_over, offer.key
    assert {offer.key for offer in offers()} == {
        name for game in all_games().values() for name in game.presets
    }


def test_the_partner_sits_opposite_and_public_bots_on_the_seats_of_opponents() -> None:
    house()
    mine = factories.a_version(factories.a_bot(factories.ben(), "Ben's bot"))
    assert public_versions("kakeya", "ben") == [mine]
    assert mine in public_versions("kakeya")
    table = a_table(
        preset="kakeya6", seat=3, opponents="public", versions=(mine.public_id,), partner="greedy"
    )
    labels = {seat["seat"]: seat["label"] for seat in table.seats}
    assert labels == {**dict.fromkeys((1, 2, 4, 5), str(mine)), 3: "you", 6: "house greedy"}
    assert mine.public_id in table.versions


@pytest.mark.parametrize(
    ("code", "choice"),
    [
        ("unknown_preset", {"preset": "kakeya5"}),
        ("wrong_seats", {"preset": "kakeya4", "seats": 6}),
        ("wrong_choice", {"seat": 5}),
        ("wrong_choice", {"deals": "3"}),
        ("wrong_choice", {"clock_s": 7}),
        ("wrong_choice", {"opponents": "public"}),
        ("unknown_strength", {"opponents": "brilliant"}),
        ("version_unavailable", {"partner": "nobody"}),
        ("version_unavailable", {"opponents": "public", "versions": ("\0",)}),
        ("guest_deal_limit", {"person": GUEST, "deals": "4"}),
        ("guest_key_required", {"person": Person(None, "", "192.0.2.7")}),
        ("casual_table_not_found", {"same_cards_as": "abcdefghjkmn"}),
    ],
)
def test_what_cannot_be_is_refused(code: str, choice: dict[str, Any]) -> None:
    refused(code, **choice)


def test_private_bots_are_not_to_be_had() -> None:
    house()
    version = factories.a_version(factories.a_bot(factories.ben(), visibility="private"))
    refused("version_unavailable", opponents="public", versions=(version.public_id,))


@pytest.mark.parametrize("person", [GUEST, None])
def test_a_person_has_one_table_at_a_time_even_if_it_asks_twice_at_once(person: Person | None) -> None:
    table = a_table(person)
    assert refused("casual_table_open", person=person).extra["table"] == table.public_id
    assert active_table(person or aya()) == table
    again = CasualTable.objects.get(pk=table.pk)
    again.pk, again.public_id = None, "another1"
    with pytest.raises(IntegrityError), transaction.atomic():
        again.save(force_insert=True)


def test_who_is_not_at_the_table_does_not_find_it() -> None:
    table = a_table(GUEST)
    for other in (aya(), GUEST._replace(guest_key="another"), GUEST._replace(guest_key="")):
        for ask in (table_of, leave, resume, lambda who, what: act(who, what, 0, "S")):
            with pytest.raises(NotFound):
                ask(other, table.public_id)
    for name in ("", "\0", "x" * 100, "nothere12345"):
        with pytest.raises(NotFound):
            table_of(GUEST, name)


def test_an_action_is_taken_once_and_only_where_it_was_chosen() -> None:
    table = advance(a_table(seat=2))
    at = seat_position(table)
    act(aya(), table.public_id, at.n, at.legal[0])
    act(aya(), table.public_id, at.n, at.legal[0])
    with pytest.raises(Conflict) as error:
        act(aya(), table.public_id, at.n, at.legal[1])
    assert error.value.code == "not_your_turn"
    table.refresh_from_db()
    assert table.pending == [at.n, at.legal[0]]
    assert not seat_position(table).is_mine
    advance(table)
    act(aya(), table.public_id, at.n, at.legal[0])
    table.refresh_from_db()
    assert table.pending is None
    for n in (at.n, table.length + 1, -1, 10**9):
        with pytest.raises(Conflict) as error:
            act(aya(), table.public_id, n, "2S")
        assert error.value.code == "not_your_turn"


def test_an_illegal_action_is_told_what_is_legal() -> None:
    table = advance(a_table())
    at = seat_position(table)
    for action in ("", "ZZ", "x" * 5000, "\0"):
        with pytest.raises(Invalid) as error:
            act(aya(), table.public_id, at.n, action)
        assert error.value.code == "illegal_action"
        assert error.value.extra["legal"] == list(at.legal)
        assert len(error.value.message) <= 500
    table.refresh_from_db()
    assert table.pending is None


def test_a_choice_made_too_late_is_refused_although_the_row_was_read_before() -> None:
    table = advance(a_table())
    at = seat_position(table)
    CasualTable.objects.filter(pk=table.pk).update(length=at.n + 1)
    with pytest.raises(Conflict):
        act(aya(), table.public_id, at.n, at.legal[0])


def test_leaving_stops_the_clock_and_acting_or_coming_back_wakes_the_table_up() -> None:
    table = advance(a_table(clock_s=15))
    until = timezone.now() + datetime.timedelta(seconds=9)
    CasualTable.objects.filter(pk=table.pk).update(deadline_at=until, claimed_by="s", claimed_until=until)
    leave(aya(), table.public_id)
    leave(aya(), table.public_id)
    table.refresh_from_db()
    assert table.state == State.PAUSED
    assert table.claimed_by == ""
    assert table.deadline_at is None
    assert table.clock_left_ms is not None
    assert 0 < table.clock_left_ms <= 9000
    resume(aya(), table.public_id)
    resume(aya(), table.public_id)
    table.refresh_from_db()
    assert table.state == State.PLAYING
    leave(aya(), table.public_id)
    table.refresh_from_db()
    at = seat_position(table)
    act(aya(), table.public_id, at.n, at.legal[0])
    table.refresh_from_db()
    assert table.state == State.PLAYING
    assert table.pending == [at.n, at.legal[0]]


def test_bots_have_a_quota_of_computing_time(settings: Settings) -> None:
    settings.PLAY = PlayLimits(cpu_s=10)
    table = a_table()
    spent = timezone.now() - datetime.timedelta(minutes=50)
    CasualTable.objects.filter(pk=table.pk).update(cpu_ms=10_000, last_action_at=spent, state=State.PAUSED)
    with pytest.raises(Conflict) as error:
        resume(aya(), table.public_id)
    assert error.value.code == "play_quota_exceeded"
    until = datetime.datetime.fromisoformat(error.value.extra["until"])
    assert abs(until - spent - datetime.timedelta(hours=1)) < datetime.timedelta(seconds=2)
    CasualTable.objects.filter(pk=table.pk).update(state=State.ABANDONED)
    refused("play_quota_exceeded")
    a_table(GUEST)
    CasualTable.objects.filter(pk=table.pk).update(last_action_at=spent - datetime.timedelta(minutes=11))
    a_table()


def test_guests_of_an_address_open_so_many_tables_and_share_their_quota(settings: Settings) -> None:
    settings.API_RATES = {**settings.API_RATES, "play_guests": "2/hour"}
    settings.PLAY = PlayLimits(cpu_s=10)
    a_table(GUEST)
    a_table(GUEST._replace(guest_key="2"))
    assert "until" in refused("guest_table_limit", person=GUEST._replace(guest_key="3")).extra
    other = a_table(GUEST._replace(guest_key="4", address="198.51.100.1"))
    CasualTable.objects.update(cpu_ms=10_000)
    refused("play_quota_exceeded", person=GUEST._replace(guest_key="5", address="198.51.100.1"))
    assert "192.0.2.7" not in repr(list(CasualTable.objects.values()))
    assert other.owner is None


def test_who_leaves_tables_to_bots_waits_for_these() -> None:
    for _ in range(3):
        finish(aya(), a_table().public_id)
    refused("play_capacity_exceeded")
    assert a_table(GUEST).state == State.SEATING
    done = CasualTable.objects.filter(state=State.ABANDONED).first()
    assert done is not None
    CasualTable.objects.filter(pk=done.pk).update(field=[], ended_at=timezone.now())
    a_table()


def test_a_table_is_refused_when_many_wait_for_a_place(settings: Settings) -> None:
    settings.PLAY = PlayLimits(tables=1)
    a_table()
    refused("play_capacity_exceeded", person=GUEST)


def test_the_same_cards_are_dealt_at_another_seat_once_the_table_is_over() -> None:
    first = a_table(seat=1, preset="kakkuri", seats=3, opponents="random")
    refused_before = pytest.raises(ArenaError)
    with refused_before as error:
        open_table(aya(), preset="kakkuri", same_cards_as=first.public_id)
    assert error.value.code in ("wrong_state", "casual_table_open")
    while not first.is_over:
        advance(first)
        at = seat_position(first)
        if at.is_mine:
            act(aya(), first.public_id, at.n, at.legal[-1])
    again = open_table(aya(), preset="kakeya4", seat=2, same_cards_as=first.public_id)
    advance(again)
    assert (again.preset, len(again.seats), again.commitment) == ("kakkuri", 3, first.commitment)
    seeds = [[board["seed"] for board in fairness_of(table)["boards"]] for table in (first, again)]
    assert seeds[0][0] is not None
    assert seeds[1] == [None]
    assert fairness_of(again)["secret"] is None
    assert view_of(first) is None


def test_an_option_that_is_none_is_refused_by_the_settings() -> None:
    assert play_limits_of({"RENSHO_PLAY_CPU_S": "30"}) == PlayLimits(cpu_s=30)
    for wrong in ({"RENSHO_PLAY_TABLES": "0"}, {"RENSHO_PLAY_TABLE": "3"}):
        with pytest.raises(SystemExit):
            play_limits_of(wrong)


def test_persons_are_told_apart_by_digests_alone() -> None:
    assert GUEST.guest
    assert GUEST.guest != GUEST._replace(guest_key="x").guest
    assert GUEST.quota_key == GUEST._replace(guest_key="x").quota_key != aya().quota_key
    assert aya().guest == ""


def test_a_deleted_account_parts_with_its_tables_and_is_named_at_none() -> None:
    house()
    hima = factories.chie()
    bot = factories.a_version(factories.a_bot(hima, "Hima's pride"))
    at_others = a_table(opponents="public", versions=(bot.public_id,))
    own = a_table(Person(hima, "", "192.0.2.9"))
    assert [row["id"] for row in own_data(hima)["casual_tables"]] == [own.public_id]
    account_delete(hima)
    for table in (own, at_others):
        table.refresh_from_db()
    assert (own.owner, own.quota_key, own.guest, own.state) == (None, "", "", State.ABANDONED)
    assert "Hima" not in str(at_others.seats)
    assert at_others.is_active


def test_a_table_is_finished_for_whoever_asks_and_another_may_be_opened() -> None:
    table = advance(a_table())
    with pytest.raises(NotFound):
        finish(GUEST, table.public_id)
    finish(aya(), table.public_id)
    table.refresh_from_db()
    assert (table.state, table.ended_at, table.claimed_by) == ("abandoned", None, "")
    again = a_table()
    assert again.pk != table.pk
    ended = serve(table)
    assert (ended.state, ended.is_over) == ("abandoned", True)
    finish(aya(), ended.public_id)
    ended.refresh_from_db()
    assert ended.is_over
