"""Finishing a deal whose result is certain."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.common.errors import ArenaError
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.position import is_decided, seat_position
from arena.features.play.services import act, finish_deal, open_table
from arena.tables.live.history import position_history
from tests import factories
from tests.arena.features.play.casual_tables import Scripted
from tests.arena.features.play.tables import advance, aya

pytestmark = pytest.mark.django_db


class Finishing(Scripted):
    """A sitting whose person asks for the rest of the deal as soon as that is offered, once."""

    def __init__(self, table: CasualTable, person: Person) -> None:
        super().__init__(table, person=person)
        self.asked_at = 0
        self.own_turns: list[int] = []

    def _begin_turn(self):  # type: ignore[no-untyped-def]
        row = CasualTable.objects.get(pk=self.pk)
        position = seat_position(row)
        if self._finishes_deal:
            return super(Scripted, self)._begin_turn()
        self.own_turns.append(position.n)
        if not self.asked_at and is_decided(row, position):
            self.asked_at = position.n
            finish_deal(row, position.n)
        return super()._begin_turn()


def opened(deals: str) -> CasualTable:
    bot = factories.a_version(factories.a_bot(factories.ben())).public_id
    return open_table(
        aya(), preset="etori.meiji", opponents="public", versions=[bot], partner=bot, deals=deals
    )


def test_the_rest_of_the_deal_is_played_and_the_next_one_is_not() -> None:
    table = opened("4")
    sitting = Finishing(table, aya())
    sitting.serve()
    table.refresh_from_db()
    assert table.is_over
    assert sitting.asked_at
    history = position_history(table)
    starts = [step.length for step in history.steps if step.ended_board is not None]
    deal_end = next(n for n in [*starts, table.length] if n > sitting.asked_at)
    own = [n for n, (seat, _) in enumerate(table.actions) if seat == table.seat]
    rest = [n for n in own if sitting.asked_at <= n < deal_end]
    assert len(rest) > 1
    for n in rest:
        assert table.actions[n][1] == history.by_length[n].state.legal(table.seat)[0]
    assert set(own) - set(rest) <= set(sitting.own_turns), "every other turn was the person's"
    assert table.substituted == []


def test_it_is_refused_while_the_result_is_open() -> None:
    table = advance(opened("1"))
    with pytest.raises(ArenaError) as error:
        finish_deal(table, table.length)
    assert error.value.code == "deal_not_decided"
    client = Client()
    client.force_login(factories.aya())
    page = client.get(f"/play/{table.public_id}").content.decode()
    assert "finish-deal" not in page
    answer = client.post(f"/play/{table.public_id}/finish-deal", {"n": str(table.length)})
    assert answer.status_code == 409
    stranger = Client().post(f"/play/{table.public_id}/finish-deal", {"n": str(table.length)})
    assert stranger.status_code == 404


def test_it_is_offered_once_the_result_is_certain() -> None:
    table = advance(opened("1"))
    while not is_decided(table, seat_position(table)):
        act(table, table.length, seat_position(table).legal[0])
        if advance(table).is_over:  # open to its last card
            table = advance(opened("1"))
    client = Client()
    client.force_login(factories.aya())
    assert f"/play/{table.public_id}/finish-deal" in client.get(f"/play/{table.public_id}").content.decode()
    assert client.post(f"/play/{table.public_id}/finish-deal", {"n": str(table.length)}).status_code == 302
    table.refresh_from_db()
    assert table.pending is not None
    assert table.pending[2] is True
