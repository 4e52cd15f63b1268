"""House bots of a tournament: chosen in its draft, entered as entry opens, free of invitations and quotas."""

from __future__ import annotations

from typing import Any

import pytest

from arena.common.errors import ArenaError
from arena.competition.entries.services import entry_create
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Entry, Tournament
from arena.competition.services import tournament_open, tournament_update
from arena.roster.models import BotVersion
from tests.arena.competition.house_bots import house
from tests.factories import a_bot, a_tournament, a_version, an_open_tournament, aya, ben, odo

pytestmark = pytest.mark.django_db


def entered(tournament: Tournament) -> list[int | None]:
    rows = tournament.entries.filter(status=Entry.Status.ENTERED).order_by("pk")
    return list(rows.values_list("version", flat=True))


def test_the_chosen_ones_are_entered_when_entry_opens_also_by_invitation_and_beyond_a_quota() -> None:
    greedy, rules = house(), house("rules")
    house("random")
    draft = a_tournament(
        house_bots=["kakeya_rules", "kakeya_greedy", "kakeya_rules"], entry_policy="invited", max_entries=4
    )
    assert draft.house_bots == ["kakeya_rules", "kakeya_greedy"]
    assert entered(draft) == []
    tournament_open(draft, draft.organiser)
    assert entered(draft) == [rules.pk, greedy.pk]


@pytest.mark.parametrize("names", [["kakeya_rules"], ["kakkuri_greedy"], ["aya's bot"], "kakeya_greedy", [7]])
def test_other_names_are_rejected_with_the_field(names: Any) -> None:
    house()
    house(game="kakkuri")
    a_version(a_bot(aya(), "aya's bot"))
    for act in (
        lambda: a_tournament(house_bots=names),
        lambda: tournament_update(a_tournament(), odo(), house_bots=names),
    ):
        with pytest.raises(ArenaError) as refused:
            act()
        assert (refused.value.code, refused.value.extra["field"]) == ("invalid", "house_bots")


def test_another_game_needs_other_house_bots() -> None:
    house()
    draft = a_tournament(house_bots=["kakeya_greedy"])
    other: dict[str, Any] = {"stages": None, "min_entries": None, "max_entries": None}
    with pytest.raises(ArenaError) as refused:
        tournament_update(draft, odo(), preset="kakkuri", **other)
    assert refused.value.extra["field"] == "house_bots"
    tournament_update(draft, odo(), preset="kakkuri", house_bots=[], **other)


def test_one_that_is_not_ready_stops_an_organiser_but_not_a_cup() -> None:
    version = house()
    draft = a_tournament(house_bots=["kakeya_greedy"])
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.RETIRED)
    with pytest.raises(ArenaError) as refused:
        tournament_open(draft, draft.organiser)
    assert (refused.value.code, refused.value.extra["bots"]) == ("house_bot_not_ready", ["kakeya_greedy"])
    draft.refresh_from_db()
    assert draft.state == Tournament.State.DRAFT
    tournament_open(draft, None)
    assert entered(draft) == []


def test_organisers_enter_and_withdraw_house_bots_while_entry_is_open_and_no_other_account_does() -> None:
    version = house()
    tournament = an_open_tournament(entry_policy="invited")
    with pytest.raises(ArenaError) as refused:
        entry_create(tournament, version, ben())
    assert refused.value.code == "not_owner"
    entry = entry_create(tournament, version, tournament.organiser)
    assert (entry.status, entry.is_organiser_entry) == (Entry.Status.ENTERED, False)
    with pytest.raises(ArenaError) as refused:
        entry_create(tournament, a_version(a_bot(aya())), tournament.organiser)
    assert refused.value.code == "not_owner"
    entry_withdraw(entry, tournament.organiser, "too strong")
    assert entered(tournament) == []


def test_house_bots_take_places_but_have_no_limit_per_player() -> None:
    owner = house().bot.owner.user
    tournament = an_open_tournament(max_entries=2, entries_per_player=1)
    others = [a_version(a_bot(owner, f"kakeya_greedy{number}")) for number in range(2)]
    for version in others:
        entry_create(tournament, version, tournament.organiser)
    with pytest.raises(ArenaError) as refused:
        entry_create(tournament, house("rules"), tournament.organiser)
    assert refused.value.code == "tournament_full"
