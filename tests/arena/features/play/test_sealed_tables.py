"""A sealed table, whose cards others still play: what its person may see after the end."""

from __future__ import annotations

import datetime

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from arena.common.errors import Conflict
from arena.competition.casual import CasualDeals, casual_deals
from arena.features.play.feature import PLAY
from arena.features.play.limits import QUOTA_PERIOD_S
from arena.features.play.models import CasualTable
from arena.features.play.offers import preset_chosen
from arena.features.play.person import Person
from arena.features.play.runner.kind import CASUAL
from arena.features.play.selectors import ABANDONED_S, active_table, fairness_of
from arena.features.play.services import open_sealed_table, open_table, seat_bots
from arena.features.play.sharing import share
from arena.tables.live.orders import seat_versions, table_order
from tests import factories
from tests.arena.features.play.casual_tables import serve
from tests.arena.features.play.tables import GUEST, a_table, house

pytestmark = pytest.mark.django_db
State = CasualTable.State


def a_sealed_table(person: Person, dealt: CasualDeals | None = None) -> CasualTable:
    house()
    game, ruleset = preset_chosen("kakeya4", None)
    placed = seat_bots(game, ruleset, 1, "rules", "rules", ())
    if dealt is None:
        dealt = casual_deals("somecards234", [version.bundle_sha256 for version, _ in placed.values()])
    return open_sealed_table(person, game, ruleset, 1, placed, dealt, 3, plays_field=False)


def person_signed_in(client: Client) -> Person:
    user = factories.aya()
    client.force_login(user)
    return Person(user, "", "192.0.2.8")


def test_after_the_end_its_person_sees_the_hands_but_no_secret_link_or_same_cards(client: Client) -> None:
    person = person_signed_in(client)
    table = serve(a_sealed_table(person), person=person)
    assert table.is_over
    page = client.get(f"/play/{table.public_id}").content.decode()
    assert 'id="replay"' in page
    proof = fairness_of(table)
    hidden = (table.secret.hex(), "seed", f"/play/{table.public_id}/share", 'name="same_cards_as"')
    assert [text for text in hidden if text in page] == []
    assert proof["secret"] is None
    assert [board["seed"] for board in proof["boards"]] == [None]
    for refused in (
        lambda: share(person, table.public_id),
        lambda: open_table(person, preset="kakeya4", same_cards_as=table.public_id),
    ):
        with pytest.raises(Conflict) as error:
            refused()
        assert error.value.code == "casual_table_sealed"
    assert PLAY.own_data is not None
    (own,) = PLAY.own_data(factories.aya())["casual_tables"]
    assert own["actions"] is None
    CasualTable.objects.filter(pk=table.pk).update(is_sealed=False)
    opened = client.get(f"/play/{table.public_id}").content.decode()
    assert [text in opened for text in hidden] == [True] * len(hidden)


def test_it_takes_no_place_of_other_tables_and_waits_for_its_person() -> None:
    table = a_sealed_table(GUEST)
    assert active_table(GUEST) is None
    other = a_table(GUEST)
    assert active_table(GUEST) == other
    long_ago = timezone.now() - datetime.timedelta(seconds=ABANDONED_S + QUOTA_PERIOD_S)
    CasualTable.objects.update(state=State.PAUSED, last_action_at=long_ago)
    CASUAL.before_claims(1)
    states = dict(CasualTable.objects.values_list("pk", "state"))
    assert states == {table.pk: State.PAUSED, other.pk: State.ABANDONED}
    CasualTable.objects.filter(pk=other.pk).update(state=State.PLAYING)
    with pytest.raises(IntegrityError), transaction.atomic():
        CasualTable.objects.filter(pk=table.pk).update(is_sealed=False)


def test_all_tables_of_the_same_cards_give_the_bots_the_same_seeds_and_the_same_key() -> None:
    one = a_sealed_table(GUEST)
    dealt = CasualDeals(bytes(one.secret), one.seed_id, tuple(one.bundles))
    other = a_sealed_table(GUEST._replace(guest_key="another"), dealt)
    orders = [table_order(table, seat_versions(table)) for table in (one, other)]
    assert orders[0].key == orders[1].key
    assert orders[0].boards == orders[1].boards
